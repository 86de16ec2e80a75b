"""Read lines of the common form by compiled code.

Nine tenths of a line are criteria: msgspec checks them against the types below.
Whatever it refuses, line_parser.py reads and judges, so that no rule and no
message stands here; what it accepts, line_parser.py would read the same way.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import Annotated, Literal, cast

import msgspec
from msgspec import UNSET, Meta, UnsetType

from callscope.calls.fields import CALL_FIELDS
from callscope.pipeline.transfer import result_validation
from callscope.pipeline.transfer.line_parser import (
    MAX_FILE_NAME,
    SUSPICIOUS_ESCAPE,
    ImportedCall,
    Rules,
    build_call,
)
from callscope.pipeline.transfer.result_validation import (
    MAX_CRITERIA,
    MAX_ID,
    MAX_NAME,
    MAX_POINTS,
    MAX_TEXT,
    MILLION,
    InvalidLine,
    check_points,
    to_points,
)
from callscope.pipeline.transfer.schema import CriticalClass
from callscope.reports.store.scores import CriterionEntry, CriterionKey, encode_flags

MOST = MAX_POINTS * MILLION
JUDGMENTS = 4096  # kept: the calls of a rubric are judged alike again and again

Name = Annotated[str, Meta(max_length=MAX_NAME)] | None
Text = Annotated[str, Meta(max_length=MAX_TEXT)] | None
Number = int | float
Applicability = Literal["evaluated", "not_applicable"] | None
Answer = Literal["met", "partly", "not_met", "not_applicable"] | UnsetType | None
Seconds = Annotated[int, Meta(ge=0, lt=10**15)] | Annotated[float, Meta(ge=0, lt=10**15)]
Share = Annotated[int, Meta(ge=0, le=1)] | Annotated[float, Meta(ge=0, le=1)]


class _Criterion(msgspec.Struct, kw_only=True, forbid_unknown_fields=True, gc=False):
    """One criterion, in the order in which it is stored; what is unset is left out there."""

    criterion_id: Annotated[str, Meta(min_length=1, max_length=MAX_ID)]
    name: Name = ""
    section: Name = ""
    score: Number
    max_points: Number
    applicability: Applicability = None
    is_critical_error: bool | None = False
    justification: Text = ""
    quote: Text = ""
    answer: Answer = UNSET
    critical_class: CriticalClass | UnsetType | None = UNSET
    quote_start: Seconds | UnsetType | None = UNSET
    verified: bool | UnsetType | None = UNSET
    critical: bool | UnsetType | None = UNSET
    margin: Share | UnsetType | None = UNSET
    asked_again: bool | UnsetType | None = UNSET


class _Copc(msgspec.Struct, kw_only=True, forbid_unknown_fields=True, gc=False):
    criterion_scores: Annotated[list[_Criterion], Meta(max_length=MAX_CRITERIA)]
    not_evaluated: object = None
    on_critical_error: object = None


class _Line(msgspec.Struct, kw_only=True, forbid_unknown_fields=True, gc=False):
    """The fields of the format; those of type object are checked as in any other line."""

    file_name: Annotated[str, Meta(min_length=1, max_length=MAX_FILE_NAME)]
    uploaded_at: object = None
    analyzed_at: object = None
    duration_seconds: object = None
    sentiment: object = None
    topic: object = None
    contact_reason: object = None
    goal_reached: object = None
    copc: _Copc | None = None
    no_protocol: object = None
    custom_questions: object = None
    insights: object = None


# The fields of a call are put in here, from their one definition.
_WHOLE_LINE = msgspec.defstruct(
    "_WholeLine",
    [(field.name, object, None) for field in CALL_FIELDS],
    bases=(_Line,),
    kw_only=True,
    forbid_unknown_fields=True,
    gc=False,
)
_decode = cast(Callable[[bytes], _Line], msgspec.json.Decoder(_WHOLE_LINE).decode)


def parse_common_line(raw: bytes, rules: Rules) -> ImportedCall | None:
    """Return the call in one line of JSON; None for a line that is wrong, or right in an unusual way."""
    if SUSPICIOUS_ESCAPE.search(raw):
        return None
    try:
        line = _decode(raw)
        if not line.file_name.strip():
            return None
        call = build_call(line.file_name, msgspec.structs.asdict(line), rules)
        if line.copc is not None:
            _add_copc(call, line.copc, rules)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, InvalidLine):
        return None
    return call


def _add_copc(call: ImportedCall, copc: _Copc, rules: Rules) -> None:
    """Check what types cannot, bring criteria into their stored form, and add up. Raises InvalidLine."""
    score = call.score
    for row in copc.criterion_scores:
        # Whole numbers are stored as they are; a float may have more than the six decimals that count.
        if type(row.score) is float:
            row.score = to_points(check_points(row.score, "score", MOST))
        if type(row.max_points) is float:
            row.max_points = result_validation.to_points(check_points(row.max_points, "max_points", MOST))
        row.name = row.name or row.criterion_id
        row.section = row.section or ""
        row.is_critical_error = row.is_critical_error or False
        row.justification = row.justification or ""
        row.quote = row.quote or ""
        entry = _build_entry(
            row.criterion_id,
            row.name,
            row.section,
            row.score,
            row.max_points,
            row.applicability,
            row.is_critical_error,
        )
        marked = rules.marks.get(row.criterion_id)
        if marked and marked.critical and row.critical is UNSET:
            row.critical = True
        if marked and marked.critical_class and row.critical_class is UNSET:
            row.critical_class = marked.critical_class
        error_class = None if row.critical_class is UNSET else row.critical_class
        score.add(entry, error_class=error_class, is_marked=row.critical is True)
    if len({entry.criterion.criterion_id for entry in score.entries}) < len(score.entries):
        raise InvalidLine("a criterion_id appears twice")
    rule = result_validation.check_critical_rule(copc.on_critical_error, rules.on_critical_error)
    score.finish(on_critical_error=rule)
    totals = score.totals
    call.copc = result_validation.build_copc(
        copc.criterion_scores,
        copc.not_evaluated,
        totals.points,
        totals.max_points or 0,
        totals.critical,
        rule,
    )


# Its arguments are positional because a cache key of keywords takes longer to make.
@lru_cache(maxsize=JUDGMENTS)
def _build_entry(
    criterion_id: str,
    name: str,
    section: str,
    score: float,
    max_points: float,
    applicability: str | None,
    is_critical_error: bool,
) -> CriterionEntry:
    """Return what is counted of a criterion. Raises InvalidLine."""
    if not criterion_id.strip():
        raise InvalidLine("criterion_id is blank")
    most = check_points(max_points, "max_points", MOST)
    points = check_points(score, "score", most)
    if most == 0 or (applicability == "not_applicable" and points != most):
        raise InvalidLine("the points do not fit")
    flags = encode_flags(applicability, is_critical_error=is_critical_error)
    return CriterionEntry(CriterionKey(criterion_id, name, section, most), points, flags)
