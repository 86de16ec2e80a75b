"""The command line: which commands there are and which module holds each.

Modules named here import neither Django nor an engine until a command runs.
"""

from typing import Annotated

import typer

from callscope import __version__
from callscope.interfaces.cli import (
    archive,
    call_commands,
    demo,
    doctor,
    initialise,
    people,
    project_commands,
    report,
    report_store,
    serve,
    upload,
)
from callscope.interfaces.cli.program import Program

app = typer.Typer(
    cls=Program,
    help="Callscope: recordings and transcripts of calls in, evidence-backed quality reports out.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


def _show_version(wanted: bool) -> None:
    if wanted:
        print(f"callscope {__version__}")
        raise typer.Exit


@app.callback()
def main(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    pass


initialise.register(app)
people.register(app)
project_commands.register(app)
call_commands.register(app)
archive.register(app)
serve.register(app)
doctor.register(app)
upload.register(app)
report.register(app)
report_store.register(app)
demo.register(app)
