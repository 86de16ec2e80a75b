"""The rubric of a project: lint, versions, and replays of drafts."""
