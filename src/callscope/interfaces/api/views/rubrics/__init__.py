"""The rubric of a project.

lint: what misleads
replays: drafts judged on past calls, their publication, and history judged again
probes: how steady and how fair calls are judged
versions: what changed, and the way back
"""
