"""The figures on top of a report: each with what it covers, its change and its course."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

from callscope.analysis.figures import round_to, subtract
from callscope.interfaces.web.presenters.differences import write_intervals
from callscope.interfaces.web.presenters.report_links import Links
from callscope.interfaces.web.presenters.report_page.courses import explain_marks, list_pale
from callscope.interfaces.web.presenters.report_page.sparks import spark_svg
from callscope.interfaces.web.templatetags.formatting import WAITS, number
from callscope.reports import charts
from callscope.reports.overview.comparisons import name_noise
from callscope.reports.overview.coverage import (
    COUNTED_OVER,
    FEW_CALLS,
    describe_both,
    describe_coverage,
    is_all_known,
)
from callscope.reports.overview.people.sentences import is_disputed
from callscope.reports.overview.report import FigureDifference, Headline, Report, TrendBucket
from callscope.reports.overview.targets import Targets, describe_target

BETTER_UP, BETTER_DOWN, NEITHER = 1, -1, 0


class TileSpec(NamedTuple):
    """How one figure of the headline is shown."""

    name: str  # its field
    decimals: int
    better: int  # which way is better
    filters: dict[str, str]  # of the calls that it counts


TILES = (  # the first one is larger
    TileSpec("average_score", 1, BETTER_UP, {"ordering": "score_percentage", "scored": "true"}),
    TileSpec("total_calls", 0, NEITHER, {}),
    TileSpec("critical_error_pct", 1, BETTER_DOWN, {"critical": "true"}),
    TileSpec("negative_sentiment_pct", 1, BETTER_DOWN, {"sentiment": "negative"}),
    TileSpec("goal_reached_pct", 1, BETTER_UP, {"goal": "true"}),
)
# Those of the second row, which need no spark line.
MORE_TILES = (
    TileSpec("weighted_compliance", 1, BETTER_UP, {"ordering": "score_percentage", "scored": "true"}),
    TileSpec("scored_calls", 0, NEITHER, {"scored": "true"}),
    TileSpec("calls_with_metadata", 0, NEITHER, {"timed": "true"}),
    TileSpec("analyzed_hours", 1, NEITHER, {}),
)
OUT_OF_100 = ("average_score", "goal_reached_pct")  # their sparks span 0 to 100
REASONS_FOR_NONE = {
    "average_score": "not_scored",
    "weighted_compliance": "not_scored",
    "critical_error_pct": "not_scored",
    "negative_sentiment_pct": "no_sentiment",
    "goal_reached_pct": "no_outcome",
}


@dataclass(frozen=True, slots=True)
class Change:
    """The difference to the window before, and whether it is good."""

    by: float
    decimals: int
    css_class: str  # up or down, and good or bad where one way is better; few where that says little
    before: float
    compared: str = ""  # how many calls stand behind either figure; "" for counts, which are calls
    is_few: bool = False  # on one side or both
    noise: str = ""  # in words, where the difference may be chance
    short: str = ""  # "n 5 → 10": the calls before and now

    @classmethod
    def of(
        cls,
        by: float,
        before: float,
        better: int,
        decimals: int = 1,
        *,
        calls: tuple[int, int] | None,
        within_noise: bool | None = None,
    ) -> "Change":
        """Return the change of a figure; `calls` are those that it is taken over, now and before."""
        moved = round_to(by, decimals)  # as the figure next to it is rounded
        direction = "up" if moved > 0 else "down" if moved < 0 else ""
        is_few = calls is not None and min(calls) < FEW_CALLS
        judged = "" if not moved or not better else "good" if moved * better > 0 else "bad"
        compared = "" if calls is None else describe_both(*calls, number)
        tone = "few" if is_few else "noise" if within_noise else judged
        noise = name_noise(within_noise) if calls is not None else ""
        short = "" if calls is None else f"n {number(calls[1])} → {number(calls[0])}"
        return cls(by, decimals, f"{direction} {tone}".strip(), before, compared, is_few, noise, short)


@dataclass(frozen=True, slots=True)
class Tile:
    name: str
    value: float | int | None
    decimals: int
    reason: str  # why there is no value
    coverage: str  # how many calls it is a share of, where its change does not say so
    interval: str  # "" for a count, and where calls are too few
    change: Change | None
    url: str
    spark: SafeString
    target: str  # in words; "" without one
    missed_url: str  # of the calls that missed a goal; "" for other figures


def build_tiles(
    specs: Sequence[TileSpec], report: Report, links: Links, targets: Targets | None = None
) -> list[Tile]:
    hollow = [i for i, bucket in enumerate(report.trend) if bucket.is_part]
    sparks = {"total_calls": spark_svg([bucket.calls for bucket in report.trend], low=0, hollow=hollow)}
    for name in ("average_score", "critical_error_pct", "negative_sentiment_pct", "goal_reached_pct"):
        values = [getattr(bucket, name) for bucket in report.trend]
        # From 0, so that a point more or less does not look like a crash.
        most = 100.0 if name in OUT_OF_100 else charts.round_ticks(values, at_least=10.0, most=100.0)[-1]
        pale = list_pale([getattr(bucket, COUNTED_OVER[name]) for bucket in report.trend])
        sparks[name] = spark_svg(values, low=0.0, high=most, pale=pale, hollow=hollow)
    intervals = write_intervals(report.headline)
    compared = report.headline, report.previous_headline, report.changes
    changes = {spec.name: find_change(spec, *compared) for spec in specs}
    # The calls next to a change are those of the figure, too.
    said = {
        name
        for name, each in changes.items()
        if each and each.compared and is_all_known(name, report.headline)
    }
    return [
        Tile(
            name=name,
            value=getattr(report.headline, name),
            decimals=decimals,
            reason=reason_for_none(name, report.headline),
            coverage="" if name in said else describe_coverage(name, report.headline, number),
            interval=intervals.get(name, ""),
            change=changes[name],
            url=links.to(**filters),
            spark=mark_safe(sparks.get(name, "")),  # noqa: S308 - numbers alone go into it
            target=describe_target(
                name,
                getattr(report.headline, name),
                getattr(report.headline, f"{name}_interval", None),
                targets or {},
                number,
                is_disputed=name == "average_score" and is_disputed(report.reviews),
            ),
            missed_url=links.to(goal="false") if name == "goal_reached_pct" else "",
        )
        for name, decimals, better, filters in specs
    ]


def explain_sparks(weeks: Sequence[TrendBucket]) -> list[str]:
    """Return what gray and hollow dots of the courses below the figures mean, where there are any."""
    has_few = any(each.calls and min(each.scored_calls, each.outcome_calls) < FEW_CALLS for each in weeks)
    parts = [each.week for each in weeks if each.is_part]
    return explain_marks(has_few=has_few, parts=parts) if len(weeks) > 1 else []


def find_change(
    spec: TileSpec, now: Headline, before: Headline | None, changes: Sequence[FigureDifference]
) -> Change | None:
    """Return how a figure changed since the window before; None where it cannot be compared."""
    name = spec.name
    value, earlier = getattr(now, name), getattr(before, name) if before else None
    if before is None or value is None or earlier is None:
        return None
    base = COUNTED_OVER.get(name)
    calls = (getattr(now, base), getattr(before, base)) if base else None
    noise = next((each.within_noise for each in changes if each.figure == name), None)
    return Change.of(
        subtract(value, earlier), earlier, spec.better, spec.decimals, calls=calls, within_noise=noise
    )


def reason_for_none(name: str, headline: Headline) -> str:
    """Return why a figure is not there, as a sentence."""
    if name in COUNTED_OVER and getattr(headline, COUNTED_OVER[name]):
        return str(WAITS)
    return {
        "not_scored": _("No call in this period was scored."),
        "no_sentiment": _("No call in this period has a known sentiment."),
        "no_outcome": _("No call in this period has a known outcome."),
    }.get(REASONS_FOR_NONE.get(name, ""), _("Nothing was measured in this period."))
