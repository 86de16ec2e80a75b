"""Find what the cosines of an embedder are worth: the weights of `likelihood` hold for the default encoder.

`lists/embedder_reference.json` holds clauses of labeled calls, the phrases that they may say, and what
else speaks for each of them (written by `benchmarks/pick_reference.py`). Every other embedder reads these
texts once, and a logistic regression with all other evidence held fixed gives the weights of its cosines,
for each language apart: alone, and in the mean with those of the default encoder, for two models err in
different places. What tells better what was said is taken; an embedder that tells no better than the
default encoder in either way is not asked in that language. With these weights, the clauses and pairs of a
phrase and a sentence that says the same, or nearly, give the gray band (`gray_band`). All are kept in the
data folder, under the embedder's id, so that later processes read no text again.
"""

import contextlib
import hashlib
import json
from collections.abc import Sequence
from functools import cache, lru_cache
from importlib.resources import files
from pathlib import Path
from typing import NamedTuple, TypedDict

import numpy as np
import numpy.typing as npt
from django.conf import settings

from callscope.analysis.matching.gray_band import (
    LEAST_CLAUSES,
    SAID_FROM_TRIED,
    UNSURE_FROM_TRIED,
    Errors,
    fit_band,
)
from callscope.analysis.matching.likelihood import (
    USUAL_BAND,
    USUAL_RIVAL,
    WITH_MODEL,
    Band,
    Weights,
    join_phrases,
)
from callscope.analysis.matching.scale import DEFAULT, read_scale
from callscope.engines.embeddings.built_in import BuiltInEmbedder
from callscope.engines.embeddings.protocol import Embedder
from callscope.processes.atomic_file import open_atomic

OTHER_LANGUAGE = "en"  # whose texts stand for a language without any
FOLDER = "embedder_weights"
MOST_LOSS = 0.985  # of the default encoder's; an embedder that loses more is not asked
SHARES = (1.0, 0.5)  # of the cosines of an embedder in what is compared; the rest is the default encoder's
STRENGTH = 1.0  # by which the weights are held at those of the default encoder
STEPS, LEAST_STEP = 50, 1e-6
DECIMALS = 2

Floats = npt.NDArray[np.float64]


class ReferenceReading(NamedTuple):
    """A phrase that competes for a clause."""

    text: int
    criterion: int
    log_odds: float | None  # by all evidence but cosines and start; None for one that cannot be said
    is_said: bool


class ReferenceClause(NamedTuple):
    """A clause that may say some phrases."""

    weight: float  # how many clauses it stands for; that of a pair does not count
    text: int
    readings: list[ReferenceReading]


class Reference(TypedDict):
    """The clauses of one language."""

    texts: list[str]
    clauses: list[ReferenceClause]  # of calls, where phrases compete
    pairs: list[ReferenceClause]  # each with one phrase, which it says or nearly says
    loss: float  # of the default encoder on the clauses
    errors: Errors  # of the default encoder, outside its band, on both


class Fitted(NamedTuple):
    """What the cosines of an embedder are worth in one language."""

    start: float
    cosine: float
    cosine_lead: float
    loss: float  # the mean logarithm of what was wrongly believed
    unsure_from: float
    said_from: float
    share: float  # of its cosines; the rest is the default encoder's

    def to_weights(self) -> Weights:
        """Return the weights of all evidence."""
        evidence = WITH_MODEL.evidence._replace(cosine=self.cosine, cosine_lead=self.cosine_lead)
        return Weights(self.start, evidence)

    @property
    def band(self) -> Band:
        """Between which likelihoods nobody can tell."""
        return Band(self.unsure_from, self.said_from)


class Chosen(NamedTuple):
    """What compares meanings in a language, by which weights, and where they leave a phrase open."""

    embedders: tuple[Embedder, ...]  # whose cosines count alike
    weights: Weights
    band: Band


def choose_embedders(embedder: Embedder, language: str) -> Chosen:
    """Return what tells best what was said: the embedder, the default encoder, or both.

    Raises what `encode` raises.
    """
    if not embedder.is_semantic or isinstance(embedder, BuiltInEmbedder):
        return Chosen((embedder,), WITH_MODEL, USUAL_BAND)
    language = language if language in load_reference() else OTHER_LANGUAGE
    fitted = read_fitted(embedder, language)
    adds_nothing = fitted.loss > MOST_LOSS * load_reference()[language]["loss"]
    # When it was fitted it may have done better: its server may answer nonsense now.
    if adds_nothing or not read_scale(embedder).tells_apart:
        return Chosen((BuiltInEmbedder(),), WITH_MODEL, USUAL_BAND)
    embedders = (embedder,) if fitted.share == 1.0 else (BuiltInEmbedder(), embedder)
    return Chosen(embedders, fitted.to_weights(), fitted.band)


def list_languages_of_default(embedder: Embedder) -> list[str]:
    """Return the languages in which the default encoder judges in place of this embedder."""
    return [
        language
        for language in load_reference()
        if embedder not in choose_embedders(embedder, language).embedders
    ]


@cache
def load_reference() -> dict[str, Reference]:
    """Return the clauses by language."""
    stored = json.loads(_read_reference_file())
    return {
        language: Reference(
            texts=reference["texts"],
            clauses=[_read_clause(*clause) for clause in reference["clauses"]],
            pairs=[_read_clause(*pair) for pair in reference["pairs"]],
            loss=reference["loss"],
            errors=Errors(*reference["errors"]),
        )
        for language, reference in stored["languages"].items()
    }


def _read_clause(
    weight: float, text: int, readings: list[tuple[int, int, float | None, bool]]
) -> ReferenceClause:
    return ReferenceClause(weight, text, [ReferenceReading(*reading) for reading in readings])


def _read_reference_file() -> bytes:
    return files(__package__).joinpath("lists", "embedder_reference.json").read_bytes()


_known: dict[tuple[str, str], Fitted] = {}


def read_fitted(embedder: Embedder, language: str) -> Fitted:
    """Return what the cosines of an embedder are worth, from the data folder if they were fitted before."""
    if (embedder.id, language) not in _known:
        path = _locate(embedder.id, language)
        fitted = _load(path)
        if fitted is None:
            fitted = fit_cosines(load_reference()[language], embedder)
            if np.isfinite(fitted).all():  # what tells nothing apart may be a server at fault
                _store(path, fitted)
        _known[embedder.id, language] = fitted
    return _known[embedder.id, language]


def _locate(embedder_id: str, language: str) -> Path:
    """Return the file of an embedder; other reference texts or other code of ours have another one."""
    ours = f"{WITH_MODEL}\n{SHARES}\n{UNSURE_FROM_TRIED}\n{SAID_FROM_TRIED}\n{LEAST_CLAUSES}"
    ours += f"\n{BuiltInEmbedder().id}"
    digest = hashlib.sha256(f"{embedder_id}\n{language}\n{ours}\n".encode())
    digest.update(_digest_reference())
    return Path(settings.DATA_DIR) / FOLDER / f"{digest.hexdigest()[:32]}.json"


@lru_cache(maxsize=1)
def _digest_reference() -> bytes:
    return hashlib.sha256(_read_reference_file()).digest()


def _load(path: Path) -> Fitted | None:
    try:
        fitted = Fitted(*(float(value) for value in json.loads(path.read_bytes())))
    except (OSError, ValueError, TypeError):
        return None  # of a disk that is full, say: it is fitted again
    return fitted if np.isfinite(fitted).all() else None


def _store(path: Path, fitted: Fitted) -> None:
    with contextlib.suppress(OSError):  # what cannot be kept is fitted again by the next process
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with open_atomic(path) as file:
            file.write(json.dumps(list(fitted)).encode())


class Weighed(NamedTuple):
    """The phrases that clauses may say, each with the cosines of an embedder; one row a phrase."""

    clause: npt.NDArray[np.int64]  # its number, those of pairs after those of calls
    criterion: npt.NDArray[np.int64]
    cosines: Floats  # two columns: the cosine, and its lead
    known: Floats  # log odds by all other evidence
    said: npt.NDArray[np.bool_]
    weight: Floats

    def weigh(self, fitted: Fitted) -> Floats:
        """Return the log odds."""
        given: Floats = self.known + fitted.start + self.cosines @ [fitted.cosine, fitted.cosine_lead]
        return given

    def take(self, rows: npt.NDArray[np.bool_]) -> "Weighed":
        """Return some of the rows."""
        return Weighed(
            self.clause[rows],
            self.criterion[rows],
            self.cosines[rows],
            self.known[rows],
            self.said[rows],
            self.weight[rows],
        )


def fit_cosines(reference: Reference, embedder: Embedder) -> Fitted:
    """Return the share and the weights by which the cosines of an embedder tell best what was said.

    With them comes the gray band.
    """
    if not read_scale(embedder).tells_apart:
        return Fitted(WITH_MODEL.start, 0.0, 0.0, float("inf"), *USUAL_BAND, 1.0)
    own = compare_reference(reference, embedder)
    if isinstance(embedder, BuiltInEmbedder):
        return fit_compared(reference, own, 1.0)
    usual = compare_reference(reference, BuiltInEmbedder())
    mixed = (fit_compared(reference, mix(usual, own, share), share) for share in SHARES)
    return min(mixed, key=lambda fitted: fitted.loss)


def fit_compared(reference: Reference, cosines: Sequence[Floats], share: float) -> Fitted:
    """Return what some cosines, `share` of them an embedder's own, are worth."""
    weighed = weigh_reference(reference, cosines)
    of_calls = weighed.clause < len(reference["clauses"])
    fitted = _fit(weighed.take(of_calls))
    band = fit_band(*judge_clauses(weighed, fitted), reference["errors"])
    return fitted._replace(**band._asdict(), share=share)


def compare_reference(reference: Reference, embedder: Embedder) -> list[Floats]:
    """Return the cosines of each clause with its phrases, for an embedder that tells sentences apart."""
    line = read_scale(embedder)
    vectors = embedder.encode(reference["texts"])
    return [
        np.array(
            [
                line.place(float(c), DEFAULT)
                for c in vectors[[r.text for r in clause.readings]] @ vectors[clause.text]
            ]
        )
        for clause in (*reference["clauses"], *reference["pairs"])
    ]


def mix(usual: Sequence[Floats], own: Sequence[Floats], share: float) -> list[Floats]:
    """Return the cosines of an embedder with those of the default encoder."""
    return [(1 - share) * ours + share * theirs for ours, theirs in zip(usual, own, strict=True)]


def weigh_reference(reference: Reference, cosines: Sequence[Floats]) -> Weighed:
    """Return what the texts are, given the cosines of each clause with its phrases."""
    rows: list[tuple[int, int, tuple[float, float], float, bool, float]] = []
    clauses = [*reference["clauses"], *reference["pairs"]]
    for number, (clause, compared) in enumerate(zip(clauses, cosines, strict=True)):
        for reading, cosine in zip(clause.readings, compared, strict=True):
            if reading.log_odds is None:
                continue
            rival = _find_rival(clause.readings, compared, reading.criterion)
            lead = cosine - max(rival, USUAL_RIVAL)
            evidence = (cosine, lead), reading.log_odds, reading.is_said
            rows.append((number, reading.criterion, *evidence, clause.weight))
    return Weighed(*(np.array(column) for column in zip(*rows, strict=True)))


def judge_clauses(weighed: Weighed, fitted: Fitted) -> tuple[npt.NDArray[np.bool_], Floats]:
    """Return for each clause and criterion whether it was said, and how likely that is."""
    likeliest: dict[tuple[int, int], tuple[float, bool]] = {}
    for clause, criterion, log_odds, is_said in zip(
        weighed.clause, weighed.criterion, weighed.weigh(fitted), weighed.said, strict=True
    ):
        found = likeliest.get((clause, criterion))
        if found is None or log_odds > found[0]:
            likeliest[clause, criterion] = (log_odds, is_said)
    said = np.array([is_said for _, is_said in likeliest.values()], dtype=bool)
    return said, np.array([join_phrases([log_odds], 1) for log_odds, _ in likeliest.values()])


def _find_rival(readings: Sequence[ReferenceReading], cosines: Floats, criterion: int) -> float:
    others = [float(c) for r, c in zip(readings, cosines, strict=True) if r.criterion != criterion]
    return max(others, default=0.0)


def _fit(weighed: Weighed) -> Fitted:
    """Return the weights of a logistic regression by Newton's method."""
    known, said = weighed.known, weighed.said.astype(float)
    counts = weighed.weight * len(weighed.weight) / weighed.weight.sum()
    columns = np.column_stack([np.ones(len(known)), weighed.cosines])
    usual = np.array([WITH_MODEL.start, WITH_MODEL.evidence.cosine, WITH_MODEL.evidence.cosine_lead])
    weights = usual.copy()
    for _ in range(STEPS):
        likely = 1 / (1 + np.exp(-known - columns @ weights))
        slope = columns.T @ (counts * (likely - said)) + STRENGTH * (weights - usual)
        spread = counts * likely * (1 - likely)
        step = np.linalg.solve(columns.T @ (columns * spread[:, None]) + STRENGTH * np.eye(3), slope)
        weights -= step
        if np.abs(step).max() < LEAST_STEP:
            break
    weights = weights.round(DECIMALS)
    fitted = Fitted(float(weights[0]), float(weights[1]), float(weights[2]), 0.0, *USUAL_BAND, 1.0)
    log_odds = weighed.weigh(fitted)
    loss = float(counts @ (np.logaddexp(0, log_odds) - said * log_odds) / len(counts))
    return fitted._replace(loss=round(loss, 4))
