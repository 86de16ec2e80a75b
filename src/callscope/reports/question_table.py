"""The answers to custom questions as a table: calls by questions, narrowed, counted and paged.

Questions are read from the newest calls of the window, at most MOST_READ of them, so
that a page costs the same whatever the project holds; every_answer() has no such bound.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet

from callscope.analysis.models import CallAnalysis
from callscope.projects.models import Project
from callscope.reports import call_query
from callscope.reports.call_filters import CallFilters
from callscope.reports.call_table import PAGE_SIZE, NoSuchPage
from callscope.reports.models import CallFact
from callscope.reports.questions import CHUNK, AnsweredCall, answers_in, read_calls
from callscope.reports.snapshot import snapshot
from callscope.reports.window import Window

MOST_READ = 5000  # calls behind one page
MOST_ANSWERS = 6  # of a question, the most frequent ones

Answers = Mapping[str, tuple[str, int]]  # question → (answer, number of supporting quotes)


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which calls: those with a certain question, a certain answer, or words in an answer."""

    question: str = ""
    answer: str = ""  # whole, in any case
    search: str = ""  # a part of it, in any case
    quoted: bool = False  # backed by words of the call

    def fits(self, answers: Answers) -> bool:
        if self.question:
            return self.question in answers and self._takes(*answers[self.question])
        return any(self._takes(text, quotes) for text, quotes in answers.values())

    def _takes(self, text: str, quotes: int) -> bool:
        key = same(text)
        is_it = not self.answer or key == same(self.answer)
        return is_it and same(self.search) in key and (quotes > 0 or not self.quoted)


@dataclass(frozen=True, slots=True)
class Tally:
    """What the calls answer to one question."""

    question: str
    calls: int
    quoted: int  # of them, those whose answer is backed by words of the call
    answers: list[tuple[str, int]]  # the most frequent ones with their calls
    other_calls: int  # with an answer that is not among those


@dataclass(frozen=True, slots=True)
class AnswerPage:
    tallies: list[Tally]  # a question each, in the order first seen
    read: int  # calls behind this page
    is_cut: bool  # the window holds more calls than were read
    count: int  # of those read, the calls that fit
    number: int
    pages: int
    items: list[AnsweredCall]


def same(text: str) -> str:
    """Return the form in which two answers are compared."""
    return " ".join(text.split()).casefold()


def find_answers(projects: Sequence[Project], window: Window, wanted: Wanted, page: int = 1) -> AnswerPage:
    """Return one page of the calls with answers, the newest first. Raises NoSuchPage."""
    with snapshot():
        ids = list(_calls(projects, window)[: MOST_READ + 1])
        read = ids[:MOST_READ]
        fitting, tallies = [], _Tallies()
        for call_id, answers in _answers_of(read):
            tallies.add(answers)
            if wanted.fits(answers):
                fitting.append(call_id)
        pages = max(1, -(-len(fitting) // PAGE_SIZE))
        if not 1 <= page <= pages:
            raise NoSuchPage
        shown = fitting[(page - 1) * PAGE_SIZE : page * PAGE_SIZE]
        items = list(read_calls(shown))
    return AnswerPage(tallies.told(), len(read), len(ids) > len(read), len(fitting), page, pages, items)


def every_answer(projects: Sequence[Project], window: Window, wanted: Wanted) -> Iterator[list[str | int]]:
    """Yield the head and then a row for each call that fits, all of one moment, for files."""
    with snapshot():
        questions: dict[str, None] = {}
        for call in _every_call(projects, window, wanted):
            questions |= dict.fromkeys(call.answers)
        if wanted.question:
            questions = {wanted.question: None}
        yield ["call_id", "file_name", "call_datetime", "agent", *questions]
        for call in _every_call(projects, window, wanted):
            answers = [call.answers.get(question, ("", 0))[0] for question in questions]
            yield [call.call_id, call.file_name, call.call_datetime.isoformat(), call.agent, *answers]


def _every_call(projects: Sequence[Project], window: Window, wanted: Wanted) -> Iterator[AnsweredCall]:
    ids = list(_calls(projects, window))
    for start in range(0, len(ids), CHUNK):
        for call in read_calls(ids[start : start + CHUNK]):
            if wanted.fits(call.answers):
                yield call


def _calls(projects: Sequence[Project], window: Window) -> "QuerySet[CallFact, int]":
    """Return the ids of the calls with answers, the newest first."""
    facts = call_query.chosen([project.pk for project in projects], window, CallFilters()).filter(
        has_answers=True
    )
    return facts.order_by("-at_us", "-pk").values_list("pk", flat=True)


def _answers_of(call_ids: Sequence[int]) -> Iterator[tuple[int, Answers]]:
    for start in range(0, len(call_ids), CHUNK):
        chunk = call_ids[start : start + CHUNK]
        stored = CallAnalysis.objects.filter(call__in=chunk, is_live=True)
        found: dict[int, Any] = dict(stored.values_list("call", "custom_questions"))
        for call_id in chunk:
            if call_id in found:
                yield call_id, answers_in(found[call_id])


class _Tallies:
    """Counts answers; those that differ in case or spaces alone are one."""

    def __init__(self) -> None:
        self.counts: dict[str, Counter[str]] = {}
        self.quoted: Counter[str] = Counter()
        self.spelled: dict[str, str] = {}

    def add(self, answers: Answers) -> None:
        for question, (text, quotes) in answers.items():
            key = same(text)
            self.spelled.setdefault(key, text)
            self.counts.setdefault(question, Counter())[key] += 1
            self.quoted[question] += quotes > 0

    def told(self) -> list[Tally]:
        return [
            Tally(
                question,
                counts.total(),
                self.quoted[question],
                [(self.spelled[key], calls) for key, calls in counts.most_common(MOST_ANSWERS)],
                counts.total() - sum(calls for _, calls in counts.most_common(MOST_ANSWERS)),
            )
            for question, counts in self.counts.items()
        ]
