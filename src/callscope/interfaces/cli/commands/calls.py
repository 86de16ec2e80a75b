"""`callscope calls`: import analyzed calls from another system, and export them."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from callscope.interfaces.cli.runtime import progress
from callscope.interfaces.cli.runtime.command_line import build_group
from callscope.interfaces.cli.runtime.errors import Failure
from callscope.interfaces.cli.runtime.result import CommandResult, command
from callscope.processes.atomic_file import is_stdout
from callscope.processes.standard_streams import open_input, output_path

calls = build_group("Import and export analyzed calls.")

ProjectId = Annotated[int, typer.Argument(metavar="PROJECT_ID", help="The project's id.")]


def register(app: typer.Typer) -> None:
    """Add the commands to the application."""
    app.add_typer(calls, name="calls")


@command(calls, "import")
def import_calls(
    project_id: ProjectId,
    file: Annotated[
        Path,
        typer.Argument(metavar="FILE", help="JSON Lines, plain or gzip-compressed; - for standard input."),
    ],
) -> CommandResult:
    """Import analyzed calls, one JSON object per line. Invalid lines are reported and skipped.

    Repeating an import changes nothing: `replaced` counts the lines of calls that
    the project already had, `unchanged` those of them with nothing new.
    """
    from callscope.accounts import audit
    from callscope.pipeline.transfer import importer
    from callscope.projects.services import find_project

    project = find_project(project_id)
    with open_input(file) as stream:
        try:
            result = importer.import_calls(
                project, stream, on_batch=lambda so_far: progress.show_status(f"{so_far.lines} lines")
            )
        except importer.NotACallProject as error:
            raise Failure(str(error)) from None
    audit.record(
        None,
        "calls.imported",
        f"project {project.pk}",
        created=result.created,
        replaced=result.replaced,
        errors=len(result.errors),
        reviews=result.reviews,
        appeals=result.appeals,
    )
    if result.unknown_users:
        print(
            f"No account here has these e-mails: {', '.join(result.unknown_users)}. What they decided counts "
            "without their names. Create the accounts and import again to add the names.",
            file=sys.stderr,
        )
    for error_line in result.errors:
        print(error_line, file=sys.stderr)
    document = {
        "created": result.created,
        "replaced": result.replaced,
        "unchanged": result.unchanged,
        "errors": result.errors,
        "reviews": result.reviews,
        "appeals": result.appeals,
        "unknown_users": result.unknown_users,
    }
    text = (
        f"{result.created} calls created, {result.replaced} replaced ({result.unchanged} of them unchanged), "
        f"{len(result.errors)} invalid lines skipped, {result.reviews} reviews and {result.appeals} appeals "
        "added."
    )
    has_imported = result.created + result.replaced > 0 or result.lines == 0
    return CommandResult(document, text, exit_status=0 if has_imported and not result.is_cut_off else 1)


@command(calls, "export")
def export_calls(
    project_id: ProjectId,
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            help="The file to write, compressed if its name ends in .gz; - for standard output.",
        ),
    ],
) -> CommandResult:
    """Export the calls of a project in the format that `calls import` reads."""
    from callscope.accounts import audit
    from callscope.pipeline.transfer import export, importer
    from callscope.projects.services import find_project

    project = find_project(project_id)
    if project.type != project.Type.CALL:
        raise Failure(str(importer.NotACallProject(project)))
    file = output_path(file)
    if file.is_dir() or not file.absolute().parent.is_dir():
        raise Failure(f"{file}: cannot write a file there.")
    count = export.export_file(project, file, on_batch=lambda done: progress.show_status(f"{done} calls"))
    progress.clear_status()
    audit.record(None, "calls.exported", f"project {project.pk}", calls=count)
    return CommandResult(
        {"calls": count}, f"{count} calls written to {file}.", is_stdout_taken=is_stdout(file)
    )
