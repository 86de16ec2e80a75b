"""`callscope rubric`: look at a rubric before it counts."""

from pathlib import Path
from typing import Annotated

import typer

from callscope.interfaces.cli.runtime import startup
from callscope.interfaces.cli.runtime.command_line import build_group
from callscope.interfaces.cli.runtime.errors import Failure
from callscope.interfaces.cli.runtime.result import CommandResult, command
from callscope.processes.standard_streams import open_input

rubric = build_group("Check a rubric before it counts.")


def register(app: typer.Typer) -> None:
    """Add the commands to the application."""
    app.add_typer(rubric, name="rubric")


@command(rubric, "lint", database=False)
def lint(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="A configuration as YAML or JSON; - for standard input.")
    ],
    project: Annotated[
        int | None,
        typer.Option("--project", metavar="ID", help="Also check the last calls of this project."),
    ] = None,
) -> CommandResult:
    """Find what is misleading in the rubric of a configuration; exit 1 when a finding is an error.

    Without a project nothing but the document is read.
    """
    if file.is_dir():
        raise Failure(f"{file} is a folder. Allowed: a YAML or JSON file with a project configuration.")
    if project is not None:
        startup.start_django(database=True)
    from callscope.analysis.lint.lint import count_errors, lint_document
    from callscope.projects import configuration, services

    with open_input(file) as opened:
        text = opened.read(configuration.MAX_DOCUMENT_BYTES + 1)
    found = services.find_project(project) if project is not None else None
    try:
        findings = lint_document(configuration.read_yaml(text), found)
    except configuration.InvalidConfiguration as error:
        # An error of the whole file has no path in the document, so the name of the file takes its place.
        errors = [(where or str(file), reason) for where, reason in error.errors]
        raise configuration.InvalidConfiguration(errors) from None
    rows = [
        {
            "path": finding.path,
            "code": finding.code,
            "severity": finding.severity,
            "message": str(finding.message),
            "calls": finding.calls,
        }
        for finding in findings
    ]
    lines = [f"{finding.severity}: {finding.path}: {finding.message}" for finding in findings]
    wrong = count_errors(findings)
    lines.append(f"{wrong} errors, {len(findings) - wrong} warnings." if findings else "No problems.")
    return CommandResult({"findings": rows}, "\n".join(lines), exit_status=1 if wrong else 0)
