"""`callscope report`: the report of a server, as tables, JSON or PDF."""

import datetime
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

import typer

from callscope.interfaces.cli import options, report_tables, stdout
from callscope.interfaces.cli.startup import Failure

NOT_FOUND = 404
PDF_MAGIC = b"%PDF-"
Range = Literal["mtd", "last_month", "last_30_days", "last_90_days", "ytd"]


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
        datetime.date | None,
        typer.Option("--start", metavar="DATE", help="First day, YYYY-MM-DD.", parser=options.day),
    ] = None,
    end: Annotated[
        datetime.date | None,
        typer.Option("--end", metavar="DATE", help="Last day, YYYY-MM-DD.", parser=options.day),
    ] = None,
    date_range: Annotated[
        Range | None, typer.Option("--range", metavar="RANGE", help=f"{', '.join(get_args(Range))}.")
    ] = None,
    pdf: Annotated[
        Path | None, typer.Option("--pdf", metavar="FILE", help="Write the PDF report here.")
    ] = None,
    language: Annotated[
        Literal["en", "es"], typer.Option("--language", metavar="en|es", help="Of the PDF.")
    ] = "en",
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the report object as the server gives it.")
    ] = False,
) -> None:
    """Show the report of the server in CALLSCOPE_URL, entered with CALLSCOPE_API_KEY."""
    if date_range and (start or end):
        raise typer.BadParameter("--range and --start/--end exclude each other.")
    if start and end and start > end:
        raise typer.BadParameter(f"--start {start} is after --end {end}.")
    window = {"start_date": start, "end_date": end, "date_range": date_range}
    query = {"project_id": project, "team": team, **window}
    try:
        if pdf:
            _save_pdf(pdf, query, language, as_json=as_json)
        else:
            _show(query, as_json=as_json)
    except Failure as error:
        if getattr(error, "status", None) == NOT_FOUND and project is not None:
            raise Failure(
                f"Project {project} does not exist, is no call project, or this key cannot see it."
            ) from None
        raise


def _show(query: dict[str, Any], *, as_json: bool) -> None:
    from callscope.interfaces.cli.client import Server

    with Server.from_environment() as server:
        document = server.get("/calls/api/report/", query)
    if as_json:
        stdout.tell(document)
        return
    span = document["date_range"]
    days = (
        f"{_day(span['start'], 'the beginning')} – {_day(span['end'], 'today')}" if any(span.values()) else ""
    )
    report_tables.show(document, title=f"Headline {days}".rstrip())


def _day(moment: str | None, instead: str) -> str:
    return moment.partition("T")[0] if moment else instead


def _save_pdf(path: Path, query: dict[str, Any], language: str, *, as_json: bool) -> None:
    from callscope.interfaces.cli.client import Server

    if path.is_dir() or not path.absolute().parent.is_dir():
        raise Failure(f"{path}: no file can be written there.")
    with Server.from_environment() as server:
        headers = {"Accept-Language": language}
        response = server.get_response("/calls/api/report/pdf/", query, headers=headers)
        if not response.content.startswith(PDF_MAGIC):
            raise server.stranger("no PDF")
    draft = path.with_name(f".{path.name}.part")
    draft.write_bytes(response.content)
    draft.replace(path)
    if as_json:
        stdout.tell({"pdf": str(path), "size": len(response.content)})
    else:
        stdout.say(f"Report written to {path}.")
