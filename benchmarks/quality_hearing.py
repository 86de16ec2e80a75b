"""Does Callscope notice that a call was only half heard?

Prints how many transcripts are marked that should not be, and how many of those whose
words are none of the call's are marked: other languages, and words with wrong letters.
The bar was set on the first of each; the others were not looked at. Then it prints what the
demo recognizer hears of speech whose words are known, and what becomes of such calls.
"""

import csv
import gettext
import json
import random
import re
import string
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import django
import yaml
from quality_speech import interval
from rapidfuzz.distance import Levenshtein

from callscope.analysis.conversation.turns import build_conversation
from callscope.analysis.rules.topics import extract_topic
from callscope.engines.asr.demo import DemoTranscriber
from callscope.language.known_words import share_known
from callscope.projects.configuration import TranscriptGate, parse
from callscope.samples.catalog import FOLDER
from callscope.samples.synthesize import read_script
from callscope.transcription.audio import decoding
from callscope.transcription.recognition import recognize
from callscope.transcription.schema import Segment
from callscope.transcription.subtitles import parse_subtitles

HERE = Path(__file__).parent
DATA = HERE.parent.parent / "shared" / "data"
TRANSLATIONS = Path(django.__file__).parent
SEEN_LANGUAGES = ("fr", "de", "it", "pt", "nl", "pl", "ca")
UNSEEN_LANGUAGES = ("gl", "ro", "sv", "da", "nb", "fi", "tr", "cs", "hu", "eu")
TEXTS_OF_A_LANGUAGE, SENTENCES_OF_A_TEXT = 12, 15
SPEAKERS = {"A": "agent", "C": "customer"}

Texts = list[list[str]]  # transcripts, each as its turns


def main() -> int:
    seen = [*samples("copper_lane"), *samples("luz_de_ribera"), *typed_dialogs()]
    labeled = list(labeled_calls())
    print("== Marked because most words are unknown")
    print_marked("right, seen", seen, "goal 0")
    print_marked("right, unseen", labeled, "goal 0")
    print_marked("other languages, seen", translations(SEEN_LANGUAGES), "goal 1")
    for language in UNSEEN_LANGUAGES:
        print_marked(f"{language}, unseen", translations([language]), "goal 1")
    for share in (0.3, 0.6, 1.0):
        print_marked(f"{share:.0%} of long words misspelled, unseen", misspelled(labeled, share), "")
    engine = DemoTranscriber()
    health = engine.check()
    if not health.ok:
        print(f"== {engine.name}: not measured. {health.detail}")
        return 0
    print_demo(engine)
    return 0


def print_marked(name: str, texts: Texts, goal: str) -> None:
    marked = sum(is_marked(text) for text in texts)
    shares = sorted(share for text in texts if (share := share_known(text)) is not None)
    if not shares:
        print(f"{name:44} nothing to measure")
        return
    print(
        f"{name:44} {marked / len(texts):.3f} {interval(marked, len(texts))}, n {len(texts)}   "
        f"known words {shares[0]:.2f} to {shares[-1]:.2f}   {goal}"
    )


def is_marked(turns: Iterable[str]) -> bool:
    """Tell as gates.assess_quality() does, whose tables this needs none of."""
    share = share_known(turns)
    return share is not None and share < TranscriptGate().min_known_words


# Transcripts.


def samples(name: str) -> Iterator[list[str]]:
    for path in sorted((FOLDER / name).rglob("*.[sv][rt]t")):
        yield [cue.text for cue in parse_subtitles(path.read_bytes())]


def typed_dialogs() -> Iterator[list[str]]:
    """Yield what people typed, slips and all, and what was read to the synthetic voices."""
    for path in sorted((DATA / "star" / "transcripts").glob("*")):
        yield [cue.text for cue in parse_subtitles(path.read_bytes())]
    for path in sorted((DATA / "tts_calls" / "reference").glob("*.json")):
        yield [turn["text"] for turn in json.loads(path.read_text("utf-8"))]


def labeled_calls() -> Iterator[list[str]]:
    """Yield the calls of trades that other hands wrote, English and Spanish."""
    for path in sorted((HERE / "labeled" / "trades").rglob("*.calls.yaml")):
        for call in yaml.safe_load(path.read_text("utf-8"))["calls"]:
            yield [turn[1] for turn in call["turns"]]


def translations(languages: Iterable[str]) -> Texts:
    """Return texts in other languages: what Django says in them, drawn by a seeded generator."""
    found: Texts = []
    for language in languages:
        sentences: list[str] = []
        for place in ("conf", "contrib/admin", "contrib/auth"):
            path = TRANSLATIONS / place / "locale" / language / "LC_MESSAGES" / "django.mo"
            with path.open("rb") as file:
                catalog = gettext.GNUTranslations(file)._catalog  # type: ignore[attr-defined]
            sentences += [text for key, text in catalog.items() if key and isinstance(text, str)]
        plain = [re.sub(r"%(\(\w+\))?\w|<[^>]*>", "", text) for text in sentences if len(text) < 300]
        random.Random(1).shuffle(plain)
        found += [plain[n::TEXTS_OF_A_LANGUAGE][:SENTENCES_OF_A_TEXT] for n in range(TEXTS_OF_A_LANGUAGE)]
    return found


def misspelled(texts: Texts, share: float) -> Texts:
    """Return the texts with two letters replaced in this share of the words of four letters and more."""
    chance = random.Random(7)

    def spoil(word: str) -> str:
        if len(word) < 4 or chance.random() >= share:
            return word
        letters = list(word)
        for _ in range(2):
            letters[chance.randrange(len(letters))] = chance.choice(string.ascii_lowercase)
        return "".join(letters)

    return [[" ".join(map(spoil, turn.split())) for turn in text] for text in texts]


# The demo recognizer.


def print_demo(engine: DemoTranscriber) -> None:
    print(f"== {engine.name}: share of the words said that it hears, by order")
    heard_calls: list[list[Segment]] = []
    groups: dict[str, list[int]] = {}
    for name, path, reference in recordings():
        with decoding.decode_recording(path) as recording:
            segments = recognize(recording, engine, parse({"language": "en"})).segments
        heard_calls.append(segments)
        counts = groups.setdefault(name, [0, 0])
        for speaker, text in reference.items():
            heard = " ".join(s["text"] for s in segments if speaker in ("", s["speaker"]))
            said = words(text)
            missed = [op for op in Levenshtein.editops(words(heard), said) if op.tag != "delete"]
            counts[0] += len(said) - len(missed)
            counts[1] += len(said)
    for name, (right, said) in groups.items():
        print(f"{name:44} {right / said:.3f} {interval(right, said)}, n {said} words")
    by_words = sum(is_marked(s["text"] for s in call) for call in heard_calls)
    topics = sum(bool(extract_topic(as_conversation(call))) for call in heard_calls)
    total = len(heard_calls)
    print(
        f"marked by their words: {by_words} of {total}, as they are real words that nobody said, so their "
        f"engine marks these calls; topics that would come of such words: {topics}"
    )


def recordings() -> Iterator[tuple[str, Path, dict[str, str]]]:
    """Yield (group, recording, what each side says); "" is everybody."""
    for path in sorted((FOLDER / "copper_lane" / "scripts").glob("*.txt")):
        script = read_script(path)
        said = {SPEAKERS[side]: " ".join(t for s, t in script.turns if s == side) for side in SPEAKERS}
        yield "voices of the samples", FOLDER / "copper_lane" / "calls" / f"{path.stem}.{script.format}", said
    if not DATA.is_dir():
        return
    with (DATA / "asr_g711" / "references.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            yield (
                f"telephone, {row['condition']}",
                DATA / "asr_g711" / row["filename"],
                {"": row["reference"]},
            )
    for path in sorted((DATA / "tts_calls" / "audio").glob("*.wav")):
        turns = json.loads((DATA / "tts_calls" / "reference" / f"{path.stem}.json").read_text("utf-8"))
        said = {
            speaker: " ".join(t["text"] for t in turns if t["speaker"].casefold() == speaker)
            for speaker in SPEAKERS.values()
        }
        yield "other synthetic voices", path, said


def as_conversation(segments: list[Segment]):
    return build_conversation(
        segments, language="en", spoken_language="en", quality={"ok": True, "reasons": []}
    )


def words(text: str) -> list[str]:
    return re.findall(r"[\w']+", text.casefold())


if __name__ == "__main__":
    sys.exit(main())
