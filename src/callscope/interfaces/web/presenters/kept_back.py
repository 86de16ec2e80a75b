"""Say which figures are not shown, since they would tell of a call that waits for the visitor's review."""

from typing import NamedTuple

from django.urls import reverse
from django.utils.translation import gettext as _

from callscope.interfaces.web.page_context import TemplateContext
from callscope.interfaces.web.templatetags.formatting import number
from callscope.reports.overview.kept_back.calls import KeptBack
from callscope.reports.overview.kept_back.sentences import describe_waiting
from callscope.reports.window import Window


class KeptNotice(NamedTuple):
    """What stands above figures of which some are not shown."""

    text: str
    url: str
    link: str  # what the link says


def describe_kept(kept: KeptBack, window: Window, *, hides: bool) -> TemplateContext:
    """Return the notice as a page shows it; `hides`: a figure of the page is not shown."""
    found = kept.within(window).calls or kept.within(window.previous()).calls
    if not hides or not found:
        return {}
    said = describe_waiting(len(found), number)
    if len(found) == 1:
        return {"kept_back": KeptNotice(said, reverse("web:review", args=[found[0].call]), _("Review it"))}
    return {"kept_back": KeptNotice(said, reverse("web:reviews"), _("Your reviews"))}
