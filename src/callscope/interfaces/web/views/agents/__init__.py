"""Pages about agents.

- links: who sees the calls of which agent;
- appeals: what agents answer, and who decides.
"""
