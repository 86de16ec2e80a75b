"""Standard output: one JSON object for programs, or text for people."""

import contextlib
import io
import json
import os
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

_has_printed_json = False


def prepare_streams() -> None:
    """Make the standard streams accept every output. Call it once, before anything is printed.

    Closed streams, as after `>&-`, are replaced by /dev/null; names that are not Unicode print as escapes.
    """
    global _has_printed_json
    _has_printed_json = False
    # In the order of their descriptors, because each open takes the lowest one that is free.
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open(mode))  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def print_json(document: Mapping[str, object]) -> None:
    """Print the one object. Letters outside the terminal's encoding become JSON escapes."""
    global _has_printed_json
    is_unicode = (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"
    print_text(json.dumps(document, ensure_ascii=not is_unicode, default=str))
    _has_printed_json = True


def print_text(text: str) -> None:
    """Print on stdout. Raise OSError with "stdout" as its file name."""
    with _name_stdout():
        print(text, flush=True)


def has_printed_json() -> bool:
    """Return True if the one object has been printed."""
    return _has_printed_json


def flush_output() -> None:
    """Write what is buffered. Raise OSError, which the interpreter would only print at its end."""
    with _name_stdout():
        sys.stdout.flush()


@contextlib.contextmanager
def _name_stdout() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        error.filename = "stdout"
        discard_output()
        raise


def discard_output() -> None:
    """Send what is still buffered to /dev/null, because the reader is gone."""
    null = os.open(os.devnull, os.O_WRONLY)
    with contextlib.suppress(OSError, ValueError):
        os.dup2(null, sys.stdout.fileno())
    os.close(null)
