"""What the page of one call shows.

- call: its scores, mistakes, prompts and answers
- undecided: the prompts and mistakes of which nobody can tell
- decided: where in the call something was decided
- player: its recording and transcript
"""
