"""What a version of the settings changed, down to the single setting and in the words of its form."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any, Literal

from callscope.interfaces.web.settings_parts import setting_names as words
from callscope.projects.versions import Change

SHOWN_ITEMS = 8  # of what a list gained or lost; the others are folded
LONG_TEXT = 40  # characters from which the words that differ are marked
ALIKE = 0.4  # from which share of words in common on
CRITERIA = "rubric.criteria"
#: What a rule may hold or not, and may hold with nothing in it.
OPTIONAL = ("rule", "rule.before", "rule.after", "rule.not_within", "rule.no_silence")
Kind = Literal["added", "removed", "value", "text", "list", "order", "unknown"]
Names = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Piece:
    """Words of a text that stayed, went or came."""

    kind: Literal["same", "gone", "new"]
    text: str


@dataclass(frozen=True, slots=True)
class Side:
    """What went from a list, or what came to it."""

    tag: Literal["del", "ins"]
    items: tuple[str, ...]

    @property
    def shown(self) -> tuple[str, ...]:
        # One more than would be shown is no reason to fold.
        return self.items if len(self.items) <= SHOWN_ITEMS + 1 else self.items[:SHOWN_ITEMS]

    @property
    def folded(self) -> tuple[str, ...]:
        return self.items[len(self.shown) :]


@dataclass(frozen=True, slots=True)
class ShownChange:
    """One setting that changed, as `projects/changes.html` shows it."""

    name: str
    kind: Kind
    former: str = ""
    new: str = ""
    pieces: tuple[Piece, ...] = ()  # of a text
    gone: tuple[str, ...] = ()  # from a list
    came: tuple[str, ...] = ()

    def sides(self) -> list[Side]:
        """Return what went from a list and what came to it."""
        return [Side("del", self.gone), Side("ins", self.came)]


def show_changes(changes: Iterable[Change], names: Names) -> list[ShownChange]:
    """Return every setting that changed; `names` are those of criteria, by id."""
    return [shown for change in changes for shown in _show(change, names)]


def _show(change: Change, names: Names) -> Iterator[ShownChange]:
    if change.path == CRITERIA:
        yield ShownChange(words.name_setting(CRITERIA), "order")
    elif change.path.startswith(f"{CRITERIA}."):
        yield from _show_criterion(change, names)
    else:
        former, new = _flatten(change.path, change.former), _flatten(change.path, change.new)
        for path in {**new, **former}:
            if path in words.ITEMS:
                yield from _show_items(path, former.get(path), new.get(path), names)
            else:
                yield from _show_leaf(words.name_setting(path), path, former.get(path), new.get(path), names)


def _show_criterion(change: Change, names: Names) -> Iterator[ShownChange]:
    if change.change != "changed":
        name = str(change.new if change.change == "added" else change.former)
        yield ShownChange(words.name_item(CRITERIA, name), change.change)
        return
    criterion, _dot, field = change.path.removeprefix(f"{CRITERIA}.").rpartition(".")
    former, new = {field: change.former}, {field: change.new}
    yield from _show_fields(CRITERIA, names.get(criterion, criterion), former, new, names)


def _show_items(path: str, former: Any, new: Any, names: Names) -> Iterator[ShownChange]:
    """Yield what changed in a list whose items have names."""
    kind = words.ITEMS[path]
    before, after = ({item.get(kind.key): item for item in items or []} for items in (former, new))
    for key, item in after.items():
        name = str(item.get(kind.name))
        if key in before:
            yield from _show_fields(path, name, before[key], item, names)
        else:
            yield ShownChange(words.name_item(path, name), "added")
    for key, item in before.items():
        if key not in after:
            yield ShownChange(words.name_item(path, str(item.get(kind.name))), "removed")
    if [key for key in before if key in after] != [key for key in after if key in before]:
        yield ShownChange(words.name_setting(path), "order")


def _show_fields(
    list_path: str, name: str, former: Mapping[str, Any], new: Mapping[str, Any], names: Names
) -> Iterator[ShownChange]:
    """Yield which settings of an item changed."""
    before, after = (
        {k: v for at in item for k, v in _flatten(at, item[at]).items()} for item in (former, new)
    )
    for field in {**after, **before}:
        title = f"{words.name_item(list_path, name)} · {words.name_field(list_path, field)}"
        yield from _show_leaf(title, field, before.get(field), after.get(field), names)


def _show_leaf(title: str, path: str, former: Any, new: Any, names: Names) -> Iterator[ShownChange]:
    if former == new or (_is_nothing(former) and _is_nothing(new)):
        return
    if title.endswith(str(words.OTHER)):
        yield ShownChange(title, "unknown")
    elif isinstance(former, list) or isinstance(new, list):
        yield _show_list(title, path, former or [], new or [])
    else:
        if path.endswith(".criterion"):  # of a rule: the id of another one
            former, new = names.get(former, former), names.get(new, new)
        before, after = words.say_value(path, former), words.say_value(path, new)
        pieces = compare_words(before, after) if isinstance(former, str) and isinstance(new, str) else ()
        yield ShownChange(title, "text" if pieces else "value", before, after, pieces)


def _show_list(title: str, path: str, former: list[Any], new: list[Any]) -> ShownChange:
    before, after = ([words.say_item(path, each) for each in items] for items in (former, new))
    gone, came = Counter(before) - Counter(after), Counter(after) - Counter(before)
    if not gone and not came:
        return ShownChange(title, "order")
    return ShownChange(title, "list", gone=tuple(gone.elements()), came=tuple(came.elements()))


def compare_words(former: str, new: str) -> tuple[Piece, ...]:
    """Return the words of both texts with what went and came; nothing for short or wholly different ones."""
    if max(len(former), len(new)) < LONG_TEXT:
        return ()
    before, after = former.split(), new.split()
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    if matcher.ratio() < ALIKE:
        return ()
    pieces = []
    for kind, a, b, c, d in matcher.get_opcodes():
        if kind == "equal":
            pieces.append(Piece("same", " ".join(after[c:d])))
            continue
        pieces += [Piece("gone", " ".join(before[a:b]))] if b > a else []
        pieces += [Piece("new", " ".join(after[c:d]))] if d > c else []
    return tuple(pieces)


def _flatten(path: str, value: Any) -> dict[str, object]:
    """Return path → value of every setting in an object; lists are values."""
    found: dict[str, object] = {path: value is not None} if path in OPTIONAL else {}
    if isinstance(value, Mapping):
        return found | {k: v for name in value for k, v in _flatten(f"{path}.{name}", value[name]).items()}
    return found or {path: value}


def _is_nothing(value: Any) -> bool:
    """Return whether a setting says nothing: it is empty, or an earlier version did not have it."""
    return value is None or value is False or value in ("", [])
