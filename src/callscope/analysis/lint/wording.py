"""Findings that need nothing but the document."""

from collections.abc import Iterator, Sequence
from decimal import Decimal

from callscope.analysis.lint.finding import Finding
from callscope.analysis.lint.promises import (
    count_demands,
    count_promises_of_guideline,
    count_promises_of_name,
    says_it_whole,
)
from callscope.language.tokens import tokenize
from callscope.messages.message import Message
from callscope.projects.configuration import Configuration, Criterion, Goal
from callscope.projects.configuration_rules import Pattern

MAX_GUIDELINE = 1_200  # characters; a checklist of thirty such is 9,000 tokens, more than models weigh evenly
DROWNING_PCT = Decimal("1.5")  # of the points; in a rubric of many criteria half of an even share

Place = tuple[str, Criterion]  # the path of a criterion, and the criterion


def list_places(config: Configuration) -> list[Place]:
    """Return every criterion with its path, in rubric order."""
    return [
        (f"rubric.sections[{i}].criteria[{j}]", criterion)
        for i, section in enumerate(config.rubric.sections)
        for j, criterion in enumerate(section.criteria)
    ]


def read_wording(config: Configuration, *, has_model: bool) -> Iterator[Finding]:
    """Yield what misleads in the rubric and the goal whatever is said in calls."""
    places = list_places(config)
    total, count = config.rubric.total_points, len(places)
    shared = _find_shared(places)
    for path, criterion in places:
        if (criterion.rule is None or criterion.rule.is_empty) and not has_model:
            yield Finding(path, Message("no_judge", name=criterion.name))
        yield from _compare_with_rule(path, criterion)
        yield from shared.get(path, [])
        if criterion.critical and criterion.critical_class is None:
            yield Finding(f"{path}.critical_class", Message("critical_without_class", name=criterion.name))
        share = 100 * criterion.max_points / total
        if share < min(DROWNING_PCT, Decimal(50) / count):
            percent = f"{share:.2f}".rstrip("0").rstrip(".")
            message = Message("weight_drowns", name=criterion.name, percent=percent)
            yield Finding(f"{path}.max_points", message)
        if (length := len(criterion.guideline)) > MAX_GUIDELINE:
            message = Message("long_guideline", count=length, most=MAX_GUIDELINE)
            yield Finding(f"{path}.guideline", message)
    yield from _read_goal(config.goal)


def _compare_with_rule(path: str, criterion: Criterion) -> Iterator[Finding]:
    """Yield where a rule asks for less than the name or the guideline promises."""
    rule = criterion.rule
    if rule is None or not rule.has_evidence or says_it_whole(rule):
        return
    demands = count_demands(rule)
    if (named := count_promises_of_name(criterion.name)) > demands:
        yield Finding(
            f"{path}.rule", Message("met_by_half", name=criterion.name, count=named, number=demands)
        )
    elif (asked := count_promises_of_guideline(criterion.guideline)) > demands:
        message = Message("guideline_met_by_half", name=criterion.name, count=asked, number=demands)
        yield Finding(f"{path}.rule", message)


def _read_goal(goal: Goal) -> Iterator[Finding]:
    """Yield where nobody can tell what the goal is, and its phrases that are there already."""
    if not goal.description.strip():
        yield Finding("goal.description", Message("goal_without_description"))
    seen: set[str] = set()
    for number, phrase in enumerate(goal.phrases):
        words = _read_words(phrase)
        if words in seen:
            yield Finding(f"goal.phrases[{number}]", Message("phrase_twice", phrase=str(phrase)))
        seen.add(words)


def _read_words(phrase: str | Pattern) -> str:
    """Return what makes a phrase the same as another one: neither case nor signs."""
    return str(phrase) if isinstance(phrase, Pattern) else " ".join(tokenize(phrase))


def _find_shared(places: Sequence[Place]) -> dict[str, list[Finding]]:
    """Return path of a criterion → its phrases that decide another one, or two of its own groups."""
    first: dict[tuple[str, str], tuple[str, str, int | None]] = {}  # phrase → path, name, group
    found: dict[str, list[Finding]] = {}
    for path, criterion in places:
        if criterion.rule is None:
            continue
        rule = criterion.rule
        lists: list[tuple[int | None, Sequence[str | Pattern], str]] = [
            (None, rule.wanted, f"{path}.rule.any_of")
        ]
        lists += [(n, group, f"{path}.rule.all_of[{n}]") for n, group in enumerate(rule.all_of)]
        for group, phrases, where in lists:
            for number, phrase in enumerate(phrases):
                key = (rule.speaker, _read_words(phrase))
                of_path, of_name, of_group = first.setdefault(key, (path, criterion.name, group))
                if (of_path, of_group) == (path, group):
                    continue
                if of_path == path:
                    message = Message("phrase_in_two_groups", phrase=str(phrase))
                elif _is_other_moment(places, of_path, criterion):
                    continue
                else:
                    message = Message("shared_phrase", phrase=str(phrase), other=of_name)
                found.setdefault(path, []).append(Finding(f"{where}[{number}]", message))
    return found


def _is_other_moment(places: Sequence[Place], path: str, criterion: Criterion) -> bool:
    """Return True if two criteria look at different ends of a call, as thanks do that open and close it."""
    other = next(c for p, c in places if p == path)
    if other.rule is None or criterion.rule is None:
        return False
    ends = {(r.within_seconds is not None, r.last_seconds is not None) for r in (other.rule, criterion.rule)}
    return ends == {(True, False), (False, True)}
