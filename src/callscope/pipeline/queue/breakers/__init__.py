"""What all workers know of engines and buckets in trouble, so that work waits for them instead of failing.

Read in this order; design: docs/adr/0016.

- needs.py: which engines a job asks, by the settings of this process.
- states.py: pause an engine after trouble, let single jobs try it, and resume; for all workers alike.
- engine_trouble.py: what an error of a stage says of its engine.
- site.py: the engines of all hosts, and which jobs wait for them.
- listing.py: the states, to show.
- waits.py: what the work of files waits for, to show.
"""
