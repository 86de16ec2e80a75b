"""`callscope retention`: remove what is past the days that projects and the instance keep it."""

from typing import TYPE_CHECKING, Annotated

import typer

from callscope.interfaces.cli.runtime.command_line import build_group
from callscope.interfaces.cli.runtime.errors import Failure
from callscope.interfaces.cli.runtime.result import CommandResult, command

if TYPE_CHECKING:
    from callscope.projects.models import Project

retention = build_group("Remove what is past its retention period.")


def register(app: typer.Typer) -> None:
    """Add the commands to the application."""
    app.add_typer(retention, name="retention")


@command(retention, "run")
def run(
    project: Annotated[
        int | None,
        typer.Option(metavar="ID", min=1, help="Only this project; default: all, and the audit trail."),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Count what would be removed without changing anything.")
    ] = False,
) -> CommandResult:
    """Remove now what a worker removes once a day: what is past the days in `retention` of its project.

    With results the reviews by people go, with transcripts the texts of notes and appeals. This cannot be
    undone. Without --project also audit events older than CALLSCOPE_AUDIT_DAYS. It prints a receipt that
    names nobody. Backups made before still hold what was removed.
    """
    from callscope.pipeline.erasure.retention import list_projects_with_days
    from callscope.projects.services import find_project

    projects = list_projects_with_days() if project is None else [find_project(project)]
    return _count(projects, project is None) if dry_run else _remove(projects, project is None)


def _count(projects: "list[Project]", with_audit: bool) -> CommandResult:
    """Return how much would be removed, by project."""
    import dataclasses

    from django.conf import settings
    from django.utils import timezone

    from callscope.accounts.trail.cutting import count_due_events
    from callscope.pipeline.erasure.due_removal import forecast_removal

    now = timezone.now()
    found: list[dict[str, object]] = [
        {
            "project": project.pk,
            **dataclasses.asdict(forecast_removal(project, project.configuration.retention, now)),
        }
        for project in projects
    ]
    days = settings.AUDIT_DAYS if with_audit else None
    events = 0 if days is None else count_due_events(days, now=now)
    lines = [
        f"Project {row['project']}: {row['recordings']} recordings, {row['transcripts']} transcripts, "
        f"results of {row['results']} calls, {row['reviews']} reviews, texts of {row['notes']} notes and "
        f"{row['appeals']} appeals; {row['calls']} calls as a whole."
        for row in found
    ]
    lines += [f"Audit events: {events}."] if days is not None else []
    document = {"dry_run": True, "projects": found, "audit_events_due": events}
    return CommandResult(document, "\n".join(lines) or "No project has a retention period.")


def _remove(projects: "list[Project]", with_audit: bool) -> CommandResult:
    from django.utils import timezone

    from callscope.accounts.trail.cutting import DamagedTrail
    from callscope.interfaces.cli.commands.erase import describe_receipt
    from callscope.pipeline.erasure import cleaning
    from callscope.pipeline.erasure.receipt import Receipt
    from callscope.pipeline.erasure.retention import cut_audit_trail, sweep_project

    now, total = timezone.now(), Receipt("retention")
    for project in projects:
        total.merge(sweep_project(project, now=now))
    try:
        cut = cut_audit_trail(now=now) if with_audit else 0
    except DamagedTrail as error:
        raise Failure(f"The audit trail was changed, so nothing of it is removed. {error}") from None
    total.is_cleaned = cleaning.clean_if_due(cleaning.UNLIMITED_S)
    document = {**total.to_json(), "audit_events_cut": cut}
    return CommandResult(document, f"{describe_receipt(total)}\nAudit events cut off: {cut}.")
