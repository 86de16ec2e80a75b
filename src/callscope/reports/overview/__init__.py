"""The report: headline, scorecard, trend, contact reasons, agents and shifts of a window.

Read in this order:

- report: build_report(), and the report as JSON
- schemas: the shape of each part
- loader: read the aggregates and the names of their keys, as of one moment
- builder: the weeks of the trend, contact reasons, agents, shifts
- headline: the figures over any choice of hours
- intervals: 95 % intervals of means, shares and differences
- comparisons: windows, shifts, agents and weeks with what may be chance
- by_project/: the projects of a report next to each other, and whose the agents are
- talk_means: how each agent talks
- maps/: criteria by agent, and calls by weekday and hour
- figure_trend/: one figure of choice by week, with the window before
- scorecard: one row per criterion, and its figures where the criterion applies
- people/: the average that people would give, next to the one that counts
- origin/: who judged the calls, by which settings, and how far people agree
- kept_back/: what figures over few calls would say of one that waits for the reader's blind review
- findings: mistakes and missed prompts, by week and against the window before
- decided_findings: in how many calls each of them was decided
- rubric_marks: where a rubric changed, in words
- course: which contact reasons grow, shrink or are new
- reason_weeks: the calls of each contact reason in each of twelve weeks
- highlights: what changed and what to look at, in sentences
- places/: where to look, in sentences
- targets: what projects want their figures to be
- coverage: how many calls show a sentiment or an outcome
- missing_calls: how many calls could not be analyzed, by project, and how many lost their results
- glossary: what each figure means, for pages, PDF and command line
"""
