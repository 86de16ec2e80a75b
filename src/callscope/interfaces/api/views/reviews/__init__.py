"""What people decide about calls.

revisions: reviews of a call in all their revisions
agreement: how far machine and people agree
"""
