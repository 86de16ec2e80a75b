"""`callscope review`: draw calls to review, measure agreement, export what people answered."""

import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from callscope.interfaces.cli.commands.report import EndDay, StartDay
from callscope.interfaces.cli.commands.reviews.evaluate import describe, list_rows
from callscope.interfaces.cli.runtime.command_line import build_group
from callscope.interfaces.cli.runtime.errors import Failure
from callscope.interfaces.cli.runtime.result import CommandResult, command, parse_day
from callscope.processes.atomic_file import is_stdout
from callscope.processes.standard_streams import output_path

if TYPE_CHECKING:
    from callscope.projects.models import Project
    from callscope.reports.window import Window
    from callscope.reviews.models import ReviewSample

reviews = build_group("Reviews of calls by people.")

MAX_PER_AGENT = 1000
MAX_SEED = 2**53
ProjectOption = Annotated[int, typer.Option("--project", metavar="ID", help="The project of the calls.")]
DueDay = Annotated[
    datetime.date | None,
    typer.Option("--due", metavar="DATE", help="Due date of the reviews, YYYY-MM-DD.", parser=parse_day),
]


Seed = Annotated[
    int | None,
    typer.Option(
        "--seed", metavar="N", min=0, max=MAX_SEED, help="Seed of an earlier sample; default: a random one."
    ),
]
Filters = Annotated[
    list[str] | None,
    typer.Option(
        "--filter",
        metavar="NAME=VALUE",
        help="Only draw calls that match this filter of the call list, such as max_score=60; "
        "repeat it for several.",
    ),
]

LeaveOutDrawn = Annotated[
    bool | None,
    typer.Option(
        "--leave-out-drawn/--draw-again",
        help="Leave out calls that were drawn before, or draw them again. Default: left out without --seed.",
    ),
]


def register(app: typer.Typer) -> None:
    """Add the commands to the application."""
    app.add_typer(reviews, name="review")


@command(reviews, "sample")
def draw_sample(
    project: ProjectOption,
    per_agent: Annotated[
        int,
        typer.Option("--per-agent", metavar="N", min=1, max=MAX_PER_AGENT, help="At most N calls per agent."),
    ],
    reviewer: Annotated[
        list[str],
        typer.Option("--reviewer", metavar="EMAIL", help="Who reviews; repeat it to split the calls evenly."),
    ],
    start: StartDay = None,
    end: EndDay = None,
    uncertain: Annotated[
        int,
        typer.Option(
            "--uncertain",
            metavar="PERCENT",
            min=0,
            max=100,
            help="Share of calls where the machine was least sure.",
        ),
    ] = 0,
    seed: Seed = None,
    due: DueDay = None,
    filters: Filters = None,
    leave_out_drawn: LeaveOutDrawn = None,
) -> CommandResult:
    """Draw calls to review. The same seed draws the same calls out of the same ones."""
    from callscope.pipeline.decisions.filtered_draws import draw_filtered
    from callscope.reviews.sampling import draw

    found, window = _find_call_project(project), _make_window(start, end)
    first, after = window.moments
    plan = draw.SamplePlan(
        per_agent=per_agent,
        reviewers=reviewer,
        uncertain_pct=uncertain,
        filters=_read_filters(filters or []),
        seed=seed,
        first_day=start,
        last_day=end,
        first=first if start else None,
        after=after if end else None,
        due=due,
        leave_out_drawn=leave_out_drawn,
    )
    try:
        sample = draw_filtered(found, plan, by=None)
    except draw.InvalidSample as error:
        raise Failure(str(error)) from None
    return _describe_sample(sample, reviewer)


def _describe_sample(sample: "ReviewSample", reviewers: list[str]) -> CommandResult:
    from callscope.reviews.sampling.listing import list_sampled_calls

    calls = list_sampled_calls(sample)
    document = {name: getattr(sample, name) for name in ("id", "seed", "candidates", "left_out")}
    text = (
        f"Sample {sample.pk}: {len(calls)} of {sample.candidates} calls, seed {sample.seed}, "
        f"for {', '.join(reviewers)}."
    )
    if sample.left_out:
        text += f"\nLeft out because they were drawn before: {sample.left_out}."
    return CommandResult(document | {"calls": calls}, text)


def _read_filters(typed: list[str]) -> dict[str, str]:
    found = {}
    for each in typed:
        name, equals, value = each.partition("=")
        if not equals:
            raise Failure(f'"{each}" is not a filter. Write NAME=VALUE, such as max_score=60.')
        found[name] = value
    return found


@command(reviews, "agreement")
def measure(project: ProjectOption, start: StartDay = None, end: EndDay = None) -> CommandResult:
    """Show how far machine and people agree in blind reviews, weak criteria first, then findings.

    Each line has the number of answers, raw agreement, Cohen's kappa and Gwet's AC1 with 95 % intervals.
    """
    from callscope.reviews.agreement.blind_agreement import measure_blind_reviews
    from callscope.reviews.agreement.measures import describe_agreement

    found, window = _find_call_project(project), _make_window(start, end)
    first, after = window.moments
    measured = measure_blind_reviews(
        [found.pk], first=first if start else None, after=after if end else None
    ).measured
    document = {"project": found.pk, **describe_agreement(measured)}
    text = describe(measured, [])
    weak = [name for name, agreement in list_rows(measured) if agreement.is_weak]
    if weak:
        text += f"\nMachine and people certainly disagree on: {', '.join(weak)}."
    return CommandResult(document, text)


@command(reviews, "export")
def export(
    project: ProjectOption,
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="The CSV file to write; - for standard output.")
    ],
    everything: Annotated[
        bool, typer.Option("--all", help="Every revision, drafts and withdrawn ones too.")
    ] = False,
    findings: Annotated[
        bool, typer.Option("--findings", help="Mistakes, prompts, goal and sentiment instead of criteria.")
    ] = False,
) -> CommandResult:
    """Export what people answered, one row per answer, as labels that `callscope evaluate` reads.

    Without --all the last submitted review of each call, unless it was withdrawn. Of what --findings
    exports, a person answers only some: what is left out is no answer.
    """
    from callscope.interfaces.guard.spreadsheet_cells import write_csv
    from callscope.processes.atomic_file import open_atomic
    from callscope.reviews.labels import FINDING_COLUMNS, LABEL_COLUMNS, list_found, list_labels

    found, file = _find_call_project(project), output_path(file)
    if file.is_dir() or not file.absolute().parent.is_dir():
        raise Failure(f"{file}: cannot write a file there.")
    with open_atomic(file) as draft:
        if findings:
            count = write_csv(draft, FINDING_COLUMNS, list_found(found, everything=everything))
        else:
            count = write_csv(draft, LABEL_COLUMNS, list_labels(found, everything=everything))
    return CommandResult(
        {"answers": count}, f"{count} answers written to {file}.", is_stdout_taken=is_stdout(file)
    )


def _find_call_project(project_id: int) -> "Project":
    """Return the project. Raises Failure for one that holds no calls."""
    from callscope.projects.services import find_project

    found = find_project(project_id)
    if found.type != found.Type.CALL:
        raise Failure(f"Project {project_id} is of type {found.type}. Allowed: a project of type call.")
    return found


def _make_window(start: datetime.date | None, end: datetime.date | None) -> "Window":
    """Return the window. Raises BadParameter for days in the wrong order."""
    from callscope.reports.window import Window

    if start and end and start > end:
        raise typer.BadParameter(f"--start {start} is after --end {end}.")
    return Window(start, end)
