"""What became of the files: each is counted once."""

import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from callscope.calls.names import clean_file_name, stem
from callscope.interfaces.cli.runtime.result import CommandResult

if TYPE_CHECKING:
    from callscope.interfaces.cli.runtime.client import Json


@dataclass(slots=True)
class Outcome:
    """What became of the files of one upload."""

    total: int = 0
    uploaded: dict[str, int] = field(default_factory=dict)  # name → file id
    retried: dict[str, int] = field(default_factory=dict)  # there already, its analysis tried again
    skipped: list[str] = field(default_factory=list)  # there already
    refused: list[tuple[str, str]] = field(default_factory=list)  # (file, reason)
    failed_there: list[tuple[str, str]] = field(default_factory=list)  # accepted, and failed since
    resent: int = 0  # of the uploaded: files that had failed on the server before
    ignored: list[str] = field(default_factory=list)
    manifest: "Json | None" = None
    manifest_errors: list[str] = field(default_factory=list)
    has_waited: bool = False

    @property
    def problems(self) -> list[tuple[str, str]]:
        return [*self.refused, *self.failed_there]

    def build_result(self) -> CommandResult:
        """Return the result of the command, after a table of the problems on stderr."""
        lines = [*self.manifest_errors, *(f"{name}: {reason}" for name, reason in self.problems)]
        self.print_problems()
        document: dict[str, object] = {
            "total": self.total,
            "uploaded": len(self.uploaded),
            "resent": self.resent,
            "retried": len(self.retried),
            "skipped": len(self.skipped),
            "refused": len(self.refused),
            "failed_on_server": len(self.failed_there),
            "failed": lines,
            "ignored": self.ignored,
        }
        if self.manifest is not None:
            document["manifest"] = self.manifest
        return CommandResult(document, self._describe(), exit_status=1 if lines else 0)

    def print_problems(self) -> None:
        """Print which files failed and why, and the wrong rows of the manifest, on stderr."""
        _print_table(self.problems)
        for line in self.manifest_errors:
            print(line, file=sys.stderr)

    def count_manifest(self) -> None:
        """Count the rows whose file has come since among those that have matched."""
        if self.manifest is None:
            return
        names = {clean_file_name(name) for name in self.uploaded}
        stems = {stem(name) for name in names}
        waiting = [n for n in self.manifest["unmatched"] if n not in names and stem(n) not in stems]
        arrived = len(self.manifest["unmatched"]) - len(waiting)
        self.manifest = {
            **self.manifest,
            "matched": self.manifest["matched"] + arrived,
            "unmatched": waiting,
        }

    def _describe(self) -> str:
        lines = []
        if self.manifest is not None:
            waiting = len(self.manifest["unmatched"])
            line = f"Manifest: {self.manifest['matched']} rows have their file"
            lines.append(line + (f", {waiting} are waiting for theirs." if waiting else "."))
        failed = {name for name, _ in self.failed_there}
        done = sum(name not in failed for name in (*self.uploaded, *self.retried))
        parts = [
            (done, "analyzed" if self.has_waited else "sent"),
            (len(failed), "failed on the server"),
            (len(self.refused), "not accepted"),
            (sum(name not in failed for name in self.skipped), "skipped, the project has them"),
        ]
        shown = ", ".join(f"{count} {words}" for count, words in parts if count) or "nothing to do"
        lines.append(f"{self.total} {'file' if self.total == 1 else 'files'}: {shown}.")
        if self.resent or self.retried:
            lines.append(f"{self.resent + len(self.retried)} of them had failed before and were retried.")
        return "\n".join(lines)


def _print_table(rows: list[tuple[str, str]]) -> None:
    """Print the files that failed and why, on stderr."""
    if not rows:
        return
    width = min(max(len(name) for name, _ in rows), 60)
    print(f"{'File'.ljust(width)}  Reason", file=sys.stderr)
    for name, reason in rows:
        print(f"{name.ljust(width)}  {reason}", file=sys.stderr)
