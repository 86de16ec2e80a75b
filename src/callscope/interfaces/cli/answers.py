"""What every administration command has in common: an Answer, `--json`, errors that can be told in lines.

program.py makes lines and an exit status of what is raised here.
"""

import contextlib
import functools
import inspect
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, ParamSpec

import typer
from typer.core import TyperCommand

from callscope.environment import BadSetting
from callscope.interfaces.cli import startup, stdout
from callscope.interfaces.cli.startup import Failure

__all__ = ["AdminCommand", "Answer", "Failure", "JsonFlag", "command", "explain", "first_line"]

P = ParamSpec("P")
NEGATIVE_NUMBER = re.compile(r"-[0-9]+(\.[0-9]+)?", re.ASCII)
SQLITE_CANNOT_WRITE = (
    "disk I/O error",
    "database or disk is full",
    "attempt to write a readonly database",
    "unable to open database file",
)
JsonFlag = Annotated[bool, typer.Option("--json", help="Print exactly one JSON object on stdout.")]


@dataclass(frozen=True, slots=True)
class Answer:
    """What a command found or did, for a program and for a person."""

    document: dict[str, Any]
    text: str
    exit_status: int = 0
    is_stdout_taken: bool = False  # by data that were asked for there: the answer goes to stderr


class AdminCommand(TyperCommand):
    """Reads the arguments of an administration command."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Return what is left of the arguments, see click.

        -5 is an argument, not an option that is not there: the command says what is allowed.
        """
        ctx.ignore_unknown_options = any(NEGATIVE_NUMBER.fullmatch(argument) for argument in args)
        return super().parse_args(ctx, args)


def command(
    app: typer.Typer, name: str, *, database: bool = True, django: bool = True
) -> Callable[[Callable[P, Answer]], Callable[P, Answer]]:
    """Register the function as a command with `--json`; Django is started only when it runs."""

    def register(function: Callable[P, Answer]) -> Callable[P, Answer]:
        @functools.wraps(function)
        def run(*args: Any, as_json: bool = False, **options: Any) -> None:
            if django:
                startup.start(database=database)
            answer = function(*args, **options)
            with contextlib.redirect_stdout(sys.stderr if answer.is_stdout_taken else sys.stdout):
                if as_json:
                    stdout.tell(answer.document)
                else:
                    stdout.say(answer.text)
            if answer.exit_status:
                raise typer.Exit(answer.exit_status)

        signature = inspect.signature(function)
        flag = inspect.Parameter(
            "as_json", inspect.Parameter.KEYWORD_ONLY, default=False, annotation=JsonFlag
        )
        run.__signature__ = signature.replace(  # type: ignore[attr-defined]
            parameters=[*signature.parameters.values(), flag], return_annotation=None
        )
        run.__annotations__ = {**function.__annotations__, "as_json": JsonFlag, "return": None}
        del run.__wrapped__
        app.command(name, cls=AdminCommand)(run)
        return function

    return register


def explain(error: Exception) -> list[str] | None:
    """Return the lines for an error that an operator can act on; None for a mistake of ours."""
    if isinstance(error, Failure):
        return error.messages
    if isinstance(error, BadSetting):
        return [str(error)]
    if isinstance(error, OSError) and error.strerror and not isinstance(error, BrokenPipeError):
        return [f"{error.filename}: {error.strerror}." if error.filename else f"{error.strerror}."]
    if not startup.is_started():
        return None

    from django.db import DatabaseError, InterfaceError

    from callscope.accounts.administration import WrongAccount
    from callscope.projects.administration import WrongProject
    from callscope.projects.configuration import WrongConfiguration

    if isinstance(error, WrongConfiguration):
        return error.messages()
    if isinstance(error, WrongAccount | WrongProject):
        return [str(error)]
    if isinstance(error, DatabaseError | InterfaceError):
        advice = _advice(first_line(error))
        return [f"The database {startup.shown_database()} cannot be used: {first_line(error)}.{advice}"]
    return None


def _advice(said: str) -> str:
    """Return where to look when SQLite cannot write; its words name neither the disk nor the folder."""
    from django.db import connection

    if connection.vendor != "sqlite" or said not in SQLITE_CANNOT_WRITE:
        return ""
    return f" Look at free space and permissions of {Path(connection.settings_dict['NAME']).parent}."


def first_line(error: BaseException) -> str:
    """Return the first line of an error's text, without its full stop."""
    lines = str(error).strip().splitlines() or [type(error).__name__]
    return lines[0].strip().rstrip(".")
