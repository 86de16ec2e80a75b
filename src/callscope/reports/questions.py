"""What each call answers to the custom questions of its project.

Rules: docs/api.md, "Custom questions". The newest call comes first; only calls
whose custom-questions analysis has completed are listed.
"""

import datetime as dt
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from callscope.analysis.models import CallAnalysis
from callscope.projects.models import Project
from callscope.projects.scope import Named
from callscope.reports.call_table import utc_text
from callscope.reports.models import CallFact
from callscope.reports.snapshot import snapshot

CHUNK = 500  # calls read at once


@dataclass(frozen=True, slots=True)
class AnsweredCall:
    """The answers of one call: question → (answer, number of supporting quotes)."""

    call_id: int
    file_name: str
    call_datetime: dt.datetime
    agent: str
    answers: dict[str, tuple[str, int]]


def answered_calls(projects: Sequence[Project] | Sequence[Named]) -> Iterator[AnsweredCall]:
    """Yield the calls with answers, the newest first, of one moment."""
    with snapshot():
        facts = CallFact.objects.filter(project__in=[project.pk for project in projects], has_answers=True)
        ids = facts.order_by("-at_us", "-pk").values_list("pk", flat=True)
        chunk: list[int] = []
        for call_id in ids.iterator(chunk_size=CHUNK):
            chunk.append(call_id)
            if len(chunk) == CHUNK:
                yield from read_calls(chunk)
                chunk = []
        yield from read_calls(chunk)


def read_calls(call_ids: list[int]) -> Iterator[AnsweredCall]:
    """Yield the live calls of these ids with their answers, in the order of the ids."""
    analyses = (
        CallAnalysis.objects.filter(call__in=call_ids, is_live=True)
        .select_related("call", "call__agent")
        .only("custom_questions", "call__file_name", "call__call_datetime", "call__agent__name")
    )
    by_call = {analysis.call_id: analysis for analysis in analyses}
    for call_id in call_ids:
        if call_id in by_call:
            yield _answered(by_call[call_id])


def _answered(analysis: CallAnalysis) -> AnsweredCall:
    call = analysis.call
    return AnsweredCall(
        call_id=call.pk,
        file_name=call.file_name,
        call_datetime=call.call_datetime,
        agent=call.agent.name if call.agent else "",
        answers=answers_in(analysis.custom_questions),
    )


def answers_in(stored: dict[str, Any] | None) -> dict[str, tuple[str, int]]:
    """Return the answers that the analysis stored: question → (answer, number of supporting quotes)."""
    answers = (stored or {}).get("answers") or {}
    return {q: (str(a.get("answer") or ""), len(a.get("quotes") or [])) for q, a in answers.items()}


def answered_json(call: AnsweredCall) -> dict[str, Any]:
    """Return an item of `calls` as the interface shows it."""
    return {
        "call_analysis_id": call.call_id,
        "file": call.file_name,
        "call_datetime": utc_text(call.call_datetime),
        "agent": call.agent,
        "answers": {q: {"answer": answer, "quotes": quotes} for q, (answer, quotes) in call.answers.items()},
    }


def questions_json(calls: Iterable[AnsweredCall]) -> dict[str, Any]:
    """Return the custom questions object: the questions in the order first seen, and the calls."""
    shown = list(calls)
    questions = dict.fromkeys(question for call in shown for question in call.answers)
    return {
        "questions": list(questions),
        "calls": [answered_json(call) for call in shown],
        "count": len(shown),
    }


def questions_text(calls: Iterable[AnsweredCall]) -> Iterator[str]:
    """Yield the same object as JSON text, piece by piece, without holding the calls."""
    questions: dict[str, None] = {}
    count = 0
    yield '{"calls":['
    for call in calls:
        yield ("," if count else "") + json.dumps(answered_json(call), ensure_ascii=False)
        questions |= dict.fromkeys(call.answers)
        count += 1
    yield f'],"questions":{json.dumps(list(questions), ensure_ascii=False)},"count":{count}}}'
