"""Ctrl-C while a process starts another."""

import subprocess
import sys

INTERRUPTED_WHILE_STARTING = """
import multiprocessing, os, signal
from concurrent.futures import ProcessPoolExecutor

from callscope.processes.stop import hold_interrupts


def main():
    signal.signal(signal.SIGINT, signal.default_int_handler)
    helper = ProcessPoolExecutor(1, multiprocessing.get_context("spawn"))
    try:
        with hold_interrupts():
            answer = helper.submit(abs, -7)
            os.killpg(0, signal.SIGINT)
            print("held")
        print("dropped")
    except KeyboardInterrupt:
        print("interrupted", answer.result())
    helper.shutdown()


if __name__ == "__main__":
    main()
"""


class TestHoldInterrupts:
    def test_hands_ctrl_c_to_the_parent_later_and_never_to_the_child(self, tmp_path):
        script = tmp_path / "script.py"
        script.write_text(INTERRUPTED_WHILE_STARTING)

        done = subprocess.run(
            [sys.executable, str(script)], capture_output=True, text=True, start_new_session=True, timeout=120
        )

        assert (done.stdout, done.stderr, done.returncode) == ("held\ninterrupted 7\n", "", 0)
