"""The whole command line: how every command ends, and what a script hears of an error.

Exit status 0 on success, 1 on an error that is told in a line or a few, 2 on
wrong usage, 130 on Ctrl-C. With `--json` stdout carries exactly one JSON object,
also for an error: `{"detail": …, "errors": […]}`; the sentences are on stderr too.
"""

import contextlib
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

import typer
from typer.core import TyperGroup
from typer.exceptions import TyperException

from callscope.interfaces.cli import options, progress_lines, stdout
from callscope.interfaces.cli.answers import explain

FAILED = 1
INTERRUPTED = 130  # by Ctrl-C, as shells number it
END_OF_OPTIONS = "--"


class Program(TyperGroup):
    """The group of all commands; the only place where an error becomes lines and an exit status."""

    def main(self, args: Sequence[str] | None = None, *rest: Any, **settings: Any) -> NoReturn:
        """Run the command that the arguments name, and end the program with its exit status."""
        arguments = list(sys.argv[1:] if args is None else args)
        as_json = "--json" in _before(END_OF_OPTIONS, arguments)
        stdout.begin()
        try:
            status = super().main(arguments, *rest, **{**settings, "standalone_mode": False}) or 0
            stdout.flush()
        except TyperException as error:
            progress_lines.clear()
            options.describe(error)
            error.show()  # type: ignore[attr-defined]
            _end([error.format_message()], error.exit_code, as_json=as_json, shown=True)
        except typer.Abort:  # Ctrl-C or Ctrl-D where a question was asked
            _end(["Stopped."], FAILED, as_json=as_json)
        except BrokenPipeError:
            stdout.abandon()
            sys.exit(FAILED)
        except Exception as error:
            messages = explain(error)
            if messages is None:
                _tell_mistake(error, as_json=as_json)
                raise
            _end(messages, FAILED, as_json=as_json)
        if status == INTERRUPTED:
            _end(["Stopped."], INTERRUPTED, as_json=as_json)
        sys.exit(status)


def _before(mark: str, arguments: list[str]) -> list[str]:
    return arguments[: arguments.index(mark)] if mark in arguments else arguments


def _end(messages: list[str], status: int, *, as_json: bool, shown: bool = False) -> NoReturn:
    """End with a line on stderr for each message; with `as_json` with one object on stdout too."""
    if not shown:
        progress_lines.clear()
        for message in messages:
            print(message, file=sys.stderr)
    if as_json:
        _tell(messages)
    with contextlib.suppress(OSError):
        stdout.flush()
    sys.exit(status)


def _tell_mistake(error: Exception, *, as_json: bool) -> None:
    """Tell a script of a mistake of ours, whose traceback goes to stderr."""
    progress_lines.clear()
    if as_json:
        _tell([f"Unexpected error: {type(error).__name__}. What stderr says belongs into a bug report."])


def _tell(messages: list[str]) -> None:
    """Print the object of an error, unless the command's own object is out already."""
    if stdout.is_told():
        return
    with contextlib.suppress(OSError):  # nobody listens, or nothing can be written; stderr has said why
        stdout.tell({"detail": " ".join(messages), "errors": messages})
