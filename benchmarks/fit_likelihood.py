"""Fit the weights by which a clause is likely to say a phrase: prints them for `matching/likelihood.py`.

Reads the seen trades, the seen near misses and those written for the fit (labeled/README.md). Every
clause that may say a phrase is one example, true if it stands in what people quoted for the criterion.
What speaks for a phrase is fitted to the calls alone; what a clause differs in that repeats it, to the
calls and the pairs, for calls hold few such clauses. Next to the weights stands κ on the trades that were
left out of the fit, one after the other, by which the gray band is chosen, and the near misses of phrases
that were left out. Run it after a change of the acts, of the evidence or of the word lists;
`quality_trades.py` then tells how the unseen trades fare.
"""

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import quality_trades  # prepares Django
from agreement import kappa
from quality_trades import LABELED, Trade, converse, read_pairs, read_trades
from scipy.optimize import minimize
from sklearn.linear_model import LogisticRegression

from callscope.analysis.conversation.turns import Conversation
from callscope.analysis.matching import likelihood
from callscope.analysis.matching.differences import Differences
from callscope.analysis.matching.likelihood import (
    SAID_FROM,
    Evidence,
    join_phrases,
    list_evidence,
    to_log_odds,
)
from callscope.analysis.matching.phrases import find_phrase
from callscope.analysis.matching.semantic_matcher import SemanticMatcher
from callscope.engines.embeddings.built_in import BuiltInEmbedder
from callscope.engines.embeddings.lexical import LexicalEmbedder
from callscope.engines.embeddings.protocol import Embedder
from callscope.language.detect import guess_language
from callscope.language.tokens import tokenize

BANDS = [(0.5, 0.5), (0.45, 0.55), (0.4, 0.6), (0.35, 0.6), (0.35, 0.65), (0.3, 0.6), (0.3, 0.65), (0.3, 0.7)]
PAIRS = {"seen": "pairs of others", "development": "pairs written for the fit"}  # file → kind
PAIR_WEIGHT = 6.0  # of a clause of a pair next to one of a call, of which there are many more
PAIR_FOLDS = 4
FIRST_DIFFERENCE = Evidence._fields.index(Differences._fields[0])


@dataclass(frozen=True, slots=True)
class Example:
    """One clause and one criterion of one call: the evidence for each phrase that the clause may say."""

    evidence: dict[str, np.ndarray]  # phrase → rows of evidence, one a reading
    fixed: dict[str, float]  # phrase → log odds of a phrase that is recognized by its act alone
    is_true: bool


@dataclass(frozen=True, slots=True)
class Asked:
    """One criterion of one call."""

    trade: str  # of a pair its phrase
    kind: str
    truth: bool
    phrases: int
    examples: list[Example]


def main() -> int:
    trades = list(read_trades(LABELED / "trades" / "seen", None))
    likelihood.CALIBRATION = likelihood.Calibration(0.0, 1.0)  # it is fitted again
    for name, embedder in (("WITH_MODEL", BuiltInEmbedder()), ("BY_WORDS", LexicalEmbedder())):
        asked = [row for kind in quality_trades.GOALS for t in trades for row in collect(t, kind, embedder)]
        pairs = [row for name, kind in PAIRS.items() for row in collect_pairs(name, kind, embedder)]
        print_weights(name, fit(asked, pairs))
        print_left_out(asked, pairs)
    return 0


def collect(trade: Trade, kind: str, embedder: Embedder) -> Iterator[Asked]:
    """Yield the criteria of the calls of one trade."""
    phrases = trade.phrases[kind]
    rubric = [phrase for said in phrases.values() for phrase in said]
    for call in trade.calls:
        matcher = SemanticMatcher(embedder, call.conversation.language, phrases=rubric)
        for criterion_id, wanted in phrases.items():
            quotes = call.quotes.get(criterion_id, []) if criterion_id in call.met else []
            examples = _read_examples(matcher, call.conversation, wanted, quotes)
            yield Asked(trade.name, kind, criterion_id in call.met, len(wanted), examples)


def collect_pairs(name: str, kind: str, embedder: Embedder) -> Iterator[Asked]:
    """Yield the pairs of one file, each as a call of one sentence."""
    for pair in read_pairs(LABELED / "near_misses" / f"{name}.yaml"):
        phrase, sentence = pair["phrase"], pair["sentence"]
        language = pair.get("language") or guess_language(f"{phrase} {sentence}") or "en"
        matcher = SemanticMatcher(embedder, language, phrases=[phrase])
        conversation = converse([("agent", sentence)], language)
        if not find_phrase([phrase], list(conversation.turns()), language):
            quotes = [sentence] if pair["same"] else []
            yield Asked(
                phrase, kind, pair["same"], 1, _read_examples(matcher, conversation, [phrase], quotes)
            )


def _read_examples(
    matcher: SemanticMatcher, conversation: Conversation, wanted: Sequence[str], quotes: Sequence[str]
) -> list[Example]:
    examples = []
    for clause, candidates in matcher.compare(wanted, conversation.said_by("agent")):
        rows: dict[str, list[Evidence]] = {}
        fixed: dict[str, float] = {}
        for c in candidates:
            if c.is_recognized_by_act:
                fixed[c.phrase] = c.weigh()
            else:
                rows.setdefault(c.phrase, []).append(list_evidence(c.likeness, c.reading.act))
        is_true = any(_overlaps(clause.reading.text, quote) for quote in quotes)
        examples.append(Example({p: np.array(e, dtype=float) for p, e in rows.items()}, fixed, is_true))
    return examples


@dataclass(frozen=True, slots=True)
class Model:
    start: float
    weights: np.ndarray

    def weigh(self, evidence: np.ndarray) -> np.ndarray:
        given: np.ndarray = evidence @ self.weights + self.start
        return given


def fit(asked: Sequence[Asked], pairs: Sequence[Asked]) -> Model:
    evidence, truth = _stack(asked)
    first = LogisticRegression(max_iter=3000).fit(evidence[:, :FIRST_DIFFERENCE], truth)
    start, weights = float(first.intercept_[0]), first.coef_[0]
    more, also_true = _stack(pairs)
    rows, given = np.concatenate([evidence, more]), np.concatenate([truth, also_true])
    counts = np.concatenate([np.ones(len(truth)), np.full(len(also_true), PAIR_WEIGHT)])
    known = rows[:, :FIRST_DIFFERENCE] @ weights + start
    differences = rows[:, FIRST_DIFFERENCE:]

    def lose(against: np.ndarray) -> tuple[float, np.ndarray]:
        odds = known + differences @ against
        likely = 1 / (1 + np.exp(-odds))
        loss = float(counts @ (np.logaddexp(0, odds) - given * odds)) + float(against @ against) / 2
        return loss, differences.T @ (counts * (likely - given)) + against

    # No difference may speak for a phrase.
    bounds = [(None, 0.0)] * differences.shape[1]
    found = minimize(lose, np.zeros(differences.shape[1]), jac=True, method="L-BFGS-B", bounds=bounds)
    return Model(start, np.concatenate([weights, found.x]))


def _stack(asked: Sequence[Asked]) -> tuple[np.ndarray, np.ndarray]:
    rows = [(e, x.is_true) for a in asked for x in a.examples for es in x.evidence.values() for e in es]
    return np.array([e for e, _ in rows]), np.array([truth for _, truth in rows], dtype=float)


def score(model: Model, asked: Asked) -> float:
    """Return the likelihood that the product would find with the weights of a model."""
    best = 0.0
    for example in asked.examples:
        log_odds = dict(example.fixed)
        for phrase, evidence in example.evidence.items():
            log_odds[phrase] = float(model.weigh(evidence).max())
        best = max(best, join_phrases(list(log_odds.values()), asked.phrases))
    return best


def print_weights(name: str, model: Model) -> None:
    given = ", ".join(f"{n}={w:.2f}" for n, w in zip(Evidence._fields, model.weights, strict=True))
    print(f"\n{name} = _Weights({model.start:.2f}, Evidence({given}))")


def print_left_out(asked: Sequence[Asked], pairs: Sequence[Asked]) -> None:
    """Print what the bands give where each trade is judged by weights that were fitted without it."""
    raw: list[tuple[Asked, float]] = []
    for name in sorted({a.trade for a in asked}):
        model = fit([a for a in asked if a.trade != name], pairs)
        raw += [(a, score(model, a)) for a in asked if a.trade == name]
    near = [(a, to_log_odds(s)) for a, s in raw if s > 0]
    fitted = LogisticRegression().fit([[x] for _, x in near], [a.truth for a, _ in near])
    start, slope = float(fitted.intercept_[0]), float(fitted.coef_[0, 0])
    print(f"  CALIBRATION = Calibration({start:.2f}, {slope:.2f})")

    def calibrate(raw_score: float) -> float:
        return float(1 / (1 + np.exp(-start - slope * to_log_odds(raw_score)))) if raw_score > 0 else 0.0

    scored = [(a, calibrate(s)) for a, s in raw]
    for unsure_from, said_from in BANDS:
        parts = []
        for kind in quality_trades.GOALS:
            truth = np.array([a.truth for a, _ in scored if a.kind == kind])
            value = np.array([s for a, s in scored if a.kind == kind])
            judged = (value < unsure_from) | (value >= said_from)
            parts.append(
                f"{kind} κ {kappa(truth, value >= said_from):.2f}, where judged "
                f"{kappa(truth[judged], value[judged] >= said_from):.2f}, "
                f"precision {truth[value >= said_from].mean():.2f}, left out {1 - judged.mean():.0%}"
            )
        print(f"  {unsure_from:.2f} to {said_from:.2f}: " + "; ".join(parts))
    phrases = sorted({p.trade for p in pairs})
    found: list[tuple[Asked, float]] = []
    for fold in range(PAIR_FOLDS):
        left_out = set(phrases[fold::PAIR_FOLDS])
        model = fit(asked, [p for p in pairs if p.trade not in left_out])
        found += [(p, calibrate(score(model, p))) for p in pairs if p.trade in left_out]
    for kind in PAIRS.values():
        near_misses = np.array([s for p, s in found if p.kind == kind and not p.truth])
        paraphrases = np.array([s for p, s in found if p.kind == kind and p.truth])
        print(
            f"  {kind}: taken {(near_misses >= SAID_FROM).mean():.1%} of {len(near_misses)}, "
            f"lost {(paraphrases < SAID_FROM).mean():.1%} of {len(paraphrases)}"
        )


def _overlaps(clause: str, quote: str) -> bool:
    one, other = (" ".join(tokenize(text)) for text in (clause, quote))
    return one in other or other in one


if __name__ == "__main__":
    sys.exit(main())
