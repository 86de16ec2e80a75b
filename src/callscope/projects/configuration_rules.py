"""The rule language: phrases, patterns, groups, order, counts and silences. Source: docs/rules.md.

What a rule says of itself is checked by its own type; what it says of other criteria, and of the document as
a whole, by find_wrong_references().
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Annotated, Any, Literal

import pydantic
from pydantic import BeforeValidator, Discriminator, Field, Tag

from callscope.language.patterns import PatternRefused, compile_pattern
from callscope.messages.message import Message, quoted
from callscope.projects.configuration_errors import InvalidValue
from callscope.projects.configuration_fields import (
    MAX_PHRASES,
    Identifier,
    Line,
    Name,
    Part,
    Seconds,
    refuse_bool,
)

MAX_GROUPS = 20  # of a rule
MAX_PATTERNS = 500  # of a document
MAX_TRACKERS = 100

SpeakerRule = Literal["agent", "customer", "any"]


class Pattern(Part):
    """A regular expression of RE2 in place of the words of a phrase."""

    pattern: Line

    @pydantic.field_validator("pattern")
    @classmethod
    def _is_readable(cls, value: str) -> str:
        try:
            compile_pattern(value)
        except PatternRefused as refused:
            values = dict(refused.values)
            if "problem" in values:
                values["problem"] = quoted(values["problem"])
            raise InvalidValue(refused.code, **values) from None
        return value

    def __str__(self) -> str:
        return f"/{self.pattern}/"


Phrase = Annotated[
    Annotated[Line, Tag("<text>")] | Annotated[Pattern, Tag("<pattern>")],
    Discriminator(lambda value: "<pattern>" if isinstance(value, dict | Pattern) else "<text>"),
]
Phrases = Annotated[list[Phrase], Field(max_length=500)]
Group = Annotated[list[Phrase], Field(min_length=1, max_length=500)]


def list_texts(phrases: Sequence[str | Pattern]) -> list[str]:
    """Return the phrases that are words, without the patterns."""
    return [p for p in phrases if isinstance(p, str)]


class Anchor(Part):
    """What the evidence of a rule has to stand before or after: that of another criterion, or phrases."""

    criterion: Identifier | None = None
    any_of: Phrases = []

    @pydantic.model_validator(mode="after")
    def _is_one_thing(self) -> "Anchor":
        if (self.criterion is None) == (not self.any_of):
            raise InvalidValue("anchor_needs_one")
        return self


class OtherSide(Part):
    """Words of the other side within which nothing counts: from them on for some seconds, else to the end."""

    seconds: Seconds | None = None
    any_of: Phrases = []  # none: the rule's own phrases


class Silence(Part):
    """A wait that is too long: nobody speaks; with `after`, the rule's speaker does not come back."""

    over_seconds: Seconds
    after: Phrases = []


def _needs_evidence(value: Any, info: pydantic.ValidationInfo) -> Any:
    data = info.data
    counts_only = data.get("at_most") is not None
    if value is not None and not data.get("all_of", True) and (counts_only or not data.get("any_of", True)):
        raise InvalidValue("needs_evidence")
    return value


class Rule(Part):
    """How the rules analyzer decides a criterion."""

    speaker: SpeakerRule = "agent"
    within_seconds: Seconds | None = None
    last_seconds: Seconds | None = None
    any_of: Phrases = []
    none_of: Phrases = []
    applies_if: Phrases = []
    all_of: Annotated[list[Group], Field(max_length=MAX_GROUPS)] = []
    at_least: Annotated[int, BeforeValidator(refuse_bool), Field(ge=1)] | None = None
    at_most: Annotated[int, BeforeValidator(refuse_bool), Field(ge=0, le=1_000)] | None = None
    before: Anchor | None = None
    after: Anchor | None = None
    not_within: OtherSide | None = None
    no_silence: Silence | None = None

    @pydantic.field_validator("at_least")
    @classmethod
    def _has_so_many_groups(cls, value: int | None, info: pydantic.ValidationInfo) -> int | None:
        groups = info.data.get("all_of")
        if value is not None and groups is not None:
            if not groups:
                raise InvalidValue("needs_setting", setting="all_of")
            if value > len(groups):
                raise InvalidValue("more_than_groups", value=value, count=len(groups))
        return value

    @pydantic.field_validator("at_most")
    @classmethod
    def _has_phrases_to_count(cls, value: int | None, info: pydantic.ValidationInfo) -> int | None:
        if value is not None and info.data.get("any_of") == []:
            raise InvalidValue("needs_setting", setting="any_of")
        return value

    _order = pydantic.field_validator("before", "after", "not_within")(_needs_evidence)

    @pydantic.field_validator("not_within")
    @classmethod
    def _has_another_side(cls, value: OtherSide | None, info: pydantic.ValidationInfo) -> OtherSide | None:
        if value is not None and info.data.get("speaker") == "any":
            raise InvalidValue("needs_one_side")
        return value

    @pydantic.model_validator(mode="after")
    def _one_time_window(self) -> "Rule":
        if self.within_seconds is not None and self.last_seconds is not None:
            raise InvalidValue("two_time_windows")
        return self

    @property
    def wanted(self) -> list[str | Pattern]:
        """What has to be said besides the groups; phrases that are only counted do not."""
        return [] if self.at_most is not None else self.any_of

    @property
    def has_evidence(self) -> bool:
        """True if something has to be said for it to be met, so that a place shows it."""
        return bool(self.wanted or self.all_of)

    @property
    def is_empty(self) -> bool:
        """True if it says nothing that words or silences could decide."""
        return not (self.any_of or self.none_of or self.all_of or self.no_silence)

    @property
    def is_compound(self) -> bool:
        """True if it says more than which phrases are wanted or forbidden, by whom and when."""
        orders = (self.before, self.after, self.not_within, self.no_silence)
        return bool(self.all_of) or self.at_most is not None or any(order is not None for order in orders)

    def decisive_phrases(self) -> list[str | Pattern]:
        """Return what it wants said, or counts, in its order."""
        return [*self.any_of, *(p for group in self.all_of for p in group)]

    def phrase_lists(self) -> list[Sequence[str | Pattern]]:
        """Return every list of phrases in it."""
        lists: list[Sequence[str | Pattern]] = [self.any_of, self.none_of, self.applies_if, *self.all_of]
        lists += [anchor.any_of for anchor in (self.before, self.after) if anchor]
        lists += [self.not_within.any_of] if self.not_within else []
        return [*lists, self.no_silence.after] if self.no_silence else lists


class Tracker(Part):
    """A rule over all calls that earns no points: where it holds is kept with the call."""

    id: Identifier
    name: Name
    rule: Rule

    @pydantic.field_validator("rule")
    @classmethod
    def _says_something(cls, rule: Rule) -> Rule:
        if rule.is_empty:
            raise InvalidValue("tracker_without_phrases")
        return rule


Wrong = tuple[str, Message]


def find_wrong_references(config: Any, *, is_stored: bool) -> list[Wrong]:
    """Return (path, reason) for every order that no call can follow, and for too many phrases or patterns."""
    rules = {
        criterion.id: (f"rubric.sections[{i}].criteria[{j}].rule", criterion.rule)
        for i, section in enumerate(config.rubric.sections)
        for j, criterion in enumerate(section.criteria)
    }
    wrong = [
        error for name, (path, rule) in rules.items() if rule for error in _check(name, path, rule, rules)
    ]
    for number, tracker in enumerate(config.trackers):
        wrong += _check(None, f"trackers[{number}].rule", tracker.rule, rules)
    if not wrong:
        wrong += _find_circles(rules)
    if not is_stored:
        wrong += _find_too_many(config)
    return wrong


Placed = dict[str, tuple[str, Rule | None]]


def _check(name: str | None, path: str, rule: Rule, rules: Placed) -> Iterator[Wrong]:
    for side, anchor in (("before", rule.before), ("after", rule.after)):
        if anchor is None or anchor.criterion is None:
            continue
        where = f"{path}.{side}.criterion"
        if anchor.criterion not in rules:
            yield where, Message("unknown_criterion", value=anchor.criterion)
        elif anchor.criterion == name:
            yield where, Message("criterion_of_itself", value=name)
        else:
            other = rules[anchor.criterion][1]
            if other is None or not other.has_evidence:
                yield where, Message("criterion_without_evidence", value=anchor.criterion)


def _find_circles(rules: Placed) -> list[Wrong]:
    """Return one error for each criterion whose order leads back to itself, at its first step."""
    steps = {
        name: {
            side: a.criterion for side in ("before", "after") if (a := getattr(rule, side)) and a.criterion
        }
        for name, (_, rule) in rules.items()
        if rule
    }
    wrong = []
    for name, sides in steps.items():
        for side, following in sides.items():
            way = _find_way(following, name, lambda at: list(steps.get(at, {}).values()))
            if way:
                circle = " → ".join([name, *way])
                wrong.append(
                    (f"{rules[name][0]}.{side}.criterion", Message("criteria_in_a_circle", value=circle))
                )
    return wrong


def _find_way(start: str, end: str, follow: Callable[[str], list[str]]) -> list[str]:
    """Return the names from one to another, both included; [] without a way."""
    ways, seen = [[start]], {start}
    while ways:
        way = ways.pop()
        if way[-1] == end:
            return way
        fresh = [name for name in follow(way[-1]) if name not in seen]
        seen.update(fresh)
        ways += [[*way, name] for name in fresh]
    return []


def _find_too_many(config: Any) -> Iterator[Wrong]:
    tracked = [phrases for t in config.trackers for phrases in t.rule.phrase_lists()]
    if (count := sum(map(len, tracked))) > MAX_PHRASES:
        yield "trackers", Message("too_many_phrases", count=count, most=MAX_PHRASES)
    lists = [phrases for _, c in config.rubric.criteria() if c.rule for phrases in c.rule.phrase_lists()]
    lists += [p.any_of for p in config.no_protocol.prompts] + [m.any_of for m in config.no_protocol.mistakes]
    lists += [config.goal.phrases, *(code.phrases for code in config.contact_reasons.codes), *tracked]
    patterns = sum(isinstance(phrase, Pattern) for phrases in lists for phrase in phrases)
    if patterns > MAX_PATTERNS:
        yield "", Message("too_many_patterns", count=patterns, most=MAX_PATTERNS)
