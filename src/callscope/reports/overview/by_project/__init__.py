"""What a report of several projects says of each of them.

- project_rows: a row for each project, next to the others
- agent_projects: in which projects the calls of an agent are
"""
