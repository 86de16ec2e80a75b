"""The whole command line: how every command ends, and what a script learns of an error.

Exit status 0 on success, 1 on an error that takes a line or a few, 2 on wrong
usage, 130 on Ctrl-C. With `--json`, stdout holds exactly one JSON object, also for
an error: `{"detail": …, "errors": […]}`. The lines are on stderr in any case, with `--debug`
behind the traceback.
"""

import contextlib
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

import typer
from typer.core import TyperGroup
from typer.exceptions import TyperException

from callscope.interfaces.cli.runtime import errors, output, progress, startup

FAILED = 1
INTERRUPTED = 130  # by Ctrl-C, as shells number it
END_OF_OPTIONS = "--"
DEBUG = "--debug"
SQLITE_CANNOT_WRITE = (
    "disk I/O error",
    "database or disk is full",
    "attempt to write a readonly database",
    "unable to open database file",
)


def build_group(description: str) -> typer.Typer:
    """Return an empty group of commands, such as `callscope user`."""
    return typer.Typer(cls=CommandList, help=description, no_args_is_help=True)


class CommandList(TyperGroup):
    """A group of commands and its help."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """List the commands with the first sentence of their help, wrapped and never cut."""
        commands = [(name, self.get_command(ctx, name)) for name in self.list_commands(ctx)]
        rows = [
            (name, " ".join((found.help or "").split("\n\n")[0].split()))
            for name, found in commands
            if found is not None and not found.hidden
        ]
        with formatter.section("Commands"):
            formatter.write_dl(rows)


class CommandLine(CommandList):
    """The group of all commands; the only place where an error becomes lines and an exit status."""

    def main(self, args: Sequence[str] | None = None, *rest: Any, **settings: Any) -> NoReturn:
        """Run the command that the arguments name, and end the program with its exit status."""
        arguments = list(sys.argv[1:] if args is None else args)
        options = arguments[: arguments.index(END_OF_OPTIONS)] if END_OF_OPTIONS in arguments else arguments
        as_json = "--json" in options
        if is_debugged := DEBUG in options:
            arguments.remove(DEBUG)  # it may stand behind the command, which does not know it
        output.prepare_streams()
        try:
            status = super().main(arguments, *rest, **{**settings, "standalone_mode": False}) or 0
            output.flush_output()
        except TyperException as error:
            progress.clear_status()
            errors.describe_bad_value(error)
            error.show()  # type: ignore[attr-defined]
            _exit([error.format_message()], error.exit_code, as_json=as_json, is_shown=True)
        except typer.Abort:  # Ctrl-C or Ctrl-D at a prompt
            _exit(["Stopped."], FAILED, as_json=as_json)
        except BrokenPipeError:
            output.discard_output()
            sys.exit(FAILED)
        except Exception as error:
            messages = explain_error(error)
            if is_debugged and messages is not None:
                progress.clear_status()
                traceback.print_exception(error)
            if messages is None:
                # A bug: its traceback goes to stderr, and a script still gets its object.
                progress.clear_status()
                if as_json:
                    name = type(error).__name__
                    _print_error_json([f"Unexpected error: {name}. Please report it with what is on stderr."])
                raise
            _exit(messages, FAILED, as_json=as_json)
        if status == INTERRUPTED:
            _exit(["Stopped."], INTERRUPTED, as_json=as_json)
        sys.exit(status)


def _exit(messages: list[str], status: int, *, as_json: bool, is_shown: bool = False) -> NoReturn:
    """End with a line on stderr for each message; with `as_json`, also with one object on stdout."""
    if not is_shown:
        progress.clear_status()
        for message in messages:
            print(message, file=sys.stderr)
    if as_json:
        _print_error_json(messages)
    with contextlib.suppress(OSError):
        output.flush_output()
    sys.exit(status)


def _print_error_json(messages: list[str]) -> None:
    """Print the object of an error, unless the command has printed its own object already."""
    if output.has_printed_json():
        return
    # If nobody reads stdout or it cannot be written, stderr has said why.
    with contextlib.suppress(OSError):
        output.print_json({"detail": " ".join(messages), "errors": messages})


def explain_error(error: Exception) -> list[str] | None:
    """Return the lines for an error that the user can act on; None for a bug."""
    if isinstance(error, errors.Failure):
        return error.messages
    if isinstance(error, OSError) and error.strerror and not isinstance(error, BrokenPipeError):
        return [f"{error.filename}: {error.strerror}." if error.filename else f"{error.strerror}."]
    # Settings take long to import, and only an error has to know them.
    from callscope.environment import BadSetting

    if isinstance(error, BadSetting):
        return [str(error)]
    if not startup.is_django_started():
        return None

    from django.db import DatabaseError, InterfaceError, connection

    from callscope.accounts.organization import InvalidOrganization
    from callscope.accounts.services import InvalidAccount
    from callscope.projects.configuration import InvalidConfiguration
    from callscope.projects.services import InvalidProject

    if isinstance(error, InvalidConfiguration):
        return error.messages()
    if isinstance(error, InvalidAccount | InvalidOrganization | InvalidProject):
        return [str(error)]
    if isinstance(error, DatabaseError | InterfaceError):
        lines = str(error).strip().splitlines() or [type(error).__name__]
        cause = lines[0].strip().rstrip(".")
        # SQLite's own words name neither the disk nor the folder.
        advice = ""
        if connection.vendor == "sqlite" and cause in SQLITE_CANNOT_WRITE:
            folder = Path(connection.settings_dict["NAME"]).parent
            advice = f" Check free space and permissions of {folder}."
        return [f"The database {startup.describe_database()} cannot be used: {cause}.{advice}"]
    return None
