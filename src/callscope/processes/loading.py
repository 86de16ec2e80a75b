"""Load packages while the garbage collector rests.

What a program loads stays to its end. To look through it again and again while it is loaded takes
0.13 of the 0.8 s of computing of a command's start, and 0.25 of the 1.7 s of the web's.
"""

import contextlib
import gc
from collections.abc import Iterator


@contextlib.contextmanager
def rest_collector() -> Iterator[None]:
    """Load without collections; afterwards the collector looks no more at what is there."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        if was_enabled:
            gc.enable()
