"""Decisions of people, in one transaction with the reports that follow. One call, reason or project first:

- review_edits: a person reviews a call
- appeal_edits: an agent appeals, another person decides
- calibration_edits: people rate the same calls and agree
- reason_edits: a person changes contact reasons
- team_moves: a project moves into another team, and its agents with it
- ownership: a project gets another owner
- email_changes: a user gets another e-mail

And what plans and settings of people ask for:

- filtered_draws: draw calls to review among those that filters of the call list leave
- calibration_choice: choose calls for a calibration by chance
- weekly_draws: draw calls to review, where a plan asks for it every week
- weak_criteria: let answers of the machine wait for a person where both surely disagree
"""
