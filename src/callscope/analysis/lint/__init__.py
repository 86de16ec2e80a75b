"""What misleads in a rubric or a goal, found before it counts. Read in this order:

- lint: the entry, all findings of a configuration, with the calls that show them
- finding: what one finding says
- promises: how many things a name or a guideline promises
- wording: findings that need nothing but the document
- recent_calls: the last calls of a project, as far as there is time for them
- calls: findings that need these calls
"""
