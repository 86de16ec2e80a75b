"""Parts of the review of a call.

- `places`: its agent and its contact reason, in the form and where person and machine differ.
"""
