"""The processes that do the work. Read stages.py first, then worker.py.

- stages.py: the stages of a file, one job each, and what an error in one of them means.
- worker.py: claim a job, run it, repeat; maintenance in between.
- job_supervisor.py: the worker's side of a job process: lease, deadline, stop, death.
- relief.py: other jobs go on while the worker's own waits for an engine.
- job_process.py: the process that runs the stages.
- celery_worker.py: a worker that a broker wakes up, instead of polling.
- sweep.py: requeue jobs whose worker is gone, fail what waited too long, notify again what a broker lost.
- maintenance.py: compact the report store.
"""
