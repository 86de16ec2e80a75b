"""The pages of what happened: the audit trail, and the use of engines."""
