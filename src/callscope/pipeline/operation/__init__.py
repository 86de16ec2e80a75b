"""What an operator wants to know: which processes live, whether they agree, how much waits, what was counted.

- processes.py: each process of the web and each worker says that it lives, and with which settings.
- agreement.py: which settings the processes have to share, and where they do not.
- engine_checks.py: ask every engine a real question.
- site_checks.py: the checks of `callscope doctor` that look at the whole installation.
- counters.py: add what each process has counted to the figures of the whole installation.
- metrics.py: all of that for Prometheus.
"""
