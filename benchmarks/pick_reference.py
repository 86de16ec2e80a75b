"""Pick the clauses and phrases by which embedders are calibrated; writes lists/embedder_reference.json.

Reads the seen trades (labeled/README.md). Of the clauses that may say a phrase of their rubric, a fixed
number of those that do and of those that do not is drawn by a hash, each with a weight that restores their
shares. The near misses and paraphrases that people may look at come with them, where cosines decide: by these
the gray band is fitted. Run it after `fit_likelihood.py`, when the weights that it printed are in
`matching/likelihood.py`; `--compare FOLDER` prints, without writing, how the cosines of a sentence model
do next to the default encoder's, alone and with them.
"""

import argparse
import hashlib
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from quality_trades import LABELED, Call, Phrases, Trade, converse, read_pairs, read_trades  # prepares Django

from callscope.analysis.acts.kinds import compare_acts
from callscope.analysis.matching import embedder_weights
from callscope.analysis.matching.embedder_weights import Reference, ReferenceClause, ReferenceReading
from callscope.analysis.matching.gray_band import Errors, count_errors
from callscope.analysis.matching.heard import HeardClause
from callscope.analysis.matching.likelihood import MIN_FIT, USUAL_BAND, WITH_MODEL, list_evidence
from callscope.analysis.matching.phrases import find_phrase
from callscope.analysis.matching.semantic_matcher import Candidate, SemanticMatcher
from callscope.engines.embeddings.built_in import BuiltInEmbedder
from callscope.engines.embeddings.sentence_model import SentenceModel
from callscope.language.detect import guess_language
from callscope.language.tokens import tokenize

KINDS = ("one phrase", "terse")
PAIR_FILES = ("seen", "development")
PICKED = {"en": (180, 300), "es": (140, 220)}  # of each language: clauses that say a phrase, and others
TARGET = Path(embedder_weights.__file__).parent / "lists" / "embedder_reference.json"


class Competed(NamedTuple):
    """A clause with the phrases of its rubric that compete for it."""

    key: str
    text: str
    phrases: list[tuple[str, int, float | None, bool]]  # text, criterion, log odds, is it said

    @property
    def says_one(self) -> bool:
        return any(is_said for *_, is_said in self.phrases)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--compare", type=Path, metavar="FOLDER", help="compare a sentence model with the default encoder"
    )
    asked = parser.parse_args()
    if asked.compare:
        compare(SentenceModel(asked.compare))
        return 0
    competed: dict[str, list[Competed]] = {language: [] for language in PICKED}
    for trade in read_trades(LABELED / "trades" / "seen", None):
        competed[trade.calls[0].conversation.language] += list_competed(trade)
    references = {language: pick(language, found, *PICKED[language]) for language, found in competed.items()}
    stored = {"weights": WITH_MODEL, "languages": references}
    TARGET.write_text(json.dumps(stored, ensure_ascii=False, separators=(",", ":")) + "\n", encoding="utf-8")
    for language, reference in references.items():
        same = sum(pair.readings[0].is_said for pair in reference["pairs"])
        print(f"{language}: {len(reference['texts'])} texts, {len(reference['clauses'])} clauses, ", end="")
        print(f"{same} paraphrases, {len(reference['pairs']) - same} near misses, {reference['errors']}")
        print(f"  default encoder: {embedder_weights.fit_cosines(reference, BuiltInEmbedder())}")
    return 0


def compare(model: SentenceModel) -> None:
    """Print what a model is worth, alone and with the default encoder."""
    for language, reference in embedder_weights.load_reference().items():
        print(f"{language}: default encoder {reference['loss']}, {reference['errors']}, band {USUAL_BAND}")
        usual = embedder_weights.compare_reference(reference, BuiltInEmbedder())
        own = embedder_weights.compare_reference(reference, model)
        for share in embedder_weights.SHARES:
            mixed = embedder_weights.mix(usual, own, share)
            print(f"  {embedder_weights.fit_compared(reference, mixed, share)}")


def list_competed(trade: Trade) -> Iterator[Competed]:
    """Yield the clauses of the agents of one trade, once for each kind of phrases."""
    for kind in KINDS:
        phrases = trade.phrases[kind]
        rubric = [phrase for said in phrases.values() for phrase in said]
        for call in trade.calls:
            matcher = SemanticMatcher(BuiltInEmbedder(), call.conversation.language, phrases=rubric)
            heard: dict[int, tuple[HeardClause, dict[str, list[Candidate]]]] = {}
            for criterion_id, wanted in phrases.items():
                for clause, candidates in matcher.compare(wanted, call.conversation.said_by("agent")):
                    heard.setdefault(clause.number, (clause, {}))[1][criterion_id] = candidates
            for number, (clause, by_criterion) in heard.items():
                competing = list(_list_competing(matcher, clause, phrases, by_criterion, call))
                if any(log_odds is not None for _, _, log_odds, _ in competing):
                    yield Competed(
                        f"{trade.name} {kind} {call.id} {number}", clause.reading.compared, competing
                    )


def _list_competing(
    matcher: SemanticMatcher,
    clause: HeardClause,
    phrases: Phrases,
    by_criterion: dict[str, list[Candidate]],
    call: Call,
) -> Iterator[tuple[str, int, float | None, bool]]:
    for place, (criterion_id, wanted) in enumerate(phrases.items()):
        quotes = call.quotes.get(criterion_id, []) if criterion_id in call.met else []
        is_said = any(_overlaps(clause.reading.text, quote) for quote in quotes)
        weighed = {
            c.reading: _weigh_without_cosines(c)
            for c in by_criterion.get(criterion_id, [])
            if _is_decided_by_cosine(c)
        }
        for phrase in wanted:
            for reading in matcher.rivals[phrase]:
                competes = (
                    reading.act != "names" and compare_acts(reading.acts, clause.reading.acts) >= MIN_FIT
                )
                if competes or reading in weighed:
                    yield reading.compared, place, weighed.get(reading), is_said


def _weigh_without_cosines(candidate: Candidate) -> float:
    evidence = list_evidence(candidate.likeness, candidate.reading.act)
    weights = WITH_MODEL.evidence._replace(cosine=0.0, cosine_lead=0.0)
    return round(sum(w * e for w, e in zip(weights, evidence, strict=True)), 3)


def pick(language: str, competed: Sequence[Competed], saying: int, others: int) -> Reference:
    """Return the clauses that are drawn, and the pairs of a language."""
    texts: dict[str, int] = {}
    clauses = []
    for count, found in (
        (saying, [each for each in competed if each.says_one]),
        (others, [each for each in competed if not each.says_one]),
    ):
        drawn = sorted(found, key=lambda each: hashlib.sha256(each.key.encode()).digest())[:count]
        for each in drawn:
            readings = [
                ReferenceReading(texts.setdefault(text, len(texts)), criterion, log_odds, is_said)
                for text, criterion, log_odds, is_said in each.phrases
            ]
            number = texts.setdefault(each.text, len(texts))
            clauses.append(ReferenceClause(round(len(found) / len(drawn), 3), number, readings))
    pairs = list(_list_pairs(language, texts))
    reference = Reference(texts=list(texts), clauses=clauses, pairs=pairs, loss=0.0, errors=Errors(0, 0))
    fitted = embedder_weights.fit_cosines(reference, BuiltInEmbedder())
    cosines = embedder_weights.compare_reference(reference, BuiltInEmbedder())
    weighed = embedder_weights.weigh_reference(reference, cosines)
    said, likelihoods = embedder_weights.judge_clauses(weighed, fitted)
    reference["loss"], reference["errors"] = fitted.loss, count_errors(said, likelihoods, USUAL_BAND)
    return reference


def _list_pairs(language: str, texts: dict[str, int]) -> Iterator[ReferenceClause]:
    """Yield the pairs in which cosines decide, of each its likeliest clause; `texts` grows by theirs."""
    for pair in (
        pair for name in PAIR_FILES for pair in read_pairs(LABELED / "near_misses" / f"{name}.yaml")
    ):
        phrase, sentence = pair["phrase"], pair["sentence"]
        if (pair.get("language") or guess_language(f"{phrase} {sentence}") or "en") != language:
            continue
        conversation = converse([("agent", sentence)], language)
        if find_phrase([phrase], list(conversation.turns()), language):
            continue
        matcher = SemanticMatcher(BuiltInEmbedder(), language, phrases=[phrase])
        compared = list(matcher.compare([phrase], conversation.said_by("agent")))
        if not compared or not all(_is_decided_by_cosine(c) for _, found in compared for c in found):
            continue
        clause, candidates = max(compared, key=lambda each: max(c.weigh() for c in each[1]))
        number = texts.setdefault(clause.reading.compared, len(texts))
        readings = [
            ReferenceReading(
                texts.setdefault(c.reading.compared, len(texts)), 0, _weigh_without_cosines(c), pair["same"]
            )
            for c in candidates
        ]
        yield ReferenceClause(0.0, number, readings)


def _is_decided_by_cosine(candidate: Candidate) -> bool:
    is_decided_otherwise = candidate.is_recognized_by_act or candidate.is_apart
    return not is_decided_otherwise and candidate.likeness.own.cosine is not None


def _overlaps(clause: str, quote: str) -> bool:
    one, other = (" ".join(tokenize(text)) for text in (clause, quote))
    return one in other or other in one


if __name__ == "__main__":
    sys.exit(main())
