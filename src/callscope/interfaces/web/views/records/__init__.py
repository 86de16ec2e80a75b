"""The pages of what happened: the audit trail, and the use of engines.

audit: the events of the trail, and their file
audit_request: what its address asks for
audit_names: what the events of a page are about, by name
audit_reasons: which contact reasons, and what their changes did
usage: what engines did, and what it cost
usage_chart: the same over time
"""
