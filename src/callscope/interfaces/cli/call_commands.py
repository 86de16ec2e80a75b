"""`callscope calls`: analysed calls in from another system, and out again."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from callscope.interfaces.cli import progress_lines
from callscope.interfaces.cli.answers import Answer, Failure, command

calls = typer.Typer(help="Analysed calls: import and export.", no_args_is_help=True)

ProjectId = Annotated[int, typer.Argument(metavar="PROJECT_ID", help="The project's id.")]


def register(app: typer.Typer) -> None:
    app.add_typer(calls, name="calls")


@command(calls, "import")
def import_calls(
    project_id: ProjectId,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="JSON Lines, plain or gzip-compressed.")],
) -> Answer:
    """Import analysed calls, one JSON object a line. Wrong lines are told and skipped.

    Repeating an import changes nothing: `replaced` counts the lines of calls that
    the project had already, `unchanged` those of them that say nothing new.
    """
    from callscope.pipeline import importing
    from callscope.projects.administration import find_project

    project = find_project(project_id)
    with file.open("rb") as stream:
        try:
            result = importing.import_calls(project, stream, on_batch=_show_lines)
        except importing.NotACallProject as error:
            raise Failure(str(error)) from None
    for error_line in result.errors:
        print(error_line, file=sys.stderr)
    document = {
        "created": result.created,
        "replaced": result.replaced,
        "unchanged": result.unchanged,
        "errors": result.errors,
    }
    text = (
        f"{result.created} calls created, {result.replaced} replaced ({result.unchanged} of them unchanged), "
        f"{len(result.errors)} wrong lines skipped."
    )
    went_in = result.created + result.replaced > 0 or result.lines == 0
    return Answer(document, text, exit_status=0 if went_in and not result.is_cut_off else 1)


@command(calls, "export")
def export_calls(
    project_id: ProjectId,
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="Where to; compressed if the name ends in .gz.")
    ],
) -> Answer:
    """Export the calls of a project in the format that `calls import` reads."""
    from callscope.pipeline import exporting, importing
    from callscope.projects.administration import find_project

    project = find_project(project_id)
    if project.type != project.Type.CALL:
        raise Failure(str(importing.NotACallProject(project)))
    if file.is_dir() or not file.absolute().parent.is_dir():
        raise Failure(f"{file}: no file can be written there.")
    count = exporting.export_file(project, file, on_batch=lambda done: progress_lines.show(f"{done} calls"))
    progress_lines.clear()
    return Answer(
        {"calls": count}, f"{count} calls written to {file}.", is_stdout_taken=exporting.is_stdout(file)
    )


def _show_lines(result: object) -> None:
    progress_lines.show(f"{getattr(result, 'lines', 0)} lines")
