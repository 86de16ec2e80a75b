"""Several people rate the same calls, each blind; then they see how far apart they are, and agree.

Read in this order:

- `visibility`: who may see which reviews while a calibration is open;
- `sessions`: open and close one;
- `ratings`: what raters and the machine answered, read from the database;
- `comparison`: how far apart they are: agreement, spread, distances;
- `settlement`: the answers that people agree on;
- `listing`: all of it as the API and the pages show it.
"""
