"""How requests come in. Read in this order:

- gate: what every request passes before anything is read of it
- guard: what holds for the users of the API and of the pages alike
- api: the REST API
- web: the pages
- cli: the commands
"""
