"""Two people's changes of one configuration, brought together setting by setting.

Criteria, prompts, mistakes and trackers are followed by their ids, codes of contact reasons by their names,
wherever they stand. A list of texts, such as the phrases of a criterion, is one setting.
"""

from collections.abc import Mapping
from typing import Any, Final, TypeGuard

from callscope.projects.versions import Change, Document, list_changes, list_criteria

KEYS = ("id", "code")  # of the items of a list
ABSENT: Final = object()


def merge_changes(base: Document, draft: Document, today: Document) -> dict[str, object]:
    """Return today's document with what a draft changed in `base`; the draft wins where both changed."""
    return _merge_documents(base, draft, today, draft_wins=True)


def list_conflicts(base: Document, draft: Document, today: Document) -> list[Change]:
    """Return what both changed in `base` to different values: from that of today to that of the draft."""
    theirs, ours = (_merge_documents(base, draft, today, draft_wins=wins) for wins in (False, True))
    return list(list_changes(theirs, ours))


def _merge_documents(
    base: Document, draft: Document, today: Document, *, draft_wins: bool
) -> dict[str, object]:
    merged = _merge_items(*map(_flatten_rubric, (base, draft, today)), draft_wins=draft_wins)
    rubric = merged.get("rubric")
    return {**merged, "rubric": _group_criteria(rubric)} if isinstance(rubric, Mapping) else merged


def _merge(base: object, draft: object, today: object, *, draft_wins: bool) -> Any:
    if draft == base:
        return today
    if today in (base, draft):
        return draft
    if isinstance(draft, Mapping) and isinstance(today, Mapping):
        former = base if isinstance(base, Mapping) else {}
        return _merge_items(former, draft, today, draft_wins=draft_wins)
    if _is_keyed(draft) and _is_keyed(today):
        former = _by_key(base) if _is_keyed(base) else {}
        items = _merge_items(former, _by_key(draft), _by_key(today), draft_wins=draft_wins)
        return list(items.values())
    return draft if draft_wins else today


def _merge_items(
    base: Mapping[str, object],
    draft: Mapping[str, object],
    today: Mapping[str, object],
    *,
    draft_wins: bool,
) -> dict[str, object]:
    """Return the items of both, in the order of the one who moved some; where both did, of the winner."""
    order = _weave(list(today), list(draft))
    if _has_moved(base, draft) and (
        draft_wins or not _has_moved(base, today) or not _has_moved(draft, today)
    ):
        order = _weave(list(draft), list(today))
    sides = (base, draft, today)
    items = {
        name: _merge(*(side.get(name, ABSENT) for side in sides), draft_wins=draft_wins) for name in order
    }
    return {name: item for name, item in items.items() if item is not ABSENT}


def _has_moved(former: Mapping[str, object], items: Mapping[str, object]) -> bool:
    """Return whether those that are in both stand in another order."""
    return [name for name in items if name in former] != [name for name in former if name in items]


def _weave(names: list[str], others: list[str]) -> list[str]:
    """Return all names, those of `others` alone behind the one that they follow there."""
    woven = list(names)
    for former, name in zip(["", *others], others, strict=False):
        if name not in woven:
            woven.insert(woven.index(former) + 1 if former else 0, name)
    return woven


def _is_keyed(value: object) -> TypeGuard[list[Mapping[str, object]]]:
    return isinstance(value, list) and all(isinstance(each, Mapping) and _key(each) for each in value)


def _by_key(items: list[Mapping[str, object]]) -> dict[str, object]:
    return {_key(item): item for item in items}


def _key(item: Mapping[str, object]) -> str:
    return next((str(item[key]) for key in KEYS if key in item), "")


def _flatten_rubric(document: Document) -> Document:
    """Return a document whose criteria are one list, each with the name of its section."""
    rubric = document.get("rubric")
    if rubric is None:
        return document
    rest = {name: value for name, value in rubric.items() if name != "sections"}
    return {**document, "rubric": {**rest, "sections": list(list_criteria(rubric).values())}}


def _group_criteria(rubric: Document) -> dict[str, object]:
    """Return a rubric with its criteria in sections again, each where its first criterion stands."""
    sections: dict[str, list[Any]] = {}
    for criterion in rubric.get("sections", []):
        own = {name: value for name, value in criterion.items() if name != "section"}
        sections.setdefault(criterion["section"], []).append(own)
    return {**rubric, "sections": [{"name": name, "criteria": own} for name, own in sections.items()]}
