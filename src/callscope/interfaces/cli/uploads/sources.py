"""The files that the arguments name: files, folders, patterns in quotes, and standard input."""

import glob
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from callscope.interfaces.cli.runtime.errors import Failure
from callscope.processes.standard_streams import copy_stdin, is_stdin

# Files to send from a folder; a file that is named itself is sent in any case.
EXTENSIONS = {
    ".aac", ".aif", ".aiff", ".amr", ".flac", ".gsm", ".m4a", ".mka", ".mp3", ".mp4", ".oga", ".ogg", ".opus",
    ".srt", ".vtt", ".wav", ".webm", ".wma",
}  # fmt: skip
MAX_PROBLEMS = 20  # lines


@dataclass(slots=True)
class Sources:
    """What is to be sent."""

    files: dict[str, Path] = field(default_factory=dict)  # name → where its bytes are
    ignored: list[Path] = field(default_factory=list)  # in folders, by their names no recordings


@contextmanager
def collect_files(arguments: Sequence[str], stdin_name: str | None) -> Iterator[Sources]:
    """Give the files that the arguments name; standard input (`-`) is read whole and called `stdin_name`.

    Raise Failure for a path that does not exist, and for a name that occurs twice.
    """
    with ExitStack() as stack:
        sources, problems = Sources(), list[str]()
        for argument in arguments:
            if is_stdin(argument):
                if not stdin_name:
                    raise Failure("Standard input has no name. Name the file: --name call-7.wav.")
                copy = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="callscope-"))) / "stdin"
                with copy.open("wb") as file:
                    copy_stdin(file)
                _add(sources, problems, stdin_name, copy)
            else:
                _add_argument(sources, problems, argument)
        if len(problems) > MAX_PROBLEMS:
            problems[MAX_PROBLEMS:] = [f"And {len(problems) - MAX_PROBLEMS} more."]
        if problems:
            raise Failure(*problems)
        yield sources


def describe_ignored(ignored: Sequence[Path], most: int = 5) -> str:
    """Return a line that names the files of folders that are not sent; "" for none."""
    if not ignored:
        return ""
    names = ", ".join(path.name for path in ignored[:most])
    more = f" and {len(ignored) - most} more" if len(ignored) > most else ""
    return f"Not sent, because their names are not those of recordings or transcripts: {names}{more}."


def _add_argument(sources: Sources, problems: list[str], argument: str) -> None:
    path = Path(argument)
    if path.is_dir():
        inside = [each for each in sorted(path.rglob("*")) if each.is_file()]
        chosen = [each for each in inside if each.suffix.lower() in EXTENSIONS]
        sources.ignored += [each for each in inside if each not in set(chosen) and each.name[0] != "."]
        if not chosen:
            problems.append(f"{path}: no recordings or transcripts in this folder.")
        for each in chosen:
            _add(sources, problems, each.name, each)
    elif path.is_file():
        _add(sources, problems, path.name, path)
    elif glob.has_magic(argument) and not path.exists():
        # In quotes, or where the shell found nothing, a pattern comes as it was typed.
        found = [Path(each) for each in sorted(glob.glob(argument, recursive=True))]  # noqa: PTH207 - may be absolute
        if not found:
            problems.append(f"{path}: no file matches.")
        for each in found:
            _add_argument(sources, problems, str(each))
    else:
        # A pipe exists, but has no name to keep, and cannot be sent again.
        problem = "neither a file nor a folder" if path.exists() else "no such file or folder"
        problems.append(f"{path}: {problem}.")


def _add(sources: Sources, problems: list[str], name: str, path: Path) -> None:
    other = sources.files.setdefault(name, path)
    if other.resolve() != path.resolve():
        problems.append(f"{other} and {path} have the same name, so they would be one call.")


def warn_of_ignored(ignored: Sequence[Path]) -> None:
    """Print which files of folders are not sent."""
    if line := describe_ignored(ignored):
        print(line, file=sys.stderr)
