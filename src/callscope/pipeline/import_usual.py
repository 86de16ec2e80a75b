"""Read lines of the usual form by compiled code.

Nine tenths of a line are criteria: msgspec checks them against the types below.
Whatever it refuses, import_lines.py reads and judges, so that no rule and no
message stands here; what it accepts, import_lines.py would read the same way.
"""

from functools import lru_cache
from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from callscope.pipeline import import_parts
from callscope.pipeline.import_lines import (
    MAX_FILE_NAME,
    SUSPICIOUS_ESCAPE,
    ImportedCall,
    Rules,
    checked_call,
)
from callscope.pipeline.import_parts import (
    MAX_CRITERIA,
    MAX_ID,
    MAX_NAME,
    MAX_POINTS,
    MAX_TEXT,
    MILLION,
    WrongLine,
)
from callscope.reports.scores import Entry, flags_of

MOST = MAX_POINTS * MILLION
JUDGEMENTS = 4096  # the calls of a rubric are judged alike again and again

Name = Annotated[str, Meta(max_length=MAX_NAME)] | None
Text = Annotated[str, Meta(max_length=MAX_TEXT)] | None
Number = int | float
Applicability = Literal["evaluated", "not_applicable"] | None
CriticalClass = Literal["customer", "business", "compliance"] | UnsetType | None
Answer = Literal["met", "partly", "not_met", "not_applicable"] | UnsetType | None
Seconds = Annotated[int, Meta(ge=0, lt=10**15)] | Annotated[float, Meta(ge=0, lt=10**15)]


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
    critical_class: CriticalClass = UNSET
    quote_start: Seconds | UnsetType | None = UNSET
    verified: bool | UnsetType | None = UNSET
    critical: bool | UnsetType | None = UNSET


class _Copc(msgspec.Struct, kw_only=True, forbid_unknown_fields=True, gc=False):
    criterion_scores: Annotated[list[_Criterion], Meta(max_length=MAX_CRITERIA)]
    not_evaluated: Any = None
    on_critical_error: Any = None


class _Line(msgspec.Struct, kw_only=True, forbid_unknown_fields=True, gc=False):
    """The fields of the format; those of type Any are checked as in any other line."""

    file_name: Annotated[str, Meta(min_length=1, max_length=MAX_FILE_NAME)]
    call_datetime: Any = None
    call_datetime_source: Any = None
    uploaded_at: Any = None
    analyzed_at: Any = None
    duration_seconds: Any = None
    agent_id: Any = None
    agent_name: Any = None
    agent_source: Any = None
    direction: Any = None
    caller_number: Any = None
    campaign: Any = None
    sentiment: Any = None
    topic: Any = None
    contact_reason: Any = None
    goal_reached: Any = None
    copc: _Copc | None = None
    no_protocol: Any = None
    custom_questions: Any = None
    insights: Any = None


_decode = msgspec.json.Decoder(_Line).decode


def parse_usual_line(raw: bytes, rules: Rules) -> ImportedCall | None:
    """Return the call in one line of JSON; None for a line that is wrong, or right in an unusual way."""
    if SUSPICIOUS_ESCAPE.search(raw):
        return None
    try:
        line = _decode(raw)
        if not line.file_name.strip():
            return None
        call = checked_call(msgspec.structs.asdict(line), rules)
        if line.copc is not None:
            _add_copc(call, line.copc, rules)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, WrongLine):
        return None
    return call


def _add_copc(call: ImportedCall, copc: _Copc, rules: Rules) -> None:
    """Check what types cannot, bring criteria into their stored form, and add up. Raises WrongLine."""
    score = call.score
    for row in copc.criterion_scores:
        if type(row.score) is float:
            row.score = import_parts.number(import_parts.points_of(row.score, "score", MOST))
        if type(row.max_points) is float:
            row.max_points = import_parts.number(import_parts.points_of(row.max_points, "max_points", MOST))
        row.name = row.name or row.criterion_id
        row.section = row.section or ""
        row.is_critical_error = row.is_critical_error or False
        row.justification = row.justification or ""
        row.quote = row.quote or ""
        entry = _entry(
            row.criterion_id,
            row.name,
            row.section,
            row.score,
            row.max_points,
            row.applicability,
            row.is_critical_error,
        )
        marks = rules.marks.get(row.criterion_id)
        if marks:
            row.critical = marks.get("critical", UNSET) if row.critical is UNSET else row.critical
            if row.critical_class is UNSET:
                row.critical_class = marks.get("critical_class", UNSET)
        error_class = None if row.critical_class is UNSET else row.critical_class
        score.add(entry, error_class=error_class, is_marked=row.critical is True)
    if len({entry.criterion[0] for entry in score.entries}) < len(score.entries):
        raise WrongLine("a criterion_id appears twice")
    rule = import_parts.rule_of(copc.on_critical_error, rules.on_critical_error)
    score.finish(on_critical_error=rule)
    call.copc = import_parts.with_totals(
        copc.criterion_scores, copc.not_evaluated, score.points, score.max_points or 0, score.critical, rule
    )


@lru_cache(maxsize=JUDGEMENTS)
def _entry(
    criterion_id: str,
    name: str,
    section: str,
    score: float,
    max_points: float,
    applicability: str | None,
    is_critical_error: bool,
) -> Entry:
    """Return what is counted of a criterion. Raises WrongLine."""
    if not criterion_id.strip():
        raise WrongLine("criterion_id is blank")
    most = import_parts.points_of(max_points, "max_points", MOST)
    points = import_parts.points_of(score, "score", most)
    if most == 0 or (applicability == "not_applicable" and points != most):
        raise WrongLine("the points do not fit")
    flags = flags_of(applicability, is_critical_error=is_critical_error)
    return Entry((criterion_id, name, section, most), points, flags)
