"""How well does Callscope hear, tell speakers apart, and redact?

Prints word error rate for every recogniser that can work here, the share of
segments with the right speaker on stereo calls, and the recall of redaction on
redaction_corpus.txt. Beside each figure stands what doing nothing clever gives.
Recordings come from ../shared/data where it is there.
"""

import csv
import json
import math
import re
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rapidfuzz.distance import Levenshtein

from callscope.engines.asr import selection
from callscope.engines.asr.protocol import Transcriber
from callscope.environment import Environment
from callscope.projects.configuration import parse
from callscope.transcription import decoding, identifiers, redaction
from callscope.transcription.recognition import recognise
from callscope.transcription.spoken_numbers import tokens

DATA = Path(__file__).parent.parent.parent / "shared" / "data"
CORPUS = Path(__file__).with_name("redaction_corpus.txt")
SPEAKERS = {"A": "agent", "C": "customer", "U": None}
KINDS = ["cards", "security_codes"]
PLAIN_CARD = re.compile(r"(?:\d[ -]?){13,19}")


def main() -> int:
    print_redaction()
    if not DATA.is_dir():
        print("No ../shared/data beside the repository: nothing to listen to.")
        return 0
    for engine in engines():
        print_word_error_rate(engine)
        print_speakers(engine)
    return 0


# Redaction.


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the corpus: its kind, the conversation, and where the secrets stand in it."""

    kind: str
    segments: list[dict[str, Any]]
    secrets: list[tuple[int, int, int]]  # segment, start, end


def corpus() -> Iterator[Line]:
    """Read lines such as `cards<TAB>A: Your card? | C: It is ⟦4532…⟧.`; U is a speaker not known."""
    for text in CORPUS.read_text(encoding="utf-8").splitlines():
        kind, conversation = text.split("\t")
        segments, secrets = [], []
        for number, turn in enumerate(conversation.split(" | ")):
            who, marked = turn.split(": ", 1)
            plain = ""
            for part in re.split("([⟦⟧])", marked):
                if part == "⟦":
                    begin = len(plain)
                elif part == "⟧":
                    secrets.append((number, begin, len(plain)))
                else:
                    plain += part
            times = {"start": 3.0 * number, "end": 3.0 * number + 2}
            segments.append({**times, "speaker": SPEAKERS[who], "text": plain, "confidence": None})
        yield Line(kind, segments, secrets)


def is_hidden(line: Line) -> bool:
    """Tell whether no number of any secret is left."""
    masks, _ = redaction.find(line.segments, KINDS)
    for segment, start, end in line.secrets:
        text = line.segments[segment]["text"]
        mask = masks.get(segment, bytes(len(text)))
        numbers = [token for token in tokens(text) if token.digits and start <= token.start < end]
        if not numbers or any(not all(mask[token.start : token.end]) for token in numbers):
            return False
    return True


def is_hidden_by_a_plain_pattern(line: Line) -> bool:
    """What a search for written card numbers would hide."""
    return all(
        (match := PLAIN_CARD.search(line.segments[segment]["text"], start)) is not None and match.end() >= end
        for segment, start, end in line.secrets
    )


def print_redaction() -> None:
    lines = list(corpus())
    print(f"== Redaction, {len(lines)} lines in English and Spanish")
    for kind in KINDS:
        chosen = [line for line in lines if line.kind == kind]
        hidden = sum(map(is_hidden, chosen))
        floor = sum(map(is_hidden_by_a_plain_pattern, chosen))
        print(
            f"{kind:16} recall {hidden / len(chosen):.3f} {interval(hidden, len(chosen))}, n {len(chosen)}"
            f"   (pattern for written card numbers: {floor / len(chosen):.3f})"
        )
    harmless = [line for line in lines if line.kind == "none"]
    touched = sum(bool(identifiers.find(line.segments, KINDS)) for line in harmless)
    print(f"{'harmless lines':16} touched {touched} of {len(harmless)}")


# Hearing.


def engines() -> Iterator[Transcriber]:
    """Yield every recogniser that could work here; say of the others why not."""
    environment = Environment.read()
    addresses = ["local", "demo"]
    if environment.transcriber.address not in ("", *addresses):
        addresses.append(environment.transcriber.address)
    for address in addresses:
        engine = selection.transcriber(
            address,
            api_key=environment.transcriber.api_key,
            model=environment.transcriber.model,
            device=environment.whisper_device,
            compute_type=environment.whisper_compute_type,
            batch_size=environment.whisper_batch_size,
        )
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
        with decoding.decoded(DATA / "asr_g711" / row["filename"]) as recording:
            heard = recognise(recording, engine, parse({"language": "en"}))
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
        with decoding.decoded(path) as recording:
            heard = recognise(recording, engine, parse({}))
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
