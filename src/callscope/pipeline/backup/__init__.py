"""Back up a whole instance into one file, and restore it.

- archive.py: the format of the file, for writing and reading; read this first.
- backup.py: write a backup while the instance is in use.
- restore.py: restore a backup into an empty instance.
"""
