"""Register administration commands: each returns a CommandResult and has the option `--json`.

command_line.py turns what they raise into lines on stderr and an exit status.
"""

import contextlib
import datetime
import functools
import inspect
import re
import sys
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ParamSpec

import typer
from typer.core import TyperCommand

from callscope.interfaces.cli.runtime import output, startup
from callscope.interfaces.cli.runtime.errors import MAX_SHOWN
from callscope.locale import list_codes

P = ParamSpec("P")
NEGATIVE_NUMBER = re.compile(r"-[0-9]+(\.[0-9]+)?", re.ASCII)
JsonFlag = Annotated[bool, typer.Option("--json", help="Print exactly one JSON object on stdout.")]


@dataclass(frozen=True, slots=True)
class CommandResult:
    """What a command found or did, for programs and for people."""

    document: Mapping[str, object]
    text: str
    exit_status: int = 0
    #: The data itself went to stdout, so this result goes to stderr.
    is_stdout_taken: bool = False


#: What a command is: one that takes long yields lines for people while it works, and returns its result.
Outcome = CommandResult | Generator[str, None, CommandResult]


class AdminCommand(TyperCommand):
    """Parse the arguments of an administration command."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Return the remaining arguments, as click defines it."""
        # So -5 is an argument and no unknown option, and the command can say what is allowed instead.
        ctx.ignore_unknown_options = any(NEGATIVE_NUMBER.fullmatch(argument) for argument in args)
        return super().parse_args(ctx, args)


def command(
    app: typer.Typer, name: str, *, database: bool = True, django: bool = True
) -> Callable[[Callable[P, Outcome]], Callable[P, Outcome]]:
    """Register the function as a command with `--json`; Django is started only when it runs."""

    def register(function: Callable[P, Outcome]) -> Callable[P, Outcome]:
        @functools.wraps(function)
        def run(*args: Any, as_json: bool = False, **options: Any) -> None:
            if django:
                startup.start_django(database=database)
            outcome = function(*args, **options)
            result = outcome if isinstance(outcome, CommandResult) else _print_lines(outcome, as_json)
            with contextlib.redirect_stdout(sys.stderr if result.is_stdout_taken else sys.stdout):
                if as_json:
                    output.print_json(result.document)
                elif isinstance(outcome, CommandResult) or result.text:
                    output.print_text(result.text)
            if result.exit_status:
                raise typer.Exit(result.exit_status)

        # Typer reads options from the signature, which wraps() would take from the function alone.
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


def _print_lines(working: Generator[str, None, CommandResult], as_json: bool) -> CommandResult:
    """Print each line as it comes, unless a program reads; return what the command returns."""
    while True:
        try:
            line = next(working)
        except StopIteration as end:
            result: CommandResult = end.value
            return result
        if not as_json:
            output.print_text(line)


def parse_day(text: str) -> datetime.date:
    """Return the day in YYYY-MM-DD, the value of an option. Raise BadParameter."""
    try:
        if not re.fullmatch(r"\d{4}-\d{2}-\d{2}", text.strip(), re.ASCII):
            raise ValueError
        return datetime.date.fromisoformat(text.strip())
    except ValueError:
        raise typer.BadParameter(
            f'"{text[:MAX_SHOWN]}" is not a date. Allowed: a date such as 2026-12-31.'
        ) from None


def parse_language(text: str) -> str:
    """Return the code of a language that Callscope is translated to. Raise BadParameter."""
    codes = list_codes()
    if text not in codes:
        raise typer.BadParameter(f"{text[:MAX_SHOWN]!r} is not one of {', '.join(map(repr, codes))}.")
    return text
