"""The analysis of a call by rules alone: what runs where no language model is configured.

Read in this order:

- `analyzer`: the entry, one result per analysis type;
- `judge`: criteria, prompts and mistakes by the phrases of the project;
- `compound`: rules that want, count or order several things, in sentences;
- `absence`: what to show where a criterion was not met: why it applied, what was looked for, and where;
- `decisive`: what an answer hangs on, met or not: for whom asks why a copy was judged otherwise;
- `trackers`: rules that earn no points;
- `insights`: sentiment, topic, goal and contact reason together, each from the file of its name:
  `sentiment`, `topics`, `goal`, `reason_codes`; `expressions` finds what their lists hold;
- `questions`: quotes for questions that only a language model can answer.

The word lists are in `lists/`; phrases, and what rules come to, are found by `analysis.matching`.
"""
