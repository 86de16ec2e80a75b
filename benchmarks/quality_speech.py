"""How well does Callscope hear and tell speakers apart?

Prints word error rate for every recogniser that can work here and the share of
segments with the right speaker on stereo calls. Next to each figure stands what
doing nothing clever gives. Recordings come from ../shared/data where it is there.
"""

import csv
import dataclasses
import json
import math
import re
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rapidfuzz.distance import Levenshtein

from callscope.engines.asr.protocol import Transcriber
from callscope.engines.registry import build_transcriber
from callscope.environment import Environment
from callscope.projects.configuration import parse
from callscope.transcription.audio import decoding
from callscope.transcription.recognition import recognize

DATA = Path(__file__).parent.parent.parent / "shared" / "data"


def main() -> int:
    if not DATA.is_dir():
        print("No ../shared/data next to the repository: nothing to listen to.")
        return 0
    for engine in engines():
        print_word_error_rate(engine)
        print_speakers(engine)
    return 0


def engines() -> Iterator[Transcriber]:
    """Yield every recogniser that could work here; say of the others why not."""
    environment = Environment.read()
    addresses = ["local", "demo"]
    if environment.transcriber.address not in ("", *addresses):
        addresses.append(environment.transcriber.address)
    for address in addresses:
        engine = build_transcriber(dataclasses.replace(environment.transcriber, address=address), environment)
        health = engine.check()
        if health.ok:
            yield engine
        else:
            print(f"== {engine.name}: not measured. {health.detail}")


def print_word_error_rate(engine: Transcriber) -> None:
    print(
        f"== {engine.name}, model {engine.model}: word error rate on telephone speech (an empty text: 1.000)"
    )
    with (DATA / "asr_g711" / "references.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    totals: dict[str, list[float]] = {}
    for row in rows:
        began = time.perf_counter()
        with decoding.decode_recording(DATA / "asr_g711" / row["filename"]) as recording:
            heard = recognize(recording, engine, parse({"language": "en"}))
        took_s = time.perf_counter() - began
        text = " ".join(segment["text"] for segment in heard.segments)
        reference = words(row["reference"])
        sums = totals.setdefault(f"{row['kind']}, {row['condition']}", [0.0, 0.0, 0.0, 0.0])
        for place, value in enumerate(
            [Levenshtein.distance(words(text), reference), len(reference), took_s, recording.duration_s]
        ):
            sums[place] += value
    for name, (wrong, count, took_s, length_s) in totals.items():
        print(
            f"{name:16} {wrong / count:.3f}, n {count:.0f} words, "
            f"{took_s / length_s:.2f} s for a second of sound"
        )


def print_speakers(engine: Transcriber) -> None:
    """Compare each segment's speaker with who speaks at that time in the reference."""
    right = wrong = 0
    for path in sorted((DATA / "tts_calls" / "audio").glob("*.wav")):
        reference = json.loads((DATA / "tts_calls" / "reference" / f"{path.stem}.json").read_text("utf-8"))
        with decoding.decode_recording(path) as recording:
            heard = recognize(recording, engine, parse({}))
        for segment in heard.segments:
            spoken = max(reference, key=lambda turn: _overlap_s(segment, turn))
            if spoken["speaker"].casefold() == segment["speaker"]:
                right += 1
            else:
                wrong += 1
    total = right + wrong
    print(
        f"speakers by channel: {right / total:.3f} {interval(right, total)}, n {total} (all agent: about 0.5)"
    )


def words(text: str) -> list[str]:
    return re.findall(r"[\w']+", text.casefold())


def _overlap_s(segment: dict[str, Any], turn: dict[str, Any]) -> float:
    return float(min(segment["end"], turn["end"]) - max(segment["start"], turn["start"]))


def interval(hits: int, total: int) -> str:
    """Return Wilson's 95 % interval."""
    z = 1.96
    share = hits / total
    middle = (share + z * z / (2 * total)) / (1 + z * z / total)
    half = z / (1 + z * z / total) * math.sqrt(share * (1 - share) / total + z * z / (4 * total * total))
    return f"[{max(0.0, middle - half):.3f}, {min(1.0, middle + half):.3f}]"


if __name__ == "__main__":
    sys.exit(main())
