"""Pages about agents.

- links: who sees the calls of which agent;
- coaching: notes at a second of a call, and the page of one agent;
- appeals: what agents answer, and who decides.
"""
