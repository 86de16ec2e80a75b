"""`callscope probe`: how steady and how fair answers are, before they count."""

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from callscope.interfaces.cli.runtime import tables
from callscope.interfaces.cli.runtime.command_line import build_group
from callscope.interfaces.cli.runtime.errors import Failure
from callscope.interfaces.cli.runtime.result import CommandResult, command
from callscope.processes.standard_streams import open_input

if TYPE_CHECKING:
    from callscope.pipeline.ledger.estimates import Estimate
    from callscope.pipeline.models import Probe
    from callscope.pipeline.rubric_changes.probes.progress import Progress
    from callscope.pipeline.rubric_changes.probes.requests import Plan
    from callscope.pipeline.rubric_changes.probes.steadiness import Flips

LOOK_EVERY_S = 1.0

probe = build_group("Measure how steady and how fair answers are before they count.")

Project = Annotated[int, typer.Option("--project", metavar="ID", help="The project of the calls.")]
Sample = Annotated[
    int | None, typer.Option("--sample", metavar="N", min=1, help="How many calls to draw at random.")
]
Config = Annotated[
    Path | None,
    typer.Option(
        "--config", metavar="FILE", help="A draft as YAML or JSON; by default the settings as they are."
    ),
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Estimate the cost without queueing anything.")]
NoWait = Annotated[bool, typer.Option("--no-wait", help="Exit once the work is queued.")]


def register(app: typer.Typer) -> None:
    """Add the commands to the application."""
    app.add_typer(probe, name="probe")


@command(probe, "steadiness")
def steadiness(
    project: Project,
    sample: Sample = None,
    repetitions: Annotated[
        int | None, typer.Option("--repetitions", metavar="N", min=2, max=20, help="Judgments of each call.")
    ] = None,
    config: Config = None,
    dry_run: DryRun = False,
    no_wait: NoWait = False,
) -> CommandResult:
    """Judge calls several times, and count how often an answer was not the same.

    Workers do it; the command waits for them. Reports do not change.
    """
    from callscope.pipeline.rubric_changes.probes import requests
    from callscope.projects.services import find_project

    found = find_project(project)
    try:
        plan = requests.plan_steadiness(found, _read_config(config), sample=sample, repetitions=repetitions)
    except requests.InvalidProbe as error:
        raise Failure(str(error)) from None
    return _run(found.pk, plan, dry_run=dry_run, no_wait=no_wait)


@command(probe, "fairness")
def fairness(
    project: Project,
    sample: Sample = None,
    group: Annotated[
        list[str] | None, typer.Option("--group", metavar="G", help="Only these copies; may be repeated.")
    ] = None,
    config: Config = None,
    dry_run: DryRun = False,
    no_wait: NoWait = False,
) -> CommandResult:
    """Judge copies of calls with other names, titles, pronouns, dialects and orders, next to the calls.

    Workers do it; the command waits for them. Reports do not change.
    """
    from callscope.pipeline.rubric_changes.probes import requests
    from callscope.projects.services import find_project

    found = find_project(project)
    try:
        plan = requests.plan_fairness(found, _read_config(config), sample=sample, groups=group or None)
    except requests.InvalidProbe as error:
        raise Failure(str(error)) from None
    return _run(found.pk, plan, dry_run=dry_run, no_wait=no_wait)


@command(probe, "show")
def show(probe_id: Annotated[int, typer.Argument(metavar="ID", min=1)]) -> CommandResult:
    """Show the progress of a probe, and its results."""
    return _describe(_find(probe_id))


@command(probe, "stop")
def stop(probe_id: Annotated[int, typer.Argument(metavar="ID", min=1)]) -> CommandResult:
    """Stop a probe, and show what was judged so far; the call that is being judged is still finished."""
    from callscope.pipeline.rubric_changes.probes.stopping import stop_probe

    found = _find(probe_id)
    if not stop_probe(found, by=None):
        raise Failure(f"Probe {probe_id} has already ended.")
    return _describe(_find(probe_id))


def _find(probe_id: int) -> "Probe":
    from callscope.db.limits import MAX_ID
    from callscope.pipeline.models import Probe

    found = Probe.objects.filter(pk=min(probe_id, MAX_ID)).first()
    if found is None:
        raise Failure(f"No probe has the id {probe_id}.")
    return found


def _read_config(file: Path | None) -> object:
    if file is None:
        return None
    if file.is_dir():
        raise Failure(f"{file} is a folder. Allowed: a YAML or JSON file with a project configuration.")
    from callscope.projects import configuration

    with open_input(file) as opened:
        return configuration.read_yaml(opened.read(configuration.MAX_DOCUMENT_BYTES + 1))


def _run(project_id: int, plan: "Plan", *, dry_run: bool, no_wait: bool) -> CommandResult:
    """Queue a planned probe and wait for its end, unless something else is wanted."""
    from callscope.pipeline.models import Probe
    from callscope.pipeline.rubric_changes.probes import progress, requests
    from callscope.projects.services import find_project

    if dry_run:
        return CommandResult({"id": None, "estimate": plan.estimate}, describe_estimate(plan.estimate))
    made = requests.request_probe(find_project(project_id), plan, by=None)
    while not no_wait and progress.read_states([made])[made.pk] in ("queued", "running"):
        time.sleep(LOOK_EVERY_S)
        made = Probe.objects.get(pk=made.pk)
    return _describe(made, has_to_end=not no_wait)


def _describe(made: "Probe", *, has_to_end: bool = False) -> CommandResult:
    """Return what a probe came to; one that failed is an error, as is one stopped while it `has_to_end`."""
    from callscope.pipeline.rubric_changes.probes.progress import read_progress

    found = read_progress(made)
    document = {
        "id": made.pk,
        "kind": made.kind,
        "state": found.state,
        "judgments": found.judgments,
        "done": found.done,
        "engine": made.engine,
        "estimate": found.estimate,
        "outcome": found.steadiness or found.fairness,
    }
    lines = [
        f"Probe {made.pk} ({made.kind}, {made.engine or 'by the rules'}) is {found.state}: "
        f"{found.done} of {found.judgments} judgments.",
        f"Partial result: stopped after {found.stopped['calls']} of {found.stopped['drawn']} calls."
        if found.stopped
        else "",
        describe_estimate(found.estimate) if found.state in ("queued", "running") else "",
        *describe_outcome(found),
    ]
    text = "\n".join(line for line in lines if line)
    is_wrong = found.state == "failed" or (has_to_end and found.state == "stopped")
    return CommandResult(document, text, exit_status=1 if is_wrong else 0)


def describe_estimate(estimate: "Estimate") -> str:
    """Return what is expected, in a sentence or two."""
    text = f"Expected: {estimate['judgments']} judgments of {estimate['calls']} calls"
    if not estimate["requests"]:
        text += ", by the rules; no model is used."
    else:
        text += f", at least {estimate['requests']} requests to the model."
        if estimate["input_tokens"] is not None:
            text += f" About {estimate['input_tokens']} tokens in and {estimate['output_tokens']} out."
        cost = estimate["cost_micros"]
        text += " The cost is not known." if cost is None else f" Cost about {cost / 1_000_000:.4f}."
    if estimate["seconds"] is not None:
        text += f" One worker takes about {estimate['seconds']:.0f} s."
    return text


def describe_outcome(found: "Progress") -> list[str]:
    """Return tables for people; percents have Wilson's 95 % interval over calls."""
    headings = ["calls", "flips", "%", "low", "high"]
    if found.steadiness:
        flips = [[row["criterion_id"], *_figures(row)] for row in found.steadiness["criteria"]]
        flips.append(["any criterion", *_figures(found.steadiness["overall"])])
        title = f"{found.steadiness['calls']} calls, {found.steadiness['judgments']} judgments"
        return [tables.format_table(title, ["criterion", *headings], flips)]
    if found.fairness:
        rows: list[list[object]] = []
        for group in found.fairness["groups"]:
            shift = group["score_shift"]
            shifts = [shift["mean"], shift["low"], shift["high"]]
            rows.append([group["group"], *_figures(group["overall"]), *shifts])
            rows += [
                [f"  {row['criterion_id']}", *_figures(row), "", "", ""]
                for row in group["criteria"]
                if row["flips"]
            ]
        columns = ["group", *headings, "score shift", "low", "high"]
        return [tables.format_table(f"{found.fairness['calls']} calls", columns, rows)]
    return []


def _figures(row: "Flips") -> list[object]:
    return [row["calls"], row["flips"], row["flip_pct"], row["low"], row["high"]]
