"""What happens to a file, from upload to report. Read workers/stages.py first: it is the order of work.

- models: the jobs, and every other table of the pipeline
- queue/: the job table, the optional broker, and the work that waits for engines in trouble
- ledger/: what engines get of calls, and what that costs
- files/: a file from its upload to its results
- workers/: the processes that claim and run jobs, and the stages that they run
- decisions/: people review calls, edit contact reasons, move projects; the reports follow
- rubric_changes/: a draft of a rubric on past calls, published, and history judged again
- report_mail/: the report by mail, once a week or a month
- erasure/: erase calls, callers, agents, files and projects (start with `removal.py`)
- operation/: what an operator wants to know: checks, live processes, agreement of hosts, metrics
- transfer/: import and export analyzed calls
- backup/: back up and restore a whole instance
"""
