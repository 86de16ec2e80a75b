"""The switch: a process that starts with this folder on PYTHONPATH kills or freezes itself at crash points.

Python imports this module at every start, so the children of such a process have the switch
too. Without it the product has nothing that could kill. CALLSCOPE_TEST_CRASH_PLAN names the folder
of the plan, which plan.py writes:

- armed/POINT: the first process that reaches the point takes the file; its content says `kill` or `freeze`
- taken/N-POINT-ACTION-PID-PARENT: what happened, in the order of N
- over/PID: the process that was frozen there has ended its stage
- settings.json: values of modules for these processes, such as a short lease
"""

import json
import os
import signal
import sys
import threading
import time
from pathlib import Path

PLAN_VARIABLE = "CALLSCOPE_TEST_CRASH_PLAN"


def switch_on(plan: Path) -> None:
    """Replace what the product does at its crash points. Exit if the plan names an unknown point."""
    from callscope.processes import crash_points

    unknown = sorted({each.name for each in (plan / "armed").iterdir()} - set(crash_points.POINTS))
    if unknown:
        # An exception here would be a failure of the interpreter, with a traceback.
        allowed = ", ".join(crash_points.POINTS)
        print(f'"{unknown[0]}" is no crash point. Crash points: {allowed}.', file=sys.stderr, flush=True)
        os._exit(1)
    settings = json.loads((plan / "settings.json").read_text())
    lock = threading.Lock()
    if "serve" in sys.orig_argv:  # the supervisor reaches no point
        from callscope.interfaces.cli.runtime import supervisor

        supervisor.RESTART_PAUSES_S = (0.1,)

    def reach_point(point: str) -> None:
        with lock:
            apply_settings(settings)
        if point == "reply" and (plan / "frozen" / str(os.getpid())).exists():
            (plan / "over" / str(os.getpid())).touch()
        armed = plan / "armed" / point
        if armed.exists():
            take(plan, armed, point)

    crash_points.reach_point = reach_point


def apply_settings(settings: dict[str, dict[str, object]]) -> None:
    """Set the values of modules that this process has imported by now, each once."""
    for name in [each for each in settings if each in sys.modules]:
        values = settings.pop(name)
        module = sys.modules[name]
        if values.pop("fence", True) is False:
            from callscope.pipeline.models import Job

            # Without its token, a late worker writes what another one wrote already.
            module._claimed = lambda job: Job.objects.filter(pk=job.pk)
        for value_name, value in values.items():
            assert hasattr(module, value_name), value_name
            setattr(module, value_name, value)


def take(plan: Path, armed: Path, point: str) -> None:
    """Do what the file says, unless another process was faster."""
    mine = plan / "taken" / f".{os.getpid()}-{threading.get_ident()}"
    try:
        armed.rename(mine)
    except FileNotFoundError:
        return
    action = mine.read_text()
    taken = plan / "taken" / f"{time.monotonic_ns()}-{point}-{action}-{os.getpid()}-{os.getppid()}"
    if action == "freeze":
        (plan / "frozen" / str(os.getpid())).touch()
        mine.rename(taken)
        os.kill(os.getppid(), signal.SIGSTOP)  # the worker, so that nobody extends the lease
        os.kill(os.getpid(), signal.SIGSTOP)
        return
    mine.rename(taken)
    os.kill(os.getpid(), signal.SIGKILL)


if os.environ.get(PLAN_VARIABLE):
    switch_on(Path(os.environ[PLAN_VARIABLE]))
