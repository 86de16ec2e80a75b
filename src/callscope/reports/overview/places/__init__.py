"""Where to look.

- criteria: those that cost the most points, or were failed critically in the most calls
- ties: what shares the figure that readers see
"""
