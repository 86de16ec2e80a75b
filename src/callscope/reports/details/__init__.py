"""The report of one thing alone, with passages of calls to hear.

agent_page     one agent: courses of the criteria, quotes, open notes, appeals
moments        words of calls that the story of a report is about
reason_detail  what one contact reason came to
"""
