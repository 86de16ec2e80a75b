"""What the page of one call shows.

- call: its scores, mistakes, prompts and answers
- decided: where in the call something was decided
- player: its recording and transcript
"""
