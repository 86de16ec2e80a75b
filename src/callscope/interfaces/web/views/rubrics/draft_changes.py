"""What a draft changes, and what it undoes: settings that newer versions than its own had changed."""

from collections.abc import Mapping
from dataclasses import replace

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


def describe_draft(replay: Replay, project: Project) -> dict[str, object]:
    """Return what a draft changes, and whether other settings were saved before it was published."""
    is_outdated = drafts.is_outdated(replay, project)
    is_overtaken = is_outdated and replay.published_version is None
    changes = show_draft_changes(replay, project, is_overtaken=is_overtaken)
    return {
        "is_outdated": is_outdated,
        "is_overtaken": is_overtaken,
        "is_current": not any(
            list_changes(project.configuration.as_document(), drafts.compose_again(replay))
        ),
        "draft_changes": changes,
        "undone": [change.name for change in changes if change.undoes],
    }


def show_draft_changes(replay: Replay, project: Project, *, is_overtaken: bool) -> list[ShownChange]:
    """Return what a draft changes in the version that it is compared with.

    Where newer settings have overtaken it, also what else it would change in them if it were replayed again.
    """
    draft = parse(replay.config, is_stored=True).as_document()
    today = project.configuration.as_document()
    names = {**name_criteria(today), **name_criteria(draft)}
    own = show_changes(compare_with_version(project, replay.config_version, draft), names)
    since = replay.draft_version or replay.config_version
    if not is_overtaken:
        saved = _find_savers(project, since, replay.config_version, names)
        return [replace(change, undoes=_find_saver(change, saved)) for change in own]
    saved = _find_savers(project, since, project.config_version, names)
    again = show_changes(list_changes(today, drafts.compose_again(replay)), names)
    undoing = {
        change.name: replace(change, undoes=number)
        for change in again
        if (number := _find_saver(change, saved)) is not None
    }
    shown = [
        replace(each, undoes=undoing[each.name].undoes) if each.name in undoing else each for each in own
    ]
    listed = {change.name for change in own}
    return shown + [change for name, change in undoing.items() if name not in listed]


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
