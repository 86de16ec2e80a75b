"""Transcript to findings: analysers, the evidence gate, scoring."""
