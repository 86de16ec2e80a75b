"""Three hosts through trouble: what is lost, what is made twice, and what a person has to do.

`python benchmarks/hosts/run.py --transcripts FOLDER [--only RUN …] [--broker redis|rabbitmq|none]
[--scale 0.1]` on a machine with PostgreSQL (--postgres), redis-server or RabbitMQ. Each run gets a database,
a bucket and a broker of its own. Times are those of the run's name, times --scale. Exit status 1 when a
file is lost, something is there twice, or a run that has to end without failures has one.
"""

import argparse
import os
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent.parent / "deploy"))

import restore_drill
import troubles
from counting import NO_REASON, Outcome, make_files, make_recording, run_files, send
from engines import REFUSALS, TALK, TROUBLES, Engines
from hosts import Site
from poison.sitecustomize import KILLS_DECODER, KILLS_WORKER

HEAD = (
    "| run | done | failed | lost | double | engine calls beyond need | most attempts | uploads | took | |\n"
    "|---|---|---|---|---|---|---|---|---|---|"
)
#: What a language model says of every call, and what ends each of them.
FINAL = ("llm: talks", "llm: leaves criteria out")
UNREACHABLE = "unreachable"
RIGHT = "text/plain"  # an odd way to give the right answer
ONE = "for one of them"
PASSING_S = 20.0  # how long an engine is in trouble that passes
MET = "SELECT count(*) FROM pipeline_job WHERE error != '' AND project_id = %s"


class Runs:
    """What the runs have in common."""

    def __init__(self, options: argparse.Namespace, home: Path) -> None:
        self.options, self.home = options, home
        found = [each for each in options.transcripts.iterdir() if each.suffix in (".srt", ".vtt")]
        if not found:
            sys.exit(f"No file in {options.transcripts} ends in .srt or .vtt.")
        self.transcripts = sorted(found)[: options.files]
        self.number = 0

    def site(self, broker: str | None = None, disk_mb: int = 0, **settings: str) -> Site:
        self.number += 1
        broker = self.options.broker if broker is None else broker
        return Site(self.home / f"site-{self.number}", self.options.postgres, broker, disk_mb, **settings)

    def fill(self, site: Site, transcripts: int | None = None, recordings: int = 20) -> Path:
        folder = site.home / "files"
        make_files(folder, self.transcripts[:transcripts], recordings)
        return folder

    def seconds(self, number: float) -> float:
        return number * self.options.scale

    def disturbed(
        self, name: str, disturb: Callable[[Site], None] | None, *, broker: str | None = None,
        transcripts: int | None = None, recordings: int = 20,
    ) -> Outcome:  # fmt: skip
        """Send all files through a new site that is disturbed meanwhile."""
        with self.site(broker) as site:
            folder = self.fill(site, transcripts, recordings)
            act = (lambda: disturb(site)) if disturb else None
            return run_files(site, name, folder, act)


def run_asr_away(runs: Runs) -> Outcome:
    """Speech is away before the first recording comes, and comes back after ten minutes."""
    away_s = runs.seconds(600)

    def disturb(site: Site) -> None:
        time.sleep(away_s)
        site.relays["engines"].restore()

    with runs.site() as site:
        site.relays["engines"].cut()
        return run_files(
            site, f"ASR away for {away_s:.0f} s", runs.fill(site, transcripts=0), lambda: disturb(site)
        )


def run_full_disk(runs: Runs) -> Outcome:
    """The disks of all three hosts are full for a minute, while files are sent, heard and judged."""
    full_s = runs.seconds(60)
    with runs.site(disk_mb=64) as site:
        return run_files(
            site,
            f"disks of all hosts full for {full_s:.0f} s",
            runs.fill(site),
            lambda: troubles.fill_disks(site, full_s),
        )


def run_hanging_model(runs: Runs) -> Outcome:
    """The model of private projects hangs, and many of their calls wait: what do others wait for theirs?

    Both models wait for ENGINE_TIMEOUT at most, 60 s, and two workers serve them.
    """
    hanging = Engines()
    hanging.trouble = "hang"
    private = {
        "CALLSCOPE_PRIVATE_LLM_URL": f"http://127.0.0.1:{hanging.port}/v1",
        "CALLSCOPE_PRIVATE_LLM_MODEL": "m",
        "CALLSCOPE_ENGINE_TIMEOUT": "60",
    }
    with runs.site(**private) as site:
        folder = runs.fill(site, transcripts=30, recordings=0)
        usual = run_files(site, "quiet", folder)
        quiet_s = read_waiting_s(site, site.project)
        site.project = site.add_project("Private", private_transcription=True)
        send(site, folder)
        while not hanging.calls["llm"]:
            time.sleep(0.2)
        site.project = site.add_project("Ordinary, meanwhile")
        site.engines.reset()
        outcome = run_files(site, "the model of private projects hangs", folder)
        waited_s = read_waiting_s(site, site.project)
        outcome.notes.append(
            f"an analysis of others is done after {waited_s:.1f} s in the mean, {quiet_s:.1f} s"
            f" without: {waited_s / quiet_s:.2f} times; {usual.done} of {usual.files} done then"
        )
        return outcome


def read_waiting_s(site: Site, project: int) -> float:
    """Return the mean of the seconds from when an analysis was queued until it ended."""
    [row] = site.query(
        "SELECT extract(epoch FROM avg(finished_at - created_at))::float FROM pipeline_job"
        " WHERE kind = 'analyze' AND state = 'done' AND project_id = %s",
        project,
    )
    return float(row[0])


def run_slow_model(runs: Runs) -> Outcome:
    """A model answers one request per eight seconds, and refuses the others with 429."""
    pause_s = runs.seconds(8)
    with runs.site() as site:
        site.engines.one_request_a_s = pause_s
        folder = runs.fill(site, transcripts=30, recordings=0)
        outcome = run_files(site, f"one request per {pause_s:g} s, else 429", folder)
        outcome.calls -= site.engines.refused["llm"]
        outcome.notes.append(f"{site.engines.refused['llm']} requests refused")
        return outcome


def run_poison(runs: Runs) -> Outcome:
    """One recording kills the decoder, one the process of the worker; their neighbors are done."""
    path = [str(Path(__file__).parent / "poison"), *filter(None, [os.environ.get("PYTHONPATH")])]
    with runs.site(PYTHONPATH=os.pathsep.join(path)) as site:
        folder = runs.fill(site, transcripts=10, recordings=10)
        for name, end in (
            ("recording-003-decoder.wav", KILLS_DECODER),
            ("recording-004-worker.wav", KILLS_WORKER),
        ):
            make_recording(folder / name, 77)
            with (folder / name).open("ab") as file:
                file.write(end)
        outcome = run_files(site, "two recordings that kill", folder)
        rows = site.query(
            "SELECT f.original_filename, j.state, j.attempts, j.interruptions, j.error FROM pipeline_job j"
            " JOIN calls_uploadedfile f ON f.id = j.subject_id WHERE j.kind = 'transcribe' AND"
            " (j.state != 'done' OR j.interruptions > 0)"
        )
        outcome.notes += [str(row) for row in rows]
        return outcome


def run_drill(runs: Runs) -> Outcome:
    """A backup while uploads run is restored elsewhere: what the copy says and plays is the same."""
    with runs.site() as site:
        # Where nothing is redacted, a recording is played before it is transcribed, too.
        quiet, busy = site.project, site.add_project("Busy", redact=[])
        outcome = run_files(site, "backup under load, restored elsewhere", runs.fill(site))
        # A regrouping that comes after the backup changes the report of the running site alone.
        while site.query("SELECT id FROM pipeline_job WHERE state IN ('queued', 'running')"):
            time.sleep(0.2)
        backup = site.home / "backup.zip"
        with troubles.uploading(site, busy) as sent:
            while len(sent) < 10:
                time.sleep(0.2)
            at_start = len(sent)
            site.run("backup", str(backup))
            meanwhile = len(sent) - at_start
            running = restore_drill.Instance(f"http://127.0.0.1:{site.port}", site.key)
            os.environ["CALLSCOPE_TIME_ZONE"] = "UTC"
            with restore_drill.restored(backup, site.key) as copy:
                differing = restore_drill.compare(running, copy, quiet)
                kept = list(copy.list_states(busy))
                pairs = {each: (running.hash_content(each), copy.hash_content(each)) for each in kept}
                wrong = [
                    f"{each}: {ours[:12]}, {theirs[:12]}"
                    for each, (ours, theirs) in pairs.items()
                    if ours != theirs
                ]
        outcome.notes += [
            f"{meanwhile} uploads during the backup",
            f"{differing} differences in the quiet project",
            f"{len(kept)} of {len(sent)} files of the busy project in the copy, {len(wrong)} hash mismatches",
            *wrong[:3],
        ]
        if differing or wrong or len(kept) < at_start:
            outcome.doubles.append("the copy differs")
        return outcome


def run_faults(runs: Runs) -> list[Outcome]:
    """Each wrong answer of each engine, one after the other on one site, each with a project of its own."""
    outcomes = []
    for role in runs.options.roles:
        talk = TALK if role == "llm" else ()
        passing = [*TROUBLES, UNREACHABLE, "half a body", RIGHT, *talk]
        chosen = runs.options.faults or [*passing, *REFUSALS]
        with runs.site(CALLSCOPE_ENGINE_TIMEOUT="10") as site:
            few = (
                {"transcripts": 8, "recordings": 0} if role == "llm" else {"transcripts": 0, "recordings": 5}
            )
            folder = runs.fill(site, **few)
            outcomes += [
                run_fault(site, folder, role, trouble, is_for_one=trouble in REFUSALS)
                for trouble in [*passing, *REFUSALS]
                if trouble in chosen
            ]
    return outcomes


def run_fault(site: Site, folder: Path, role: str, trouble: str, *, is_for_one: bool) -> Outcome:
    """One wrong answer: to everybody for a while, where all is done in the end, or to one call each time."""
    engines = site.engines
    engines.reset()
    name = f"{role}: {trouble} {ONE if is_for_one else f'for {PASSING_S:.0f} s'}"
    site.project = site.add_project(name)
    if trouble == UNREACHABLE:
        site.relays["engines"].cut()
    else:
        engines.only_for, engines.trouble, engines.is_for_one = role, trouble, is_for_one

    def pass_by() -> None:
        while not engines.refused and not site.query(MET, site.project)[0][0]:  # a busy machine asks late
            time.sleep(0.2)
        time.sleep(PASSING_S)
        engines.trouble = ""
        site.relays["engines"].restore()

    outcome = run_files(site, name, folder, None if is_for_one else pass_by)
    refused = engines.refused[role] if trouble != RIGHT else 0
    outcome.notes.append(f"{refused} wrong answers")
    outcome.calls -= refused
    print(outcome, flush=True)
    return outcome


def plain(name: str, disturb: Callable[..., None] | None, *seconds: float, **options: object) -> Callable:
    """Return a run of all files that `disturb` disturbs for so many seconds."""

    def run(runs: Runs) -> Outcome:
        scaled = [runs.seconds(each) for each in seconds]
        act = (lambda site: disturb(site, *scaled)) if disturb else None
        return runs.disturbed(name.format(*(f"{each:.0f} s" for each in scaled)), act, **options)  # type: ignore[arg-type]

    return run


RUNS: dict[str, Callable[[Runs], Outcome | list[Outcome]]] = {
    "plain": plain("plain", None),
    "restarts": plain("each host restarted", troubles.restart_each_host),
    "kills": plain("kill -9 of speech and language, 6 ×", troubles.kill_workers),
    "terminated": plain("connections to the database ended, 12 ×", troubles.end_connections),
    "database": plain("database refused for {}, no broker", troubles.refuse_database, 21, broker="none"),
    "broker-lost": plain("broker's connections ended, its queues deleted, 3 ×", troubles.lose_messages),
    "broker-repeats": plain("messages come late and again, 4 ×", troubles.repeat_messages),
    "broker-away": plain("broker refused for {}", troubles.refuse_broker, 54),
    "broker-frozen": plain("broker frozen for {}", troubles.freeze_broker, 36),
    "stopped": plain("workers stopped for {}", troubles.stop_workers, 51, transcripts=0),
    "bucket": plain("bucket refused for {}", troubles.refuse_bucket, 300),
    "asr-away": run_asr_away,
    "full-disk": run_full_disk,
    "hanging-model": run_hanging_model,
    "slow-model": run_slow_model,
    "poison": run_poison,
    "drill": run_drill,
    "faults": run_faults,
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--transcripts", type=Path, required=True, help="a folder of SRT and VTT files")
    parser.add_argument("--files", type=int, default=60, help="of them, at most")
    parser.add_argument(
        "--only", nargs="+", choices=RUNS, default=list(RUNS), metavar="RUN", help=", ".join(RUNS)
    )
    parser.add_argument("--faults", nargs="+", help="of the run named faults")
    parser.add_argument(
        "--roles", nargs="+", choices=("llm", "asr"), default=["llm", "asr"], help="of the run named faults"
    )
    parser.add_argument("--broker", choices=("redis", "rabbitmq", "none"), default="redis")
    parser.add_argument("--scale", type=float, default=1.0, help="factor on the times")
    parser.add_argument("--postgres", default="postgres://postgres@127.0.0.1:5432/postgres")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # all hosts end with this process
    outcomes: list[Outcome] = []
    print(f"broker: {options.broker}\n{HEAD}", flush=True)
    with tempfile.TemporaryDirectory(prefix="callscope-hosts-") as home:
        runs = Runs(options, Path(home))
        for name in options.only:
            found = RUNS[name](runs)
            if isinstance(found, Outcome):
                print(found, flush=True)
                found = [found]
            outcomes += found
    return judge(outcomes)


def judge(outcomes: list[Outcome]) -> int:
    """Print what went wrong, and return the exit status."""
    wrong = [f"{each.name}: something is there twice" for each in outcomes if each.doubles]
    wrong += [f"{each.name}: lost {', '.join(each.lost)}" for each in outcomes if each.lost]
    for each in outcomes:
        must_fail = 2 if "that kill" in each.name else int(each.name.endswith(ONE))
        if each.name.startswith(FINAL):
            must_fail = each.files
        if len(each.failed) != must_fail or NO_REASON in each.failed.values():
            wrong.append(f"{each.name}: {len(each.failed)} files failed, {must_fail} of them have to")
    print("\n".join(wrong) or "Nothing is lost, nothing is there twice.", flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
