"""What is wrong with a field, in the words of the page: no name of a setting, which stands on no field."""

from collections.abc import Mapping

from django.utils.translation import gettext_lazy as _

from callscope.interfaces.web.settings_parts.fields import Label
from callscope.messages.message import Message
from callscope.messages.translation import translate
from callscope.projects.configuration import InvalidConfiguration

#: By the code of the message and, where it has one, the setting that it names.
WORDS: Mapping[tuple[str, object], Label] = {
    ("needs_setting", "all_of"): _("needs phrases under “All of these must be said”, which is empty"),
    ("needs_setting", "any_of"): _("needs phrases to count, and there are none"),
    ("anchor_needs_one", None): _("needs either the id of another criterion or phrases, not both"),
    ("needs_evidence", None): _(
        "needs phrases that have to be said: those of “All of these must be said”, or the first ones "
        "without a maximum"
    ),
    ("more_than_groups", None): _("requires %(value)s groups, but “All of these must be said” has %(count)s"),
    ("needs_one_side", None): _("needs who says it, the agent or the customer: “anyone” has no other side"),
    ("equal_shift_hours", None): _("the day shift starts and ends at %(value)s; the hours must differ"),
    ("two_time_windows", None): _("the first seconds and the last seconds cannot be combined"),
    ("codes_missing", None): _("needs at least one code"),
}

#: The field that is marked where all of an object is wrong, by the code of the message.
FIELDS: Mapping[str, str] = {
    "tracker_without_phrases": "any_of",
    "two_time_windows": "within_seconds",
    "anchor_needs_one": "criterion",
    "equal_shift_hours": "day_end",
}


def list_errors(error: InvalidConfiguration) -> list[dict[str, str]]:
    """Return what is wrong with settings as the editor takes it: the place of each fault, and its words."""
    return [
        {"path": find_field(path, reason), "reason": describe_reason(reason)} for path, reason in error.errors
    ]


def find_field(path: str, reason: Message | str) -> str:
    """Return the path of the field at which a fault is shown, which is said of all of its object."""
    field = FIELDS.get(reason.code) if isinstance(reason, Message) else None
    return f"{path}.{field}" if field else path


def describe_reason(reason: Message | str) -> str:
    """Return what is wrong as it is said next to a field."""
    if isinstance(reason, str):
        return translate(reason)
    if reason.code == "invalid_identifier" and not reason.params["value"]:
        return translate(Message("blank"))
    words = WORDS.get((reason.code, reason.params.get("setting")))
    return str(words) % reason.params if words else translate(reason)
