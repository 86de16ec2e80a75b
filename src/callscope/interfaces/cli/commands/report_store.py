"""`callscope reports`: verify or rebuild the report aggregates."""

import datetime as dt

import typer

from callscope.interfaces.cli.runtime.command_line import build_group
from callscope.interfaces.cli.runtime.result import CommandResult, command

reports = build_group("Verify or rebuild the report aggregates.")

MAX_SHOWN = 20  # differences listed for a person; --json lists all


def register(app: typer.Typer) -> None:
    """Add the commands to the application."""
    app.add_typer(reports, name="reports")


@command(reports, "verify")
def verify() -> CommandResult:
    """Recount every call and list where the aggregates differ. Exit 1 if they do."""
    from callscope.reports.store import verify as store

    found = store.find_discrepancies()
    differences = [
        {
            "project": d.project_id,
            "level": d.level,
            "first_day": dt.date.fromordinal(d.first_day).isoformat(),
            "stored_calls": d.stored_calls,
            "counted_calls": d.counted_calls,
        }
        for d in found
    ]
    lines = [
        f"Project {d['project']}, {d['level']} from {d['first_day']}: "
        f"{d['stored_calls']} calls stored, {d['counted_calls']} counted."
        for d in differences[:MAX_SHOWN]
    ]
    if len(found) > MAX_SHOWN:
        lines.append(f"… and {len(found) - MAX_SHOWN} more.")
    verdict = "The report aggregates are correct."
    if found:
        verdict = f"{len(found)} days and months differ. Run `callscope reports rebuild`."
    document = {"ok": not found, "differences": differences}
    return CommandResult(document, "\n".join([*lines, verdict]), exit_status=1 if found else 0)


@command(reports, "rebuild")
def rebuild() -> CommandResult:
    """Rebuild the aggregates of every project from its calls."""
    from callscope.reports.store import rebuild as store
    from callscope.reports.store import version

    version.ensure_current()
    calls = store.rebuild_rollups()
    return CommandResult({"calls": calls}, f"The report aggregates were rebuilt from {calls} calls.")
