"""Machines we call: speech recognition, language models, embeddings. Plain Python, no Django.

Read in this order:

- registry: which engines work for a project, private or not
- identity: what names an engine
- errors: the three ways in which an engine fails
- connection: connects to checked addresses only
- request_limits: the total time of one request, and the size of its answer
- answers: whether the engines of a job answered, and whether it waits for a busy one
- asr: speech to text
- llm: chat with a language model
- embeddings: texts to vectors
"""
