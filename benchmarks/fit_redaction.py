"""Fit the weights by which a number that no rule knows is likely to be a code.

Reads the dialogs of labeled/redaction that may be read, all but those of NOT_FITTED, and the calls of
the seen trades and the samples, which tell how many numbers are no codes where none is asked for. Every
number of three to eight digits that is not called something right next to it is one example.
code_weights.txt gets the weights of the words around it, code_meanings.txt how much these count next to
the meaning of question and answer (weighing/meaning.py): fitted to what each file is rated by words of
the others, as words fit their own file too well.

Before the weights of all dialogs are written, each file is left out of the fit once and its numbers are
rated by the weights of the others: what is printed is how rules and weights together do on authors that
the weights have not seen (the rules have). With `--left-out FILE` the weights are written without that
file, for `quality_redaction.py` to measure it. Run it after a change of rules, evidence or word lists.
"""

import argparse
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import redaction_dialogs.data as redaction_data
import yaml
from agreement import share
from quality_redaction import ENCODER, LABELED, NOT_FITTED, SECONDS_A_TURN, SEED, SHOWN, VARIANTS
from redaction_dialogs.data import Dialog
from scipy import sparse
from sklearn.linear_model import LogisticRegression

from callscope import samples
from callscope.transcription import subtitles
from callscope.transcription.redaction import dialog as walk
from callscope.transcription.redaction.number_runs import collect_number_runs
from callscope.transcription.redaction.utterances import Utterance, read_utterances
from callscope.transcription.redaction.vocabulary.kinds import SECRET_CODES, Kind
from callscope.transcription.redaction.weighing import likelihood, meaning
from callscope.transcription.redaction.weighing.likelihood import (
    BY_MEANING,
    BY_WORDS,
    DECIDED_ODDS,
    MOST_ODDS,
    OTHERS,
    START,
    Bars,
)
from callscope.transcription.schema import Segment

FITTED = [name for name in SHOWN if name not in NOT_FITTED]
LISTS = Path(walk.__file__).parent / "vocabulary" / "lists"
TRADES = LABELED.parent / "trades" / "seen"
SAMPLES = Path(samples.__file__).parent
CALL_TIMES = (
    10  # how often a number of a call counts: there are few, and most of what is redacted is like them
)
STRENGTH, MEANING_STRENGTH = 1.0, 1.0  # C of the regressions
CARD_TALK = re.compile(r"card number|número de la tarjeta")
LEAST_TEMPLATES = 2  # in which evidence stands, else it has no weight
LEAST_WEIGHT = 0.02  # smaller ones are left out
DIRECTIONS = 64  # of the encoder's space, those in which the texts differ most
WORDS_SCALE, MEANING_SCALE = 0.5, 2.0
# Evidence that has a weight of its own next to the meaning.
PLAIN = ["bare", "bare nearby", "speaker customer", "spoken of True", "asked something"]
PLAIN += [f"digits {count}" for count in range(3, 9)]
HEAD = "# {} and its weight for a code, written by benchmarks/fit_redaction.py."

Numbers = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Example:
    """A number that was rated."""

    template: str
    evidence: frozenset[str]
    said: meaning.Said
    is_code: bool
    kinds: frozenset[Kind]  # for which the rules take it

    @property
    def is_found(self) -> bool:
        return bool(self.kinds & SECRET_CODES)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--left-out", choices=FITTED, help="write the weights of the other files")
    asked = parser.parse_args()
    fits = Fits({name: read_examples(LABELED / f"{name}.yaml") for name in FITTED}, read_calls())
    for name in FITTED:
        report(name, fits)
    chosen = [asked.left_out] if asked.left_out else []
    write("code_weights", "Evidence of evidence.py", fits.fit_words(chosen))
    write("code_meanings", "Numbers of the vectors of meaning.py", fits.fit_meanings(chosen), decimals=3)
    return 0


def read_examples(path: Path) -> list[Example]:
    """Return the numbers of a file, with their speakers and once more without."""
    dialogs = redaction_data.load_dialogs(path, variants=VARIANTS, seed=SEED)
    return [
        example for dialog in dialogs for named in (True, False) for example in read_dialog(dialog, named)
    ]


def read_calls() -> list[Example]:
    """Return the numbers of the calls of seen trades and of samples without a card; none is a code."""
    calls = [
        (call["id"], call["turns"])
        for path in sorted(TRADES.glob("*.calls.yaml"))
        for call in yaml.safe_load(path.read_text(encoding="utf-8"))["calls"]
    ]
    for path in sorted(SAMPLES.glob("*/**/*.[sv][rt]t")):
        cues = subtitles.parse_subtitles(path.read_bytes())
        if not any(CARD_TALK.search(cue.text) for cue in cues):
            calls.append((path.name, [(cue.speaker, cue.text) for cue in cues]))
    return [
        Example(name, each.evidence, said, False, frozenset(kinds))
        for name, turns in calls
        for each, kinds, _, said in rate_numbers(turns)
    ]


def rate_numbers(
    turns: Iterable[tuple[str | None, str]],
) -> Iterator[tuple[likelihood.Rated, set[Kind], Utterance, meaning.Said]]:
    """Yield the numbers that would be rated, what the rules take each for, its turn and what it says."""
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
            meaning.describe(utterances, each.piece),
        )


def read_dialog(dialog: Dialog, has_speakers: bool) -> Iterator[Example]:
    """Yield the numbers of a dialog that stand for one class, as the rules come upon them."""
    turns = [(turn.speaker if has_speakers else None, turn.text) for turn in dialog.turns]
    for (piece, evidence), kinds, utterance, said in rate_numbers(turns):
        tokens = utterance.tokens
        start, end = tokens[piece.tokens[0]].start, tokens[piece.tokens[-1]].end
        classes = {s.cls for s in dialog.spans if s.turn == piece.segment and s.start < end and start < s.end}
        if len(classes) > 1 or classes & redaction_data.OPEN:
            continue
        template = dialog.id.rpartition("/")[0]
        yield Example(template, evidence, said, classes == {"code"}, frozenset(kinds))


class Fits:
    """Weights fitted to the dialogs of all files but some."""

    def __init__(self, examples: dict[str, list[Example]], calls: list[Example]) -> None:
        self.examples = examples
        self.calls = calls
        self.words: dict[frozenset[str], dict[str, float]] = {}  # by the files left out
        said = {example.said for each in [*examples.values(), calls] for example in each}
        self.spaces = [Space(texts) for texts in zip(*sorted(said), strict=True)]  # of each field of Said

    def fit_words(self, left_out: Collection[str]) -> dict[str, float]:
        """Return evidence → weight; `START` is what speaks for a code before all evidence."""
        key = frozenset(left_out)  # "calls", too: what they say must not be known to the words
        if key not in self.words:
            chosen = [each for name in self.examples if name not in key for each in self.examples[name]]
            self.words[key] = fit_evidence([*([] if "calls" in key else self.calls * CALL_TIMES), *chosen])
        return self.words[key]

    def fit_meanings(self, left_out: Collection[str]) -> dict[str, float]:
        """Return the weights of meaning.read_weights(), each file rated by words of the others."""
        rows: list[Numbers] = []
        are_codes: list[bool] = []
        groups = {name: each for name, each in self.examples.items() if name not in left_out}
        for name, examples in {**groups, "calls": self.calls * CALL_TIMES}.items():
            odds = rate_words(examples, self.fit_words([*left_out, name]))
            spread = [space.place(said) for space, said in self.pair_spaces(examples)]
            scaled = np.clip(odds, -MOST_ODDS, MOST_ODDS)[:, None] * WORDS_SCALE
            rows.append(np.hstack([scaled, mark_plain(examples), *spread]))
            are_codes += [example.is_code for example in examples]
        model = LogisticRegression(C=MEANING_STRENGTH, max_iter=500).fit(np.vstack(rows), are_codes)
        named = {
            meaning.START: float(model.intercept_[0]),
            meaning.WORDS: float(model.coef_[0][0] * WORDS_SCALE),
        }
        named |= dict(zip(PLAIN, map(float, model.coef_[0][1:]), strict=False))
        weights = np.split(model.coef_[0][1 + len(PLAIN) :], len(self.spaces))
        for field, space, of_space in zip(meaning.Said._fields, self.spaces, weights, strict=True):
            vector = space.directions @ of_space
            named[meaning.START] -= float(space.middle @ vector)
            named |= {f"{field} {at:03d}": float(weight) for at, weight in enumerate(vector)}
        return named

    def pair_spaces(self, examples: Sequence[Example]) -> Iterator[tuple["Space", list[str]]]:
        """Yield each field of Said: where its meanings lie, and the texts of the examples."""
        yield from (
            (space, [example.said[at] for example in examples]) for at, space in enumerate(self.spaces)
        )

    def rate_meanings(self, name: str, odds: Numbers, weights: dict[str, float]) -> Numbers:
        """Return the log-odds by words and meaning, where the words leave it open."""
        added = mark_plain(self.examples[name]) @ [weights[each] for each in PLAIN]
        spaces = self.pair_spaces(self.examples[name])
        for field, (space, texts) in zip(meaning.Said._fields, spaces, strict=True):
            vector = [weight for part, weight in weights.items() if part.startswith(f"{field} ")]
            added += space.list_vectors(texts) @ vector
        together = weights[meaning.START] + weights[meaning.WORDS] * np.clip(odds, -MOST_ODDS, MOST_ODDS)
        return np.where(np.abs(odds) < DECIDED_ODDS, together + added, odds)


class Space:
    """Where the meanings of one field of Said lie, and the directions in which they differ most."""

    def __init__(self, texts: Iterable[str]) -> None:
        different = sorted(set(texts))
        self.rows = {text: row for row, text in enumerate(different)}
        self.vectors = ENCODER.encode(different).astype(np.float64)
        self.middle = self.vectors.mean(axis=0)
        self.directions = np.linalg.svd(self.vectors - self.middle, full_matrices=False)[2][:DIRECTIONS].T
        spread = (self.vectors - self.middle) @ self.directions
        self.directions *= MEANING_SCALE / np.sqrt((spread**2).sum(axis=1).mean())

    def list_vectors(self, texts: Sequence[str]) -> Numbers:
        return self.vectors[[self.rows[text] for text in texts]]

    def place(self, texts: Sequence[str]) -> Numbers:
        """Return where the texts lie along the directions."""
        return (self.list_vectors(texts) - self.middle) @ self.directions


def mark_plain(examples: Sequence[Example]) -> Numbers:
    return np.array([[each in example.evidence for each in PLAIN] for example in examples], dtype=np.float64)


def fit_evidence(examples: Sequence[Example]) -> dict[str, float]:
    templates = Counter(
        evidence
        for _, evidence in {(example.template, each) for example in examples for each in example.evidence}
    )
    columns = {
        each: at for at, each in enumerate(sorted(e for e in templates if templates[e] >= LEAST_TEMPLATES))
    }
    places = [
        (row, columns[each])
        for row, example in enumerate(examples)
        for each in sorted(example.evidence)
        if each in columns
    ]
    at = np.array(places, dtype=np.int32).T
    shape = (len(examples), len(columns))
    rows = sparse.csr_matrix((np.ones(len(places)), (at[0], at[1])), shape=shape)
    rows.indices, rows.indptr = rows.indices.astype(np.int32), rows.indptr.astype(np.int32)
    model = LogisticRegression(C=STRENGTH, max_iter=500)
    model.fit(rows, [example.is_code for example in examples])
    weights = zip(columns, map(float, model.coef_[0]), strict=True)
    kept = {evidence: weight for evidence, weight in weights if abs(weight) >= LEAST_WEIGHT}
    return {START: float(model.intercept_[0]), **kept}


def rate_words(examples: Sequence[Example], weights: dict[str, float]) -> Numbers:
    return np.array([weights[START] + sum(weights.get(e, 0.0) for e in each.evidence) for each in examples])


def report(name: str, fits: Fits) -> None:
    """Print how rules and weights of the other files do on the numbers of a file."""
    examples = fits.examples[name]
    words = rate_words(examples, fits.fit_words([name]))
    both = fits.rate_meanings(name, words, fits.fit_meanings([name]))
    by_rules = [example.is_found for example in examples]
    deciders: list[tuple[str, Callable[[], list[bool]]]] = [
        ("rules", lambda: by_rules),
        ("rules and words", lambda: decide(examples, words, words, BY_WORDS)),
        ("rules, words and meaning", lambda: decide(examples, words, both, BY_MEANING)),
    ]
    for by, decider in deciders:
        found = decider()
        codes = [hit for hit, example in zip(found, examples, strict=True) if example.is_code]
        right = [example.is_code for hit, example in zip(found, examples, strict=True) if hit]
        print(f"{name} left out, {by}: recall {share(codes)}, precision {share(right)}", flush=True)


def decide(examples: Iterable[Example], words: Numbers, odds: Numbers, bars: Bars) -> list[bool]:
    """Return what likelihood.Rater makes of each number, by the log-odds of words alone and all log-odds."""
    found = []
    likely, at_most = 1.0 / (1.0 + np.exp(-odds)), 1.0 / (1.0 + np.exp(-np.maximum(odds, words)))
    for example, each, most in zip(examples, likely, at_most, strict=True):
        is_spoken_of = "spoken of True" in example.evidence
        is_rated = bars is BY_MEANING or is_spoken_of or "bare nearby" in example.evidence
        is_likely = is_rated and each >= bars.find_least(example.kinds, OTHERS, is_spoken_of=is_spoken_of)
        found.append(bool(is_likely or (example.is_found and (not is_rated or most >= bars.no_code_below))))
    return found


def write(name: str, what: str, weights: dict[str, float], *, decimals: int = 2) -> None:
    """Write one weight a line, those of one kind of evidence under its name."""
    sections: defaultdict[str, list[str]] = defaultdict(list)
    for part, weight in sorted(weights.items()):
        section, rest = split_evidence(part)
        sections[section].append(f"{weight:.{decimals}f} {rest}")
    lines = [line for section in sorted(sections) for line in (f"[{section}]", *sections[section])]
    (LISTS / f"{name}.txt").write_text("\n".join([HEAD.format(what), *lines, ""]), encoding="utf-8")
    print(f"{len(weights)} weights in {name}.txt")


def split_evidence(evidence: str) -> tuple[str, str]:
    """Return the kind of a piece of evidence and the rest: "said 1 other", "text"."""
    words = evidence.split(" ")
    size = min(len(words) - 1, 3 if len(words) > 1 and words[1].isdecimal() else 1)
    return " ".join(words[:size]), " ".join(words[size:])


if __name__ == "__main__":
    sys.exit(main())
