"""What an operator wants to know: which processes live, whether they agree, how much waits, what was counted.

- check_result.py: what one check found.
- processes.py: each process of the web and each worker says that it lives, and with which settings.
- agreement.py: which settings the processes have to share, and where they do not.
- engine_checks.py: ask every engine a real question.
- health_checks.py, readiness.py: the checks of `callscope doctor` and of /readyz.
- site_checks.py: the checks of `callscope doctor` that look at the whole installation.
- metrics.py: all of that for Prometheus.
"""
