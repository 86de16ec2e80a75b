"""`callscope report`: show the report of a server as tables, JSON or PDF."""

import contextlib
import datetime
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, get_args

import typer

from callscope.interfaces.cli.runtime import output, tables
from callscope.interfaces.cli.runtime.errors import Failure
from callscope.interfaces.cli.runtime.result import parse_day, parse_language
from callscope.locale import list_codes
from callscope.processes.atomic_file import SHARED, is_stdout, open_atomic
from callscope.processes.standard_streams import output_path

if TYPE_CHECKING:
    from callscope.interfaces.cli.runtime.client import Query, Server

NOT_FOUND = 404
PDF_MAGIC = b"%PDF-"
Range = Literal["mtd", "last_month", "last_30_days", "last_90_days", "ytd"]

StartDay = Annotated[
    datetime.date | None,
    typer.Option("--start", metavar="DATE", help="First day, YYYY-MM-DD.", parser=parse_day),
]
EndDay = Annotated[
    datetime.date | None,
    typer.Option("--end", metavar="DATE", help="Last day, YYYY-MM-DD.", parser=parse_day),
]
DateRange = Annotated[
    Range | None, typer.Option("--range", metavar="RANGE", help=f"{', '.join(get_args(Range))}.")
]
Language = Annotated[
    str,
    typer.Option(
        "--language", metavar="|".join(list_codes()), help="Language of the PDF.", parser=parse_language
    ),
]


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command("report")(report)


def report(
    project: Annotated[
        int | None,
        typer.Option("--project", metavar="ID", help="Only this project; default: all visible projects."),
    ] = None,
    team: Annotated[
        int | None, typer.Option("--team", metavar="ID", help="Only the projects of this team.")
    ] = None,
    start: StartDay = None,
    end: EndDay = None,
    date_range: DateRange = None,
    pdf: Annotated[
        Path | None,
        typer.Option(
            "--pdf", metavar="FILE", help="Write the report as PDF into this file; - for standard output."
        ),
    ] = None,
    language: Language = "en",
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the report object as the server returns it.")
    ] = False,
) -> None:
    """Show the report of the server at CALLSCOPE_URL, using CALLSCOPE_API_KEY."""
    if date_range and (start or end):
        raise typer.BadParameter("Use either --range or --start/--end.")
    if start and end and start > end:
        raise typer.BadParameter(f"--start {start} is after --end {end}.")
    window = {"start_date": start, "end_date": end, "date_range": date_range}
    query = {"project_id": project, "team": team, **window}
    try:
        if pdf:
            _save_pdf(pdf, query, language, as_json=as_json)
        else:
            _print_report(query, as_json=as_json)
    except Failure as error:
        if getattr(error, "status", None) == NOT_FOUND and project is not None:
            raise Failure(
                f"Project {project} does not exist, is not a call project, or this key cannot see it."
            ) from None
        raise


def _print_report(query: "Query", *, as_json: bool) -> None:
    from callscope.interfaces.cli.runtime.client import Server

    with Server.from_environment() as server:
        _require_team(server, query.get("team"))
        document = server.get("/calls/api/report/", query)
        project, name = query.get("project_id"), ""
        if project is not None and not as_json:
            name = str(server.get(f"/api/projects/{project}/")["name"])
    if as_json:
        output.print_json(document)
        return
    span = document["date_range"]
    first, last = (span["start"] or "the beginning").split("T")[0], (span["end"] or "today").split("T")[0]
    days = f"{first} – {last}" if any(span.values()) else ""
    title = ", ".join(part for part in (name, days) if part)
    tables.print_report(document, title=f"Headline: {title}" if title else "Headline", is_whole=True)


def _require_team(server: "Server", team: int | None) -> None:
    """Raise Failure for a team without a visible project: the server ignores it and would show everything."""
    if team is None:
        return
    if all(project.get("team") != team for project in server.pages("/api/projects/", {})):
        raise Failure(f"This key can see no project of team {team}.")


def _save_pdf(path: Path, query: "Query", language: str, *, as_json: bool) -> None:
    from callscope.interfaces.cli.runtime.client import Server

    path = output_path(path)
    if path.is_dir() or not path.absolute().parent.is_dir():
        raise Failure(f"{path}: cannot write a file there.")
    with Server.from_environment() as server:
        _require_team(server, query.get("team"))
        headers = {"Accept-Language": language}
        response = server.get_response("/calls/api/report/pdf/", query, headers=headers)
        if not response.content.startswith(PDF_MAGIC):
            raise server.not_callscope("no PDF")
    with open_atomic(path, mode=SHARED) as file:
        file.write(response.content)
    # Where the PDF itself went to standard output, what is said about it goes to stderr.
    with contextlib.redirect_stdout(sys.stderr if is_stdout(path) else sys.stdout):
        if as_json:
            output.print_json({"pdf": str(path), "size": len(response.content)})
        else:
            output.print_text(f"Report written to {path}.")
