"""Keep a part of the disk free: uploads stop before it is full, so that everything else goes on.

Reading a call is noted in the audit trail, a sign-in is stored, and an erasure writes before it
frees anything. On a disk that uploads had filled to the last byte all of these were refused.
"""

import errno
import shutil

from callscope.calls import storage

MEGABYTE = 1024 * 1024
KEPT_BYTES = 64 * MEGABYTE
KEPT_SHARE = 0.25  # of a disk so small that this is less
SHARE_FOR_WORK = 0.5  # what was taken in is worked on until only so much of the kept part is left


def require_room(size: int = 0, *, share: float = 1.0) -> None:
    """Raise OSError (ENOSPC) unless so many bytes leave free that share of the kept part of the disk."""
    usage = shutil.disk_usage(storage.incoming_folder())
    kept = share * min(KEPT_BYTES, KEPT_SHARE * usage.total)
    if usage.free - size < kept:
        free, least = (f"{number / MEGABYTE:.1f} MB" for number in (usage.free, kept))
        raise OSError(
            errno.ENOSPC, f"{free} of the disk are free; {least} are kept for everything but uploads and jobs"
        )
