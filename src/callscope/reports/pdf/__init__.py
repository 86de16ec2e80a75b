"""The report as a PDF document in one language.

Read in this order:

pdf               the whole way: report, summary, page data, document
narrative         the executive summary by a language model, sentence by sentence checked
number_guard      whether every number of a sentence is in the report
change_guard      whether a sentence calls something a rise or a fall that may be chance
noise             intervals, and differences that may be chance, in words
template_summary  the executive summary without a language model
layout            every number and date of the report as the text that is printed
cover             what the first page says about the report itself: projects, days, calls
story             its first page: what explains the change, and calls to hear
tiles             the figures, the first of them large
criterion_rows    the scorecard, each row with its dots
finding_rows      mistakes and missed prompts
reason_rows       contact reasons, what stands above them, and trackers
trend_rows        the weekly trend: its chart and its table
agent_rows        projects next to each other; agents, and how they talk
map_rows          the two maps
foot/             what figures and signs mean
plain_text        texts of callers and files as a line on paper
number_formats    how numbers and dates are written in the language
printing          page data through Typst (report.typ) into a tagged PDF
"""
