"""Count an answer to a custom question by week.

Answers are read from calls, the newest MAX_CALLS of each window at most: of weeks before the
oldest of them nothing is shown.
"""

import datetime as dt
from collections import Counter
from dataclasses import dataclass

from callscope.reports.call_list import queryset
from callscope.reports.call_list.filters import CallFilters
from callscope.reports.questions.answers import Answers
from callscope.reports.questions.summary import (
    MAX_CALLS,
    AnswerCount,
    AnswerCounter,
    is_undetermined,
    normalize_answer,
    read_answers,
)
from callscope.reports.window import Window, find_week


@dataclass(frozen=True, slots=True)
class AnswerTrend:
    """How often calls gave an answer, by the Monday of their week as an ordinal."""

    answers: list[AnswerCount]  # of the window, the most frequent first
    answer: str  # that is counted; "" where no call answers
    given: dict[int, int]
    asked: dict[int, int]  # calls that have the question
    first_week: dt.date | None  # from which on every call was read; None: in all weeks


def count_answers(
    project_ids: list[int], window: Window, question: str, answer: str, agent_id: int | None
) -> AnswerTrend:
    """Return how often calls gave an answer; `answer` "" is the most frequent one that says something."""
    calls, first_week = _read_question(project_ids, window, question, agent_id)
    counter = AnswerCounter()
    for _, answers in calls:
        counter.add(answers)
    summaries = counter.summaries()
    frequent = summaries[0].answers if summaries else []
    said = [each.text for each in frequent if not is_undetermined(each.text)]
    chosen = answer or next(iter(said), "")
    given: Counter[int] = Counter()
    asked: Counter[int] = Counter()
    for day, answers in calls:
        monday = find_week(day).toordinal()
        asked[monday] += 1
        given[monday] += normalize_answer(answers[question].text) == normalize_answer(chosen)
    return AnswerTrend(frequent, chosen, given, asked, first_week)


def _read_question(
    project_ids: list[int], window: Window, question: str, agent_id: int | None
) -> tuple[list[tuple[int, Answers]], dt.date | None]:
    """Return (day, answer to the question) of the newest calls that have it, and the first whole week."""
    filters = CallFilters() if agent_id is None else CallFilters().of_agent(agent_id)
    facts = queryset.select_calls(project_ids, window, filters).filter(has_answers=True)
    days = dict(facts.order_by("-at_us", "-pk").values_list("pk", "day")[: MAX_CALLS + 1])
    read = list(days)[:MAX_CALLS]
    first_week = find_week(days[read[-1]] + 7) if len(days) > MAX_CALLS else None
    found = [
        (days[call_id], {question: answers[question]})
        for call_id, answers in read_answers(read)
        if question in answers
    ]
    return found, first_week
