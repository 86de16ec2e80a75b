"""Reviews beyond one call: what many people answer together, and what the worker does between jobs.

- `calibration_edits`: people rate the same calls and agree, and the reports follow;
- `filtered_draws`: draw calls to review among those that filters of the call list leave;
- `weekly_draws`: draw calls to review, where a plan asks for it every week;
- `weak_criteria`: let answers of the machine wait for a person where both surely disagree.
"""
