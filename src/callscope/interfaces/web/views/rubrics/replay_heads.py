"""What is said of a replay at its head and in the list of replays: its calls, and what its draft changes."""

from collections.abc import Collection, Sequence
from typing import NamedTuple

from django.db.models import Max
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from callscope.interfaces.web.settings_parts.changes import ShownChange, show_changes
from callscope.interfaces.web.templatetags.formatting import day, number
from callscope.pipeline.models import Replay
from callscope.pipeline.rubric_changes.replays.progress import Phase, read_phases
from callscope.projects.configuration import parse
from callscope.projects.models import Project
from callscope.projects.versions import Document, list_changes, name_criteria, read_documents

PART_OF = " · "  # between what a setting is part of and its own name
SHOWN_NAMES = 2  # of the settings that a draft or a version changes, in a list


class ListedReplay(NamedTuple):
    """A replay in the list."""

    replay: Replay
    changes: str  # what its draft changes, in short
    phase: Phase


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


def count_replays(project: Project) -> int:
    """Return how many replays a project has."""
    return Replay.objects.filter(project=project).count()


def list_replays(project: Project, *, first: int, most: int) -> list[ListedReplay]:
    """Return replays, newest first, from the `first` on, each with what its draft changes in short."""
    rows = Replay.objects.filter(project=project).select_related("created_by").order_by("-pk")
    found = list(rows[first : first + most])
    documents = read_documents(project, {replay.config_version for replay in found}) if found else {}
    phases = read_phases(found)
    return [
        ListedReplay(replay, _summarize(replay, documents.get(replay.config_version)), phases[replay.pk])
        for replay in found
    ]


def find_publishing(project: Project, numbers: Collection[int]) -> dict[int, int]:
    """Return the id of the replay that published each of these versions; of those that one did."""
    rows = Replay.objects.filter(project=project, published_version__in=numbers).order_by()
    return dict(rows.values_list("published_version").annotate(Max("pk")))


def _summarize(replay: Replay, former: Document | None) -> str:
    draft = parse(replay.config, is_stored=True).as_document()
    found = [] if former is None else show_changes(list_changes(former, draft), name_criteria(draft))
    if not found:
        return _("no setting")
    said = ngettext("%(count)s setting: %(names)s", "%(count)s settings: %(names)s", len(found))
    return said % {"count": number(len(found)), "names": name_first(found)}


def name_first(changes: Sequence[ShownChange]) -> str:
    """Return the names of the first settings that change; what they are part of is named once."""
    named, whole = list[str](), ""
    for change in changes[:SHOWN_NAMES]:
        start, dot, part = change.name.rpartition(PART_OF)
        named.append(f", {part}" if dot and start == whole else f"; {change.name}")
        whole = start
    more = "; …" if len(changes) > SHOWN_NAMES else ""
    return "".join(named).removeprefix("; ") + more
