"""The report of one thing alone, with passages of calls to hear.

agent_page     one agent: courses of the criteria, quotes, open notes, appeals
reason_detail  what one contact reason came to
"""
