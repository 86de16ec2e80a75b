"""Pages that send a report to people, or open it and calls by a link.

- report_mails.py: the report by mail, once a week or a month
- share_links.py: make, list and revoke links for people without an account
- shared.py: what such a link shows
- shared_parts.py: which parts of a call it would show
"""
