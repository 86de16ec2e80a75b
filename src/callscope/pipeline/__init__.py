"""The way through: read stages.py first, it is the order of work."""
