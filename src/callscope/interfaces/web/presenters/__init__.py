"""What a page shows: typed rows with words, classes and links, which templates only write out.

report: the report page
report_page: its parts, and the figures and sentences on top
differences: intervals in writing, and how an agent compares with the others
report_links: from a figure to its calls
shared_report: a report for people who have its link alone
trend: the weekly charts of the report page and their table
report_csv: the tables of the report as CSV
talk: the talk measures of a call
evidence: what is quoted of a call, and what was looked for in vain
call_page: the page of one call and its recording
reviewing/: the form of a review, its agent and its contact reason, and calibrations
kept_back: which figures wait for the visitor's review
call_list: filters, orders and pages of the call list
filter_chips: the filters that are on, in words
list_choices: the names that calls are filtered by
reasons: contact reasons, the history of their changes in words, and the offer to regroup
failed_calls: how many calls could not be analyzed, where, and a button to retry
file_status: how far an uploaded file is
appeals: the notes on a call, and the appeals of agents, and what the visitor may do about them
audit_trail: its events as rows of a page, and its words
agent: the page of one agent
retention: what the next sweep of a project removes, and what falls due soon
trial: candidate settings tried on one call
"""
