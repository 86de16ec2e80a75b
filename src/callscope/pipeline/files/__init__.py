"""One file, from its upload to its results, and what follows from them. Read in this order:

- intake: accept uploads, manifests and metadata, and enqueue the first job
- corrections: what a correction of metadata replaced, and take it back
- results: store findings and make them the live results of their call
- regrouping: when the contact reasons of a project are grouped again
- progress: the analysis status that clients poll
- prospects: whether another attempt at a failed file can end better
- retry_failed: retry failed tasks on request; automatic attempts: workers.stages.handle_failure, queue.jobs

The stages between upload and results are in workers.stages.
"""
