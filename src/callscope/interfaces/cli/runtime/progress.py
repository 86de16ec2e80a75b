"""Progress of a long command on stderr: a bar on a terminal, a line now and then elsewhere."""

import sys
import time
from types import TracebackType
from typing import Any

LINE_INTERVAL_S = 5.0


def show_status(text: str) -> None:
    """Replace the status line on a terminal; do nothing elsewhere."""
    if sys.stderr.isatty():
        print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)


def clear_status() -> None:
    """Remove the status line."""
    show_status("")


class Progress:
    """Show how many of `total` things are done."""

    def __init__(self, what: str, total: int) -> None:
        self.what = what
        self.total = total
        self._bar: Any = None
        self._line_at = time.monotonic() + LINE_INTERVAL_S
        self._said = -1  # the number in the latest line

    def __enter__(self) -> "Progress":
        if sys.stderr.isatty():
            from rich.console import Console
            from rich.progress import BarColumn, MofNCompleteColumn, TimeElapsedColumn
            from rich.progress import Progress as Bars

            columns = ("{task.description}", BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
            self._bar = Bars(*columns, console=Console(stderr=True))
            self._task = self._bar.add_task(self.what, total=self.total)
            self._bar.start()
        return self

    def update(self, done: int) -> None:
        """Show that so many are done."""
        if self._bar is not None:
            self._bar.update(self._task, completed=done)
        elif done != self._said and (time.monotonic() >= self._line_at or done == self.total):
            self._line_at = time.monotonic() + LINE_INTERVAL_S
            self._said = done
            print(f"{done} of {self.total} {self.what}", file=sys.stderr, flush=True)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()
