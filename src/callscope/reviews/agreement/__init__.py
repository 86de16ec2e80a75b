"""How far machine and people agree. Read in this order:

- measures: pairs of answers become kappa and AC1, by criterion and finding
- blind_pairs: what agreement is measured on, blind reviews
- blind_agreement: the same measured once, as pages show it
- evaluation: people's labels in a CSV against the stored results
"""
