"""The contact reasons of one project.

pages: the list with its history, and the page of one reason, where it is edited and split
list_portion: which part of the list is shown, and which reasons are selected to be merged
codes: the page that makes codes of contact reasons
code_faults: where on that page a fault is shown
code_choice: which reasons are selected there, while a portion of them is shown at a time
changes: what single buttons do: merge, mark, regroup, undo
"""
