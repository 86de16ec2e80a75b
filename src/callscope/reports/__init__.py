"""Findings to answers: the report, the call list, questions and the PDF, counted without reading calls.

Read in this order:

- models: one fact for each live call, and the tables that aggregates are stored in
- window: the days that an answer is about
- judged_versions: which versions that changed a rubric judged calls of a report
- store: facts, aggregates, journal and rollups; everything that counts goes through it
- overview: the report, and its two maps
- details: the report of one agent, and of one contact reason
- call_list: pages of calls, drill-down and one call
- questions: answers to custom questions
- pdf: the report on paper, with a summary in words
- search: calls by a part of their texts, and by what is said in them
- charts: small charts as SVG, for pages and PDF
- wide_chart: one figure over weeks in full width, for pages
- file_names: what a report is called as a file

Day and night: a fact stores the local hour of its call; ShiftHours of the project's configuration
decides when it is read (overview.builder, call_list.drilldown).

Analysis states are counted by database triggers on the table of analyses: see store.status_counts.
"""
