"""What the worker does for reviews between jobs.

- `weekly_draws`: draw calls to review, where a plan asks for it every week;
- `weak_criteria`: let answers of the machine wait for a person where both surely disagree.
"""
