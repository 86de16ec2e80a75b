"""The plan of a crash test: who dies or freezes where. Its other side is switch/sitecustomize.py."""

import json
import os
import signal
import time
from dataclasses import dataclass
from pathlib import Path

from callscope.processes.crash_points import POINTS

SWITCH = Path(__file__).parent / "switch"
PATIENCE_S = 240  # machines are shared; only a hang may fail a test
FAST = {
    "callscope.pipeline.queue.jobs": {"LEASE_S": 4.0, "HEARTBEAT_S": 0.5},
    "callscope.pipeline.workers.worker": {"COMPACT_S": 1.0, "SWEEP_S": 0.5},
    "callscope.pipeline.workers.celery_worker": {"SWEEP_S": 0.5},
    "callscope.pipeline.files.regrouping": {"QUIET_S": 0.2, "MAX_SHARE": 1.0},
}


@dataclass(frozen=True)
class Taken:
    """One process that was killed or frozen."""

    point: str
    action: str  # kill or freeze
    pid: int
    parent: int


class Plan:
    """A folder in which points are armed; the processes of the run look there."""

    def __init__(self, folder: Path, *, is_fenced: bool = True) -> None:
        self.folder = folder
        for name in ("armed", "taken", "frozen", "over"):
            (folder / name).mkdir(parents=True)
        settings = {name: dict(values) for name, values in FAST.items()}
        settings["callscope.pipeline.queue.jobs"]["fence"] = is_fenced
        (folder / "settings.json").write_text(json.dumps(settings))

    def environment(self) -> dict[str, str]:
        """Return the variables with which a process and its children follow this plan."""
        path = [str(SWITCH), *filter(None, [os.environ.get("PYTHONPATH")])]
        return {"CALLSCOPE_TEST_CRASH_PLAN": str(self.folder), "PYTHONPATH": os.pathsep.join(path)}

    def arm(self, point: str, action: str = "kill") -> None:
        """Let the next process that reaches the point be killed, or frozen together with its worker."""
        assert point in POINTS, point
        draft = self.folder / f".{point}"
        draft.write_text(action)
        draft.rename(self.folder / "armed" / point)

    def arm_next(self, todo: list[str], at_once: int) -> None:
        """Arm the first points of a list that are not armed, and take them out of it."""
        while len(self.armed()) < at_once:
            # A point that the list names twice in a row is armed once, and the second time when it was taken.
            point = next((each for each in todo if each not in self.armed()), None)
            if point is None:
                return
            todo.remove(point)
            self.arm(point)

    def armed(self) -> set[str]:
        return {each.name for each in (self.folder / "armed").iterdir()}

    def disarm(self) -> None:
        """Take back what nobody has reached."""
        for each in (self.folder / "armed").iterdir():
            each.unlink(missing_ok=True)

    def taken(self, action: str = "kill") -> list[Taken]:
        """Return who was killed, or frozen, in that order."""
        names = sorted(each.name for each in (self.folder / "taken").glob("[0-9]*"))
        parts = [name.split("-") for name in names]
        return [Taken(p[1], p[2], int(p[3]), int(p[4])) for p in parts if p[2] == action]

    def move_on(self, frozen: Taken) -> None:
        """Let a frozen worker go on for a moment: it was stopped while it extended a lease.

        Within a transaction it holds the one lock for writers of SQLite, so that nobody else works.
        """
        os.kill(frozen.parent, signal.SIGCONT)
        time.sleep(0.02)
        os.kill(frozen.parent, signal.SIGSTOP)

    def thaw(self, frozen: Taken) -> None:
        """Let a frozen process end its stage before its worker can stop it, and then the worker."""
        os.kill(frozen.pid, signal.SIGCONT)
        wait_until(
            lambda: (self.folder / "over" / str(frozen.pid)).exists(), "the frozen process ends its stage"
        )
        os.kill(frozen.parent, signal.SIGCONT)


def wait_until(condition, what: str, describe=str) -> None:
    """Wait for a state; fail with `what` and what `describe` returns if it never comes."""
    deadline = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < deadline, f"still waiting: {what} {describe()}"
        time.sleep(0.05)
