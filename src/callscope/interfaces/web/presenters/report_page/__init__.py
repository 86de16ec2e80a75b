"""What frames the report's figures.

- parts: its pages, each with an address
- headline: the figures on top with what they cover and their change
- scorecard: criteria with their figures and dots, by the rubric or by points lost
- sparks: lines of one word's size, of the course of a figure
- courses: figures by week at the size of a word, with what is gray and hollow in them
- highlights: the sentences on top
- agents: agents in the order of the address, and all calls
- projects: the projects of a report next to each other
- shifts: each figure by day and by night, and how far apart the two are
- maps: agents by criterion, weekdays by hour
- wide_trend: one figure of choice by week, with the window before
- reasons: contact reasons with their change and their course
- findings: the tables of mistakes and missed prompts
"""
