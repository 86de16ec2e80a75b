"""Why a regrouping moved calls; likenesses are cosines."""


def _(text: str) -> str:
    """Mark a text for translation; tests/web/messages.py finds it by this name."""
    return text


REASON_CAUSES = {
    "first_of_all": _("They were waiting, and there was no reason yet. Similarity to each other: %(here)s."),
    "joined_only_one": _(
        "They were waiting, and join this reason, the only one there was. Similarity to it: %(here)s."
    ),
    "waiting_formed": _(
        "They were waiting, and form a reason of their own. Similarity to each other: %(here)s, to the "
        "nearest other reason: %(there)s."
    ),
    "waiting_joined": _(
        "They were waiting, and join this reason. Similarity to it: %(here)s, to the nearest "
        "other one: %(there)s."
    ),
    "split_off": _("Split off. Similarity to each other: %(here)s, to their previous reason: %(there)s."),
    "merged_into": _(
        "Merged: no call is left in their former reason. Similarity to this reason: %(here)s, to the "
        "former one: %(there)s."
    ),
    "moved_nearer": _("Moved. Similarity to this reason: %(here)s, to their previous one: %(there)s."),
    "follows_topic": _("They follow other calls with their topic, or calls that a person moved."),
    "regrouped_again": _(
        "Their reason was less than an hour old: its calls were grouped as if for the first time."
    ),
}
