"""What to talk about with an agent, and what went well: one moment for each criterion or mistake.

What was a critical error comes first, then what was missed in most calls, also where no words can be quoted.
What went well are criteria that most calls met, first those with the largest share of their points, then
those that apply to most calls; none with a smaller share than all calls of the project, and none of those to
talk about. Words that say a phrase are quoted before words that mean it. Where a person decided other than
the machine, that is said, with the reason that the person gave.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, NamedTuple, TypedDict

from django.db.models import Count, Q

from callscope.analysis.models import CallAnalysis
from callscope.calls.models import Agent, Call
from callscope.projects.models import Project
from callscope.reports.details.absences import load_judging_configurations
from callscope.reports.window import Window

CALLS_READ = 40  # the latest
MOMENTS = 5  # of each kind


class AgentQuote(TypedDict):
    """A quote from a call, and what it shows."""

    call_id: int
    file_name: str
    name: str  # of the criterion or mistake
    quote: str  # "[MM:SS] text"; "" where nothing was said that could be quoted
    quote_start: float | None


class Outcome(StrEnum):
    """What a moment says of the calls that it counts."""

    MADE = "made"  # a mistake
    MISSED = "missed"  # a criterion that earned no points there
    FELL_SHORT = "fell_short"  # a criterion that earned a part of them in some of these calls
    WENT_WELL = "went_well"


class AgentMoment(NamedTuple):
    """A call to talk about."""

    quote: AgentQuote
    calls: int  # of the calls read, those in which it was missed or made, or in which it went well
    out_of: int  # of the calls read, those that were judged by it
    looked_for: str  # what a criterion without a quote asks for; "" for others
    outcome: Outcome
    critical_calls: int = 0  # of `calls`, those in which it was a critical error
    is_persons: bool = False  # in this call a person decided other than the machine, or said why
    reason: str = ""  # of that person


class AgentMoments(NamedTuple):
    """What to talk about, and in which calls it was looked for."""

    best: list[AgentMoment]
    worst: list[AgentMoment]
    calls: int  # that were read
    hidden_calls: int  # of the period, that were not, since the reader rates them
    hidden_half_heard: int  # of the hidden ones, those with an unreliable transcript


@dataclass(slots=True)
class _Found:
    """One criterion or mistake in the calls that were read, the latest call first."""

    key: str
    lost: list[AgentQuote] = field(default_factory=list)
    kept: list[AgentQuote] = field(default_factory=list)
    margins: dict[int, float] = field(default_factory=dict)  # of calls whose words mean a phrase, no more
    people: dict[int, str] = field(
        default_factory=dict
    )  # reasons in calls that people decided, see AgentMoment
    critical_calls: int = 0  # in which it was a critical error
    points_lost: float = 0.0
    max_points: float = 0.0
    out_of: int = 0
    outcome: Outcome = Outcome.MISSED  # of the lost ones

    @property
    def share(self) -> float:
        """The part of its points that it earned in these calls, 0 to 1."""
        return 1 - self.points_lost / self.max_points if self.max_points else 0.0

    def is_bare(self, quote: AgentQuote) -> bool:
        """Whether neither words of the call nor a person's reason show it."""
        return not (quote["quote"] or self.people.get(quote["call_id"]))

    def as_moment(self, quote: AgentQuote, calls: int, outcome: Outcome) -> AgentMoment:
        """Return the call of this quote as the moment of so many calls."""
        call = quote["call_id"]
        critical = 0 if outcome is Outcome.WENT_WELL else self.critical_calls
        decided = call in self.people, self.people.get(call, "")
        return AgentMoment(quote, calls, self.out_of, "", outcome, critical, *decided)


def find_agent_moments(
    project: Project,
    agent: Agent,
    window: Window,
    *,
    ahead: Mapping[str, float],
    blinded: Collection[int] = (),
) -> AgentMoments:
    """Return what went well and what did not, at most MOMENTS each.

    `ahead` is by how many points of 100 the agent stands above all calls, by the id of the criterion; what
    stands below them did not go well.
    Calls that are `blinded` for the reader say nothing, nor do those with an unreliable transcript.
    """
    first, after = window.moments
    live = CallAnalysis.objects.filter(project=project, is_live=True, call__agent=agent)
    live = live.filter(call__call_datetime__gte=first, call__call_datetime__lt=after)
    half_heard = Count("pk", filter=Q(call__fact__half_heard=True))
    hidden = {"calls": 0, "half_heard": 0}
    if blinded:
        hidden = live.filter(call__in=blinded).aggregate(calls=Count("pk"), half_heard=half_heard)
    live = live.exclude(call__in=blinded).exclude(call__fact__half_heard=True)
    read = list(live.select_related("call").order_by("-call__call_datetime", "-pk")[:CALLS_READ])
    criteria: dict[str, _Found] = {}
    mistakes: dict[str, _Found] = {}
    for analysis in read:
        _read_criteria(analysis, criteria)
        _read_mistakes(analysis, mistakes)
    for made in mistakes.values():
        made.out_of = len(read)
    failed = [each for each in [*mistakes.values(), *criteria.values()] if each.lost]
    failed.sort(key=lambda each: (-each.critical_calls, -len(each.lost), -each.points_lost))
    to_talk_about = {each.key for each in failed[:MOMENTS] if each.outcome is not Outcome.MADE}
    went_well = [
        each
        for each in criteria.values()
        if 2 * len(each.kept) > each.out_of
        and each.key not in to_talk_about
        and ahead.get(each.key, 0.0) >= 0
    ]
    went_well.sort(key=lambda each: (-each.share, -each.out_of, -ahead.get(each.key, 0.0)))
    versions = {analysis.call_id: analysis.config_version for analysis in read}
    worst = _explain(project, _choose_worst(failed), versions)
    return AgentMoments(_choose_best(went_well), worst, len(read), hidden["calls"], hidden["half_heard"])


def _read_criteria(analysis: CallAnalysis, criteria: dict[str, _Found]) -> None:
    rows = (analysis.machine_copc or {}).get("criterion_scores") or []
    machine = {str(row["criterion_id"]): row for row in reversed(rows)}
    for entry in (analysis.copc or {}).get("criterion_scores") or []:
        if entry.get("applicability") == "not_applicable":
            continue
        key = str(entry["criterion_id"])
        found = criteria.setdefault(key, _Found(key))
        found.out_of += 1
        most = float(entry.get("max_points") or 0)
        lost = most - float(entry.get("score") or 0)
        found.points_lost += max(lost, 0.0)
        found.max_points += most
        found.critical_calls += bool(entry.get("is_critical_error"))
        if entry.get("margin") is not None:  # a match by meaning decided
            found.margins[analysis.call_id] = float(entry["margin"])
        if entry.get("source") == "person":
            own = machine.get(key) or {}
            reason = str(entry.get("justification") or "")
            reason = "" if reason == own.get("justification") else reason  # it is the machine's
            if reason or own.get("score") != entry.get("score"):
                found.people[analysis.call_id] = reason
        if lost > 0 and float(entry.get("score") or 0) > 0:
            found.outcome = Outcome.FELL_SHORT
        (found.lost if lost > 0 else found.kept).append(
            _quote(analysis.call, str(entry.get("name") or key), entry)
        )


def _read_mistakes(analysis: CallAnalysis, mistakes: dict[str, _Found]) -> None:
    seen: set[str] = set()
    for mistake in (analysis.no_protocol or {}).get("mistakes") or []:
        key = str(mistake.get("id"))
        if key not in seen:  # a call counts once, however often it was made there
            seen.add(key)
            name = str(mistake.get("description") or mistake.get("id") or "")
            found = mistakes.setdefault(key, _Found(key, outcome=Outcome.MADE))
            found.lost.append(_quote(analysis.call, name, mistake))
            if mistake.get("source") == "person" and mistake.get("justification"):
                found.people[analysis.call_id] = str(mistake["justification"])


def _choose_worst(failed: Sequence[_Found]) -> list[tuple[str, AgentMoment]]:
    """Return the id and a moment of each, from different calls as far as there are enough."""
    shown = failed[:MOMENTS]
    named: Counter[int] = Counter()
    quotes: dict[int, AgentQuote] = {}  # by place
    for place in sorted(range(len(shown)), key=lambda place: len(shown[place].lost)):  # few calls go first
        each = shown[place]
        quotes[place] = min(each.lost, key=lambda quote: (named[quote["call_id"]], each.is_bare(quote)))
        named[quotes[place]["call_id"]] += 1
    return [
        (each.key, each.as_moment(quotes[place], len(each.lost), each.outcome))
        for place, each in enumerate(shown)
    ]


def _explain(
    project: Project, chosen: Sequence[tuple[str, AgentMoment]], versions: Mapping[int, int | None]
) -> list[AgentMoment]:
    """Return the moments; those without a quote with what the rubric that judged their call asked for."""
    asked = {versions[each.quote["call_id"]] for _key, each in chosen if not each.quote["quote"]}
    guidelines = {
        number: {each.id: each.guideline for _section, each in config.rubric.criteria()} if config else {}
        for number, config in load_judging_configurations(project, asked).items()
    }
    return [
        each
        if each.quote["quote"]
        else each._replace(looked_for=guidelines[versions[each.quote["call_id"]]].get(key, ""))
        for key, each in chosen
    ]


def _choose_best(went_well: Iterable[_Found]) -> list[AgentMoment]:
    """Return a moment of each: words that say the phrase first, then words and a call not named yet.

    The same words of a call are quoted once.
    """
    quoted: list[AgentQuote] = []
    chosen: list[AgentMoment] = []
    for each in went_well:
        calls, words = {quote["call_id"] for quote in quoted}, {quote["quote"] for quote in quoted}
        ranked = [
            (
                (call := quote["call_id"]) in each.margins,
                quote["quote"] in words,
                call in calls,
                -each.margins.get(call, 0.0),
                place,
            )
            for place, quote in enumerate(each.kept)
            if quote["quote"] and not (quote["quote"] in words and quote["call_id"] in calls)
        ]
        if ranked and len(chosen) < MOMENTS:
            quote = each.kept[min(ranked)[-1]]
            quoted.append(quote)
            chosen.append(each.as_moment(quote, len(each.kept), Outcome.WENT_WELL))
    return chosen


def _quote(call: Call, name: str, entry: Mapping[str, Any]) -> AgentQuote:
    return {
        "call_id": call.pk,
        "file_name": call.file_name,
        "name": name,
        "quote": str(entry.get("quote") or ""),
        "quote_start": entry.get("quote_start"),
    }
