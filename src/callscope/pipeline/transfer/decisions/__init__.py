"""What people decided about the calls of an import or export: reviews, appeals, and who an agent is.

- export: reviews, appeals and users of agents as an export writes them;
- writing: bring into the project what lines say of them, as ..decision_lines has checked it.

Samples and calibrations are in no line; a backup holds them.
"""
