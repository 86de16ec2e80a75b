"""Write the executive summary: what a manager would say about the figures, and nothing else.

Without a language model it is written from templates. With one, the model sees
figures, criterion names and predefined contact reasons only (no transcript, no
caller's words, no agent's name), and each sentence that holds a number which is
not in the report, an address, or a rise or fall that may be chance, is dropped. Where
a model fails or is slow, the templates write the summary and a note says so.
"""

import concurrent.futures
import json
import logging
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib import resources
from typing import Any, Protocol

from babel import Locale
from django.utils import translation
from django.utils.translation import gettext as _

from callscope.analysis.figures import round_to
from callscope.engines.errors import BadOutput, EngineRejected, EngineUnavailable
from callscope.engines.llm.client import ContextOverflow, Reply
from callscope.engines.llm.reading import NotJson, read_object
from callscope.language.addresses import has_address
from callscope.projects.owners import Owners
from callscope.reports.overview.comparisons import is_within_noise
from callscope.reports.overview.highlights import NO_OWNERS
from callscope.reports.overview.report import Report, ScorecardRow, report_json
from callscope.reports.overview.scorecard import judge_row
from callscope.reports.pdf.change_guard import ReportChanges
from callscope.reports.pdf.layout import Summary
from callscope.reports.pdf.number_formats import ReportLocale
from callscope.reports.pdf.number_guard import ReportNumbers, split_sentences
from callscope.reports.pdf.template_summary import write_template_summary

LIMIT_S = 20.0  # from contract and issue alike: a reader waits for the PDF
MAX_TOKENS = 900
MAX_PARAGRAPHS = 4
MAX_CHARACTERS = 2500
SCHEMA = {
    "type": "object",
    "properties": {"paragraphs": {"type": "array", "items": {"type": "string"}}},
    "required": ["paragraphs"],
    "additionalProperties": False,
}

logger = logging.getLogger(__name__)
_pool = concurrent.futures.ThreadPoolExecutor(max_workers=4, thread_name_prefix="narrative")


class Model(Protocol):
    """The part of ChatClient that a narrative needs."""

    name: str
    model: str

    def complete(
        self, messages: list[dict[str, str]], *, schema: dict[str, Any], schema_name: str, max_tokens: int
    ) -> Reply: ...


@dataclass(frozen=True, slots=True)
class Narrative:
    """A summary, and what the model cost; `reply` is None when no model answered."""

    summary: Summary
    reply: Reply | None = None
    dropped: list[str] = field(default_factory=list)  # sentences that were not kept


def write_narrative(
    report: Report,
    *,
    reasons: frozenset[str],
    locale: ReportLocale,
    model: Model | None,
    limit_s: float = LIMIT_S,
    owners: Owners = NO_OWNERS,
) -> Narrative:
    """Return the executive summary in the language of `locale`; never raises because of an engine.

    `reasons` are the predefined contact reasons; other names are callers' words and are kept from the model.
    `owners` say whose a criterion is, in a report of several projects.
    """
    if model is None:
        return Narrative(Summary(write_template_summary(report, locale, owners)))
    messages = build_messages(report, reasons, locale)
    # The model's own timeout holds for each chunk it sends; a reader waits no longer than limit_s in all.
    answer = _pool.submit(
        model.complete, messages, schema=SCHEMA, schema_name="executive_summary", max_tokens=MAX_TOKENS
    )
    try:
        reply = answer.result(timeout=limit_s)
        paragraphs = _parse_paragraphs(reply.text)
    except concurrent.futures.TimeoutError:
        answer.cancel()
        return _report_failure(report, f"no answer within {limit_s:g} s", locale, owners)
    except (EngineUnavailable, EngineRejected, BadOutput, ContextOverflow) as error:
        return _report_failure(report, str(error), locale, owners)
    numbers, changes = ReportNumbers(report, locale.language), ReportChanges(report, locale.language)
    kept, dropped = _kept_sentences(paragraphs, numbers, changes)
    for sentence in dropped:
        logger.warning(
            "Dropped from the narrative, it holds an address, a number that the report has not, or a change "
            "that may be chance: %s",
            sentence[:300],
        )
    if not kept:
        failure = _report_failure(report, "no sentence could be kept", locale, owners)
        return Narrative(failure.summary, reply, dropped)
    with translation.override(locale.language):
        note = _("Written by a language model from the figures below; every number was checked against them.")
    return Narrative(Summary(kept, note, is_of_model=True), reply, dropped)


def build_messages(report: Report, reasons: frozenset[str], locale: ReportLocale) -> list[dict[str, str]]:
    """Return the prompt: figures without agents, and without topics that are callers' words."""
    document = report_json(report)
    del document["agents"], document["trackers"], document["reason_groups"]  # names of callers' words
    document["scorecard"] = [describe_criterion(row) for row in report.scorecard]
    document["contact_reasons"] = [
        {name: value for name, value in row.items() if name not in ("reason_id", "change_pct")}
        for row in document["contact_reasons"]
        if row["topic"] in reasons or not row["topic"]
    ]
    headlines = {"headline": report.headline, "previous_headline": report.previous_headline}
    for name, headline in headlines.items():
        if headline:  # with the counts of known sentiments and outcomes, which the interface leaves out
            document[name] = {figure: getattr(headline, figure) for figure in headline.__slots__}
    instructions = (resources.files(__package__) / "narrative_prompt.txt").read_text("utf-8")
    # The weeks of the trend are dates; str() writes them as ISO 8601.
    figures = json.dumps(_round_figures(document), ensure_ascii=False, default=str)
    language = str(Locale(locale.language).get_language_name("en"))
    return [
        {"role": "system", "content": instructions.replace("{language}", language)},
        {"role": "user", "content": f"<figures>\n{figures}\n</figures>"},
    ]


def describe_criterion(row: ScorecardRow) -> dict[str, object]:
    """Return a criterion as the tables show it: where it applies, without the average over other calls."""
    judged = judge_row(row)
    return {
        "name": row.name,
        "section": row.section,
        "weight_pct": row.weight_pct,
        "pct": judged.pct,
        "calls": judged.calls,
        "pct_interval": judged.interval,
        "previous_pct": judged.previous_pct,
        "previous_calls": judged.previous_calls,
        "delta_pct": judged.delta_pct,
        "within_noise": is_within_noise(judged.delta_interval),
        "critical_errors": row.critical_errors,
        "not_applicable_calls": row.not_applicable_calls,
    }


def _round_figures(value: Any) -> Any:
    """Return the document with figures as the tables show them, so that a summary quotes the same."""
    if isinstance(value, dict):
        return {name: _round_figures(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_round_figures(item) for item in value]
    return float(round_to(value, 1)) if isinstance(value, float) else value


def _parse_paragraphs(text: str) -> list[str]:
    """Return the paragraphs of a model's answer. Raises BadOutput."""
    try:
        paragraphs = read_object(text)["paragraphs"]
    except (NotJson, KeyError):
        raise BadOutput("The narrative is not the JSON that was asked for.") from None
    if not isinstance(paragraphs, list) or not all(isinstance(p, str) for p in paragraphs):
        raise BadOutput("The narrative is not a list of texts.")
    return [p[:MAX_CHARACTERS] for p in paragraphs if p.strip()][:MAX_PARAGRAPHS]


def _kept_sentences(
    paragraphs: Sequence[str], numbers: ReportNumbers, changes: ReportChanges
) -> tuple[list[str], list[str]]:
    """Return the paragraphs without the sentences that may not be kept, and those sentences."""
    kept_paragraphs: list[str] = []
    dropped: list[str] = []
    for paragraph in paragraphs:
        kept: list[str] = []
        for sentence in split_sentences(paragraph):
            is_kept = numbers.contains_all(sentence) and not has_address(sentence) and changes.allow(sentence)
            (kept if is_kept else dropped).append(sentence)
        if kept:
            kept_paragraphs.append(" ".join(kept))
    return kept_paragraphs, dropped


def _report_failure(report: Report, reason: str, locale: ReportLocale, owners: Owners) -> Narrative:
    logger.warning("The narrative failed: %s", reason)
    with translation.override(locale.language):
        note = _(
            "The language model wrote no summary this time, so this one was put together from the figures. "
            "All tables are complete."
        )
    return Narrative(Summary(write_template_summary(report, locale, owners), note))
