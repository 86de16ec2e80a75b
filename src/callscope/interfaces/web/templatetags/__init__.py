"""Tags and filters of the templates.

- icons: the drawings next to words
- formatting: how figures, times and results are written
- call_cells: the rows of the list of calls
- scorecard: quotes of a call, and the rows of its scorecard
- frame: what is the same around most pages
- setup: documents for modules, and the results of a trial
- wrapping: where a line may not be broken
"""
