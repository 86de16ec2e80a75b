"""One figure of a report by week, with the window before and what the figure may be off by.

- figures: which figures there are, and how an address names them
- weeks: the weeks of a figure, from sums
- answers: the weeks of an answer to a custom question, from the newest calls
"""
