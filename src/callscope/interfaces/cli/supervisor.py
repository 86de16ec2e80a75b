"""Keep a few child processes running, and stop them together.

No Django here: this is the process that has to survive when the others do not.
"""

import contextlib
import logging
import subprocess
import time
from dataclasses import dataclass, field

from callscope.pipeline.stopping import Stop

logger = logging.getLogger(__name__)

RESTART_PAUSES_S = (0.5, 1.0, 2.0, 5.0, 10.0, 30.0)
STEADY_S = 60.0  # a child that lived this long starts again at the first pause
STOP_TIMEOUT_S = 8.0  # then SIGKILL
LOOK_S = 0.2


@dataclass
class Child:
    """One process that is to run all the time."""

    name: str
    command: list[str]
    process: subprocess.Popen[bytes] | None = None
    started_at: float = 0.0
    restart_at: float = 0.0
    early_ends: int = field(default=0)

    def start(self) -> None:
        self.process = subprocess.Popen(self.command, stdin=subprocess.DEVNULL)
        self.started_at = time.monotonic()

    def is_running(self) -> bool:
        return self.process is not None and self.process.poll() is None

    def look_after(self) -> None:
        """Start the process again, after a pause, if it ended."""
        if self.is_running():
            return
        now = time.monotonic()
        if self.process is not None:
            status = self.process.returncode
            self.process = None
            self.early_ends = 0 if now - self.started_at > STEADY_S else self.early_ends + 1
            pause_s = RESTART_PAUSES_S[min(max(self.early_ends, 1), len(RESTART_PAUSES_S)) - 1]
            self.restart_at = now + pause_s
            logger.warning(
                "The %s ended with status %s. It starts again in %g s.", self.name, status, pause_s
            )
        if now >= self.restart_at:
            self.start()


class Supervisor:
    def __init__(self, children: list[Child], stop: Stop) -> None:
        self.children = children
        self.stop = stop

    def start(self) -> None:
        for child in self.children:
            child.start()

    def run(self) -> None:
        """Look after the children until a stop is requested."""
        while not self.stop.is_requested:
            self.stop.wait(LOOK_S)
            if not self.stop.is_requested:
                for child in self.children:
                    child.look_after()

    def end(self) -> None:
        """Stop all children; those that do not obey in time are killed."""
        running = [c.process for c in self.children if c.process is not None and c.is_running()]
        for process in running:
            process.terminate()
        until = time.monotonic() + STOP_TIMEOUT_S
        for process in running:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(max(0.1, until - time.monotonic()))
        for process in running:
            if process.poll() is None:
                logger.warning(
                    "Process %d did not stop within %g s and is killed.", process.pid, STOP_TIMEOUT_S
                )
                process.kill()
                process.wait()
