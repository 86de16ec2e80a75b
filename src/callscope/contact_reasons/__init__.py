"""Topics to contact reasons: grouping and predefined codes."""
