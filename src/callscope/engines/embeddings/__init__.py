"""Engines that turn texts into vectors, compared by their dot product.

Read in this order:

- `protocol`: what every embedder can do;
- `built_in`: the default, a small multilingual encoder that comes with a package;
- `lexical`: by words and letters alone, where memory is scarce;
- `sentence_model`: a BERT or MPNet model from a folder of the operator; `transformer` computes it;
- `remote`: a server that speaks OpenAI's `/embeddings`.
"""
