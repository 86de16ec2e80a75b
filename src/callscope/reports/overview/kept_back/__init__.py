"""What a report would tell a reader of calls that wait for this reader's blind review or rating.

A figure over fewer than LEAST_CALLS calls, of which half or more wait, is left out, and one over calls that
all wait: it is None, though the calls that it is taken over are not 0, which nothing else is. All other
figures stay, and everybody else sees all.

- calls: the calls that wait, and where they stand
- rows: rows and headlines without such figures
- whole_report: a report without them
- sentences: what is said of them
- other_figures: the same of maps, findings, the wide trend
"""
