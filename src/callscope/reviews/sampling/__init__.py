"""Calls to review, drawn at random.

- `draw`: draw calls from a recorded seed and split them between reviewers;
- `listing`: what became of them;
- `work_list`: what is left to review, of a person and of each draw.
"""
