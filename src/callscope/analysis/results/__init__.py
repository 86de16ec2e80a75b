"""What an analysis gives. Read in this order:

- findings: what an analyzer finds, before points are computed
- schema: the JSON in which the results are stored
- messages: the sentences in them, in the project's language
- quote_removal: the results of a call whose transcript was removed
"""
