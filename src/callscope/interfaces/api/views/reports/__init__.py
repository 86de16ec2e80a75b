"""The report over many calls.

- report.py: as JSON
- findings.py: mistakes and missed prompts
- maps.py: criteria by agent, calls by weekday and hour
- trend.py: one figure of choice by week
- pdf.py: as a document, one at a time for each user
"""
