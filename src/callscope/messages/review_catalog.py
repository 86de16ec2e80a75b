"""Sentences about reviews, samples and calibrations, which the catalog takes in."""


def _(text: str) -> str:
    """Mark a text for translation; tests/web/messages.py finds it by this name."""
    return text


REVIEWS = {
    "review_unknown_criterion": _('The call has no criterion "%(value)s". Allowed: %(allowed)s.'),
    "review_criterion_twice": _('Criterion "%(value)s" is answered twice.'),
    "review_answer_not_allowed": _(
        '"%(value)s" is not an answer to criterion "%(criterion)s". Allowed: %(allowed)s.'
    ),
    "review_incomplete": _("A submitted review answers every criterion. Without an answer: %(value)s."),
    "review_quote_not_said": _(
        'The quote "%(value)s" of criterion "%(criterion)s" is not in the transcript. Send words that '
        "were said, or none."
    ),
    "review_without_transcript": _(
        'The call has no transcript to quote from. Send criterion "%(criterion)s" without a quote.'
    ),
    "review_unknown_finding": _('The call has no finding "%(value)s". Allowed: %(allowed)s.'),
    "review_finding_twice": _('"%(value)s" is listed twice in the findings.'),
    "review_finding_not_allowed": _(
        '"%(value)s" is not an answer to finding "%(finding)s". Allowed: %(allowed)s.'
    ),
    "review_finding_quote_not_said": _(
        'The quote "%(value)s" of finding "%(finding)s" is not in the transcript. Send words that '
        "were said, or none."
    ),
    "review_finding_without_transcript": _(
        'The call has no transcript to quote from. Send finding "%(finding)s" without a quote.'
    ),
    "review_mistake_without_quote": _(
        'Mistake "%(value)s" needs evidence. Send the words from the transcript that show it.'
    ),
    "review_mistake_without_words": _(
        'Mistake "%(value)s" needs evidence. Send the words from the transcript that show it or, as the '
        "transcript is unreliable, a comment that says what is heard and when."
    ),
    "review_not_blind_any_more": _(
        "The draft %(value)s is not blind: it showed the answers of the machine, so it cannot become blind. "
        "Allowed: false."
    ),
    "rating_with_findings": _("A rating in a calibration only answers criteria. Send it without findings."),
    "review_unknown_agent": _('"%(value)s" is not an agent of this project. Allowed: %(allowed)s.'),
    "review_unknown_reason": _('"%(value)s" is not a contact reason of this project. Allowed: %(allowed)s.'),
    "long_review_comment": _("A comment has at most %(most)s characters, not %(count)s."),
    "unstorable_review_comment": _("The comment contains characters that cannot be stored."),
    "review_not_draft": _(
        "Review %(value)s is already %(state)s. Only a draft can be changed; send a new review."
    ),
    "review_while_rating": _(
        "You are rating the call of review %(value)s in an open calibration. Continue when it is closed."
    ),
    "review_without_scores": _("Call %(value)s has no scores to review."),
    "sample_too_large": _(
        "%(value)s calls of each agent would be %(count)s calls. Allowed: %(most)s in one sample."
    ),
    "sample_share_too_large": _(
        "%(value)s percent of each agent's calls would be %(count)s calls. Allowed: %(most)s in one sample."
    ),
    "sample_without_calls": _("No call matches these days and filters."),
    "sample_all_drawn": _(
        "All calls that match were drawn before. To draw them again, choose not to leave out such calls."
    ),
    "unknown_draw_filter": _('"%(value)s" is not a filter of a sample. Allowed: %(allowed)s.'),
    "unreadable_draw_filter": _(
        '"%(value)s" is not a value of the filter %(name)s. Send a number or at most %(most)s characters.'
    ),
    "invalid_draw_filter": _('"%(value)s" is not allowed for %(name)s. Allowed: %(allowed)s.'),
    "blank_note": _("A note needs text."),
    "note_outside": _('"%(value)s" is not a second of this call. Allowed: 0 to %(most)s.'),
    "note_time": _('"%(value)s" is not a time. Allowed: seconds, or minutes and seconds such as 1:23.'),
    "too_many_notes": _("Call %(value)s already has %(most)s notes."),
    "foreign_note": _("Note %(value)s was written by someone else. Only its author can change its text."),
    "plan_number_or_share": _(
        "A plan draws either a number of calls of each agent, or a percentage of them."
    ),
    "too_many_plans": _("Project %(value)s already has %(most)s plans. End one first."),
    "sample_unknown_reviewer": _(
        '"%(value)s" cannot review calls of this project. Allowed: its owner, admins and editors.'
    ),
    "sample_reviewer_twice": _('"%(value)s" is listed twice.'),
    "calibration_calls": _("A calibration has 1 to %(most)s calls, not %(value)s."),
    "calibration_raters": _("A calibration has 1 to %(most)s raters, not %(value)s."),
    "calibration_unknown_calls": _("These are not calls of this project with scores: %(value)s."),
    "calibration_not_open": _("Calibration %(value)s is closed. Its ratings can no longer change."),
    "calibration_not_closed": _(
        "Calibration %(value)s is %(state)s. Answers can be settled only once, after it is closed."
    ),
    "calibration_without_ratings": _(
        "No call of calibration %(value)s has been rated yet: there is nothing to settle."
    ),
    "settlement_unknown": _('No rating of call %(call)s in this calibration answers criterion "%(value)s".'),
    "settlement_incomplete": _(
        "There is no majority for %(value)s; %(count)s criteria have no answer. Send an answer to each."
    ),
}
