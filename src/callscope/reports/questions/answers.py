"""What each call answers to the custom questions of its project.

Rules: docs/api.md, "Custom questions". The newest call comes first; only calls
whose custom-questions analysis has completed are listed.
"""

import datetime as dt
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple, TypedDict

from callscope.analysis.models import CallAnalysis
from callscope.analysis.results.schema import CustomQuestionsResult
from callscope.calls.moments import utc_text
from callscope.db.snapshot import snapshot
from callscope.projects.models import Project
from callscope.projects.scope import ProjectRef
from callscope.reports.models import CallFact

CALLS_AT_ONCE = 500  # calls read at once


class GivenAnswer(NamedTuple):
    """What one call answers to one question."""

    text: str
    quotes: int  # words of the call that support it
    said: tuple[str, ...] = ()  # these words: "[MM:SS] text"


Answers = dict[str, GivenAnswer]  # by question


@dataclass(frozen=True, slots=True)
class AnsweredCall:
    call_id: int
    file_name: str
    call_datetime: dt.datetime
    agent: str
    answers: Answers
    agent_id: int | None = None


class AnswerJson(TypedDict):
    answer: str
    quotes: int


class AnsweredCallJson(TypedDict):
    """An item of `calls` in the custom questions object."""

    call_analysis_id: int
    file: str
    call_datetime: str
    agent: str
    answers: dict[str, AnswerJson]  # by question


class QuestionsJson(TypedDict):
    """The custom questions object of the interface."""

    questions: list[str]
    calls: list[AnsweredCallJson]
    count: int


def iterate_answered_calls(projects: Sequence[Project] | Sequence[ProjectRef]) -> Iterator[AnsweredCall]:
    """Yield the calls with answers, the newest first, of one moment."""
    with snapshot(may_pause=True):
        facts = CallFact.objects.filter(project__in=[project.pk for project in projects], has_answers=True)
        ids = facts.order_by("-at_us", "-pk").values_list("pk", flat=True)
        rest = ids.iterator(chunk_size=CALLS_AT_ONCE)
        while chunk := list(islice(rest, CALLS_AT_ONCE)):
            yield from read_answered_calls(chunk)


def read_answered_calls(call_ids: list[int]) -> Iterator[AnsweredCall]:
    """Yield the live calls of these ids with their answers, in the order of the ids."""
    analyses = (
        CallAnalysis.objects.filter(call__in=call_ids, is_live=True)
        .select_related("call", "call__agent")
        .only("custom_questions", "call__file_name", "call__call_datetime", "call__agent__name")
    )
    by_call = {analysis.call_id: analysis for analysis in analyses}
    for call_id in call_ids:
        # A call without a live analysis has left the list since its id was read.
        if call_id in by_call:
            analysis = by_call[call_id]
            yield AnsweredCall(
                call_id=call_id,
                file_name=analysis.call.file_name,
                call_datetime=analysis.call.call_datetime,
                agent=analysis.call.agent.name if analysis.call.agent else "",
                answers=parse_answers(analysis.custom_questions),
                agent_id=analysis.call.agent.pk if analysis.call.agent else None,
            )


def parse_answers(stored: CustomQuestionsResult | None) -> Answers:
    """Return the answers in a stored result; none where the analysis has not run."""
    answers = (stored.get("answers") if stored else None) or {}
    given = {}
    for question, answer in answers.items():
        quotes = answer.get("quotes") or []
        given[question] = GivenAnswer(str(answer.get("answer") or ""), len(quotes), tuple(map(str, quotes)))
    return given


def answered_json(call: AnsweredCall) -> AnsweredCallJson:
    """Return an item of `calls` as the interface shows it."""
    return {
        "call_analysis_id": call.call_id,
        "file": call.file_name,
        "call_datetime": utc_text(call.call_datetime),
        "agent": call.agent,
        "answers": {q: {"answer": a.text, "quotes": a.quotes} for q, a in call.answers.items()},
    }


def questions_json(calls: Iterable[AnsweredCall]) -> QuestionsJson:
    """Return the custom questions object: the questions in the order first seen, and the calls."""
    listed = list(calls)
    questions = dict.fromkeys(question for call in listed for question in call.answers)
    return {
        "questions": list(questions),
        "calls": [answered_json(call) for call in listed],
        "count": len(listed),
    }


def stream_questions(calls: Iterable[AnsweredCall]) -> Iterator[str]:
    """Yield the same object as JSON text, piece by piece, without holding the calls."""
    questions: dict[str, None] = {}
    count = 0
    yield '{"calls":['
    for call in calls:
        yield ("," if count else "") + json.dumps(answered_json(call), ensure_ascii=False)
        questions |= dict.fromkeys(call.answers)
        count += 1
    yield f'],"questions":{json.dumps(list(questions), ensure_ascii=False)},"count":{count}}}'
