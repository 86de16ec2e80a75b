"""Weigh what stands around a number that no rule explains: is it a code?

- `evidence`: what speaks for or against it, as names;
- `meaning`: what the words around it mean, by a sentence encoder;
- `likelihood`: the weights of the evidence, and what follows from both;
- `weights`: reads the lists of weights.
"""
