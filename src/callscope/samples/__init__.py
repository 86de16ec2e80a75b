"""The calls of the demonstration: two invented companies, their rubrics and their recordings."""
