"""Say what another regrouping has to go by, before somebody asks for it."""

from typing import NamedTuple

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from callscope.interfaces.web.templatetags.formatting import moment, number
from callscope.pipeline.files.regrouping import Outlook


class RegroupingOffer(NamedTuple):
    """What stands next to the button, and what its dialog says."""

    facts: list[str]
    question: str


def offer_regrouping(outlook: Outlook, project_name: str) -> RegroupingOffer:
    """Return what is known before the contact reasons of a project are regrouped."""
    facts = describe_outlook(outlook)
    question = _("Regroup the contact reasons of %(name)s?") % {"name": project_name}
    said = [
        question,
        *facts,
        _(
            "Calls whose topics are similar become one reason. Names that people gave, pinned reasons and "
            "calls that people moved stay."
        ),
        _("The history lists every change, and you can undo it there."),
    ]
    return RegroupingOffer(facts, " ".join(said))


def describe_outlook(outlook: Outlook) -> list[str]:
    """Return in sentences when the reasons were regrouped last, and how many calls are new or wait."""
    if outlook.latest_at is None:
        found = ngettext("%(count)s call is analyzed.", "%(count)s calls are analyzed.", outlook.calls)
        facts = [_("Not regrouped yet."), found % {"count": number(outlook.calls)}]
    else:
        facts = [_("Last regrouped: %(when)s.") % {"when": moment(outlook.latest_at)}]
        new = ngettext(
            "%(count)s of %(all)s call is new since then.",
            "%(count)s of %(all)s calls are new since then.",
            outlook.calls,
        )
        none = _("No call is new since then, so few reasons will change.")
        counts = {"count": number(outlook.new_calls), "all": number(outlook.calls)}
        facts.append(new % counts if outlook.new_calls else none)
    if outlook.waiting_calls:
        waiting = ngettext(
            "%(count)s of them waits for a reason.",
            "%(count)s of them wait for a reason.",
            outlook.waiting_calls,
        )
        facts.append(waiting % {"count": number(outlook.waiting_calls)})
    return facts
