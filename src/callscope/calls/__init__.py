"""What was recorded: files, calls, agents, metadata, the manifest."""
