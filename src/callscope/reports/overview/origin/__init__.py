"""How the figures of a report came about: who judged the calls, and how far people agree.

- judges: the engines, the versions of the settings and the agreement, read for one report
- sentences: the same in words
"""
