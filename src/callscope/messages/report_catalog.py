"""Sentences about windows and filters that cannot be used."""


def _(text: str) -> str:
    """Mark a text for translation; tests/web/messages.py finds it by this name."""
    return text


REPORTS = {
    "end_before_start": _("%(end)s is before the start_date %(start)s."),
    "unknown_range": _('"%(value)s" is not a known range. Known: %(known)s.'),
    "unknown_figure": _('"%(value)s" is not a figure with a trend. Known: %(known)s.'),
    "invalid_date": _('"%(value)s" is not a date. Use YYYY-MM-DD.'),
    "invalid_agent": _('"%(value)s" is neither an agent id nor "none".'),
    "invalid_result": _('"%(value)s" is not a result of a criterion. Known: %(known)s.'),
    "result_without_criterion": _('"%(value)s" is a result of a criterion: say which one in criterion.'),
    "invalid_tracker": _(
        '"%(value)s" is not the id of a tracker: 1 to 64 letters, digits, "_", "-", "." or ":".'
    ),
    "invalid_reason": _('"%(value)s" is not the id of a contact reason, a whole number.'),
    "invalid_score": _('"%(value)s" is not a score: a number from 0 to %(most)s, such as 72.5.'),
    "long_transcript_query": _("At most %(most)s characters can be searched in transcripts, not %(count)s."),
    "scores_reversed": _("%(highest)s is below the min_score %(lowest)s."),
}
