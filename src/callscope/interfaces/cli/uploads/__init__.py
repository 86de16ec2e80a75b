"""How `callscope upload` sends files. Read sender.py first.

- sources.py: the files that the arguments name, and those in folders that are left out.
- known_files.py: what the server has already, and what failed there.
- sender.py: send the files over several connections; stop when the server is gone.
- waiting.py: wait until the server is done with these files.
- display.py: bars and lines while files are sent.
- outcome.py: what became of the files, counted and in words.
"""
