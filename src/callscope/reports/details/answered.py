"""What answers of people decide in calls, above all where the transcript is unreliable."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from callscope.analysis.models import HAS_MACHINE_RESULTS, CallAnalysis
from callscope.projects.configuration import Configuration
from callscope.projects.models import Project
from callscope.reports.details.absences import load_judging_configurations
from callscope.reports.overview.decided_findings import list_ids
from callscope.reviews.models import ReviewFinding

MISTAKE, PROMPT = ReviewFinding.Kind.MISTAKE.value, ReviewFinding.Kind.PROMPT.value


class JudgedCriteria(NamedTuple):
    """How many of the criteria a score is made of."""

    judged: int
    all: int
    is_unreliable: bool  # the transcript
    by_people: int

    @classmethod
    def of(cls, copc: Mapping[str, Any] | None, *, is_unreliable: bool) -> "JudgedCriteria":
        scores = (copc or {}).get("criterion_scores") or []
        left_out = (copc or {}).get("not_evaluated") or []
        by_people = sum(each.get("source") == "person" for each in scores)
        return cls(len(scores), len(scores) + len(left_out), is_unreliable, by_people)

    @property
    def count_people_alone(self) -> bool:
        """Whether a person gave every answer that counts."""
        return self.by_people == self.judged > 0

    @property
    def are_all_by_people(self) -> bool:
        """Whether a person gave every answer, which is then said once for all of them."""
        return self.by_people == self.judged > 1

    @property
    def say_little(self) -> bool:
        """Whether the score is no figure to quote: by an unreliable transcript, or most were not judged."""
        return (self.is_unreliable and self.by_people < self.judged) or 2 * self.judged < self.all


@dataclass(frozen=True, slots=True)
class AnsweredCall:
    """What is known of a call with an unreliable transcript, since a person answered."""

    criteria: JudgedCriteria
    decided: frozenset[str]  # the kinds of findings (MISTAKE, PROMPT) of which none is open


def read_answered(call_ids: Collection[int]) -> dict[int, AnsweredCall]:
    """Return those of these calls, all with unreliable transcripts, in which an answer of a person counts.

    In as many queries for a hundred calls as for one: results, answers, and settings for each project.
    """
    if not call_ids:
        return {}
    live = CallAnalysis.objects.filter(HAS_MACHINE_RESULTS, call__in=call_ids, is_live=True)
    shown = ("copc", "no_protocol", "machine_no_protocol", "config_version", "call_id", "project_id")
    analyses = list(live.only(*shown))
    answered = _list_answered([each.call_id for each in analyses if each.machine_no_protocol is not None])
    settings = _load_settings([each for each in analyses if each.call_id in answered])
    return {
        each.call_id: AnsweredCall(
            JudgedCriteria.of(each.copc, is_unreliable=True),
            _list_decided(
                each.no_protocol or {},
                settings.get((each.project_id, each.config_version)),
                answered.get(each.call_id, frozenset()),
            ),
        )
        for each in analyses
    }


def _list_answered(call_ids: Collection[int]) -> dict[int, set[tuple[str, str]]]:
    """Return the (kind, id) that people decided, by call: what was not made is in no list of a result."""
    if not call_ids:
        return {}
    found: dict[int, set[tuple[str, str]]] = {}
    rows = ReviewFinding.objects.filter(
        review__call__in=call_ids, review__is_current=True, is_outdated=False, kind__in=(MISTAKE, PROMPT)
    )
    for call_id, kind, item_id in rows.values_list("review__call_id", "kind", "item_id"):
        found.setdefault(call_id, set()).add((kind, item_id))
    return found


def _load_settings(analyses: Collection[CallAnalysis]) -> dict[tuple[int, int | None], Configuration | None]:
    """Return the settings that judged these calls, by project and version."""
    versions: dict[int, set[int | None]] = {}
    for each in analyses:
        versions.setdefault(each.project_id, set()).add(each.config_version)
    return {
        (project.pk, number): config
        for project in (Project.objects.filter(pk__in=versions) if versions else ())
        for number, config in load_judging_configurations(project, versions[project.pk]).items()
    }


def _list_decided(
    result: Mapping[str, Any], config: Configuration | None, answered: Collection[tuple[str, str]]
) -> frozenset[str]:
    """Return the kinds of which each that the settings look for was found, or answered by a person."""
    if config is None:
        return frozenset()
    found = {
        MISTAKE: list_ids(result.get("mistakes")),
        PROMPT: list_ids(result.get("missing_prompts")) | list_ids(result.get("prompts")),
    }
    asked = {
        MISTAKE: [each.id for each in config.no_protocol.mistakes],
        PROMPT: [each.id for each in config.no_protocol.prompts],
    }
    return frozenset(
        kind
        for kind, ids in asked.items()
        if ids and all(each in found[kind] or (kind, each) in answered for each in ids)
    )
