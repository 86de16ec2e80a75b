"""Dialogs for quality_redaction.py: templates of labeled/redaction, filled with values in many spellings."""
