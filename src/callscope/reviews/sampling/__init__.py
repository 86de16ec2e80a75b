"""Calls to review, drawn at random.

- `doubt`: which answers of the machine rest on little;
- `drawn_before`: which calls a new draw leaves out;
- `draw`: draw calls from a recorded seed and split them between reviewers;
- `withdrawing`: take back what nobody has begun;
- `plans`: draw so every week;
- `true_score`: what the random part says about all calls;
- `todays_scores`: reviews scored by the criteria and the rule of today;
- `listing`: what became of them;
- `work_list`: what is left to review, of a person and of each draw.
"""
