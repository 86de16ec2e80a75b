"""The pages about a rubric before it counts, and its versions.

lint: what misleads, in the editor of the settings
criterion_trials: one criterion of a draft on the newest calls, in the editor of the settings
replays: drafts judged on past calls, and their publication; replay_besides and changed_calls belong to it
publish_form: what publishing a draft asks: which calls are scored again
publication: what became of a draft that was published, and how its replay calls both sides
draft_changes: what a draft changes, and which versions it undoes
replay_heads: how the calls of a replay were drawn, and what its draft changes in short
replay_calls: all calls of a replay in which one thing changes
probes: how steady and how fair calls are judged; probe_form and probe_names belong to it
probe_advice: what a probe's result means, and what to do next
probe_copies: what a copy of a fairness probe changed
versions: what changed, by whom and when, and the way back
answers: how these pages name the answers to a criterion, and why one is left open
time_left: how long a replay will still take
rounding: which differences and intervals these pages show
"""
