"""What publishing a draft asks: which calls are scored again, and from which day on."""

from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import gettext as _

from callscope.interfaces.web.templatetags.formatting import day
from callscope.messages.translation import translate
from callscope.pipeline.rubric_changes.replays.drafts import find_comparable
from callscope.pipeline.rubric_changes.replays.rescoring import find_latest_day
from callscope.projects.models import Project
from callscope.reports.window import ALL_TIME, InvalidWindow, Window, parse_window


class WrongDay(Exception):
    """No call can be scored again from this day on; its text says why, for the page."""


def read_window(request: HttpRequest, project: Project) -> Window | None:
    """Return which calls are scored again; None for none. Raises WrongDay."""
    choice = request.POST.get("rescore", "none")
    if choice == "all":
        return ALL_TIME
    return read_day(request.POST.get("start_date", ""), project) if choice == "from" else None


def read_day(text: str, project: Project) -> Window:
    """Return the window from a day on. Raises WrongDay where it is no day, or one without calls."""
    if not text.strip():
        raise WrongDay(_("Choose a day."))
    try:
        window = parse_window({"start_date": text.strip()}, now=timezone.now())
    except InvalidWindow as error:
        raise WrongDay(translate(error.message)) from None
    latest = find_latest_day(project)
    if latest is None:
        raise WrongDay(_("There is no call that can be scored again."))
    if window.start is not None and window.start > latest:
        raise WrongDay(
            _("The newest call that can be scored again is of %(day)s. Choose that day or an earlier one.")
            % {"day": day(latest)}
        )
    return window


def describe_day(text: str, project: Project) -> dict[str, object]:
    """Return what stands below the field of the day: how many calls it covers, or why it is no such day."""
    if not text.strip():
        return {}
    try:
        window = read_day(text, project)
    except WrongDay as error:
        return {"day_error": str(error)}
    return {"day_calls": find_comparable(project, window).count(), "version": project.config_version + 1}
