"""When does a browser paint the first words of a page, and what does it load for it?

BENCH_BEFORE is a checkout of an earlier version in which `make setup` was run: it serves a world of the same
calls, and its pages are loaded in turn with ours. Without it there is nothing to compare with, and the
figures of this version are printed alone. Each load has an empty cache.
"""

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

import world
from measuring import SIZES, environment_of, heading, in_ms, line, row, wait_for

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "journeys"))
import browser as browsers

LOADS = int(os.environ.get("BENCH_LOADS", "21"))
PAGES = ["/report/?project_id=1", "/calls/?project_id=", "the newest call"]
MOST_BYTES, MOST_REQUESTS = 150_000, 12  # of a report
BUILD = "import sys, world; print(world.build(int(sys.argv[1])))"
PAINTED = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime"
VIEWPORT = {"width": 1440, "height": 900}


def main() -> None:
    if not browsers.executable():
        print(f"\nNo browser was found: {', '.join(browsers.BROWSERS)}.")
        return
    before = os.environ.get("BENCH_BEFORE", "")
    for calls in SIZES:
        versions = {"now": (Path(sys.executable), world.build(calls))}
        if before:
            python = Path(before).absolute() / ".venv" / "bin" / "python"
            versions["before"] = (python, build_before(Path(before), python, calls))
        compare(calls, versions)


def build_before(checkout: Path, python: Path, calls: int) -> Path:
    """Return the folder of a world that the earlier version has made for itself."""
    folder = world.folder(calls).parent / "before"
    folder.mkdir(exist_ok=True)
    done = subprocess.run(
        [str(python), "-c", BUILD, str(calls)],
        cwd=checkout / "benchmarks",
        env=os.environ | {"BENCH_DIR": str(folder)},
        check=True,
        capture_output=True,
        text=True,
    )
    return Path(done.stdout.splitlines()[-1])


def compare(calls: int, versions: dict[str, tuple[Path, Path]]) -> None:
    """Load each page of all versions in turn, and print the medians."""
    with browsers.chromium() as chromium, ExitStack() as stack:
        readers = {
            name: Reader(chromium, stack.enter_context(serve_version(python, data)))
            for name, (python, data) in versions.items()
        }
        heading(calls)
        for page in PAGES:
            loads = load_in_turns(page, readers)
            now = loads["now"]
            painted = median(load.painted_ms for load in now)
            if "before" in loads:
                line(f"{page}: first paint", painted, median(b.painted_ms for b in loads["before"]), "≤ 1")
                weight = median(load.sent_bytes for load in loads["before"])
                print(f"| before: {weight / 1000:.0f} kB in {loads['before'][0].requests} requests | | | | |")
            weight, requests = median(load.sent_bytes for load in now), now[0].requests
            print(
                f"| {page}: {weight / 1000:.0f} kB in {requests} requests, {in_ms(painted)} | | | | |",
                flush=True,
            )
            if page.startswith("/report/"):
                row(f"{page}: sent, of 150 kB", weight / MOST_BYTES, "≤ 1", f"{weight:,.0f} B")
                row(f"{page}: requests, of 12", requests / MOST_REQUESTS, "≤ 1", f"{requests}")


def load_in_turns(page: str, readers: dict[str, "Reader"]) -> dict[str, list["Load"]]:
    loads: dict[str, list[Load]] = {name: [] for name in readers}
    for number in range(LOADS + 1):
        for name, reader in readers.items():
            load = reader.load(page)
            if number:  # for the first one the server reads its templates
                loads[name].append(load)
    return loads


class Load(NamedTuple):
    painted_ms: float  # since the click, as the browser rounds it
    sent_bytes: int  # of the page and all that it asks for, with their heads
    requests: int


class Reader:
    """Somebody signed in to one version, for whom each page is the first one."""

    def __init__(self, chromium: Any, base: str) -> None:
        self.chromium, self.base = chromium, base
        page = browsers.open_page(chromium, viewport=VIEWPORT)
        browsers.sign_in(page, base, world.EMAIL, world.PASSWORD)
        page.goto(f"{base}/calls/?project_id=")
        self.newest = page.get_attribute("tbody th a[href^='/calls/']", "href")
        self.session = page.context.storage_state()
        page.context.close()

    def load(self, page: str) -> Load:
        address = page if page.startswith("/") else self.newest
        opened = browsers.open_page(self.chromium, viewport=VIEWPORT, storage_state=self.session)
        asked: dict[str, str] = {}
        sent: list[int] = []

        def note_end(event: dict[str, Any]) -> None:
            if not asked.get(event["requestId"], "").startswith("data:"):  # those come from the style sheets
                sent.append(event["encodedDataLength"])

        network = opened.context.new_cdp_session(opened)
        network.on("Network.requestWillBeSent", lambda e: asked.update({e["requestId"]: e["request"]["url"]}))
        network.on("Network.loadingFinished", note_end)
        network.send("Network.enable")
        opened.goto(f"{self.base}{address}", wait_until="networkidle")
        browsers.until(opened, f"{PAINTED} > 0")  # a busy browser reports it late
        painted = opened.evaluate(PAINTED)
        opened.context.close()
        return Load(painted, sum(sent), len(sent))


@contextmanager
def serve_version(python: Path, data: Path) -> Iterator[str]:
    """Yield the address at which a version serves its world."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    process = subprocess.Popen(
        [str(python), "-m", "callscope", "serve", "--port", str(port), "--workers", "0"],
        env=environment_of(data) | {"CALLSCOPE_RATE_LIMIT": "off"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        wait_for(port)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(30)


if __name__ == "__main__":
    main()
