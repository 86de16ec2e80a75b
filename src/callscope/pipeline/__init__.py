"""What happens to a file, from upload to report. Read stages.py first: it is the order of work.

- stages.py: the three stages, one job each, and what an error in one of them means.
- intake.py: accept uploads, manifests and metadata, and enqueue the first job.
- trial_quota.py: how many minutes of audio a user may upload.
- results.py: store findings and make them the live results of their call.
- regrouping.py: when the contact reasons of a project are grouped again.
- reason_edits.py: a person changes contact reasons, and the reports follow.
- review_edits.py: a person reviews a call, and the reports follow.
- appeal_edits.py: an agent appeals, another person decides, and the reports follow.
- reviewing/: what the worker does for reviews between jobs.
- replays/: a draft of a rubric judged on past calls, published, and history judged again.
- probes/: past calls judged several times: how steady a model is, and how fair.
- report_mail/: the report by mail, once a week or a month.
- team_moves.py: a project moves into another team, and its agents with it.
- progress.py: the analysis status that clients poll.
- retry_failed.py: retry failed tasks on request; automatic attempts: stages.handle_failure, queue/jobs.py.
- erasure/: erase calls, callers, agents, files and projects (start with `removal.py`).
- engine_notes.py: which hosts got what was said, for the audit trail.
- usage.py: what each engine call cost; estimates.py: what judging calls will cost.
- health_checks.py, readiness.py: the checks of `callscope doctor` and of /readyz.
- check_result.py: what one check found.
- breakers/: engines and buckets in trouble, and the work that waits for them.
- operation/: what an operator wants to know: live processes, agreement of hosts, metrics, further checks.
- queue/: the job table, and the optional broker.
- workers/: the processes that claim and run jobs.
- transfer/: import and export analyzed calls.
- backup/: back up and restore a whole instance.
"""
