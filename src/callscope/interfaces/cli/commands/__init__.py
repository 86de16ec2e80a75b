"""The commands. Modules import Django, engines and settings only inside the functions that run.

On the server:

- init.py: `callscope init`.
- accounts.py: `callscope user`, `callscope team`, `callscope key`.
- organization.py: `callscope organization`.
- projects.py: `callscope project`.
- agent.py: `callscope agent`.
- rubric.py: `callscope rubric`.
- probe.py: `callscope probe`.
- calls.py: `callscope calls import` and `callscope calls export`.
- erase.py: `callscope erase`.
- retention.py: `callscope retention`.
- audit.py: `callscope audit`.
- archive.py: `callscope backup` and `callscope restore`.
- serve.py: `callscope serve` and `callscope worker`.
- doctor.py: `callscope doctor`.
- retry.py: `callscope retry`.
- reviews/: `callscope review` and `callscope evaluate`.
- report_store.py: `callscope reports`.
- demo.py: `callscope demo`.

Over HTTP, from any machine:

- upload.py: `callscope upload`.
- report.py: `callscope report`.
"""
