"""What is asked of the calls: settings, rubric, questions, reason codes, and who may see it."""
