"""`callscope` and `python -m callscope`: the command line."""

import os
import sys


def main() -> None:
    """Run the command in sys.argv; a setting that is not allowed ends it with one line."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "callscope.settings")
    try:
        from callscope.environment import BadSetting
        from callscope.interfaces.cli.app import app

        try:
            app(prog_name="callscope")
        except BadSetting as error:
            sys.stderr.write(f"{error}\n")
            raise SystemExit(1) from None
    except KeyboardInterrupt:  # while the program was loaded; program.py answers it later on
        sys.stderr.write("Stopped.\n")
        raise SystemExit(130) from None


if __name__ == "__main__":
    main()
