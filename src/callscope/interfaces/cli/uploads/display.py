"""What is shown while files are sent: files, bytes, speed and time left on a terminal; elsewhere waits."""

import sys
import threading
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any


class Display:
    """The bar of an upload; its methods may be called from any thread."""

    def __init__(self, sizes: Mapping[Path, int]) -> None:
        self._sizes = sizes
        self._sent: dict[Path, int] = {}
        self._done = 0
        self._lock = threading.Lock()
        self._bars: Any = None
        self._said = ""

    def __enter__(self) -> "Display":
        if self._sizes and sys.stderr.isatty():
            from rich.console import Console
            from rich.progress import (
                BarColumn,
                DownloadColumn,
                Progress,
                TextColumn,
                TimeRemainingColumn,
                TransferSpeedColumn,
            )

            columns = (
                TextColumn("{task.description}", markup=False),
                BarColumn(),
                DownloadColumn(),
                TransferSpeedColumn(),
                TimeRemainingColumn(),
            )
            self._bars = Progress(*columns, console=Console(stderr=True), transient=True)
            self._task = self._bars.add_task(self._describe(), total=sum(self._sizes.values()))
            self._bars.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bars is not None:
            self._bars.stop()

    def begin(self, path: Path) -> None:
        """A file is sent from its beginning, also once more."""
        with self._lock:
            self._sent[path] = 0
            self._update()

    def advance(self, path: Path, size: int) -> None:
        """So many bytes more of the file were sent."""
        with self._lock:
            self._sent[path] = min(self._sent.get(path, 0) + size, self._sizes.get(path, 0))
            self._said = ""
            self._update()

    def end(self, path: Path) -> None:
        """Nothing more of the file will be sent."""
        with self._lock:
            self._sent[path] = self._sizes.get(path, 0)
            self._done += 1
            self._update()

    def say(self, text: str) -> None:
        """Show why nothing moves: next to the bar, or as a line unless it was the last one."""
        with self._lock:
            if text == self._said:
                return
            self._said = text
            if self._bars is None:
                print(text, file=sys.stderr, flush=True)
            else:
                self._update()

    def _describe(self) -> str:
        text = f"{self._done} of {len(self._sizes)} files"
        return f"{text} · {self._said}" if self._said else text

    def _update(self) -> None:
        if self._bars is not None:
            self._bars.update(self._task, completed=sum(self._sent.values()), description=self._describe())
