"""Copies of a transcript that say the same as other people would have said it. Read in this order:

- groups: the copies there are, and which of them a language has
- copies: make the copies of one call
- protection: the words that a copy leaves alone, because a phrase of the settings stands there
- people: who speaks in a call, as far as the words name them
- names: other names, titles and pronouns for these people
- dialects: other spellings and words for the same things
- order: the same facts in another order
"""
