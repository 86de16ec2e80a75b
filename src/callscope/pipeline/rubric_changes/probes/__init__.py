"""Past calls judged several times before a rubric counts. Read in this order:

- requests: start a probe, draw its calls
- copying: the copies of a call, made from its words whenever they are needed
- judging: the job that judges the calls, portion by portion
- steadiness: how often a model answers otherwise when it is asked again
- fairness: how answers move when other people say the same
- stopping: end a probe before its calls are all judged
- changes: the words that a copy changed, and what each answer quotes
- tipping: what of a call and its copy tipped an answer of rules
- progress: how far a probe is, and what it came to
- warnings: what is not known of a draft that is about to be published
"""
