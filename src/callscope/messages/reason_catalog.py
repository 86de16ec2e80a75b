"""Why a regrouping moved calls (likenesses are cosines), and why reasons cannot become codes."""


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

REASON_CODES = {
    "no_codes_chosen": _("Select at least one contact reason, or pin those that become codes."),
    "heading_is_no_code": _(
        '"%(value)s" is a heading over other contact reasons and cannot be a code. Select those below it.'
    ),
    "set_aside_is_no_code": _(
        '"%(value)s" is set aside: its calls count for no contact reason. '
        "Count them again before it is a code."
    ),
    "code_in_settings": _(
        'The settings already have a code "%(value)s". Rename the contact reason, or replace the codes.'
    ),
    "codes_alike": _('Two of these contact reasons have the name "%(value)s". Rename one of them.'),
    "too_many_codes": _("A project has at most %(most)s codes. With these there would be %(count)s."),
    "invalid_code": _("These codes cannot be saved. %(path)s: %(reason)s"),
    "codes_in_use": _(
        "The calls of this project already get its codes, so the mode can only be predefined. "
        "The settings of the project change it."
    ),
    "codes_need_engine": _(
        "The engine that compares topics cannot be reached, so the other calls cannot be classified now. "
        "Try again later."
    ),
    "codes_changed_since": _(
        "The contact reasons in the settings were edited after change %(value)s. "
        "Restore version %(version)s of the settings first."
    ),
}
