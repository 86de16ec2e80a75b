"""Tags and filters of the templates.

- formatting: how figures, times and results are written
- call_cells: the rows of the list of calls
- frame: what is the same around most pages
- setup: documents for modules, and the results of a trial
"""
