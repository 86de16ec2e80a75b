"""A draft of a rubric judged on past calls before it counts, and what comes after. Read in this order:

- drafts: start a replay, draw its calls
- baseline: what a draft is compared with
- portions: a few calls at a time, in any job that judges many
- judging: the job that judges them by the draft, portion by portion
- answers: what one call's answers were and would be
- besides: what one call's goal, reason, mistakes, prompts, trackers and questions were and would be
- comparison: what the answers of all calls come to
- besides_comparison: what all the rest comes to
- progress: how far a replay is
- stopping: stop one before it has judged all calls
- quotes: what the calls that change most say where answers moved
- changed_calls: all calls in which one thing changes
- call_changes: what was found otherwise in the calls that are listed besides the score
- report_effect: what publishing does to the average of the report
- lost_answers: which answers of people no longer count once calls are judged by a draft
- publishing: make a draft the configuration of its project
- rescoring: judge past calls again by the configuration of today, call by call
"""
