"""What the page of one call shows.

- call: its scores, mistakes and prompts
- answers: what it answers to questions
- appeal_form: the form in which its agent appeals a criterion
- details_form: the form that corrects what is known of it from outside
- undecided: the prompts and mistakes of which nobody can tell
- decided: where in the call something was decided
- player: its recording and transcript
"""
