"""What engines get of calls, and what that costs.

- usage: the ledger, an entry for each call of an engine
- estimates: what judging calls will cost, by the ledger
- trial_quota: how many minutes of audio a user may upload
- engine_notes: which hosts got what was said, for the audit trail
"""
