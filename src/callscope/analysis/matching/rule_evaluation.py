"""What a rule finds in a call: its evidence group by group, and what speaks against it.

Rules: docs/rules.md. A rule that asks only for `any_of`, `none_of` and a time is judged in judge.py; this
module judges the others, and is asked where the evidence of any rule stands.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from callscope.analysis.conversation.turns import Conversation, Place, Segment, cut_after, cut_before
from callscope.analysis.matching import phrases as phrase_matches
from callscope.analysis.matching.occurrences import find_earliest, find_times
from callscope.analysis.matching.phrases import Certainty, PhraseMatch
from callscope.analysis.matching.semantic_matcher import SemanticMatcher
from callscope.analysis.matching.silences import Wait, find_long_wait
from callscope.analysis.results.schema import Answer
from callscope.projects.configuration_rules import Anchor, Pattern, Rule

Obstacle = Literal["forbidden", "too_often", "silence", "order_unknown", ""]
OTHER_SIDE = {"agent": "customer", "customer": "agent"}


@dataclass(frozen=True, slots=True)
class Part:
    """One thing that a rule wants said: a group, or `any_of` (None)."""

    group: int | None
    wanted: Sequence[str | Pattern]
    match: PhraseMatch | None
    certainty: Certainty
    is_out_of_order: bool = False  # it is said, but not where the rule wants it
    margin: float | None = None  # of the nearest match by meaning


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a rule comes to; without an answer nobody can tell."""

    answer: Answer | None
    obstacle: Obstacle = ""
    parts: list[Part] = field(default_factory=list)
    times: list[PhraseMatch] = field(default_factory=list)  # of what is counted, or the forbidden phrase
    wait: Wait | None = None
    margin: float | None = None  # the least of the parts on which the answer hangs

    @property
    def held(self) -> list[Part]:
        return [part for part in self.parts if part.certainty == "said"]


@dataclass(frozen=True, slots=True)
class Anchored:
    certainty: Certainty
    first: Place | None = None
    last: Place | None = None  # where the latest of the anchor's evidence ends


class RuleEvaluator:
    """Evaluates the rules of one rubric on one call; what a criterion's evidence is, is found once.

    Without a matcher only words count, and no meanings.
    """

    def __init__(
        self, conversation: Conversation, matcher: SemanticMatcher | None, rules: Mapping[str, Rule]
    ) -> None:
        self.conversation = conversation
        self.matcher = matcher
        self.rules = rules
        self._anchors: dict[str, Anchored] = {}

    def evaluate(self, rule: Rule, *, partial_credit: bool = False) -> Outcome:
        """Return what a rule comes to in a call that it applies to, whose speaker is known.

        Raises PatternTooSlow.
        """
        heard = in_window(self.conversation.said_by(rule.speaker), rule, self.conversation)
        forbidden = phrase_matches.find_wording(rule.none_of, list(self.conversation.turns(heard)))
        if forbidden:
            return Outcome("not_met", "forbidden", times=[forbidden])
        times: list[PhraseMatch] = []
        if rule.at_most is not None:
            times = find_times(rule.any_of, heard, self.conversation.language, most=rule.at_most + 1)
            if len(times) > rule.at_most:
                return Outcome("not_met", "too_often", times=times)
        window = in_window(self.conversation.segments, rule, self.conversation)
        if wait := find_long_wait(rule, heard, window, self.conversation):
            return Outcome("not_met", "silence", wait=wait)
        if not rule.has_evidence:
            return Outcome("met", times=times)
        narrowed = self.narrow(rule, heard)
        if narrowed is None:
            return Outcome(None, "order_unknown")
        wanted: list[tuple[int | None, Sequence[str | Pattern]]] = []
        if rule.wanted:
            wanted.append((None, rule.wanted))
        wanted += list(enumerate(rule.all_of))
        parts = [self._find_part(rule, group, phrases, narrowed, heard) for group, phrases in wanted]
        answer = decide(rule, parts, partial_credit=partial_credit)
        margin = find_least_margin(rule, parts, partial_credit=partial_credit)
        return Outcome(answer, parts=parts, times=times, margin=margin)

    def narrow(self, rule: Rule, heard: list[Segment]) -> list[Segment] | None:
        """Return where evidence counts: not after the other side, before and after what the rule names.

        None where nobody can tell whether what it names was said.
        """
        window = self._drop_after_other_side(rule, heard)
        if rule.before:
            anchored = self.find_anchor(rule.before)
            if anchored.certainty == "unsure":
                return None
            window = cut_before(window, anchored.first) if anchored.first else window
        if rule.after:
            anchored = self.find_anchor(rule.after)
            if anchored.certainty == "unsure":
                return None
            window = cut_after(window, anchored.last) if anchored.last else []
        return window

    def _drop_after_other_side(self, rule: Rule, heard: list[Segment]) -> list[Segment]:
        if rule.not_within is None:
            return heard
        others = self.conversation.said_by(OTHER_SIDE[rule.speaker])
        wanted = rule.not_within.any_of or [*rule.wanted, *(p for group in rule.all_of for p in group)]
        times = find_times(wanted, others, self.conversation.language)
        seconds = rule.not_within.seconds
        by_index = {s.index: s for s in others}
        spoken = [(t.end, by_index[t.end.segment].end_s) for t in times]
        return [
            s
            for s in heard
            if not any(
                s.index > place.segment and (seconds is None or s.start_s <= end_s + seconds)
                for place, end_s in spoken
            )
        ]

    def _find_part(
        self,
        rule: Rule,
        group: int | None,
        wanted: Sequence[str | Pattern],
        window: list[Segment],
        heard: list[Segment],
    ) -> Part:
        match = self.find_match(wanted, window)
        if match and match.certainty != "not_said":
            return Part(group, wanted, match, match.certainty, margin=match.margin)
        language = self.conversation.language
        if rule.speaker != "any":
            unknown = in_window(self.conversation.said_by(""), rule, self.conversation)
            window_of_unknown = self.narrow(rule, unknown) or []
            turns = list(self.conversation.turns(window_of_unknown))
            if perhaps := phrase_matches.find_phrase(wanted, turns, language):
                return Part(group, wanted, perhaps, "unsure")
        is_narrowed = bool(rule.before or rule.after or rule.not_within)
        said = find_earliest(wanted, heard, language) if is_narrowed else None
        margin = match.margin if match else None
        return Part(group, wanted, said, "not_said", is_out_of_order=said is not None, margin=margin)

    def find_match(self, wanted: Sequence[str | Pattern], segments: Sequence[Segment]) -> PhraseMatch | None:
        """Return where phrases are said: by their words, else where their meaning comes nearest."""
        turns = list(self.conversation.turns(segments))
        found = phrase_matches.find_phrase(wanted, turns, self.conversation.language)
        return found or self._find_nearest(wanted, segments)

    def _find_nearest(
        self, wanted: Sequence[str | Pattern], segments: Sequence[Segment]
    ) -> PhraseMatch | None:
        return self.matcher.find_nearest(wanted, segments) if self.matcher else None

    def find_anchor(self, anchor: Anchor) -> Anchored:
        """Return where that stands before or after which evidence counts."""
        if anchor.criterion is None:
            return self._place([anchor.any_of], self.conversation.segments)
        if anchor.criterion not in self._anchors:
            self._anchors[anchor.criterion] = self._find_criterion(self.rules[anchor.criterion])
        return self._anchors[anchor.criterion]

    def _find_criterion(self, rule: Rule) -> Anchored:
        """Return where the evidence of a criterion stands; phrases that make it apply are no evidence."""
        if rule.speaker != "any" and not self.conversation.speaks(rule.speaker):
            return Anchored("unsure")
        heard = in_window(self.conversation.said_by(rule.speaker), rule, self.conversation)
        window = self.narrow(rule, heard)
        if window is None:
            return Anchored("unsure")
        return self._place([*([rule.wanted] if rule.wanted else []), *rule.all_of], window)

    def _place(self, lists: Sequence[Sequence[str | Pattern]], segments: Sequence[Segment]) -> Anchored:
        """Return the first place of any of these lists of phrases, and the end of the last of their first."""
        matches, is_unsure = [], False
        for wanted in lists:
            match = find_earliest(wanted, segments, self.conversation.language)
            match = match or self._find_nearest(wanted, segments)
            if match and match.certainty == "said":
                matches.append(match)
            is_unsure = is_unsure or bool(match and match.certainty == "unsure")
        if matches:
            return Anchored("said", min(m.start for m in matches), max(m.end for m in matches))
        return Anchored("unsure" if is_unsure else "not_said")


def decide(rule: Rule, parts: Sequence[Part], *, partial_credit: bool) -> Answer | None:
    """Return the answer from what was found of each part; None where what is unsure would change it."""

    def count(least: tuple[Certainty, ...]) -> tuple[bool, int]:
        said = [part for part in parts if part.certainty in least]
        has_any_of = not rule.wanted or any(part.group is None for part in said)
        return has_any_of, sum(part.group is not None for part in said)

    def answer(least: tuple[Certainty, ...]) -> Answer:
        has_any_of, groups = count(least)
        needed = (rule.at_least or len(rule.all_of)) if rule.all_of else 0
        if has_any_of and groups >= needed:
            return "met"
        return "partly" if partial_credit and groups else "not_met"

    certain, possible = answer(("said",)), answer(("said", "unsure"))
    return certain if certain == possible else None


def find_least_margin(rule: Rule, parts: Sequence[Part], *, partial_credit: bool) -> float | None:
    """Return the least margin of a part that would change the answer if it were on the other side of its bar.

    None where no such part was decided by meaning.
    """
    answer = decide(rule, parts, partial_credit=partial_credit)
    margins = []
    for place, part in enumerate(parts):
        if part.margin is None:
            continue
        other = replace(part, certainty="not_said" if part.certainty == "said" else "said")
        turned = [*parts[:place], other, *parts[place + 1 :]]
        if decide(rule, turned, partial_credit=partial_credit) != answer:
            margins.append(part.margin)
    return min(margins, default=None)


def in_window(segments: list[Segment], rule: Rule, conversation: Conversation) -> list[Segment]:
    """Return what begins within the first seconds, or ends within the last ones, of the conversation."""
    if rule.within_seconds is not None:
        return [s for s in segments if s.start_s <= rule.within_seconds]
    if rule.last_seconds is not None:
        opening = conversation.duration_s - rule.last_seconds
        return [s for s in segments if s.end_s >= opening]
    return segments
