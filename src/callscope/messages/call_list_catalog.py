"""The sentences of the call list: filters that are refused, and what cannot be done to chosen calls."""


def _(text: str) -> str:
    """Mark a text for translation; tests/web/messages.py finds it by this name."""
    return text


CALL_LIST = {
    "invalid_length": _('"%(value)s" is not a length, such as 90 (seconds) or 1:30.'),
    "lengths_reversed": _("%(longest)s is below the min_length %(shortest)s."),
    "no_calls_chosen": _("No calls are selected: check the box of at least one."),
    "too_many_chosen": _("At most %(most)s calls can be selected at once, not %(count)s."),
    "view_without_name": _("Give the view a name of 1 to %(most)s characters."),
    "too_many_views": _("You already have %(most)s saved views. Remove one first."),
}
