"""The report of one thing alone, with passages of calls to hear.

absences       what criteria that were not met looked for, and where
agent_figures  what is counted of one agent, in few queries
agent_moments  what to talk about with an agent, and what went well
agent_page     one agent: courses of the criteria, quotes, open notes, appeals
answered       what answers of people decide, above all in an unreliable transcript
moments        words of calls that the story of a report is about
results_alone  a call as people outside see it: without comments of reviewers, without what was said
reason_detail  what one contact reason came to
"""
