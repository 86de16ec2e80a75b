"""Findings to answers: window, report, call table, call detail, PDF."""
