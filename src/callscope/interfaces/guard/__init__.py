"""What holds for the users of the API and of the pages alike; unlike the gate it knows users.

- rate_limit.py: how many requests a user may make.
- refusals.py: who was turned away, for the audit trail.
- byte_ranges.py: recordings, whole or the part that a player asks for.
- spreadsheet_cells.py: texts in CSV files that a spreadsheet might run; commands write such files, too.
"""
