"""What became of a draft that was published: its version, and whether calls are judged by it again."""

from dataclasses import dataclass
from datetime import datetime

from django.utils.translation import gettext as _

from callscope.accounts.models import User
from callscope.pipeline.models import Replay, Rescore
from callscope.projects.models import Project
from callscope.projects.versions import list_saved


@dataclass(frozen=True, slots=True)
class Publication:
    """When and by whom a draft was published, and the first request to judge calls by it."""

    at: datetime
    by: User | None
    rescore: Rescore | None


@dataclass(frozen=True, slots=True)
class Sides:
    """What the two sides of a comparison are called."""

    before: str
    after: str
    calls_before: str
    calls_after: str
    only_before: str
    only_after: str


def find_publication(project: Project, replay: Replay) -> Publication | None:
    """Return how the draft was published; None where it is not, or its version is not stored.

    A request for single calls is another matter, and one that came after the next version is of that one.
    """
    number = replay.published_version
    if number is None:
        return None
    rows = list_saved(project, (number, number + 1))
    if (saved := rows.get(number)) is None:
        return None
    asked = Rescore.objects.filter(project=project, call_ids__isnull=True, created_at__gte=saved.created_at)
    if following := rows.get(number + 1):
        asked = asked.filter(created_at__lt=following.created_at)
    return Publication(saved.created_at, saved.created_by, asked.order_by("pk").first())


def name_sides(replay: Replay) -> Sides:
    """Return how tables call both sides: what a version answers is not what lists and reports show now."""
    before = _name_version(replay.config_version)
    after = _("With the draft"), _("Calls with the draft"), _("Only with the draft")
    if replay.published_version is not None:
        after = _name_version(replay.published_version)
    return Sides(before[0], after[0], before[1], after[1], before[2], after[2])


def _name_version(version: int) -> tuple[str, str, str]:
    values = {"version": version}
    return (
        _("Version %(version)s") % values,
        _("Calls, version %(version)s") % values,
        _("Only version %(version)s") % values,
    )
