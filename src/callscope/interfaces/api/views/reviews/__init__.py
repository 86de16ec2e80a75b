"""What people decide about calls.

revisions: reviews of a call in all their revisions
samples: draws of calls to review
plans: draws of every week
calibrations: several people rate the same calls
agreement: how far machine and people agree
"""
