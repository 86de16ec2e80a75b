"""Calls to review, drawn at random.

- `draw`: draw calls from a recorded seed and split them between reviewers;
- `listing`: what became of them.
"""
