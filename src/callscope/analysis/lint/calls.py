"""Findings that need calls: what is never or always said, and windows in which nothing can be.

A phrase is searched word for word in all calls first, and by its near wordings only where that finds
nothing, as long as there is time; what could not be searched to the end is not reported.
"""

import time
from collections.abc import Iterator, Sequence

from callscope.analysis.conversation.turns import Turn
from callscope.analysis.lint.finding import Finding
from callscope.analysis.lint.recent_calls import RecentCall
from callscope.analysis.lint.wording import list_places
from callscope.analysis.matching import phrases as phrase_matches
from callscope.analysis.matching.rule_evaluation import in_window
from callscope.language.patterns import PatternTooSlow
from callscope.messages.message import Message
from callscope.processes.time_limit import TimeLimitExceeded, check_time, limited
from callscope.projects.configuration import Configuration, Criterion
from callscope.projects.configuration_rules import Pattern, Rule

MIN_CALLS = 5  # fewer show nothing
ALWAYS_SHARE = 0.95
SHOWN_CALLS = 10
SEARCH_S = 5.0  # of processor time, for one lint
Phrase = str | Pattern


def read_calls(config: Configuration, calls: Sequence[RecentCall]) -> Iterator[Finding]:
    """Yield what the last calls show; nothing where they are too few."""
    if len(calls) < MIN_CALLS:
        return
    with limited(SEARCH_S, time.thread_time):
        try:
            for path, criterion in list_places(config):
                if criterion.rule is not None and not criterion.rule.is_empty:
                    yield from _read_windows(path, criterion.rule, calls)
                    yield from _read_conditions(path, criterion, criterion.rule, calls)
                    yield from _read_phrases(f"{path}.rule", criterion.rule, calls)
        except TimeLimitExceeded:
            return  # what was found until then stands


def _read_windows(path: str, rule: Rule, calls: Sequence[RecentCall]) -> Iterator[Finding]:
    longest = max(call.conversation.duration_s for call in calls)
    window = rule.within_seconds or rule.last_seconds
    if window is not None:
        name = "within_seconds" if rule.within_seconds is not None else "last_seconds"
        values = {"count": len(calls), "seconds": f"{window:g}"}
        if window >= longest:
            shown = [call.call_id for call in calls[:SHOWN_CALLS]]
            yield Finding(f"{path}.rule.{name}", Message("window_covers_call", **values), shown)
        elif not any(_hear(rule, call) for call in calls):
            yield Finding(f"{path}.rule.{name}", Message("window_never_heard", **values))
    if rule.no_silence and rule.no_silence.over_seconds >= longest:
        seconds = f"{rule.no_silence.over_seconds:g}"
        message = Message("silence_never_happens", count=len(calls), seconds=seconds)
        yield Finding(f"{path}.rule.no_silence.over_seconds", message)


def _read_conditions(
    path: str, criterion: Criterion, rule: Rule, calls: Sequence[RecentCall]
) -> Iterator[Finding]:
    if not rule.applies_if:
        return
    holding = [
        call.call_id for call in calls if _holds(rule.applies_if, list(call.conversation.turns()), call)
    ]
    if not holding:
        yield Finding(
            f"{path}.rule.applies_if", Message("never_applies", name=criterion.name, count=len(calls))
        )
    elif len(holding) == len(calls):
        message = Message("always_applies", count=len(calls))
        yield Finding(f"{path}.rule.applies_if", message, holding[:SHOWN_CALLS])


def _read_phrases(path: str, rule: Rule, calls: Sequence[RecentCall]) -> Iterator[Finding]:
    lists: list[tuple[str, Sequence[Phrase]]] = [("any_of", rule.any_of), ("none_of", rule.none_of)]
    lists += [(f"all_of[{n}]", group) for n, group in enumerate(rule.all_of)]
    heard = [_hear(rule, call) for call in calls]
    for name, wanted in lists:
        for number, phrase in enumerate(wanted):
            holding = [c.call_id for c, turns in zip(calls, heard, strict=True) if _is_said(phrase, turns)]
            where, values = f"{path}.{name}[{number}]", {"phrase": str(phrase), "count": len(calls)}
            if len(holding) >= ALWAYS_SHARE * len(calls):
                message = Message("phrase_always_said", number=len(holding), **values)
                yield Finding(where, message, holding[:SHOWN_CALLS])
            elif name != "none_of" and not holding:  # that what is forbidden is never said is good
                is_near = any(_holds([phrase], turns, c) for c, turns in zip(calls, heard, strict=True))
                if not is_near:
                    yield Finding(where, Message("phrase_never_said", **values))


def _hear(rule: Rule, call: RecentCall) -> list[Turn]:
    """Return what a rule listens to in a call, with what nobody knows who said."""
    check_time()
    conversation = call.conversation
    spoken = [s for s in conversation.segments if rule.speaker in ("any", s.speaker) or not s.speaker]
    return list(conversation.turns(s for s in in_window(spoken, rule, conversation) if s.words))


def _is_said(phrase: Phrase, turns: Sequence[Turn]) -> bool:
    """Return True if a phrase is said in its very words; of patterns that they match."""
    check_time()
    try:
        if isinstance(phrase, Pattern):
            return phrase_matches.find_wording([phrase], turns) is not None
        return phrase_matches.find_exact([phrase], turns) is not None
    except PatternTooSlow:
        return True  # unknown, so nothing is said about it


def _holds(phrases: Sequence[Phrase], turns: Sequence[Turn], call: RecentCall) -> bool:
    try:
        return phrase_matches.find_phrase(phrases, turns, call.conversation.language) is not None
    except PatternTooSlow:
        return True
