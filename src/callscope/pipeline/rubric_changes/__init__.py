"""A rubric changes, and past calls show what that means.

- replays/: a draft judged on past calls, published, and history judged again
- probes/: past calls judged several times: how steady a model is, and how fair
"""
