"""The settings of a project.

parts: a page for each part, which saves only what is on it
general: the name, the team and the deletion of the project
conflicts: what others saved of a part since it was opened
draft: what a page shows of the draft of a replay
document: what the editor asks about the whole document while somebody types
"""
