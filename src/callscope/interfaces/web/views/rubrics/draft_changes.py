"""What a draft changes, and what it undoes: settings that newer versions than its own had changed."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from callscope.interfaces.web.settings_parts.catalog import list_parts_of
from callscope.interfaces.web.settings_parts.changes import ShownChange, show_changes
from callscope.pipeline.models import Replay
from callscope.pipeline.rubric_changes.replays import drafts
from callscope.projects.configuration import parse
from callscope.projects.models import Project
from callscope.projects.versions import (
    compare_with_version,
    get_document,
    list_changes,
    list_saved_changes,
    name_criteria,
)


class Undone(NamedTuple):
    """What a draft undoes of one version: settings that it was the last to change."""

    version: int
    changes: list[ShownChange]


def describe_draft(replay: Replay, project: Project) -> dict[str, object]:
    """Return what a draft changes in the version that it is compared with, and what it undoes of newer ones.

    Where newer settings have overtaken it, it undoes what it would change of them if it were replayed again:
    that is compared with the current version, and listed apart.
    """
    is_outdated = drafts.is_outdated(replay, project)
    is_overtaken = is_outdated and replay.published_version is None
    draft = parse(replay.config, is_stored=True).as_document()
    today = project.configuration.as_document()
    settings = drafts.list_draft_settings(replay)
    again = {**today, **settings}  # as drafts.compose_again() gives it
    names = {**name_criteria(today), **name_criteria(draft)}
    own = show_changes(compare_with_version(project, replay.config_version, draft), names)
    later = show_changes(list_changes(today, again), names) if is_overtaken else own
    until = project.config_version if is_overtaken else replay.config_version
    undone = _find_undone(project, later, replay.draft_version or replay.config_version, until, names)
    listed_apart = [] if is_overtaken else [change for each in undone for change in each.changes]
    return {
        "is_outdated": is_outdated,
        "is_overtaken": is_overtaken,
        "is_current": not any(list_changes(today, again)),
        "draft_parts": list_parts_of(settings),
        "draft_count": len(own),
        "draft_changes": [change for change in own if change not in listed_apart],
        "undone": undone,
        "undone_count": sum(len(each.changes) for each in undone),
    }


def _find_undone(
    project: Project, changes: Sequence[ShownChange], since: int, until: int, names: Mapping[str, str]
) -> list[Undone]:
    """Return which of the changes undo what versions after `since` saved, by the version that did it last."""
    saved = _find_savers(project, since, until, names)
    found: dict[int, list[ShownChange]] = {}
    for change in changes:
        if (number := _find_saver(change, saved)) is not None:
            found.setdefault(number, []).append(change)
    return [Undone(number, found[number]) for number in sorted(found)]


def _find_savers(project: Project, since: int, until: int, names: Mapping[str, str]) -> dict[str, int]:
    """Return the version that last changed each setting after `since`, of those that differ by now."""
    steps = list_saved_changes(project, since, until) if since < until else []
    latest = {shown.name: number for number, change in steps for shown in show_changes([change], names)}
    if not latest:
        return {}
    today = project.configuration.as_document()
    there = today if until == project.config_version else get_document(project, until)
    differing = {shown.name for shown in show_changes(compare_with_version(project, since, there), names)}
    return {name: number for name, number in latest.items() if name in differing}


def _find_saver(change: ShownChange, saved: Mapping[str, int]) -> int | None:
    """Return the newest version that changed this setting, the item that it belongs to, or a part of it."""
    own = f"{change.name} · "
    found = [
        number
        for name, number in saved.items()
        if name == change.name or name.startswith(own) or own.startswith(f"{name} · ")
    ]
    return max(found, default=None)
