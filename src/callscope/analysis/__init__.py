"""Transcript to findings. Read in this order:

- analyze: which analyses run, and who judges
- results: what is found, the JSON in which it is stored, and its sentences
- models: the table of analyses and their states
- conversation: a transcript as the analyzers read it, how it is talked, and the name of its agent
- evidence: a quote is kept only if the transcript holds it
- scoring: from answers to points
- figures: numbers that are rounded once, and from the exact one for each place
- rules: the analyzer without a language model
- acts: what a clause does: it asks, offers, confirms, states a failure ...
- matching: phrases of a rubric in the words of a call
- llm: the analyzer with a language model
- lint: what misleads in a rubric before it judges any call
- counterfactuals: copies of a transcript that say the same as other people would
"""
