"""Keep a few child processes running, and stop them together.

No Django here: this is the process that must survive if the others do not.
"""

import contextlib
import logging
import subprocess
import time
from dataclasses import dataclass

from callscope.processes.stop import Stop

logger = logging.getLogger(__name__)

RESTART_PAUSES_S = (0.5, 1.0, 2.0, 5.0, 10.0, 30.0)
STABLE_S = 60.0  # a child that ran this long starts again after the first pause
STOP_TIMEOUT_S = 8.0  # then SIGKILL
CHECK_INTERVAL_S = 0.2


@dataclass
class Child:
    """One process that should run all the time."""

    name: str
    command: list[str]
    process: subprocess.Popen[bytes] | None = None
    started_at: float = 0.0
    restart_at: float = 0.0
    early_exits: int = 0  # in a row

    def start(self) -> None:
        """Start the process."""
        self.process = subprocess.Popen(self.command, stdin=subprocess.DEVNULL)
        self.started_at = time.monotonic()

    def is_running(self) -> bool:
        """Return True if the process has been started and has not ended."""
        return self.process is not None and self.process.poll() is None

    def restart_if_ended(self) -> None:
        """Start the process again if it ended, after a pause that grows with each early exit."""
        if self.is_running():
            return
        now = time.monotonic()
        if self.process is not None:
            status = self.process.returncode
            self.process = None
            self.early_exits = 0 if now - self.started_at > STABLE_S else self.early_exits + 1
            pause_s = RESTART_PAUSES_S[min(max(self.early_exits, 1), len(RESTART_PAUSES_S)) - 1]
            self.restart_at = now + pause_s
            logger.warning("The %s ended with status %s. Restarting in %g s.", self.name, status, pause_s)
        if now >= self.restart_at:
            self.start()


class Supervisor:
    """Runs the children until a stop is requested."""

    def __init__(self, children: list[Child], stop: Stop) -> None:
        self.children = children
        self.stop = stop

    def start(self) -> None:
        """Start all children."""
        for child in self.children:
            child.start()

    def run(self) -> None:
        """Restart children that end, until a stop is requested."""
        while not self.stop.is_requested:
            self.stop.wait(CHECK_INTERVAL_S)
            if not self.stop.is_requested:
                for child in self.children:
                    child.restart_if_ended()

    def end(self) -> None:
        """Stop all children; those that do not stop in time are killed."""
        # All of them first, so that they stop at the same time.
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
