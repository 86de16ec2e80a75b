"""What a command prints on stdout: one JSON object for a program, or text for a person."""

import contextlib
import io
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

_told = False


def begin() -> None:
    """Make the standard streams fit for every answer. Called once, before anything is printed.

    Streams that are closed, as by `>&-`, lead nowhere; names that are no Unicode text are printed as escapes.
    """
    global _told
    _told = False
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):  # in the order of their numbers
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open(mode))  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def tell(document: dict[str, Any]) -> None:
    """Print the one object. Letters outside the terminal's encoding become JSON's escapes."""
    global _told
    is_unicode = (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"
    say(json.dumps(document, ensure_ascii=not is_unicode, default=str))
    _told = True


def say(text: str) -> None:
    with _named():
        print(text, flush=True)


def is_told() -> bool:
    return _told


def flush() -> None:
    """Write what is left. Raises OSError, which an interpreter that ends could only mutter."""
    with _named():
        sys.stdout.flush()


@contextlib.contextmanager
def _named() -> Iterator[None]:
    """Let an OSError say that it was stdout which could not be written; the rest is not tried again."""
    try:
        yield
    except OSError as error:
        error.filename = "stdout"
        abandon()
        raise


def abandon() -> None:
    """Send what is still to be written nowhere: whoever read it is gone."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    with contextlib.suppress(OSError, ValueError):
        os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)
