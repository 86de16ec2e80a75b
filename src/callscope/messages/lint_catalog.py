"""Sentences about rubrics: what misleads in one, by the lint; why replays and probes fail."""


def _(text: str) -> str:
    """Mark a text for translation; tests/web/messages.py finds it by this name."""
    return text


LINT = {
    "met_by_half": _(
        'The name "%(name)s" promises %(count)s things, but its rule asks for %(number)s. A call that '
        "does half of it earns all points. Write one group of all_of for each of them."
    ),
    "guideline_met_by_half": _(
        'The guideline of "%(name)s" asks for %(count)s things, and its rule for %(number)s, so the '
        "rule and a reader judge differently. Write one group of all_of for each of them, or shorten the "
        "guideline."
    ),
    "no_judge": _(
        "“%(name)s” has no rule that words can decide, and no language model is configured, so no call is "
        "ever judged by it. Write a rule, or configure a language model."
    ),
    "shared_phrase": _(
        '"%(phrase)s" also decides the criterion "%(other)s", so one sentence earns the points of both. '
        "Keep it in one of the two, or make both more precise."
    ),
    "phrase_in_two_groups": _(
        '"%(phrase)s" is in two groups of this rule, so one sentence meets both. Keep it in one of them.'
    ),
    "phrase_twice": _("“%(phrase)s” is in this list twice. Remove one of the two."),
    "goal_without_description": _(
        "Nothing says when the goal is reached, so reviewers and a language model have nothing to go by. "
        "Describe it in a sentence."
    ),
    "phrase_never_said": _(
        '"%(phrase)s" is in none of the last %(count)s calls, so it has decided nothing there. If people '
        "say it in other words, add those."
    ),
    "phrase_always_said": _(
        '"%(phrase)s" is in %(number)s of the last %(count)s calls, so it does not tell calls apart. '
        "Keep it if every call needs it. Make it more precise if calls contain it by chance."
    ),
    "window_never_heard": _(
        "In none of the last %(count)s calls does the speaker of this rule speak within these %(seconds)s "
        "seconds, so nothing can be found there. Allow more seconds."
    ),
    "window_covers_call": _(
        "None of the last %(count)s calls is longer than %(seconds)s seconds, so this limit leaves "
        "nothing out. Lower it, or remove it."
    ),
    "silence_never_happens": _(
        "None of the last %(count)s calls is longer than %(seconds)s seconds, "
        "so nobody can wait that long. Lower over_seconds."
    ),
    "critical_without_class": _(
        '"%(name)s" is critical and has no class, so its errors are in none of the rates by class. '
        "Set critical_class to customer, business or compliance."
    ),
    "weight_drowns": _(
        '"%(name)s" is worth %(percent)s %% of the points, too little to show in any score. '
        "Give it more points, join it with another criterion, or remove it."
    ),
    "never_applies": _(
        'The conditions of applies_if are met in none of the last %(count)s calls, so "%(name)s" is '
        "never judged. Add how customers really say it."
    ),
    "always_applies": _(
        "The conditions of applies_if are met in all of the last %(count)s calls, so they leave no call "
        "out. Make them more precise, or remove them."
    ),
    "long_guideline": _(
        "The guideline has %(count)s characters. A language model that judges many criteria at once "
        "loses details past %(most)s. Shorten it, or split the criterion."
    ),
}

RUBRIC_JOBS = {
    "probe_crashed": _("The probe failed with an unexpected %(value)s. See the log of the workers."),
    "unknown_group": _('"%(value)s" is not allowed. Allowed: %(allowed)s.'),
    "no_group": _("Choose at least one group."),
    "group_twice": _('Group "%(value)s" is listed twice.'),
    "probe_too_large": _("That is %(count)s judgments; a probe makes at most %(most)s. Choose fewer calls."),
    "replay_too_large": _(
        "The period has %(count)s calls; at most %(most)s are replayed. Choose fewer days, or a sample."
    ),
    "replay_not_completed": _("Replay %(value)s is not completed. Publish it when it is."),
    "replay_stopped": _("Replay %(value)s was stopped. Replay the draft again, and publish it then."),
    "replay_published": _("The draft of replay %(value)s is published already, as version %(version)s."),
    "replay_outdated": _(
        "Version %(version)s was saved after the replay of version %(value)s began. Replay the draft again."
    ),
}
