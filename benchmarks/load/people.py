"""What ordinary people and programs do: read, poll, upload."""

import itertools
import random
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from answers import Client, Tally, percentile
from instance import OWNER, PASSWORD, Instance

PAUSE_S = 0.05  # of one of OTHERS between two requests
OTHERS = 4
TALK = (
    "1\n00:00:00,000 --> 00:00:04,000\nAgent: Good morning, how can I help you?\n\n"
    "2\n00:00:05,000 --> 00:00:09,000\nCustomer: My invoice number {0} is wrong.\n\n"
    "3\n00:00:10,000 --> 00:00:14,000\nAgent: I have corrected it for you.\n\n"
    "4\n00:00:15,000 --> 00:00:19,000\nCustomer: Thank you, that solves it.\n"
)


class Readers:
    """Read reports, lists and pages of one instance; half of the readers with a key, half in a browser."""

    def __init__(self, instance: Instance, client: Client) -> None:
        browser = Client(client.port)
        answer = browser.sign_in(OWNER, PASSWORD)
        if answer.status != 302:
            raise SystemExit(f"the owner could not sign in: {answer.status}")
        listed = client.ask("GET", f"/calls/api/calls/?project_id={instance.project}").json()["results"]
        call = listed[0]["id"] if listed else 0
        scope = f"project_id={instance.project}"
        api = [
            f"/calls/api/report/?{scope}",
            f"/calls/api/calls/?{scope}&search=imported",
            "/healthz",
            f"/calls/api/calls/{call}/",
        ]
        self._ways = [
            (client, api),
            (browser, ["/report/?project_id=", "/calls/?project_id=", f"/calls/{call}/", "/projects/"]),
        ]

    def read(self, tally: Tally, until: float, *, number: int = 0, pause_s: float = PAUSE_S) -> None:
        """Read one address after the other until that moment of time.monotonic()."""
        client, paths = self._ways[number % 2]
        dice = random.Random(number)
        time.sleep(dice.random() * pause_s)
        for path in itertools.cycle(paths[number // 2 % 4 :] + paths[: number // 2 % 4]):
            if time.monotonic() >= until:
                return
            tally.add(f"read {path.partition('?')[0]}", client.ask("GET", path))
            time.sleep(max(0.0, min(pause_s * (0.5 + dice.random()), until - time.monotonic())))

    def read_for(self, duration_s: float, *, readers: int = OTHERS, pause_s: float = PAUSE_S) -> Tally:
        """Let so many readers read at once; return what they were answered."""
        tally = Tally()
        with self.reading(tally, duration_s, readers=readers, pause_s=pause_s):
            pass
        return tally

    @contextmanager
    def reading(
        self, tally: Tally, duration_s: float, *, readers: int = OTHERS, pause_s: float = PAUSE_S
    ) -> Iterator[None]:
        """Read for so long next to what the block does; leave when both are over."""
        until = time.monotonic() + duration_s
        threads = [
            threading.Thread(
                target=self.read, args=(tally, until), kwargs={"number": n, "pause_s": pause_s}, daemon=True
            )
            for n in range(readers)
        ]
        for thread in threads:
            thread.start()
        try:
            yield
        finally:
            for thread in threads:
                thread.join()


class Uploader:
    """Upload small transcripts; remember which were acknowledged."""

    def __init__(self, instance: Instance, client: Client, prefix: str) -> None:
        self._project, self._client, self._prefix = instance.project, client, prefix
        self.acknowledged: list[int] = []  # ids of files
        self._numbers = itertools.count()

    def upload(self, tally: Tally, *, filler_bytes: int = 0) -> int:
        """Upload the next transcript, with so much that compresses badly in it; return the status."""
        number = next(self._numbers)
        filler = random.Random(number).randbytes(filler_bytes // 2).hex()
        text = TALK.format(number) + "".join(
            f"\n{n + 5}\n00:{n // 60 % 60:02}:{n % 60:02},500 --> 00:{n // 60 % 60:02}:{n % 60:02},900\n"
            f"Agent: {filler[start : start + 400]}\n"
            for n, start in enumerate(range(0, len(filler), 400), start=20)
        )
        answer = self._client.upload(self._project, f"{self._prefix}-{number:04}.srt", text.encode())
        tally.add("upload", answer)
        if answer.status == 201:
            self.acknowledged.append(answer.json()["id"])
        return answer.status

    def upload_for(self, tally: Tally, until: float, *, pause_s: float, most: int = 200) -> None:
        for _ in range(most):
            if time.monotonic() >= until:
                return
            self.upload(tally)
            time.sleep(pause_s)

    def count_lost(self, client: Client, patience_s: float = 120.0) -> int:
        """Wait until all that was acknowledged is transcribed; return how many files are not.

        The patience begins again with every file: how long all of them take is up to the machine.
        """
        missing = set(self.acknowledged)
        ends_at = time.monotonic() + patience_s
        while missing and time.monotonic() < ends_at:
            for file_id in sorted(missing):
                answer = client.ask("GET", f"/api/files/{file_id}/")
                if answer.status != 200 or answer.json()["status"] != "transcribed":
                    break
                missing.discard(file_id)
                ends_at = time.monotonic() + patience_s
            else:
                break
            time.sleep(0.5)
        return len(missing)


def poll(instance: Instance, client: Client, tally: Tally, until: float, *, pause_s: float = 1.0) -> None:
    """Ask how far the analysis is, as `callscope upload --wait` and the report's page do."""
    while time.monotonic() < until:
        path = f"/calls/api/analysis-status/?project_id={instance.project}"
        tally.add("poll", client.ask("GET", path))
        time.sleep(pause_s)


def format_durations(durations_s: list[float]) -> str:
    p50, p95 = (percentile(durations_s, share) * 1000 for share in (0.5, 0.95))
    return f"{len(durations_s)} requests, p50 {p50:.0f} ms, p95 {p95:.0f} ms"
