"""Fit the weights by which a number that no rule knows is likely to be a code; writes code_weights.txt.

Reads the dialogs of labeled/redaction that may be read, and the calls of the seen trades, which tell how
many numbers are no codes where none is asked for. Every number of three to eight digits that is not
called something right next to it is one example. Before the weights of all dialogs are written, each file
is left out of the fit once and its numbers are rated by the weights of the others: what is printed is
how rules and weights together do on authors that the weights have not seen (the rules have). With
`--left-out FILE` the weights are written without that file, for `quality_redaction.py` to measure it.
Run it after a change of the rules, of the evidence or of the word lists.
"""

import argparse
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import redaction_dialogs.data as redaction_data
import yaml
from quality_redaction import LABELED, SECONDS_A_TURN, SEED, SHOWN, VARIANTS, share
from redaction_dialogs.data import Dialog
from sklearn.feature_extraction import DictVectorizer
from sklearn.linear_model import LogisticRegression

from callscope.transcription.redaction import dialog as walk
from callscope.transcription.redaction.number_runs import collect_number_runs
from callscope.transcription.redaction.utterances import Utterance, read_utterances
from callscope.transcription.redaction.vocabulary.kinds import SECRET_CODES, Kind
from callscope.transcription.redaction.weighing import likelihood
from callscope.transcription.redaction.weighing.likelihood import CODE_FROM, NO_CODE_BELOW, START
from callscope.transcription.schema import Segment

WEIGHTS = Path(walk.__file__).parent / "vocabulary" / "lists" / "code_weights.txt"
TRADES = LABELED.parent / "trades" / "seen"
STRENGTH = 1.0  # C of the regression
LEAST_TEMPLATES = 2  # in which evidence stands, else it has no weight
LEAST_WEIGHT = 0.02  # smaller ones are left out
HEAD = "# Evidence of evidence.py and its weight for a code, written by benchmarks/fit_redaction.py."


@dataclass(frozen=True, slots=True)
class Example:
    """A number that was rated."""

    template: str
    evidence: frozenset[str]
    is_code: bool
    is_found: bool  # by the rules


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--left-out", choices=SHOWN, help="write the weights of the other files")
    asked = parser.parse_args()
    examples = {name: read_examples(LABELED / f"{name}.yaml") for name in SHOWN}
    calls = read_calls()
    for name in SHOWN:
        weights = fit([*calls, *(each for other in SHOWN if other != name for each in examples[other])])
        report(name, examples[name], weights)
    chosen = [*calls, *(each for name in SHOWN if name != asked.left_out for each in examples[name])]
    write(fit(chosen))
    return 0


def read_examples(path: Path) -> list[Example]:
    """Return the numbers of a file, with their speakers and once more without."""
    dialogs = redaction_data.load_dialogs(path, variants=VARIANTS, seed=SEED)
    return [
        example for dialog in dialogs for named in (True, False) for example in read_dialog(dialog, named)
    ]


def read_calls() -> list[Example]:
    """Return the numbers of the calls of seen trades, of which none is a code."""
    return [
        Example(call["id"], each.evidence, is_code=False, is_found=bool(kinds & SECRET_CODES))
        for path in sorted(TRADES.glob("*.calls.yaml"))
        for call in yaml.safe_load(path.read_text(encoding="utf-8"))["calls"]
        for each, kinds, _ in rate_numbers(call["turns"])
    ]


def rate_numbers(
    turns: Iterable[tuple[str | None, str]],
) -> Iterator[tuple[likelihood.Rated, set[Kind], Utterance]]:
    """Yield the numbers that would be rated, what the rules take each for, and its turn."""
    segments: list[Segment] = [
        {
            "start": SECONDS_A_TURN * place,
            "end": SECONDS_A_TURN * place + 3.0,
            "speaker": speaker,
            "text": text,
            "confidence": None,
        }
        for place, (speaker, text) in enumerate(turns)
    ]
    utterances = list(read_utterances(segments))
    rated: list[likelihood.Rated] = []
    labels = walk.label_numbers(utterances, collect_number_runs(utterances), rated=rated)
    for each in rated:
        places = [(each.piece.segment, token) for token in each.piece.tokens]
        yield (
            each,
            {labels[place].kind for place in places if place in labels},
            utterances[each.piece.segment],
        )


def read_dialog(dialog: Dialog, has_speakers: bool) -> Iterator[Example]:
    """Yield the numbers of a dialog that stand for one class, as the rules come upon them."""
    turns = [(turn.speaker if has_speakers else None, turn.text) for turn in dialog.turns]
    for (piece, evidence), kinds, utterance in rate_numbers(turns):
        tokens = utterance.tokens
        start, end = tokens[piece.tokens[0]].start, tokens[piece.tokens[-1]].end
        classes = {s.cls for s in dialog.spans if s.turn == piece.segment and s.start < end and start < s.end}
        if len(classes) > 1 or classes & redaction_data.OPEN:
            continue
        template = dialog.id.rpartition("/")[0]
        yield Example(template, evidence, classes == {"code"}, bool(kinds & SECRET_CODES))


def fit(examples: Sequence[Example]) -> dict[str, float]:
    """Return evidence → weight; `START` is what speaks for a code before all evidence."""
    templates = Counter(
        evidence
        for _, evidence in {(example.template, each) for example in examples for each in example.evidence}
    )
    vectorizer = DictVectorizer()
    rows = vectorizer.fit_transform(
        {each: 1.0 for each in example.evidence if templates[each] >= LEAST_TEMPLATES} for example in examples
    )
    model = LogisticRegression(C=STRENGTH, max_iter=500)
    model.fit(rows, [example.is_code for example in examples])
    weights = dict(zip(vectorizer.feature_names_, map(float, model.coef_[0]), strict=True))
    kept = {evidence: weight for evidence, weight in weights.items() if abs(weight) >= LEAST_WEIGHT}
    return {START: float(model.intercept_[0]), **kept}


def report(name: str, examples: Sequence[Example], weights: dict[str, float]) -> None:
    """Print how the rules do on the examples, and how rules and weights do together."""
    ratings = [rate(example, weights) for example in examples]
    by_rules = [example.is_found for example in examples]
    together = [
        rating >= CODE_FROM or (is_found and rating >= NO_CODE_BELOW)
        for is_found, rating in zip(by_rules, ratings, strict=True)
    ]
    for by, found in (("rules", by_rules), ("rules and weights", together)):
        codes = [hit for hit, example in zip(found, examples, strict=True) if example.is_code]
        right = [example.is_code for hit, example in zip(found, examples, strict=True) if hit]
        print(f"{name} left out, {by}: recall {share(codes)}, precision {share(right)}")


def rate(example: Example, weights: dict[str, float]) -> float:
    log_odds = weights[START] + sum(weights.get(each, 0.0) for each in example.evidence)
    return float(1.0 / (1.0 + np.exp(-log_odds)))


def write(weights: dict[str, float]) -> None:
    lines = [f"{weight:.2f} {evidence}" for evidence, weight in sorted(weights.items())]
    WEIGHTS.write_text("\n".join([HEAD, *lines, ""]), encoding="utf-8")
    print(f"{len(weights)} weights in {WEIGHTS}")


if __name__ == "__main__":
    sys.exit(main())
