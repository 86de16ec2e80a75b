"""Write the sums of a day or month as a rollup."""

from hashlib import blake2b

from callscope.reports import store
from callscope.reports.encoding import encode
from callscope.reports.models import Rollup
from callscope.reports.sums import Sums

Bucket = tuple[int, int, int]  # project, level, first day


def rollup_of(bucket: Bucket, sums: Sums) -> Rollup | None:
    """Return the unsaved rollup that holds these sums; None if they are empty."""
    if sums.is_empty:
        return None
    project, level, first_day = bucket
    figures, listing = encode(sums, store.FIGURES), encode(sums, store.LISTING)
    return Rollup(
        project_id=project,
        level=level,
        first_day=first_day,
        calls=int(sums.table("list")[:, -1].sum()),
        stamp=_stamp(figures, listing),
        figures=figures,
        listing=listing,
    )


def _stamp(*contents: bytes) -> int:
    return int.from_bytes(blake2b(b"".join(contents), digest_size=8).digest(), "little", signed=True)
