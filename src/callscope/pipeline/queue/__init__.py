"""The queue: a job table that is the truth, and an optional broker that wakes up workers.

- jobs.py: enqueue, claim and end jobs; read this first.
- fair_choice.py: which of the due jobs is claimed next.
- notifier.py: notify the broker of a job, if there is one.
- celery_app.py: the Celery application that talks to the broker.
- breakers/: engines and buckets in trouble, and the work that waits for them.
- worker_identity.py: find out whether a worker on this machine is still alive.
"""
