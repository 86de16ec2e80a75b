"""`callscope` and `python -m callscope`: the command line."""

import os
import sys

from callscope.processes.loading import rest_collector


def main() -> None:
    """Run the command in sys.argv."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "callscope.settings")
    try:
        with rest_collector():
            from callscope.interfaces.cli.app import app

        app(prog_name="callscope")
    except KeyboardInterrupt:  # while the program was imported; command_line.py handles it later on
        sys.stderr.write("Stopped.\n")
        raise SystemExit(130) from None


if __name__ == "__main__":
    main()
