"""Pages about agents.

- links: who sees the calls of which agent.
"""
