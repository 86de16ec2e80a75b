"""How well do calls of predefined projects get their code on arrival, without a language model?

Sentences of ../shared/data, each a call of one turn, through the topic and the code as in the product. Of
20 intents twelve are codes, with a name made of their label and one to three sentences as phrases; calls of
the others, as many, have to become "Other". Each intent is in one half of the labels: the threshold was
chosen on the seen half, the unseen one is only printed.

    python benchmarks/quality_codes.py [DRAWS]     20 unless given

Intervals: whole draws drawn again, 95 %.
"""

import os
import re
import sys
import tempfile

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "callscope.settings")
os.environ.setdefault("CALLSCOPE_DATA_DIR", tempfile.mkdtemp(prefix="callscope-quality-"))

import django
import numpy as np
import numpy.typing as npt
from quality_reasons import COLLECTIONS, DATA, Remembering, read

django.setup()

from callscope.analysis.conversation.turns import Conversation, build_conversation  # noqa: E402
from callscope.analysis.rules.reason_codes import choose_reason_code  # noqa: E402
from callscope.analysis.rules.topics import extract_topic  # noqa: E402
from callscope.engines.embeddings.built_in import BuiltInEmbedder  # noqa: E402
from callscope.engines.embeddings.protocol import Embedder  # noqa: E402
from callscope.projects.configuration import ContactReasons, ReasonCode  # noqa: E402

DRAWS = 20
INTENTS, CODES = 20, 12
MOST_PHRASES = 3
WORDS_A_SECOND = 2.5
RESAMPLES = 2000
OTHER = ""

# What is counted: codes that are right, codes given, calls of codes; the same of "Other".
Counts = npt.NDArray[np.int64]


def main() -> None:
    if not DATA.is_dir():
        print(f"{DATA} is not there: nothing to measure.")
        return
    draws = int(sys.argv[1]) if len(sys.argv) > 1 else DRAWS
    embedder = Remembering(BuiltInEmbedder())
    print(f"Shares with 95 % intervals, {draws} draws of {CODES} codes among {INTENTS} intents\n")
    print("| sentences | calls | code: precision | code: recall | Other: precision | Other: recall |")
    print("|---|---|---|---|---|---|")
    for name in COLLECTIONS:
        texts, labels = read(DATA / name)
        for part, half in (("seen", 0), ("unseen", 1)):
            intents = sorted(set(labels))[half::2]
            said = {each: [t for t, of in zip(texts, labels, strict=True) if of == each] for each in intents}
            show(f"{name}, {part} half", np.stack([classify(said, n, embedder) for n in range(draws)]))


def classify(said: dict[str, list[str]], number: int, embedder: Embedder) -> Counts:
    """Return the counts of one draw of codes, phrases and calls."""
    dice = np.random.default_rng(number)
    chosen = [str(each) for each in dice.choice(sorted(said), INTENTS, replace=False)]
    calls: list[tuple[str, str]] = []
    codes = []
    for intent in chosen[:CODES]:
        mixed = [said[intent][row] for row in dice.permutation(len(said[intent]))]
        phrases = mixed[: min(int(dice.integers(1, MOST_PHRASES + 1)), len(mixed) - 1)]
        codes.append(ReasonCode(code=read_label(intent), phrases=phrases))
        calls += [(text, read_label(intent)) for text in mixed if text not in phrases]
    others = [text for intent in chosen[CODES:] for text in said[intent]]
    calls += [(others[row], OTHER) for row in dice.permutation(len(others))[: len(calls)]]
    reasons = ContactReasons(mode="predefined", codes=codes)
    counts = np.zeros(6, dtype=np.int64)
    for text, code in calls:
        call = hear(text)
        found = choose_reason_code(reasons, extract_topic(call), call, embedder)
        counts[:3] += (found == code != OTHER, found != OTHER, code != OTHER)
        counts[3:] += (found == code == OTHER, found == OTHER, code == OTHER)
    return counts


def read_label(label: str) -> str:
    """Return "Card arrival" for "card_arrival" and "CardArrival"."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", label).replace("_", " ").capitalize()


def hear(text: str) -> Conversation:
    said = {"start": 0.0, "end": len(text.split()) / WORDS_A_SECOND, "speaker": "customer", "text": text}
    quality = {"ok": True, "reasons": []}
    return build_conversation([said], language="en", spoken_language="en", quality=quality)


def show(what: str, counts: Counts) -> None:
    drawn = np.random.default_rng(0).integers(len(counts), size=(RESAMPLES, len(counts)))
    again, total = counts[drawn].sum(axis=1), counts.sum(axis=0)
    cells = []
    for right, base in ((0, 1), (0, 2), (3, 4), (3, 5)):
        low, high = np.percentile(again[:, right] / np.maximum(again[:, base], 1), [2.5, 97.5])
        cells.append(f"{total[right] / max(total[base], 1):.2f} [{low:.2f}, {high:.2f}]")
    print(f"| {what} | {total[2]} + {total[5]} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
