"""What frames the report's figures.

- parts: its pages, each with an address
- highlights: the sentences on top
- findings: the tables of mistakes and missed prompts
"""
