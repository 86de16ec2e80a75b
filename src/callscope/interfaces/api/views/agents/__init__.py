"""What is between agents and those who judge them.

- agent_users: who is linked to which agent;
- appeals: what agents answer, and who decides.
"""
