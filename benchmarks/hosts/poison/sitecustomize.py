"""Python loads this at its start where PYTHONPATH names this folder: some recordings then kill.

No recording is known that kills the decoder, so one that ends with KILLS_DECODER kills its child process,
and one that ends with KILLS_WORKER the process of the worker that runs the job.
"""

import os
import signal
import subprocess
import sys
from pathlib import Path

KILLS_DECODER, KILLS_WORKER = b"kills the decoder", b"kills the worker"
_run = subprocess.run


def run(arguments, *others, **options):
    if isinstance(arguments, list) and len(arguments) > 4 and arguments[3] == "decode":
        content = Path(arguments[4]).read_bytes()
        if content.endswith(KILLS_WORKER):
            os.kill(os.getpid(), signal.SIGKILL)
        if content.endswith(KILLS_DECODER):
            arguments = [sys.executable, "-c", "import os; os.kill(os.getpid(), 11)"]
    return _run(arguments, *others, **options)


subprocess.run = run
