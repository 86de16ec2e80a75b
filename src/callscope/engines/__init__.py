"""Machines we call: speech recognition, language models, embeddings. Plain Python, no Django."""
