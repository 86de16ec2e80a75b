"""The versions of a project's configuration: what each one changed, and a way back.

Every saved change is a version. Restoring one makes a new version, so that nothing is ever lost; the
settings that protect people stay as they are.
"""

import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any, Literal

from django.db import transaction
from django.db.models import Q

from callscope.accounts.models import User
from callscope.messages.message import Message, MessageError
from callscope.projects import configuration
from callscope.projects.models import ConfigVersion, Project
from callscope.projects.services import PROTECTING, configure_project

MOST_READ = 100  # versions that are looked through for a criterion, or for settings alike
Document = Mapping[str, Any]  # as Configuration.as_document() gives it, of any age


class NoSuchVersion(MessageError):
    """The project has no version of this number."""


@dataclass(frozen=True, slots=True)
class Change:
    """One thing that a version changed; `path` names a criterion by its id, wherever it stands."""

    path: str  # rubric.criteria.greeting.max_points
    change: Literal["added", "removed", "changed"]
    former: Any = None
    new: Any = None


@dataclass(frozen=True, slots=True)
class Version:
    """One version, and what it changed in the one before it."""

    row: ConfigVersion
    is_current: bool
    changes: list[Change]
    criteria: Mapping[str, str]  # names by id, those included that it removed


@dataclass(frozen=True, slots=True)
class SameVersion:
    """An earlier version with the same settings."""

    number: int
    is_whole: bool  # False: what protects people (PROTECTING) differs


def list_versions(project: Project, *, first: int = 0, count: int | None = None) -> list[Version]:
    """Return versions, newest first, from the `first` on, at most `count` of them."""
    rows = _list_rows(project)
    until = len(rows) if count is None else first + count
    chosen = rows[first : until + 1]  # one more, which the last one is compared with
    there = read_documents(project, [row.number for row in chosen])
    documents = [there[row.number] for row in chosen]
    listed = []
    for place, row in enumerate(chosen[: until - first]):
        former = documents[place + 1] if place + 1 < len(chosen) else None
        changes = [] if former is None else list(list_changes(former, documents[place]))
        names = {**name_criteria(former or {}), **name_criteria(documents[place])}
        listed.append(Version(row, row.number == project.config_version, changes, names))
    return listed


def find_same(project: Project, numbers: Collection[int]) -> dict[int, SameVersion]:
    """Return the earliest version with the same settings of each of these that has one.

    It is looked for among the MOST_READ versions before; one that is the same throughout comes first.
    """
    if not numbers:
        return {}
    read = Q(number__gte=min(numbers) - MOST_READ, number__lte=max(numbers))
    rows = ConfigVersion.objects.filter(read, project=project).order_by("number")
    seen, found = dict[bytes, list[int]](), dict[int, SameVersion]()
    for row in rows.iterator(chunk_size=5):
        document = read_document(project, row)
        rest = {name: value for name, value in document.items() if name not in PROTECTING}
        for is_whole, compared in ((True, document), (False, rest)):
            key = blake2b(json.dumps([is_whole, compared], sort_keys=True).encode()).digest()
            earlier = [number for number in seen.get(key, []) if number >= row.number - MOST_READ]
            if earlier and row.number in numbers and row.number not in found:
                found[row.number] = SameVersion(earlier[0], is_whole)
            seen[key] = [*earlier, row.number]
    return found


def find_document(project: Project, number: int | None) -> Document | None:
    """Return the document of a version; None where the project has no version of this number."""
    row = next((row for row in _list_rows(project) if row.number == number), None)
    return None if row is None else read_document(project, row)


def read_documents(project: Project, numbers: Collection[int]) -> dict[int, Document]:
    """Return the documents of versions by number, read at once; those that the project has."""
    if not numbers:
        return {}
    rows = list(ConfigVersion.objects.filter(project=project, number__in=numbers))
    if project.config_version in set(numbers) - {row.number for row in rows}:  # never stored
        rows.append(ConfigVersion(project=project, number=project.config_version))
    return {row.number: read_document(project, row) for row in rows}


def get_document(project: Project, number: int) -> Document:
    """Return the document of a version. Raises NoSuchVersion."""
    document = find_document(project, number)
    if document is None:
        raise NoSuchVersion(Message("unknown_version", value=str(number), project=project.pk))
    return document


def compare_with_version(project: Project, number: int, draft: Document) -> list[Change]:
    """Return what a draft changes in a version; nothing where the project has no version of this number."""
    row = next((row for row in _list_rows(project) if row.number == number), None)
    return [] if row is None else list(list_changes(read_document(project, row), draft))


def list_changed_settings(project: Project, number: int, draft: Document) -> list[str]:
    """Return the names of the settings that a draft changes in a version; all where that is not there."""
    row = next((row for row in _list_rows(project) if row.number == number), None)
    former = {} if row is None else read_document(project, row)
    return [name for name in draft if former.get(name) != draft[name]]


def list_saved_changes(project: Project, since: int, until: int) -> list[tuple[int, Change]]:
    """Return what each version after `since` up to `until` changed, oldest first; of the last MOST_READ."""
    rows = [row for row in reversed(_list_rows(project)) if since <= row.number <= until][-MOST_READ:]
    documents = [read_document(project, row) for row in rows]
    steps = zip(rows[1:], documents, documents[1:], strict=False)
    return [(row.number, change) for row, former, new in steps for change in list_changes(former, new)]


def name_former_criteria(project_id: int, ids: Collection[str]) -> dict[str, str]:
    """Return what these criteria were called in the newest version that had them, of the last MOST_READ."""
    rows = ConfigVersion.objects.filter(project=project_id).order_by("-number")
    documents = rows.values_list("document", flat=True)[:MOST_READ]
    left, names = set(ids), dict[str, str]()
    for document in documents.iterator(chunk_size=5) if left else ():
        rubric = document.get("rubric") or {}
        for criterion_id, criterion in list_criteria(rubric).items():
            if criterion_id in left:
                names[criterion_id] = criterion["name"]
        left -= set(names)
        if not left:
            break
    return names


def list_saved(project: Project, numbers: Collection[int]) -> dict[int, ConfigVersion]:
    """Return these versions by their numbers, without their documents; those that the project has."""
    return {row.number: row for row in _list_rows(project) if row.number in numbers}


def count_versions(project: Project) -> int:
    """Return how many versions a project has, the current one included."""
    return len(_list_rows(project))


def read_document(project: Project, row: ConfigVersion) -> Document:
    """Return the document of a version, with every setting of today that it did not know at its default."""
    stored = row.document if row.pk else project.config
    try:
        return configuration.parse(stored, is_stored=True).as_document()
    except configuration.InvalidConfiguration:  # of a time with other limits
        return stored  # type: ignore[no-any-return]


@transaction.atomic
def restore_version(project: Project, number: int, by: User | None = None) -> bool:
    """Make an earlier version the current one, as a new version; return False if nothing differs.

    What protects people (PROTECTING) stays as it is today. Raises NoSuchVersion, and what
    configure_project raises.
    """
    locked = Project.objects.select_for_update().get(pk=project.pk)
    row = next((row for row in _list_rows(locked) if row.number == number), None)
    if row is None:
        raise NoSuchVersion(Message("unknown_version", value=str(number)[:80], project=project.pk))
    today = locked.configuration.as_document()
    former = read_document(locked, row)
    document = {name: value for name, value in former.items() if name not in PROTECTING}
    document |= {name: today[name] for name in PROTECTING if name in today}
    return configure_project(project, document, by, restored=number)


def list_changes(former: Document, new: Document) -> Iterator[Change]:
    """Yield what differs: criteria by their ids, every other setting by its name."""
    yield from _compare("", {**former, "rubric": None}, {**new, "rubric": None})
    old_rubric, new_rubric = former.get("rubric") or {}, new.get("rubric") or {}
    yield from _compare("rubric.", {**old_rubric, "sections": None}, {**new_rubric, "sections": None})
    before, after = list_criteria(old_rubric), list_criteria(new_rubric)
    for name, criterion in after.items():
        path = f"rubric.criteria.{name}"
        if name not in before:
            yield Change(path, "added", new=criterion["name"])
        else:
            yield from _compare(f"{path}.", before[name], criterion)
    for name, criterion in before.items():
        if name not in after:
            yield Change(f"rubric.criteria.{name}", "removed", former=criterion["name"])
    if list(before) != list(after) and sorted(before) == sorted(after):
        yield Change("rubric.criteria", "changed", list(before), list(after))


def _compare(prefix: str, former: Document, new: Document) -> Iterator[Change]:
    for name in [*new, *(name for name in former if name not in new)]:
        # A version of before a setting was known has none of it.
        if former.get(name) != new.get(name):
            yield Change(prefix + name, "changed", former.get(name), new.get(name))


def list_criteria(rubric: Document) -> dict[str, Document]:
    """Return the criteria of a rubric by id, each with the name of its section."""
    return {
        criterion["id"]: {**criterion, "section": section["name"]}
        for section in rubric.get("sections") or []
        for criterion in section["criteria"]
    }


def name_criteria(document: Document) -> dict[str, str]:
    """Return what the criteria of a document are called, by id."""
    return {key: each["name"] for key, each in list_criteria(document.get("rubric") or {}).items()}


def _list_rows(project: Project) -> list[ConfigVersion]:
    """Return the versions without their documents, newest first; one that was never stored included."""
    rows = list(
        ConfigVersion.objects.filter(project=project)
        .select_related("created_by")
        .defer("document")
        .order_by("-number")
    )
    if all(row.number != project.config_version for row in rows):
        created_at = project.created_at
        rows.append(ConfigVersion(project=project, number=project.config_version, created_at=created_at))
    return sorted(rows, key=lambda row: -row.number)
