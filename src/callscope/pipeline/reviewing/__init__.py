"""What the worker does for reviews between jobs.

- `weak_criteria`: let answers of the machine wait for a person where both surely disagree.
"""
