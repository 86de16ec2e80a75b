"""What is asked for, and whether a number answers it: the nearest question decides.

- `requests`: what a sentence asks for or announces, by its names;
- `question`: one question and what may be its answer; `open_questions`: those that are not answered yet;
- `follow_ups`: how a turn goes on with the one before.
"""
