"""What is between agents and those who judge them.

- agent_users: who is linked to which agent;
- coaching: notes at a second of a call, and what is shown about one agent;
- appeals: what agents answer, and who decides.
"""
