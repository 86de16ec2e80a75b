"""The criteria of a report: each with its figures, its dots and its calls, in an order of choice."""

from dataclasses import dataclass
from typing import NamedTuple

from django.utils.functional import Promise
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language, gettext_lazy
from django.utils.translation import gettext as _

from callscope.interfaces.web.presenters.report_links import Links
from callscope.interfaces.web.presenters.report_page.headline import BETTER_UP, Change
from callscope.interfaces.web.presenters.report_page.parts import PartLink, build_address
from callscope.interfaces.web.report_request import ReportRequest
from callscope.interfaces.web.templatetags.formatting import WAITS, Cell, day, number, write_interval
from callscope.reports import charts
from callscope.reports.overview.comparisons import is_within_noise
from callscope.reports.overview.coverage import FEW_CALLS
from callscope.reports.overview.report import Report, ScorecardRow
from callscope.reports.overview.rubric_marks import describe_row
from callscope.reports.overview.scorecard import JudgedFigures, group_rows, judge_row, order_by_points_lost
from callscope.reports.overview.targets import Targets, describe_target

ROWS_AT_FIRST = 5  # of criteria and of reasons, on the overview
# Why a cell is empty.
RETIRED = gettext_lazy("This criterion is no longer in the rubric.")
NO_CALL = gettext_lazy("No call in this period has this criterion.")
NOT_CRITICAL = gettext_lazy("It is not a critical criterion.")
NONE_EVALUATED = gettext_lazy("No call in this period recorded that the criterion applies.")


@dataclass(frozen=True, slots=True)
class CriterionLine:
    """One criterion of the scorecard."""

    row: ScorecardRow
    projects: str  # whose it is, in a report of several; else ""
    note: str  # that it waits for a person, in which version of the window it changed; "" for others
    weight: list[Cell]
    dots: SafeString
    said: str  # what the dots show, with the calls behind each
    few: str  # "n 7" where the calls are too few to say much; else ""
    judged: JudgedFigures
    lost: float | None  # of 100 possible points; None where that is not known
    costs: str  # the same in words
    change: Change | None
    critical_url: str
    no_critical: str  # why it has no number of critical errors
    missed_url: str  # calls in which it applied and earned nothing
    earned: list[Cell]
    counts: list[Cell]
    no_change: str  # why it is not compared with the window before
    target: str  # in words; "" without one

    @classmethod
    def of(cls, row: ScorecardRow, links: Links, targets: Targets) -> "CriterionLine":
        judged = judge_row(row)
        applies = (None, None) if row.is_kept_back else (row.evaluated_calls, row.not_applicable_calls)
        calls = links.to(criterion=row.criterion_id)
        evaluated, not_applicable = f"{calls}&found=evaluated", f"{calls}&found=not_applicable"
        return cls(
            row=row,
            judged=judged,
            projects=links.owners.name_by_criterion(row.criterion_id, row.name),
            note=describe_row(row, day),
            weight=[Cell(row.weight_pct, 1, "", RETIRED, "weight_pct", "n late extra")],
            dots=mark_safe(  # noqa: S308 - numbers
                charts.dots_svg(
                    judged.pct,
                    before_pct=judged.previous_pct,
                    interval=judged.interval,
                    is_few=judged.calls < FEW_CALLS,
                    is_few_before=judged.previous_calls < FEW_CALLS,
                )
            ),
            said=describe_dots(row),
            few=_("n %(count)s") % {"count": number(judged.calls)}
            if 0 < judged.calls < FEW_CALLS and not row.is_kept_back
            else "",
            lost=row.points_lost,
            costs=""
            if row.points_lost is None
            else _("costs %(points)s points") % {"points": number(row.points_lost, 1)},
            change=compare(judged),
            no_change=explain_no_change(row),
            critical_url=f"{calls}&found=critical",
            no_critical=explain_no_critical(row),
            missed_url=f"{calls}&result=not_met",
            target=describe_target(
                f"criterion:{row.criterion_id}", judged.pct, judged.interval, targets, number
            ),
            earned=[
                Cell(
                    judged.pct,
                    1,
                    f"{calls}&found=judged",
                    explain_none(row),
                    "evaluated_pct",
                    "n strong",
                    below=describe_average(row, judged),
                )
            ],
            counts=[
                # What its share is of.
                Cell(applies[0], 0, evaluated, WAITS, "evaluated_calls"),
                Cell(applies[1], 0, not_applicable, WAITS, "not_applicable_calls", "n extra"),
                Cell(row.calls, 0, calls, "", "criterion_calls", "n extra"),
                *(
                    [Cell(judged.previous_calls, 0, "", "", "previous_calls", "n extra")]
                    if links.is_compared
                    else []
                ),
            ],
        )


def describe_average(row: ScorecardRow, judged: JudgedFigures) -> str:
    """Return the average over all calls in words, where it is not the figure that it stands below."""
    if judged.is_average:
        return _("over all calls: which it applies to is not known")
    if judged.pct is None or row.average_pct is None or not row.not_applicable_calls:
        return ""
    average = number(row.average_pct, 1)
    if average == number(judged.pct, 1):
        return ""
    return _("%(value)s over all calls") % {"value": average}


def compare(judged: JudgedFigures) -> Change | None:
    """Return how a criterion changed since the window before; None where it cannot be compared."""
    if judged.delta_pct is None or judged.previous_pct is None:
        return None
    counts, noise = (judged.calls, judged.previous_calls), is_within_noise(judged.delta_interval)
    return Change.of(judged.delta_pct, judged.previous_pct, BETTER_UP, calls=counts, within_noise=noise)


def explain_no_change(row: ScorecardRow) -> str:
    """Return why a criterion is not compared with the window before, as a sentence."""
    if row.is_kept_back or (row.previous_evaluated_pct is None and row.previous_evaluated_calls):
        return str(WAITS)
    if row.previous_calls and row.previous_evaluated_calls is None:
        return _("Some calls did not record whether it applies, so the two periods are not compared.")
    if row.previous_calls and not row.previous_evaluated_calls:
        return _("In the period before it applied to no call.")
    if row.previous_calls and row.calls:
        return str(NONE_EVALUATED)
    return _("Nothing was measured in the period before.") if row.calls else str(NO_CALL)


def explain_no_critical(row: ScorecardRow) -> str:
    """Return why a criterion has no number of critical errors, as a sentence."""
    if row.is_retired:
        return str(RETIRED)
    if not row.is_critical:
        return str(NOT_CRITICAL)
    return str(explain_none(row))


def explain_none(row: ScorecardRow) -> Promise:
    """Return why a criterion has no figure, as a sentence."""
    if row.is_kept_back:
        return WAITS
    return NONE_EVALUATED if row.calls else NO_CALL


class Section(NamedTuple):
    """A section of the scorecard, in the order of the rubric."""

    name: str
    rows: list[CriterionLine]
    project: str = ""  # the head above the first section of a project, where there are several; else ""


def build_sections(report: Report, links: Links, targets: Targets, *, by_points_lost: bool) -> list[Section]:
    """Return the scorecard by section, or as one list with what costs most points first."""
    rows = report.scorecard
    if by_points_lost and rows:
        ordered = order_by_points_lost(rows)
        return [Section(_("By points lost"), [CriterionLine.of(row, links, targets) for row in ordered])]
    return [
        Section(group.section, [CriterionLine.of(row, links, targets) for row in group.rows], group.project)
        for group in group_rows(rows, links.owners)
    ]


def list_orders(report_request: ReportRequest) -> list[PartLink]:
    """Return the orders of the scorecard as links."""
    here, by_points_lost = report_request.query, report_request.view.get("order") == "lost"
    return [
        PartLink(_("Order of the rubric"), build_address("criteria", here), not by_points_lost),
        PartLink(_("By points lost"), build_address("criteria", {**here, "order": "lost"}), by_points_lost),
    ]


def describe_dots(row: ScorecardRow) -> str:
    """Return the figures of a row of the dot plot in words, each with its calls."""
    judged = judge_row(row)
    if judged.pct is None:
        return str(explain_none(row))
    parts = [
        _("%(value)s %% (n %(calls)s)") % {"value": number(judged.pct, 1), "calls": number(judged.calls)}
    ]
    if judged.interval is not None:
        bounds = write_interval(judged.interval, 1, get_language() or "")
        parts.append(_("95 %% interval %(bounds)s") % {"bounds": bounds})
    if judged.previous_pct is not None:
        before = {"value": number(judged.previous_pct, 1), "calls": number(judged.previous_calls)}
        parts.append(_("before: %(value)s %% (n %(calls)s)") % before)
    return " · ".join(parts)
