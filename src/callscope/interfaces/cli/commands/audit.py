"""`callscope audit`: verify the audit trail, and export it."""

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from callscope.interfaces.cli.runtime.command_line import build_group
from callscope.interfaces.cli.runtime.errors import Failure
from callscope.interfaces.cli.runtime.result import CommandResult, command
from callscope.processes.atomic_file import is_stdout, open_atomic
from callscope.processes.standard_streams import STDOUT_PATH, output_path

audit = build_group("Verify and export the audit trail.")


def register(app: typer.Typer) -> None:
    """Add the commands to the application."""
    app.add_typer(audit, name="audit")


@command(audit, "verify")
def verify(
    head: Annotated[
        str, typer.Option(metavar="HASH", help="A head that was printed earlier and kept elsewhere.")
    ] = "",
) -> CommandResult:
    """Recompute the chain of hashes and print its head. Exit 1 if an event was edited, removed or moved.

    Where old events were cut off (CALLSCOPE_AUDIT_DAYS), it begins with the digest of the cut. What waits
    is chained first. Keep the head outside this machine: `--head` then also finds a chain that was
    rewritten.
    """
    from callscope.accounts.audit import find_cut, verify_chain
    from callscope.accounts.trail import chaining, spool

    chaining.chain_notes()
    report = verify_chain(head.strip())
    waiting, cut = spool.count_waiting(), find_cut()
    document = {
        "ok": not report.problems,
        "events": report.events,
        "head": report.head,
        "problems": report.problems,
        "waiting": waiting,
        "cut_through": cut.number,
    }
    verdict = "The audit trail is whole." if not report.problems else "The audit trail was changed."
    lines = [*report.problems, f"{verdict} {report.events} events, head {report.head or 'none'}."]
    if cut.number:
        lines.append(f"Events up to {cut.number} were cut off, digest {cut.digest}.")
    if waiting:
        lines.append(f"{waiting} refusals are added when their minute is over.")
    return CommandResult(document, "\n".join(lines), exit_status=1 if report.problems else 0)


@command(audit, "export")
def export(
    file: Annotated[
        Path | None,
        typer.Argument(metavar="[FILE]", help="The file to write; without it or with -, standard output."),
    ] = None,
) -> CommandResult:
    """Write every event as a line of JSON, in the order of the chain."""
    from callscope.accounts.audit import event_json, find_cut, iterate_events
    from callscope.accounts.trail.chaining import chain_notes
    from callscope.db.snapshot import snapshot

    target = STDOUT_PATH if file is None else output_path(file)
    if target.is_dir() or not target.absolute().parent.is_dir():
        raise Failure(f"{target}: cannot write a file there.")
    chain_notes()
    count = 0
    with snapshot(may_pause=True), open_atomic(target) as draft:
        previous = find_cut().digest
        for event in iterate_events():
            line = json.dumps(event_json(event, previous), ensure_ascii=False)
            draft.write(line.encode() + b"\n")
            count, previous = count + 1, event.digest
    sys.stdout.flush()
    return CommandResult({"events": count}, f"{count} events written.", is_stdout_taken=is_stdout(target))
