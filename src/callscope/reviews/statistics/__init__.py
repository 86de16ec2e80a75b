"""Agreement beyond chance: pure functions over answers, without a database.

- two_raters: Cohen's kappa and Gwet's AC1 of a table of pairs
- many_raters: Krippendorff's alpha of any number of raters, answers missing or not
- estimate: a coefficient with its 95 % interval
- means: a mean over calls with its 95 % interval

How the intervals are made, and how often they hold the truth: docs/analysis.md, "Agreement".
"""
