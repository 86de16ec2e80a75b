"""How well do codes that were made of contact reasons find the reason of new calls?

Four fifths of the intents in ../shared/data become codes, as the page of contact reasons makes them: of
70 % of their sentences. The other sentences are new calls; those of the left-out intents belong under
"Other". Printed for codes that have only a name, and for codes with typical topics as phrases; with 95 %
intervals (Wilson). The least likeness was chosen on half of the intents of each collection; the other half
is printed as unseen.
"""

import random
from collections import Counter, defaultdict
from collections.abc import Sequence

from quality_reasons import COLLECTIONS, DATA, Remembering, read

from callscope.analysis.rules.reason_codes import choose_by_topic
from callscope.contact_reasons.codes.phrases import choose_phrases
from callscope.contact_reasons.naming import to_name
from callscope.engines.embeddings.built_in import BuiltInEmbedder
from callscope.engines.embeddings.lexical import LexicalEmbedder
from callscope.engines.embeddings.protocol import Embedder
from callscope.projects.configuration import ContactReasons, ReasonCode
from callscope.reports.overview.course import bound_share

ORDERS = 5
Z = 1.959964


def main() -> None:
    if not DATA.is_dir():
        print(f"{DATA} is not there: nothing to measure.")
        return
    for embedder in map(Remembering, (BuiltInEmbedder(), LexicalEmbedder())):
        print(f"\n{embedder.id}\n")
        print("| sentences | codes with | right code | wrong code | left out: Other |")
        print("|---|---|---|---|---|")
        for name in COLLECTIONS:
            texts, labels = read(DATA / name)
            intents = sorted(set(labels))
            random.Random(0).shuffle(intents)
            half = len(intents) // 2
            for part, chosen in (("seen", intents[:half]), ("unseen", intents[half:])):
                pairs = [(t, label) for t, label in zip(texts, labels, strict=True) if label in chosen]
                for has_phrases in (False, True):
                    counts = sum(
                        (try_out(pairs, order, embedder, has_phrases) for order in range(ORDERS)), Counter()
                    )
                    what = "name and phrases" if has_phrases else "name"
                    known = counts["right"] + counts["wrong"] + counts["none"]
                    print(
                        f"| {name.split('/')[0]}, {part} | {what} | {share(counts['right'], known)} "
                        f"| {share(counts['wrong'], known)} "
                        f"| {share(counts['left'], counts['left'] + counts['taken'])} |",
                        flush=True,
                    )


def try_out(
    pairs: Sequence[tuple[str, str]], order: int, embedder: Embedder, has_phrases: bool
) -> Counter[str]:
    """Return how many new sentences get the right code, a wrong one or none; and of left-out intents."""
    dice = random.Random(order)
    by_intent: dict[str, list[str]] = defaultdict(list)
    for text, label in pairs:
        by_intent[label].append(text)
    intents = sorted(label for label, texts in by_intent.items() if len(texts) > 2)
    dice.shuffle(intents)
    coded = intents[: len(intents) * 4 // 5]
    known, new = {}, []
    for intent in intents:
        texts = dice.sample(by_intent[intent], len(by_intent[intent]))
        cut = max(2, len(texts) * 7 // 10) if intent in coded else 0
        known[intent] = texts[:cut]
        new += [(text, intent) for text in texts[cut:]]
    codes: list[ReasonCode] = []
    intent_of: dict[str, str] = {}
    for intent in coded:
        counts = Counter(known[intent])
        phrases = choose_phrases(counts, "en", embedder)
        name = f"{to_name(phrases[0] if phrases else known[intent][0])} ({len(codes)})"
        intent_of[name] = intent
        codes.append(ReasonCode(code=name, phrases=phrases if has_phrases else []))
    reasons = ContactReasons(mode="predefined", codes=codes)
    found: Counter[str] = Counter()
    for (_, intent), code in zip(
        new, choose_by_topic(reasons, [text for text, _ in new], "en", embedder), strict=True
    ):
        if intent not in coded:
            found["taken" if code else "left"] += 1
        else:
            found["none" if not code else "right" if intent_of[code] == intent else "wrong"] += 1
    return found


def share(count: int, n: int) -> str:
    low, high = bound_share(count, n, Z)
    return f"{100 * count / n:.0f} % [{100 * low:.0f}, {100 * high:.0f}] of {n}"


if __name__ == "__main__":
    main()
