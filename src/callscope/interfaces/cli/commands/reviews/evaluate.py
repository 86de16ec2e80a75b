"""`callscope evaluate`: people's labels against the stored results."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from callscope.interfaces.cli.runtime import tables
from callscope.interfaces.cli.runtime.errors import Failure
from callscope.interfaces.cli.runtime.result import CommandResult, command
from callscope.processes.standard_streams import open_input

if TYPE_CHECKING:
    from callscope.reviews.agreement.measures import Agreement, MeasuredAgreement

MAX_LISTED = 20  # rows that could not be compared, in the text for people
FIGURES = ("n", "raw_pct", "kappa", "kappa_low", "kappa_high", "ac1", "ac1_low", "ac1_high")
HEADINGS = ("n", "raw %", "kappa", "low", "high", "AC1", "low", "high")
OVERALL = "all criteria"


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    command(app, "evaluate")(evaluate)


def evaluate(
    labels: Annotated[
        Path,
        typer.Argument(
            metavar="LABELS.csv",
            help="Columns file_name, criterion_id (of findings kind and id), answer; - for standard input.",
        ),
    ],
    project: Annotated[int, typer.Option("--project", metavar="ID", help="The project of the calls.")],
    min_kappa: Annotated[
        float | None,
        typer.Option(
            "--min-kappa",
            metavar="X",
            min=-1,
            max=1,
            help="Fail when a kappa is lower, of a criterion, a finding or of all criteria.",
        ),
    ] = None,
) -> CommandResult:
    """Measure how far the stored results agree with people's labels, per criterion and over all.

    Each line has the number of labels, raw agreement, Cohen's kappa and Gwet's AC1 with 95 % intervals;
    the criterion with the lowest kappa comes first. Exit status 1 when a kappa is below --min-kappa.
    """
    if min_kappa is not None and min_kappa != min_kappa:
        raise typer.BadParameter("--min-kappa takes numbers from -1 to 1.")
    from callscope.projects.services import find_project
    from callscope.reviews.agreement.evaluation import InvalidLabels, evaluate_labels
    from callscope.reviews.agreement.measures import describe_agreement

    found = find_project(project)
    if found.type != found.Type.CALL:
        raise Failure(f"Project {project} is of type general. Allowed: a project of type call.")
    if labels.is_dir():
        raise Failure(f"{labels} is a folder. Allowed: a CSV file.")
    try:
        with open_input(labels) as file:
            evaluation = evaluate_labels(found, file)
    except InvalidLabels as error:
        raise Failure(f"{labels}: {error}") from None
    measured = evaluation.agreement
    below = [] if min_kappa is None else find_below(measured, min_kappa)
    document = {
        "project": found.pk,
        **describe_agreement(measured),
        "problems": evaluation.problems,
        "min_kappa": min_kappa,
        "below": below,
    }
    text = describe(measured, evaluation.problems)
    if below:
        text += f"\nKappa is below {min_kappa:g}, or undefined over all: {', '.join(below)}."
    return CommandResult(document, text, exit_status=1 if below else 0)


def find_below(measured: "MeasuredAgreement", min_kappa: float) -> list[str]:
    """Return the rows below the threshold, and OVERALL; undefined counts as below only over all.

    Labels of findings alone say nothing over all criteria.
    """
    names = [
        name
        for name, agreement in list_rows(measured)
        if agreement.kappa is not None and agreement.kappa < min_kappa
    ]
    if measured.findings and not measured.overall.n:
        return names
    overall = measured.overall.kappa
    return [*names, OVERALL] if overall is None or overall < min_kappa else names


def describe(measured: "MeasuredAgreement", problems: list[str]) -> str:
    """Return the table and the lines below it, for people."""
    rows = [[row.criterion_id, *_figures(row.agreement)] for row in measured.criteria]
    rows.append([OVERALL, *_figures(measured.overall)])
    lines = [tables.format_table(f"{measured.calls} calls", ["criterion", *HEADINGS], rows)]
    if measured.findings:
        found = [[name, *_figures(agreement)] for name, agreement in _list_findings(measured, sums=True)]
        lines.append(tables.format_table("Findings", ["finding", *HEADINGS], found))
    for part, parts in measured.parts.items():
        found = [[row.name or "-", *_figures(row.agreement)] for row in parts]
        lines.append(tables.format_table(f"By {part}", [part, *HEADINGS], found))
    for name, agreement in list_rows(measured):
        apart = [
            f"machine {machine}, person {person}: {times}"
            for machine, people in agreement.table.items()
            for person, times in people.items()
            if times and machine != person
        ]
        if apart:
            lines.append(f"{name}: {'; '.join(apart)}.")
    if problems:
        lines += ["", f"{len(problems)} rows could not be compared:"]
        lines += [f"  {problem}." for problem in problems[:MAX_LISTED]]
        if len(problems) > MAX_LISTED:
            lines.append(f"  and {len(problems) - MAX_LISTED} more; --json lists them all.")
    return "\n".join(lines)


def list_rows(measured: "MeasuredAgreement") -> "list[tuple[str, Agreement]]":
    """Return what the tables name, each with its figures: criteria, then findings without their sums."""
    criteria = [(row.criterion_id, row.agreement) for row in measured.criteria]
    return [*criteria, *_list_findings(measured, sums=False)]


def _list_findings(measured: "MeasuredAgreement", *, sums: bool) -> "Iterator[tuple[str, Agreement]]":
    for kind in measured.findings:
        for item in kind.items:
            yield f"{kind.kind} {item.id}", item.agreement
        if not kind.items:
            yield kind.kind, kind.agreement
        elif sums:
            yield f"all {kind.kind}s", kind.agreement


def _figures(agreement: "Agreement") -> list[object]:
    return [getattr(agreement, name) for name in FIGURES]
