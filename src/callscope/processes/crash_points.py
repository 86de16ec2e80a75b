"""Named points at which a test may kill or freeze the process that reaches them.

Here they do nothing, and no setting changes that: what kills is outside the package, in
tests/crash/switch. See CONTRIBUTING.md, "Crash points".
"""

from typing import Literal, get_args

Point = Literal[
    "stream",  # a part of an upload has arrived and is not written
    "fsync",  # an upload is whole and synced under its temporary name
    "rename",  # it has its name in the storage, which is not synced
    "row_commit",  # the rows of an upload are written and not committed
    "upload_answer",  # they are committed, and the client does not know
    "notify",  # a job is committed, and the broker does not know
    "wake",  # a worker looks for work and holds none
    "claim",  # a worker has claimed a job and not begun it
    "lease",  # a worker is about to extend a lease
    "probe",  # a recording is measured, and no engine has been asked
    "engine_request",  # a request to an engine is about to be sent
    "engine_answer",  # an engine has begun to answer
    "parse",  # an answer is read and not parsed
    "result_commit",  # a result is written, the next job is not, nothing is committed
    "next_job_commit",  # both are written and not committed
    "reply",  # a stage is over, and its worker does not know
    "reason_names",  # a model has worded the names of new contact reasons, and nothing is written
    "reason_rows",  # a regrouping has written the reasons, and calls have the ones before
    "reason_calls",  # calls have the new reasons, and the headings are those before
    "reason_headings",  # the headings are written, and no map of what moved
    "reason_map",  # the map is stored, and the reports count the reasons before
    "reason_swap",  # new contact reasons are written and not committed
    "edit_calls",  # an edit by a person has moved calls, and the reasons are those before
    "undo_rows",  # an undoing has put the reasons back, and not their calls
    "edit_rows",  # an edit or an undoing is written, and the reports count the reasons before
    "edit_commit",  # the reports and the audit trail follow it; not committed
    "edit_centers",  # it is committed, and new calls find the reasons by the centers before
    "compaction",  # the rollups have what the journal still has; not committed
    "erase_rows",  # the rows of a file are deleted; not committed
    "sweep_rows",  # a portion of a retention sweep is removed from the rows; not committed
    "sweep_portion",  # that is committed and its bytes are gone, and the next portion is not begun
    "erase_bytes",  # that is committed, and the bytes are there
]
POINTS: tuple[Point, ...] = get_args(Point)


def reach_point(point: Point) -> None:
    """Do nothing; tests replace this function."""
