"""Load a real server, then abuse it: `make load`. Exit status 1 when something fails.

Every figure is a ratio within this run: readers who ask while somebody else does harm, against the
same readers when nobody does. The clients run on this machine too and share its cores.
"""

import argparse
import signal
import sys
import tempfile
import time
from pathlib import Path

import abuse
import trouble
from answers import Client, Tally, run_together
from instance import Instance
from outcome import Outcome
from people import PAUSE_S, Readers, Uploader, format_durations, poll

ABUSES = {
    "slow": abuse.run_slow_clients,
    "flood": abuse.run_sign_in_flood,
    "manifest": abuse.run_manifest,
    "locked": trouble.run_locked_database,
}
RUNS = ["together", "readers", *ABUSES, "disk", "broker"]
READERS_AT_ONCE = 100
LOOKS_FOR_S = 6.0  # at a page, before the next one is opened
MOST_OF_ONE = 5.0
UPLOADERS, POLLERS, READERS = 2, 8, 8
MOST_S = 60.0


def main() -> int:
    options = parse_options()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # servers and disks go along
    outcomes: list[Outcome] = []
    with tempfile.TemporaryDirectory(prefix="callscope-load-") as folder:
        home = Path(folder)
        # Whose address counts is up to the proxy: the flood comes from everywhere.
        instance = Instance(home / "data", postgres=options.postgres, CALLSCOPE_TRUSTED_PROXIES="127.0.0.1")
        try:
            instance.prepare(options.calls)
            with instance.serve() as client:
                names = [name for name in options.only if name not in ("broker", "disk")]
                outcomes += [print_outcome(run(name, instance, client, options.seconds)) for name in names]
            if "broker" in options.only:
                outcomes.append(print_outcome(trouble.run_dead_broker(instance, options.seconds)))
        finally:
            instance.remove()
        if "disk" in options.only:
            found = trouble.run_full_disk(home, options.postgres, options.calls, options.seconds)
            outcomes.append(print_outcome(found))
    failed = [outcome.name for outcome in outcomes if not outcome.has_passed]
    print(
        f"\n{len(outcomes) - len(failed)} of {len(outcomes)} passed."
        + (f" Failed: {', '.join(failed)}." * bool(failed))
    )
    return 1 if failed else 0


def parse_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=8.0, help="of each measurement, at most 60")
    parser.add_argument("--calls", type=int, default=500, help="imported before, at most 100000")
    parser.add_argument("--only", nargs="+", choices=RUNS, default=RUNS, metavar="RUN", help=", ".join(RUNS))
    parser.add_argument("--postgres", default="", help="address of a PostgreSQL that may get new databases")
    options = parser.parse_args()
    if not 1 <= options.seconds <= MOST_S or not 1 <= options.calls <= 100_000:
        parser.error("--seconds is 1 to 60, --calls 1 to 100000")
    return options


def run(name: str, instance: Instance, client: Client, seconds: float) -> Outcome:
    if name == "together":
        return run_together_at_work(instance, client, seconds)
    if name == "readers":
        return run_many_readers(instance, client, seconds)
    return ABUSES[name](instance, client, seconds)


def run_together_at_work(instance: Instance, client: Client, seconds: float) -> Outcome:
    """Uploads, pollers and readers together: no error at all."""
    outcome = Outcome("together", float("inf"))
    readers = Readers(instance, client)
    quiet = readers.read_for(seconds / 2)
    tally, until = Tally(), time.monotonic() + seconds
    uploaders = [Uploader(instance, client, f"together-{n}") for n in range(UPLOADERS)]
    run_together(
        *(lambda u=u: u.upload_for(tally, until, pause_s=0.5) for u in uploaders),
        *(lambda: poll(instance, client, tally, until) for _ in range(POLLERS)),
        *(lambda n=n: readers.read(tally, until, number=n, pause_s=0.5) for n in range(READERS)),
    )
    outcome.compare(tally, quiet)
    outcome.check_answers(quiet, tally)
    errors = [a for _, a in tally.answers if a.status not in (200, 201)]
    if errors:
        outcome.problems.append(f"{len(errors)} errors, the first {errors[0].status}")
    for what in ("upload", "poll", "read"):
        print(f"      {what:8} {format_durations(tally.durations_s(what))}", flush=True)
    outcome.check_kept(
        sum(len(u.acknowledged) for u in uploaders), sum(u.count_lost(client) for u in uploaders)
    )
    return outcome


def run_many_readers(instance: Instance, client: Client, seconds: float) -> Outcome:
    """100 people read at once, each for some seconds a page, against one alone."""
    outcome = Outcome("100 readers", MOST_OF_ONE)
    readers = Readers(instance, client)
    one = readers.read_for(seconds, readers=1, pause_s=PAUSE_S)
    two = readers.read_for(seconds / 2, readers=1, pause_s=PAUSE_S)
    many = readers.read_for(2 * seconds, readers=READERS_AT_ONCE, pause_s=LOOKS_FOR_S)
    one.answers += two.answers
    outcome.compare(many, one)
    outcome.check_answers(one, many)
    outcome.details.append(format_durations(many.durations_s("read")))
    return outcome


def print_outcome(outcome: Outcome) -> Outcome:
    print(outcome.format_row(), flush=True)
    return outcome


if __name__ == "__main__":
    sys.exit(main())
