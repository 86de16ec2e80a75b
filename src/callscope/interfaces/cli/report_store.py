"""`callscope reports`: hold the report store against its facts, or make it anew."""

import datetime as dt

import typer

from callscope.interfaces.cli.answers import Answer, command

reports = typer.Typer(help="The report store: verify and rebuild.", no_args_is_help=True)

SHOWN = 20  # differences listed for a person; --json lists all


def register(app: typer.Typer) -> None:
    app.add_typer(reports, name="reports")


@command(reports, "verify")
def verify() -> Answer:
    """Count every call anew and say where the store differs. Exit 1 if it does."""
    from callscope.reports import verify as store

    found = store.verify()
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
        for d in differences[:SHOWN]
    ]
    if len(found) > SHOWN:
        lines.append(f"… and {len(found) - SHOWN} more.")
    verdict = "The report store equals its facts."
    if found:
        verdict = f"{len(found)} days and months differ. Run `callscope reports rebuild`."
    document = {"ok": not found, "differences": differences}
    return Answer(document, "\n".join([*lines, verdict]), exit_status=1 if found else 0)


@command(reports, "rebuild")
def rebuild() -> Answer:
    """Make the stored sums of every project anew from its facts."""
    from callscope.reports import premises
    from callscope.reports import rebuild as store

    premises.ensure()
    calls = store.rebuild()
    return Answer({"calls": calls}, f"The report store was rebuilt from {calls} calls.")
