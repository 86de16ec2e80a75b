"""What a command prints on stdout: one JSON object for a program, or text for a person."""

import contextlib
import json
import os
import sys
from typing import Any

_told = False


def begin() -> None:
    """Let names that are no Unicode text through, as escapes. Called once, before anything is printed."""
    global _told
    _told = False
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


def tell(document: dict[str, Any]) -> None:
    """Print the one object. Letters outside the terminal's encoding become JSON's escapes."""
    global _told
    if sys.stdout is None:  # closed from the start, as by `>&-`
        return
    is_unicode = (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"
    print(json.dumps(document, ensure_ascii=not is_unicode, default=str), flush=True)
    _told = True


def is_told() -> bool:
    return _told


def flush() -> None:
    """Write what is left. Raises OSError, which an interpreter that ends could only mutter."""
    if sys.stdout is not None:
        sys.stdout.flush()


def abandon() -> None:
    """Send what is still to be written nowhere: whoever read it is gone."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    with contextlib.suppress(AttributeError, OSError, ValueError):
        os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)
