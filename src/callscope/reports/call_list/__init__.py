"""The call list and one call of it: which calls, in which order, page by page.

listing           a page, or all calls; begin here
filters           what an address asks for: filters, search and order
drilldown         the calls that one figure of a report counts
conditions        a filter as data, and its readings for Django, SQL text and numpy
pagination        the steps from filters to a page, and the kinds of listing
counted_listing   lists that the sums count, cut into ranges for each order
spoken_listing    the calls that say some words, by time
page_ranges       calls that follow each other, read by one statement
queryset          the list as one query, for searches and files
counts            how many calls match, from rollups and journal
drilldown_counts  how many calls a figure counts, from the same
scan_counts       how many calls match, where the sums do not know
criterion_filter  the calls with one criterion of the scorecard
call_rows         one call as a row, as an item and as JSON
snippets          where a call says what was looked for
criterion_answers what a criterion came to in the calls of a page, with its quote
exported          the rows of a table of all calls, with more than the list shows
call_detail       one call with everything that was found in it
"""
