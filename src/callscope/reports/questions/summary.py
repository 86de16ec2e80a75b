"""The answers to custom questions as a table: calls by questions, filtered, counted and paged.

Questions are read from the newest calls of the window, at most MAX_CALLS of them, so
that a page costs the same whatever the project holds; iterate_answer_rows() has no such bound.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from django.conf import settings
from django.db.models import QuerySet

from callscope.analysis.evidence import TIME_PREFIX, read_time
from callscope.analysis.models import CallAnalysis
from callscope.analysis.results.messages import sentence
from callscope.db.snapshot import snapshot
from callscope.projects.models import Project
from callscope.reports.call_list import queryset
from callscope.reports.call_list.filters import CallFilters
from callscope.reports.call_list.listing import PAGE_SIZE, NoSuchPage
from callscope.reports.models import CallFact
from callscope.reports.questions.answers import (
    CALLS_AT_ONCE,
    AnsweredCall,
    Answers,
    GivenAnswer,
    parse_answers,
    read_answered_calls,
)
from callscope.reports.window import Window

MAX_CALLS = 5000  # that are read for one page
MAX_ANSWERS = 6  # of a question, the most frequent ones


@dataclass(frozen=True, slots=True)
class AnswerFilter:
    """Which calls: those with a certain question, a certain answer, or words in an answer or its quotes."""

    question: str = ""
    answer: str = ""  # whole, in any case
    search: str = ""  # a part of it, in any case
    quoted: bool = False  # backed by words of the call

    def matches(self, answers: Answers) -> bool:
        """True if an answer of the call, or that to the question, is as asked for."""
        if self.question:
            return self.question in answers and self._accepts(answers[self.question])
        return any(map(self._accepts, answers.values()))

    def choose_quote(self, answer: GivenAnswer) -> str:
        """Return the first quote of an answer with the words searched for, else the first one, or ""."""
        return next((said for said in answer.said if self._is_in(said)), "".join(answer.said[:1]))

    def _accepts(self, answer: GivenAnswer) -> bool:
        key = normalize_answer(answer.text)
        is_wanted = not self.answer or key == normalize_answer(self.answer)
        return is_wanted and self._finds(answer) and (answer.quotes > 0 or not self.quoted)

    def _finds(self, answer: GivenAnswer) -> bool:
        return self._is_in(answer.text) or any(map(self._is_in, answer.said))

    def _is_in(self, text: str) -> bool:
        return normalize_answer(self.search) in normalize_answer(TIME_PREFIX.sub("", text))


class AnswerCount(NamedTuple):
    text: str
    calls: int


@dataclass(frozen=True, slots=True)
class QuestionSummary:
    """What the calls answer to one question."""

    question: str
    calls: int
    quoted: int  # of them, those whose answer is backed by words of the call
    answers: list[AnswerCount]  # the most frequent ones
    other_calls: int  # with an answer that is not among those


@dataclass(frozen=True, slots=True)
class AnswerPage:
    summaries: list[QuestionSummary]  # a question each, in the order first seen
    read: int  # calls that this page was made from
    is_cut: bool  # the window holds more calls than were read
    count: int  # of those read, the calls that match
    number: int
    pages: int
    items: list[AnsweredCall]


def normalize_answer(text: str) -> str:
    """Return the form in which two answers are compared."""
    return " ".join(text.split()).casefold()


def is_undetermined(text: str) -> bool:
    """Return whether an answer says, in any language of calls, that nothing decides the question."""
    sentences = (sentence("not_determined", code) for code, _language in settings.LANGUAGES)
    return normalize_answer(text) in map(normalize_answer, sentences)


def find_answers(
    projects: Sequence[Project], window: Window, wanted: AnswerFilter, page: int = 1
) -> AnswerPage:
    """Return one page of the calls with answers, the newest first. Raises NoSuchPage."""
    with snapshot():
        ids = list(_call_ids(projects, window)[: MAX_CALLS + 1])
        read = ids[:MAX_CALLS]
        matching, counter = [], AnswerCounter()
        for call_id, answers in read_answers(read):
            counter.add(answers)
            if wanted.matches(answers):
                matching.append(call_id)
        pages = max(1, -(-len(matching) // PAGE_SIZE))
        if not 1 <= page <= pages:
            raise NoSuchPage
        items = list(read_answered_calls(matching[(page - 1) * PAGE_SIZE : page * PAGE_SIZE]))
    return AnswerPage(
        summaries=counter.summaries(),
        read=len(read),
        is_cut=len(ids) > len(read),
        count=len(matching),
        number=page,
        pages=pages,
        items=items,
    )


def read_answers(call_ids: Sequence[int]) -> Iterator[tuple[int, Answers]]:
    """Yield each live call with its answers alone, in the order of the ids."""
    for start in range(0, len(call_ids), CALLS_AT_ONCE):
        chunk = call_ids[start : start + CALLS_AT_ONCE]
        live = CallAnalysis.objects.filter(call__in=chunk, is_live=True)
        stored: dict[int, Any] = dict(live.values_list("call", "custom_questions"))
        for call_id in chunk:
            if call_id in stored:
                yield call_id, parse_answers(stored[call_id])


def iterate_answer_rows(
    projects: Sequence[Project], window: Window, wanted: AnswerFilter
) -> Iterator[list[str | int | float]]:
    """Yield the head and then a row for each call that matches, all of one moment, for files."""
    with snapshot():
        # The head names every question, so the calls are read twice and never held all at once.
        questions: dict[str, None] = {}
        for call in _iterate_matching(projects, window, wanted):
            questions |= dict.fromkeys(call.answers)
        if wanted.question:
            questions = {wanted.question: None}
        columns = [name for q in questions for name in (q, f"{q} quote", f"{q} quote_start")]
        yield ["call_id", "file_name", "call_datetime", "agent", *columns]
        for call in _iterate_matching(projects, window, wanted):
            cells = [cell for q in questions for cell in _answer_cells(call.answers.get(q), wanted)]
            yield [call.call_id, call.file_name, call.call_datetime.isoformat(), call.agent, *cells]


def _answer_cells(answer: GivenAnswer | None, wanted: AnswerFilter) -> tuple[str, str, str | float]:
    """Return an answer, one of its quotes, and the second of the recording at which that begins."""
    if answer is None:
        return "", "", ""
    quote = wanted.choose_quote(answer)
    start_s = read_time(quote)
    return answer.text, TIME_PREFIX.sub("", quote), "" if start_s is None else start_s


def _iterate_matching(
    projects: Sequence[Project], window: Window, wanted: AnswerFilter
) -> Iterator[AnsweredCall]:
    ids = list(_call_ids(projects, window))
    for start in range(0, len(ids), CALLS_AT_ONCE):
        for call in read_answered_calls(ids[start : start + CALLS_AT_ONCE]):
            if wanted.matches(call.answers):
                yield call


def _call_ids(projects: Sequence[Project], window: Window) -> "QuerySet[CallFact, int]":
    """Return the ids of the calls with answers, the newest first."""
    facts = queryset.select_calls([project.pk for project in projects], window, CallFilters())
    return facts.filter(has_answers=True).order_by("-at_us", "-pk").values_list("pk", flat=True)


class AnswerCounter:
    """Counts answers; those that differ in case or spaces alone are one."""

    def __init__(self) -> None:
        self.counts: dict[str, Counter[str]] = {}  # question → normalized answer → calls
        self.quoted: Counter[str] = Counter()  # question → calls
        self.spellings: dict[str, str] = {}  # normalized answer → as first seen

    def add(self, answers: Answers) -> None:
        """Count the answers of one call."""
        for question, answer in answers.items():
            key = normalize_answer(answer.text)
            self.spellings.setdefault(key, answer.text)
            self.counts.setdefault(question, Counter())[key] += 1
            self.quoted[question] += answer.quotes > 0

    def summaries(self) -> list[QuestionSummary]:
        """Return a summary for each question, in the order first seen."""
        summaries = []
        for question, counts in self.counts.items():
            frequent = counts.most_common(MAX_ANSWERS)
            summaries.append(
                QuestionSummary(
                    question=question,
                    calls=counts.total(),
                    quoted=self.quoted[question],
                    answers=[AnswerCount(self.spellings[key], calls) for key, calls in frequent],
                    other_calls=counts.total() - sum(calls for _, calls in frequent),
                )
            )
        return summaries
