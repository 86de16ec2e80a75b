"""Bring lines into the form in which they are written: checked, scored, compressed.

That is most of the work of an import, and needs no database: from a large file, a
process of its own does it, some batches ahead of the one that writes.
"""

import datetime as dt
import logging
import multiprocessing
import os
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from itertools import chain, islice

import msgspec

from callscope.calls.fields import CallDetails
from callscope.calls.names import stem
from callscope.db.compression import compress
from callscope.pipeline.transfer.fast_parser import parse_common_line
from callscope.pipeline.transfer.line_parser import ImportedCall, Rules, parse_line
from callscope.pipeline.transfer.redaction import parse_redacted
from callscope.pipeline.transfer.result_validation import InvalidLine
from callscope.processes.stop import hold_interrupts
from callscope.reports.store.marks import find_marks
from callscope.reports.store.packing import pack_entries_unsorted
from callscope.reports.store.scores import CallFigures, CriterionKey
from callscope.reports.store.talk import read_talk

BATCHES_AT_HOME = 2  # are prepared and written while a process starts; a file with no more is not worth one
BATCHES_AHEAD = 2  # 16 megabytes each at most


# Without gc: rows hold no circles, and the collector would visit thousands of them again and again.
class PreparedCall(msgspec.Struct, array_like=True, gc=False):
    """One line, as it is written; None and "" mean what they mean in ImportedCall."""

    number: int  # of the line
    file_name: str
    name_stem: str
    details: CallDetails
    uploaded_at: dt.datetime | None
    analyzed_at: dt.datetime | None
    contact_reason: str | None
    has_results: bool
    has_decisions: bool
    copc: bytes | None  # compressed, as the three below
    no_protocol: bytes | None
    custom_questions: bytes | None
    insights: bytes | None
    figures: CallFigures
    packed_entries: bytes  # criteria, each with its index in Batch.criteria


class Batch(msgspec.Struct, array_like=True, gc=False):
    """Some lines, in order; a wrong one is a sentence."""

    calls: list[PreparedCall | str]
    criteria: list[CriterionKey]


Line = tuple[int, bytes | str]  # number from 1, and the line, or why it cannot be read

logger = logging.getLogger(__name__)
_encode_parts = msgspec.json.Encoder().encode
_encode_batch = msgspec.msgpack.Encoder().encode
_decode_batch = msgspec.msgpack.Decoder(Batch).decode


def prepare_batches(batches: Iterable[list[Line]], rules: Rules) -> Iterator[tuple[list[Line], Batch]]:
    """Yield each batch of lines with what is written of it, in order."""
    batches = iter(batches)
    first = list(islice(batches, BATCHES_AT_HOME + 1))
    # On a single core a second process would only take turns with this one.
    if len(first) <= BATCHES_AT_HOME or os.cpu_count() == 1:
        for lines in chain(first, batches):
            yield lines, prepare_batch(lines, rules)
        return
    helper = ProcessPoolExecutor(1, multiprocessing.get_context("spawn"))
    try:
        waiting: deque[tuple[list[Line], Future[bytes] | None]] = deque()
        with hold_interrupts():  # the process starts with its first batch, and inherits this
            waiting.append((first[-1], _submit(helper, first[-1], rules)))
        for lines in first[:-1]:
            yield lines, prepare_batch(lines, rules)
        for lines in batches:
            waiting.append((lines, _submit(helper, lines, rules)))
            if len(waiting) > BATCHES_AHEAD:
                yield _await_batch(*waiting.popleft(), rules)
        for lines, future in waiting:
            yield _await_batch(lines, future, rules)
    finally:
        helper.shutdown(cancel_futures=True)


def _submit(helper: ProcessPoolExecutor, lines: list[Line], rules: Rules) -> "Future[bytes] | None":
    """Ask the helper process for a batch; None if it has ended."""
    try:
        return helper.submit(_prepare_encoded, lines, rules)
    except BrokenProcessPool:
        return None


def _await_batch(lines: list[Line], future: "Future[bytes] | None", rules: Rules) -> tuple[list[Line], Batch]:
    """Return a batch with what the helper process made of it; if that has ended, make it here."""
    try:
        if future is not None:
            return lines, _decode_batch(future.result())
    except BrokenProcessPool as error:
        logger.warning("The import goes on in one process: %s", error)
    return lines, prepare_batch(lines, rules)


def _prepare_encoded(lines: list[Line], rules: Rules) -> bytes:
    # Pickling thousands of objects would cost more than both ends of msgpack.
    return _encode_batch(prepare_batch(lines, rules))


def prepare_batch(lines: list[Line], rules: Rules) -> Batch:
    """Return what is written of these lines."""
    criteria: dict[CriterionKey, int] = {}
    calls: list[PreparedCall | str] = []
    for number, raw in lines:
        try:
            if isinstance(raw, str):
                raise InvalidLine(raw)
            call = parse_redacted(raw, rules, _parse)
            calls.append(_prepare_call(number, call, criteria))
        except InvalidLine as error:
            name = f", {error.file_name}" if error.file_name else ""
            calls.append(f"line {number}{name}: {error.reason}")
    return Batch(calls, list(criteria))


def _parse(raw: bytes, rules: Rules) -> ImportedCall:
    return parse_common_line(raw, rules) or parse_line(raw, rules)


def _prepare_call(number: int, call: ImportedCall, criteria: dict[CriterionKey, int]) -> PreparedCall:
    """Return a call as it is written; a criterion that is new to the batch is added to `criteria`."""
    insights, findings, score = call.insights, call.no_protocol, call.score
    entries = [(criteria.setdefault(e.criterion, len(criteria)), e.points, e.flags) for e in score.entries]
    return PreparedCall(
        number=number,
        file_name=call.file_name,
        name_stem=stem(call.file_name),
        details=call.details,
        uploaded_at=call.uploaded_at,
        analyzed_at=call.analyzed_at,
        contact_reason=call.contact_reason,
        has_results=call.has_results,
        has_decisions=call.has_decisions,
        copc=_compress_part(call.copc),
        no_protocol=_compress_part(findings),
        custom_questions=_compress_part(call.custom_questions),
        insights=_compress_part(insights),
        figures=CallFigures(
            duration_us=call.duration_us,
            sentiment=insights["sentiment"] if insights else None,
            goal_reached=insights["goal_reached"] if insights else None,
            topic=insights["topic"] if insights else "",
            mistakes=len(findings["mistakes"]) if findings else None,
            missing_prompts=len(findings["missing_prompts"]) if findings else None,
            has_answers=call.custom_questions is not None,
            score=score.totals,
            entries=len(entries),
            marks=find_marks(call.copc, insights, findings),
            talk=read_talk(insights),
        ),
        packed_entries=pack_entries_unsorted(entries),
    )


def _compress_part(part: object) -> bytes | None:
    return None if part is None else compress(_encode_parts(part))
