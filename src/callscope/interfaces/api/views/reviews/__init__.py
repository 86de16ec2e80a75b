"""What people decide about calls.

revisions: reviews of a call in all their revisions
samples: draws of calls to review
agreement: how far machine and people agree
"""
