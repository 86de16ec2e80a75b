"""The command line: which commands there are, and which module holds each.

The modules named here import neither Django nor engines until a command runs, so that
`callscope --help` is quick.
"""

from typing import Annotated

import typer

from callscope import __version__
from callscope.interfaces.cli.commands import (
    accounts,
    agent,
    archive,
    audit,
    calls,
    demo,
    doctor,
    erase,
    init,
    organization,
    probe,
    projects,
    report,
    report_store,
    retention,
    retry,
    rubric,
    serve,
    upload,
)
from callscope.interfaces.cli.commands.reviews import evaluate, review
from callscope.interfaces.cli.runtime.command_line import CommandLine

app = typer.Typer(
    cls=CommandLine,
    help="Callscope turns recordings and transcripts of calls into quality reports with evidence.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


def _print_version(is_requested: bool) -> None:
    if is_requested:
        print(f"callscope {__version__}")
        raise typer.Exit


@app.callback()
def main(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
    debug: Annotated[
        bool, typer.Option("--debug", help="Show the traceback of an error, for a report of a bug.")
    ] = False,
) -> None:
    """Read the options of all commands; `--debug` counts at any place and is read in command_line.py."""


# In the order of the help.
for module in (
    init, accounts, organization, projects, agent, rubric, probe, calls, erase, retention, audit, archive,
    serve, doctor, retry, review, evaluate, upload, report, report_store, demo,
):  # fmt: skip
    module.register(app)
