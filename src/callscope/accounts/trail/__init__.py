"""What surrounds the chain of audit events: how they get there without holding a request, and how they leave.

spool      notes of reads and refusals, which wait outside the chain for a few seconds
notes      what is noted, and how often: each read once, refusals counted by the minute
chaining   move the notes into the chain, in batches
pseudonyms take the e-mail of an erased user out of the chain
cutting    cut old events off, so that the rest can be verified
search     the events that a person may see, filtered

audit.py, one level up, is the chain itself.
"""
