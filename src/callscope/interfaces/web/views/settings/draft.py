"""What a page of the settings shows of the draft of a replay, or why it shows nothing of it."""

from collections.abc import Mapping
from typing import Any, Literal, TypedDict

from django.http import HttpRequest

from callscope.interfaces.web.request_data import parse_id
from callscope.interfaces.web.settings_parts import catalog
from callscope.interfaces.web.settings_parts.changes import ShownChange, show_changes
from callscope.interfaces.web.settings_parts.fields import Part
from callscope.pipeline.models import Replay
from callscope.pipeline.rubric_changes.replays import drafts, publishing
from callscope.projects import versions
from callscope.projects.models import Project

#: Why nothing of a draft is shown: only writers see one; managers alone change this part; it is elsewhere.
Unseen = Literal["", "reader", "locked", "elsewhere"]


class ShownDraft(TypedDict):
    """What the templates are given of it."""

    draft: versions.Document
    draft_of: Replay | None
    unseen_draft: Unseen
    draft_parts: list[Part]
    draft_rest: versions.Document
    is_draft_publishable: bool
    is_draft_outdated: bool
    draft_conflicts: list[ShownChange]


def find_replay(request: HttpRequest, project: Project) -> Replay | None:
    """Return the replay whose draft the page is asked to show."""
    return Replay.objects.filter(project=project, pk=parse_id(request.GET.get("draft", ""))).first()


def show_draft(
    project: Project, part: Part, replay: Replay | None, *, may_write: bool, may_change: bool
) -> ShownDraft:
    """Return what a page shows of a draft: its settings of this part, and which others it changes."""
    changed = drafts.list_draft_settings(replay) if replay else {}
    own = {name: value for name, value in changed.items() if name in part.keys}
    draft = own if may_change else {}
    unseen: Unseen = ""
    if replay and not draft:
        unseen = "reader" if not may_write else "locked" if own else "elsewhere"
    outdated = replay if replay and draft and is_outdated(replay, draft) else None
    return ShownDraft(
        draft=draft,
        draft_of=replay,
        unseen_draft=unseen,
        draft_parts=catalog.list_parts_of(changed) if may_write else [],
        draft_rest={name: value for name, value in changed.items() if name not in own} if draft else {},
        is_draft_publishable=bool(replay and publishing.is_publishable(replay, project)),
        is_draft_outdated=outdated is not None,
        draft_conflicts=_show_conflicts(outdated, part) if outdated else [],
    )


def _show_conflicts(replay: Replay, part: Part) -> list[ShownChange]:
    """Return what the draft and the versions since its replay began both changed of a part."""
    own = [each for each in drafts.list_draft_conflicts(replay) if each.path.split(".")[0] in part.keys]
    names = versions.name_criteria(replay.project.configuration.as_document())
    return show_changes(own, {**names, **versions.name_criteria(replay.config)})


def is_outdated(replay: Replay, draft: Mapping[str, Any]) -> bool:
    """Return whether the settings of a draft were saved since its replay began."""
    today = replay.project.configuration.as_document()
    changed = versions.list_changed_settings(replay.project, replay.config_version, today)
    return any(name in changed for name in draft)
