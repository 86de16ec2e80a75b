"""Is a phrase that stands in a call always found, and nowhere that it does not stand, by its words alone?

Puts the phrases of labeled/trades into turns of calls of the same trade, in the forms that transcripts have:
alone, in the middle of a turn, in capitals without stops, cut over two cues. Each must be met, whatever the
other criteria want. What is printed of unseen trades are totals.
"""

import sys
from collections.abc import Iterator

import numpy as np
from agreement import kappa
from quality_trades import LABELED, SPLITS, Phrases, by_rules, converse, read_trades

from callscope.analysis.matching.phrases import find_exact, find_wording
from callscope.engines.embeddings.built_in import BuiltInEmbedder

GOAL = 0.99
FORMS = ("alone", "within a turn", "in capitals", "over two cues")


def main() -> int:
    judge = by_rules(BuiltInEmbedder())
    failed = False
    for split in SPLITS:
        planted, found_as_planted, stands, found = 0, 0, [], []
        for trade in read_trades(LABELED / "trades" / split, None):
            phrases: Phrases = trade.phrases["one phrase"]
            for number, (id, wanted) in enumerate(phrases.items()):
                call = trade.calls[number % len(trade.calls)].conversation
                turns = [[s.speaker, s.text] for s in call.segments]
                for form in FORMS:
                    held = converse([*turns, *plant(wanted[0], form)], call.language)
                    judgment = judge(held, id, phrases)
                    planted += 1
                    found_as_planted += judgment.answer == "met"
                    stands.append(True)
                    found.append(find_exact(wanted, list(held.turns())) is not None)
                stands.append(" ".join(wanted[0].split()) in " ".join(t for _, t in turns))
                match = find_wording(wanted, list(call.turns()))
                found.append(match is not None and match.method == "exact")
        if not planted:
            print(f"Verbatim {split:7} no data")
            continue
        agreement = kappa(np.array(stands), np.array(found))
        failed |= agreement < GOAL or found_as_planted < planted
        print(
            f"Verbatim {split:7} met {found_as_planted} of {planted} (goal all), "
            f"κ of the very words {agreement:.3f} (goal {GOAL}), n {len(stands)}"
        )
    return int(failed)


def plant(phrase: str, form: str) -> Iterator[tuple[str, str]]:
    """Yield the turns of an agent who says the phrase in one form."""
    if form == "alone":
        yield "agent", phrase
    elif form == "within a turn":
        yield "agent", f"Well, as I said, {phrase} And so on."
    elif form == "in capitals":
        yield "agent", phrase.upper().strip(".?!¿¡")
    else:
        words = phrase.split()
        yield "agent", " ".join(words[: len(words) // 2 or 1])
        yield "agent", " ".join(words[len(words) // 2 or 1 :])


if __name__ == "__main__":
    sys.exit(main())
