"""What is said of a replay at its head and in the list of replays: its calls, and what its draft changes."""

from collections.abc import Sequence

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from callscope.interfaces.web.settings_parts.changes import ShownChange, show_changes
from callscope.interfaces.web.templatetags.formatting import day, number
from callscope.pipeline.models import Replay
from callscope.projects.configuration import parse
from callscope.projects.models import Project
from callscope.projects.versions import compare_with_version, name_criteria

SHOWN_NAMES = 2  # of the settings that a draft or a version changes, in a list


def describe_draw(replay: Replay, calls: int) -> str:
    """Return how many calls a replay has, and how they were drawn where that is stored."""
    count = ngettext("%(count)s call", "%(count)s calls", calls) % {"count": number(calls)}
    if replay.drawn_from is None:
        return count
    first, last = day(replay.start_date), day(replay.end_date)
    if first and last:
        return _("%(calls)s, all from %(first)s to %(last)s") % {"calls": count, "first": first, "last": last}
    if first:
        return _("%(calls)s, all from %(first)s on") % {"calls": count, "first": first}
    if last:
        return _("%(calls)s, all up to %(last)s") % {"calls": count, "last": last}
    if calls >= replay.drawn_from:
        return _("%(calls)s, all that can be compared") % {"calls": count}
    return _("%(calls)s, a random sample of %(all)s") % {"calls": count, "all": number(replay.drawn_from)}


def list_replays(project: Project, most: int) -> list[tuple[Replay, str]]:
    """Return the newest replays, each with what its draft changes in short."""
    found = Replay.objects.filter(project=project).select_related("created_by").order_by("-pk")[:most]
    return [(replay, _summarize(replay, project)) for replay in found]


def _summarize(replay: Replay, project: Project) -> str:
    draft = parse(replay.config, is_stored=True).as_document()
    found = show_changes(compare_with_version(project, replay.config_version, draft), name_criteria(draft))
    if not found:
        return _("no setting")
    said = ngettext("%(count)s setting: %(names)s", "%(count)s settings: %(names)s", len(found))
    return said % {"count": number(len(found)), "names": name_first(found)}


def name_first(changes: Sequence[ShownChange]) -> str:
    """Return the names of the first settings that change."""
    more = ["…"] if len(changes) > SHOWN_NAMES else []
    return "; ".join([change.name for change in changes[:SHOWN_NAMES]] + more)
