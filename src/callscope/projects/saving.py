"""Save a part of a project's settings, together with what others have saved since it was opened.

What only one of them changed is kept of both, setting by setting (merging); what both changed to different
values is for a person to decide.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db import transaction

from callscope.accounts.models import User
from callscope.projects import configuration, versions
from callscope.projects.merging import list_conflicts, merge_changes
from callscope.projects.models import ConfigVersion, Project
from callscope.projects.services import configure_project
from callscope.projects.versions import Change, Document


@dataclass(frozen=True, slots=True)
class Saved:
    """What became of settings that were sent."""

    is_changed: bool
    is_merged: bool = False  # what is stored has more than what was sent
    came_in: Sequence[ConfigVersion] = ()  # the versions that it comes from, newest first


class SettingsChanged(Exception):
    """Others have saved since what these settings would undo, or what does not fit together with them."""

    def __init__(self, conflicts: Sequence[Change], savings: Sequence[ConfigVersion], version: int) -> None:
        super().__init__(version)
        self.conflicts = conflicts  # from what is saved to what was sent; none: they do not fit together
        self.savings = savings  # that changed them, newest first; none: nobody knows what was edited
        self.version = version  # the current one


@transaction.atomic
def save_settings(
    project: Project, settings: Document, since: int | None, by: User | None = None, over: int | None = None
) -> Saved:
    """Replace the settings that are named, and leave all others as they are.

    `since` is the version that was edited: what others changed after it stays. `over` is the newest version
    whose conflicts somebody has seen and decided: what was sent wins over it. Raises SettingsChanged where
    others changed the same to other values, and what configure_project raises.
    """
    locked = Project.objects.select_for_update().get(pk=project.pk)
    today = locked.configuration.as_document()
    sent = configuration.parse({**today, **settings}).as_document()
    if since == locked.config_version:
        return Saved(configure_project(project, sent, by))
    draft: Document = sent
    base = _find_settings(locked, since, settings, today)
    opened = since if base else over
    if seen := _find_settings(locked, over, settings, today):
        draft = (_bring_together(base, sent, seen) if base else None) or sent
        base = seen
    number = locked.config_version
    if base is None:
        raise SettingsChanged([], [], number)
    saved = versions.list_saved_changes(locked, opened or number, number)
    saved = [(at, change) for at, change in saved if change.path.partition(".")[0] in settings]
    if conflicts := list_conflicts(base, draft, today):
        paths = [f"{each.path}." for each in conflicts]
        # A rule conflicts with what was saved of the criterion that it belongs to, and the other way around.
        saved = [
            (at, change)
            for at, change in saved
            if any(path.startswith(f"{change.path}.") or change.path.startswith(path) for path in paths)
        ]
    merged = None if conflicts else _bring_together(base, draft, today)
    if merged is None:
        raise SettingsChanged(conflicts, _find_savings(locked, saved), number)
    is_changed, is_merged = configure_project(project, merged, by), merged != sent
    return Saved(is_changed, is_merged, _find_savings(locked, saved) if is_merged else ())


def _find_settings(
    project: Project, number: int | None, settings: Document, today: Document
) -> Document | None:
    """Return the settings that are named as a version had them, with the others of today; None without it."""
    document = versions.find_document(project, number)
    if document is None:
        return None
    return {**today, **{name: document[name] for name in settings if name in document}}


def _bring_together(base: Document, draft: Document, today: Document) -> Document | None:
    """Return what both changes come to; None where that is no configuration, though each of them is."""
    try:
        return configuration.parse(merge_changes(base, draft, today)).as_document()
    except configuration.InvalidConfiguration:
        return None


def _find_savings(project: Project, saved: Sequence[tuple[int, Change]]) -> list[ConfigVersion]:
    """Return the versions that saved these changes, newest first."""
    rows = versions.list_saved(project, {number for number, _ in saved})
    return [rows[number] for number in sorted(rows, reverse=True)]
