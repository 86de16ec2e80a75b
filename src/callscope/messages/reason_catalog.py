"""Why a regrouping moved calls; likenesses are cosines."""


def _(text: str) -> str:
    """Mark a text for translation; tests/web/messages.py finds it by this name."""
    return text


REASON_CAUSES = {
    "first_of_all": _("They waited, and there was no reason yet. Likeness among themselves: %(here)s."),
    "joined_only_one": _(
        "They waited, and join this reason, the only one there was. Likeness to it: %(here)s."
    ),
    "waiting_formed": _(
        "They waited, and form a reason of their own. Likeness among themselves: %(here)s, to the nearest "
        "other reason: %(there)s."
    ),
    "waiting_joined": _(
        "They waited, and join this reason. Likeness to it: %(here)s, to the nearest other one: %(there)s."
    ),
    "split_off": _("Split off. Likeness among themselves: %(here)s, to the reason they had: %(there)s."),
    "merged_into": _(
        "Merged: no call is left in their former reason. Likeness to this reason: %(here)s, to the former "
        "one: %(there)s."
    ),
    "moved_nearer": _("Moved. Likeness to this reason: %(here)s, to the one they had: %(there)s."),
    "follows_topic": _("They follow other calls of their topic, or those that a person placed."),
    "regrouped_again": _(
        "Their reason was younger than an hour: its calls were grouped as if for the first time."
    ),
}
