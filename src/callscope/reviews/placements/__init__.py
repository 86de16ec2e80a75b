"""What a review says about where a call belongs: its agent and its contact reason.

- `records`: one such answer of a review;
- `answers`: what a person sends, and what is stored of it;
- `agents`: who may be named, and the calls that follow;
- `listing`: the answers as people read them.

The contact reasons are a later room: contact_reasons.reviewed lets them follow.
"""
