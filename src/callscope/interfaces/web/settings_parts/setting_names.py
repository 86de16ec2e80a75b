"""What every setting of a project is called outside its form, and how its values are said."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from django.utils.text import capfirst
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext, pgettext, pgettext_lazy

from callscope.interfaces.web.settings_parts.catalog import PARTS
from callscope.interfaces.web.settings_parts.fields import Label
from callscope.interfaces.web.settings_parts.forms import write_phrase
from callscope.interfaces.web.templatetags.formatting import number, trim_zeros
from callscope.projects.configuration import Rubric

Words = Mapping[str, Label]
NONE = "–"
UNIT_GAP = "\u00a0"  # never breaks


@dataclass(frozen=True, slots=True)
class Items:
    """A list of the document whose items have names: what one is called, and its settings."""

    title: Label  # of one item, with its name
    key: str  # by which an item is the same one in two versions
    name: str
    fields: Words


SPEAKERS: Words = {"agent": _("the agent"), "customer": _("the customer"), "any": _("anyone")}
CRITERION_FIELDS: Words = {
    "name": pgettext_lazy("setting of a criterion", "name"),
    "guideline": pgettext_lazy("setting of a criterion", "guideline"),
    "max_points": pgettext_lazy("setting of a criterion", "points"),
    "critical": pgettext_lazy("setting of a criterion", "failing it is a critical error"),
    "critical_class": pgettext_lazy("setting of a criterion", "class"),
    "partial_credit": pgettext_lazy("setting of a criterion", "half the points when partly met"),
    "may_not_apply": pgettext_lazy("setting of a criterion", "may not apply to a call"),
    "applies_when": pgettext_lazy("setting of a criterion", "applies when"),
    "target_pct": pgettext_lazy("setting of a criterion", "target for its average"),
    "section": _("Section"),
    "rule": _("Decide by phrases, without a language model"),
}
#: Of the rule of a criterion or a tracker; "before" and "after" hold settings of their own.
RULE_FIELDS: Words = {
    "rule.speaker": _("Said by"),
    "rule.within_seconds": _("Only in the first (seconds)"),
    "rule.last_seconds": _("Only in the last (seconds)"),
    "rule.any_of": _("Met by any of these phrases"),
    "rule.none_of": _("Failed by any of these"),
    "rule.applies_if": _("Applies only if one of these is said"),
    "rule.all_of": _("All of these must be said"),
    "rule.at_least": _("Minimum number of groups"),
    "rule.at_most": _("Said at most this many times"),
    "rule.before": _("Must be said before something"),
    "rule.before.criterion": _("Must be said before the words of this criterion"),
    "rule.before.any_of": _("Must be said before any of these phrases"),
    "rule.after": _("Must be said after something"),
    "rule.after.criterion": _("Must be said after the words of this criterion"),
    "rule.after.any_of": _("Must be said after any of these phrases"),
    "rule.not_within": _("Not right after the other side says it"),
    "rule.not_within.seconds": _("Not right after the other side says it, for at least"),
    "rule.not_within.any_of": _("What the other side says"),
    "rule.no_silence": _("Failed by a wait that is too long"),
    "rule.no_silence.over_seconds": _("A wait is too long when longer than"),
    "rule.no_silence.after": _("A wait counts after any of these phrases"),
}
TRACKER_FIELDS: Words = {
    "name": _("Name"),
    **RULE_FIELDS,
    "rule.any_of": _("Found by any of these phrases"),
    "rule.none_of": _("Not found where any of these is said"),
    "rule.no_silence": _("Not found where a wait is too long"),
}
ITEMS: Mapping[str, Items] = {
    "rubric.criteria": Items(_("Criterion “%(name)s”"), "id", "name", {**CRITERION_FIELDS, **RULE_FIELDS}),
    "trackers": Items(_("Tracker “%(name)s”"), "id", "name", TRACKER_FIELDS),
    "no_protocol.prompts": Items(
        _("Prompt “%(name)s”"), "id", "text", {"text": _("What it is"), "any_of": _("Phrases")}
    ),
    "no_protocol.mistakes": Items(
        _("Mistake “%(name)s”"),
        "id",
        "text",
        {"text": _("What it is"), "any_of": _("Phrases"), "speaker": _("Said by")},
    ),
    "contact_reasons.codes": Items(
        _("Code “%(name)s”"), "code", "code", {"description": _("Description"), "phrases": _("Phrases")}
    ),
}
#: By path: the part of the settings, and the setting in it where it is not alone there.
NAMES: Mapping[str, tuple[Label, Label]] = {
    **{
        path: (part.title, each.short or each.label)
        for part in PARTS.values()
        for path, each in part.fields()
    },
    "custom_questions": (PARTS["questions"].title, ""),
    "rubric.name": (PARTS["rubric"].title, _("Name")),
    "rubric.on_critical_error": (PARTS["rubric"].title, _("A critical error")),
    "rubric.on_unverified": (PARTS["rubric"].title, _("Points without a quote")),
    "rubric.criteria": (PARTS["rubric"].title, _("Order of the criteria")),
    "contact_reasons.mode": (PARTS["reasons"].title, _("How reasons are found")),
    "contact_reasons.codes": (PARTS["reasons"].title, _("Order of the codes")),
    "no_protocol.prompts": (PARTS["protocol"].title, _("Order of the prompts")),
    "no_protocol.mistakes": (PARTS["protocol"].title, _("Order of the mistakes")),
    "trackers": (PARTS["trackers"].title, _("Order of the trackers")),
}
CHOICES: Mapping[str, Words] = {
    **{path: dict(each.choices) for part in PARTS.values() for path, each in part.fields() if each.choices},
    "rubric.on_critical_error": {
        "flag": _("is shown next to the score"),
        "zero_score": _("sets the score to 0"),
    },
    "rubric.on_unverified": {
        "refuse": _("are not given"),
        "count": _("count, marked as unverified"),
    },
    "contact_reasons.mode": {
        "open_ended": _("similar topics are grouped"),
        "predefined": _("every call gets one of the codes"),
    },
    "critical_class": {
        "customer": _("customer"),
        "business": _("business"),
        "compliance": _("compliance"),
    },
    "speaker": SPEAKERS,
    "rule.speaker": SPEAKERS,
}
UNNAMED_RUBRIC = str(Rubric.model_fields["name"].default)
OTHER = _("A setting that this version no longer has")


def name_setting(path: str) -> str:
    """Return the part of the settings and the setting, by its path."""
    part, label = NAMES.get(path, (OTHER, ""))
    return " · ".join(str(each) for each in (part, label) if each)


def name_item(list_path: str, name: str) -> str:
    """Return what an item of a list is called: Tracker “Competitors”."""
    return str(ITEMS[list_path].title) % {"name": name}


def name_field(list_path: str, field: str) -> str:
    """Return what a setting of an item is called."""
    return str(capfirst(str(ITEMS[list_path].fields.get(field, OTHER))))


def say_value(path: str, value: object) -> str:
    """Return a value in words; `path` is that of the setting, within the item of a list if it is in one."""
    if isinstance(value, bool):
        return pgettext("answer", "yes") if value else pgettext("answer", "no")
    if value is None or value == "":
        return NONE
    if path == "rubric.name" and value == UNNAMED_RUBRIC:
        return str(PARTS["rubric"].title)
    if path in CHOICES and str(value) in CHOICES[path]:
        return str(CHOICES[path][str(value)])
    if isinstance(value, int | float):
        return _say_number(path.rpartition(".")[2], value)
    return write_phrase(value)


def say_item(path: str, item: object) -> str:
    """Return an item of a list in words: a choice, a phrase, or a group of phrases."""
    if isinstance(item, list):
        return ", ".join(f"“{write_phrase(each)}”" for each in item)
    return say_value(path, item)


def _say_number(setting: str, value: float) -> str:
    written = trim_zeros(number(value, 6))
    if setting in ("day_start", "day_end"):
        return f"{int(value):02d}:00"
    if re.search(r"_pct$|^average_score$", setting):
        return f"{written}{UNIT_GAP}%"
    if setting.endswith("_days"):
        return ngettext("%(count)s day", "%(count)s days", int(value)) % {"count": written}
    if setting.endswith("seconds"):
        return ngettext("%(count)s second", "%(count)s seconds", int(value)) % {"count": written}
    return written
