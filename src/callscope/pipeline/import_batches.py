"""Bring lines into the form in which they are written: checked, scored, compressed.

That is most of the work of an import, and needs no database: from a large file, a
process of its own does it, some batches ahead of the one that writes.
"""

import datetime as dt
import logging
import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from itertools import chain, islice

import msgspec

from callscope.calls.compression import compress
from callscope.calls.names import stem
from callscope.pipeline.import_lines import ImportedCall, Rules, parse_line
from callscope.pipeline.import_parts import WrongLine
from callscope.pipeline.import_usual import parse_usual_line
from callscope.reports.packing import pack_unordered
from callscope.reports.scores import CallScore, Criterion

BATCHES_AT_HOME = 2  # a file with no more is not worth a process, which takes as long to start
BATCHES_AHEAD = 3  # some megabytes each


class PreparedScore(msgspec.Struct, array_like=True, gc=False):
    """The score of a call, added up; see reports.scores."""

    points: int
    max_points: int | None
    counted_points: int
    basis_points: int | None
    critical: bool
    error_classes: int
    plain_judged: int
    plain_met: int
    entries: int  # criteria
    packed: bytes  # they, with places in Batch.criteria


class PreparedCall(msgspec.Struct, array_like=True, gc=False):
    """One line, as it is written; None and "" mean what they mean in ImportedCall."""

    number: int  # of the line
    file_name: str
    name_stem: str
    call_datetime: dt.datetime | None
    call_datetime_source: str
    uploaded_at: dt.datetime | None
    analyzed_at: dt.datetime | None
    duration_us: int | None
    agent_id: str
    agent_name: str
    agent_source: str
    direction: str
    caller_number: str
    campaign: str
    contact_reason: str | None
    sentiment: str | None
    topic: str
    goal_reached: bool | None
    mistakes: int | None
    missing_prompts: int | None
    has_results: bool
    copc: bytes | None  # compressed, as the three below
    no_protocol: bytes | None
    custom_questions: bytes | None
    insights: bytes | None
    score: PreparedScore


class Batch(msgspec.Struct, array_like=True, gc=False):
    """Some lines, in order; a wrong one is a sentence."""

    calls: list[PreparedCall | str]
    criteria: list[Criterion]


Line = tuple[int, bytes | str]  # number from 1, and the line, or why it cannot be read

logger = logging.getLogger(__name__)
_encode_parts = msgspec.json.Encoder().encode
_encode_batch = msgspec.msgpack.Encoder().encode
_decode_batch = msgspec.msgpack.Decoder(Batch).decode


def prepared(batches: Iterable[list[Line]], rules: Rules) -> Iterator[tuple[list[Line], Batch]]:
    """Yield each batch of lines with what is written of it, in order."""
    batches = iter(batches)
    first = list(islice(batches, BATCHES_AT_HOME + 1))
    if len(first) <= BATCHES_AT_HOME or os.cpu_count() == 1:
        for lines in chain(first, batches):
            yield lines, prepare(lines, rules)
        return
    helper = ProcessPoolExecutor(1, multiprocessing.get_context("spawn"))
    try:
        waiting: deque[tuple[list[Line], Future[bytes] | None]] = deque()
        with _deaf_to_interrupts():
            waiting.append((first[0], _submitted(helper, first[0], rules)))
        for lines in chain(first[1:], batches):
            waiting.append((lines, _submitted(helper, lines, rules)))
            if len(waiting) > BATCHES_AHEAD:
                yield _result(*waiting.popleft(), rules)
        for lines, future in waiting:
            yield _result(lines, future, rules)
    finally:
        helper.shutdown(cancel_futures=True)


@contextmanager
def _deaf_to_interrupts() -> Iterator[None]:
    """Let the process that starts here not hear Ctrl-C, which a terminal sends to us both.

    Ended in the middle of an answer it would leave us waiting for ever.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    former = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, former)


def _submitted(helper: ProcessPoolExecutor, lines: list[Line], rules: Rules) -> "Future[bytes] | None":
    """Ask the helper for a batch; None if it is no more."""
    try:
        return helper.submit(_prepare_encoded, lines, rules)
    except BrokenProcessPool:
        return None


def _result(lines: list[Line], future: "Future[bytes] | None", rules: Rules) -> tuple[list[Line], Batch]:
    """Return a batch with what the helper made of it; without a helper, make it here."""
    try:
        if future is not None:
            return lines, _decode_batch(future.result())
    except BrokenProcessPool as error:
        logger.warning("The import goes on in one process: %s", error)
    return lines, prepare(lines, rules)


def _prepare_encoded(lines: list[Line], rules: Rules) -> bytes:
    return _encode_batch(prepare(lines, rules))


def prepare(lines: list[Line], rules: Rules) -> Batch:
    """Return what is written of these lines."""
    places: dict[Criterion, int] = {}
    calls: list[PreparedCall | str] = []
    for number, raw in lines:
        try:
            calls.append(_prepared(number, read_line(raw, rules), places))
        except WrongLine as error:
            name = f", {error.file_name}" if error.file_name else ""
            calls.append(f"line {number}{name}: {error.reason}")
    return Batch(calls, list(places))


def read_line(raw: bytes | str, rules: Rules) -> ImportedCall:
    """Return the call in one line. Raises WrongLine."""
    if isinstance(raw, str):
        raise WrongLine(raw)
    return parse_usual_line(raw, rules) or parse_line(raw, rules)


def _prepared(number: int, call: ImportedCall, places: dict[Criterion, int]) -> PreparedCall:
    insights = call.insights or {}
    findings = call.no_protocol
    return PreparedCall(
        number=number,
        file_name=call.file_name,
        name_stem=stem(call.file_name),
        call_datetime=call.call_datetime,
        call_datetime_source=call.call_datetime_source,
        uploaded_at=call.uploaded_at,
        analyzed_at=call.analyzed_at,
        duration_us=call.duration_us,
        agent_id=call.agent_id,
        agent_name=call.agent_name,
        agent_source=call.agent_source,
        direction=call.direction,
        caller_number=call.caller_number,
        campaign=call.campaign,
        contact_reason=call.contact_reason,
        sentiment=insights.get("sentiment"),
        topic=insights.get("topic") or "",
        goal_reached=insights.get("goal_reached"),
        mistakes=None if findings is None else len(findings["mistakes"]),
        missing_prompts=None if findings is None else len(findings["missing_prompts"]),
        has_results=call.has_results,
        copc=_compressed(call.copc),
        no_protocol=_compressed(findings),
        custom_questions=_compressed(call.custom_questions),
        insights=_compressed(call.insights),
        score=_prepared_score(call.score, places),
    )


def _compressed(part: object) -> bytes | None:
    return None if part is None else compress(_encode_parts(part))


def _prepared_score(score: CallScore, places: dict[Criterion, int]) -> PreparedScore:
    entries = [(places.setdefault(e.criterion, len(places)), e.points, e.flags) for e in score.entries]
    return PreparedScore(
        points=score.points,
        max_points=score.max_points,
        counted_points=score.counted_points,
        basis_points=score.basis_points,
        critical=score.critical,
        error_classes=score.error_classes,
        plain_judged=score.plain_judged,
        plain_met=score.plain_met,
        entries=len(entries),
        packed=pack_unordered(entries),
    )
