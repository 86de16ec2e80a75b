"""What every request passes before any door: limits that hold for the API and the pages alike.

- entrance.py: what stands before Django, in order.
- body_gate.py: the WSGI application around Django; which bodies are let in, and how many at once.
- senders.py: whose live key or session a body comes with.
- body_shares.py: how many bodies of one sender, and of strangers, may arrive at once.
- timed_body.py: a body that has to arrive at a pace.
- refuse_files.py: no file from a form where none is taken.
- client_origin.py: the address a request comes from, behind proxies.
- request_id.py: an id for each request, in its answer and its log lines.
- request_counts.py: how many requests, and how long they took.
- answer_headers.py: nothing is kept by a browser, and HTTPS stays HTTPS.
- threads.py: how many requests a web process handles at once.

Nothing here decides what a user may do. senders.py alone asks the database, to tell bodies of
strangers from those of users.
"""
