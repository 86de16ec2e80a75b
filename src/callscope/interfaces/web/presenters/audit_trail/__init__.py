"""The audit trail as its page shows it.

- words: the names of kinds, actions, subjects and details
- rows: the events, with what they are about named and linked
"""
