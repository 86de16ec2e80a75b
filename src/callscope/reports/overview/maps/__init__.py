"""The two maps of a report: figures by two things together, each read from a table of its own.

- agent_criteria: which criteria each agent earns, for the agents with most calls
- week_hours: calls and average score by weekday and hour
- shades: how strongly a cell is shaded
"""
