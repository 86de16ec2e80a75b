"""Agents answer how their calls were judged: they appeal a criterion, or acknowledge a review.

- filing: an agent appeals, within the days that the project gives;
- deciding: another person accepts or refuses;
- withdrawing: the agent takes one back that waits;
- listing: appeals as people read them;
- standing: whether the answer still counts that was appealed against;
- mails: who hears of it.
"""
