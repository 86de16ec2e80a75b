"""`callscope report`: the report of a server, as tables, JSON or PDF."""

import json
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from callscope.interfaces.cli import report_tables
from callscope.interfaces.cli.answers import explain
from callscope.interfaces.cli.startup import Failure


def register(app: typer.Typer) -> None:
    app.command("report")(report)


def report(
    project: Annotated[
        int | None,
        typer.Option("--project", metavar="ID", help="Only this project; default: all visible ones."),
    ] = None,
    team: Annotated[
        int | None, typer.Option("--team", metavar="ID", help="Only the projects of this team.")
    ] = None,
    start: Annotated[
        str | None, typer.Option("--start", metavar="DATE", help="First day, YYYY-MM-DD.")
    ] = None,
    end: Annotated[str | None, typer.Option("--end", metavar="DATE", help="Last day, YYYY-MM-DD.")] = None,
    date_range: Annotated[
        str | None,
        typer.Option("--range", metavar="RANGE", help="mtd, last_month, last_30_days, last_90_days or ytd."),
    ] = None,
    pdf: Annotated[
        Path | None, typer.Option("--pdf", metavar="FILE", help="Write the PDF report here.")
    ] = None,
    language: Annotated[str, typer.Option("--language", metavar="en|es", help="Of the PDF.")] = "en",
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the report object as the server gives it.")
    ] = False,
) -> None:
    """Show the report of the server in CALLSCOPE_URL, entered with CALLSCOPE_API_KEY."""
    if date_range and (start or end):
        raise typer.BadParameter("--range and --start/--end exclude each other.")
    if language not in ("en", "es"):
        raise typer.BadParameter(f'--language is "{language}". Allowed: en, es.')
    window = {"start_date": start, "end_date": end, "date_range": date_range}
    query = {"project_id": project, "team": team, **window}
    try:
        if pdf:
            _save_pdf(pdf, query, language, as_json=as_json)
        else:
            _show(query, as_json=as_json)
    except Exception as error:
        messages = _unreachable(error, project) or explain(error)
        if messages is None:
            raise
        for message in messages:
            print(message, file=sys.stderr)
        raise typer.Exit(1) from None


def _unreachable(error: Exception, project: int | None) -> list[str]:
    if getattr(error, "status", None) == 404 and project is not None:
        return [f"Project {project} does not exist, is no call project, or this key cannot see it."]
    return []


def _show(query: dict[str, Any], *, as_json: bool) -> None:
    from callscope.interfaces.cli.client import Server

    with Server.from_environment() as server:
        document = server.get("/calls/api/report/", query)
    if as_json:
        print(json.dumps(document, ensure_ascii=False))
        return
    span = document["date_range"]
    days = (
        f"{(span['start'] or 'the beginning')[:13]} – {(span['end'] or 'today')[:10]}"
        if any(span.values())
        else ""
    )
    report_tables.show(document, title=f"Headline {days}".rstrip())


def _save_pdf(path: Path, query: dict[str, Any], language: str, *, as_json: bool) -> None:
    from callscope.interfaces.cli.client import Server

    if path.is_dir() or not path.absolute().parent.is_dir():
        raise Failure(f"{path}: no file can be written there.")
    with Server.from_environment() as server:
        headers = {"Accept-Language": language}
        response = server.get_response("/calls/api/report/pdf/", query, headers=headers)
    draft = path.with_name(f".{path.name}.part")
    draft.write_bytes(response.content)
    draft.replace(path)
    print(
        json.dumps({"pdf": str(path), "size": len(response.content)})
        if as_json
        else f"Report written to {path}."
    )
