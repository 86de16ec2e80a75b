"""Criteria on which machine and people surely agree too little, where a project asks a person for those.

- `holding`: which criteria wait, as the project's row keeps them;
- `measuring`: which criteria are weak.
"""
