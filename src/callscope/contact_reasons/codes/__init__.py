"""Contact reasons become the predefined codes of a project.

Read in this order:

- `phrases`: what the classifier of a code goes by, taken from the topics of a reason;
- `proposal`: the codes that reasons would make, before anything is changed;
- `wish`: what a person wants, and what came of it;
- `adopting`: the reasons become codes, and every other call gets one of them.
"""
