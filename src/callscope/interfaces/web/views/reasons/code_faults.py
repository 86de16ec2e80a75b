"""Where on the page that makes codes a fault is shown: at all rows, at one of them, or at a choice below."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from django.utils.text import capfirst
from django.utils.translation import gettext as _

from callscope.contact_reasons.editing import InvalidReason
from callscope.messages.translation import translate

Place = Literal["rows", "row", "phrases", "mode", "existing"]
OF_A_CODE = re.compile(r"contact_reasons\.codes\[(\d+)\](?:\.(\w+)(?:\[(\d+)\])?)?")


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong, and at which field it is said."""

    place: Place
    text: str
    reason: int | None = None  # of the row


def find_fault(
    error: InvalidReason, chosen: Sequence[int], names: Mapping[int, str], *, kept_codes: int
) -> Fault:
    """Return where to show an error; `chosen` are the ids of the reasons in the order of their codes."""
    code, params, text = error.message.code, error.message.params, translate(error.message)
    if error.field == "mode":
        return Fault("mode", text)
    if code == "invalid_code":
        return _find_in_code(params, text, chosen, kept_codes)
    named = [each for each in chosen if params.get("value") in (each, names.get(each))]
    if named:
        return Fault("row", text, named[-1])  # the second of two that are alike
    return Fault("existing" if code == "set_aside_is_no_code" else "rows", text)


def _find_in_code(params: Mapping[str, object], text: str, chosen: Sequence[int], kept_codes: int) -> Fault:
    found = OF_A_CODE.match(str(params["path"]))
    at = int(found[1]) - kept_codes if found else -1
    if found is None or not 0 <= at < len(chosen):
        return Fault("rows", text)
    words = str(translate(params["reason"]))  # type: ignore[arg-type]
    if found[3]:
        words = _("Line %(number)s: %(reason)s") % {"number": int(found[3]) + 1, "reason": words}
    return Fault("phrases" if found[2] == "phrases" else "row", capfirst(words), chosen[at])
