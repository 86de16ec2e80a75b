"""Pages that send a report to people.

- report_mails.py: the report by mail, once a week or a month
"""
