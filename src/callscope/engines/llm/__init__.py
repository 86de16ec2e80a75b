"""Chat with language models. Read in this order:

- client: one server and model, and what its answers cost
- capabilities: how a server wants to be asked, found out by asking
- refusal_texts: what a server said, wherever in its answer it stands
- refusals: what an error of a server means
- reading: the JSON object in what a model wrote
- scripted: a server that answers by a script, for tests and trials
"""
