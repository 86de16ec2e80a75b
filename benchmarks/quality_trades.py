"""How well are criteria judged in trades that no word list of Callscope knows?

Reads labeled/trades and labeled/near_misses (see labeled/README.md), written and
labeled by people who did not write the rules. Judges through the product's own
path: the rules analyzer's judge_criterion with the phrases of one trade as the
rubric. Seen trades may be read while rules are changed; of unseen ones only the
totals are printed, and nobody tunes to them. A criterion that is not evaluated
counts as "not met" in κ, and is left out in "κ where judged".

`--show seen` lists the errors of the seen trades, `--trade NAME` those of one. `--model FOLDER` judges with a
sentence model, too, as the product does with CALLSCOPE_EMBED_MODEL_DIR; `--language en` leaves out what a
model of one language does not know; `--split seen` prints nothing of the unseen ones.
"""

import argparse
import os
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "callscope.settings")
os.environ.setdefault("CALLSCOPE_DATA_DIR", tempfile.mkdtemp(prefix="callscope-quality-"))

import django
import numpy as np
import yaml
from agreement import interval, kappa, share

django.setup()

from callscope.analysis.conversation.turns import Conversation, build_conversation  # noqa: E402
from callscope.analysis.evidence import verify_quote  # noqa: E402
from callscope.analysis.matching.semantic_matcher import SemanticMatcher  # noqa: E402
from callscope.analysis.results.findings import Judgment  # noqa: E402
from callscope.analysis.rules.judge import judge_criterion  # noqa: E402
from callscope.engines.embeddings.built_in import BuiltInEmbedder  # noqa: E402
from callscope.engines.embeddings.lexical import LexicalEmbedder  # noqa: E402
from callscope.engines.embeddings.protocol import Embedder  # noqa: E402
from callscope.engines.embeddings.sentence_model import SentenceModel  # noqa: E402
from callscope.language.detect import guess_language  # noqa: E402
from callscope.language.sentences import split_sentences  # noqa: E402
from callscope.language.tokens import extract_content_words, stem_words  # noqa: E402
from callscope.projects.configuration import Criterion  # noqa: E402

LABELED = Path(__file__).parent / "labeled"
SPLITS = ("seen", "unseen")
GOALS = {"one phrase": 0.70, "three phrases": 0.80, "terse": 0.65}
MOST_TAKEN_PCT, MOST_LOST_PCT = 5, 10
WORDS_A_SECOND = 2.5  # at which turns without times are laid out
SHARE_OF_STEMS = 0.5  # of a phrase, which the floor asks for

Phrases = dict[str, list[str]]  # criterion → phrases
Judge = Callable[[Conversation, str, Phrases], Judgment]


@dataclass(frozen=True, slots=True)
class Call:
    id: str
    conversation: Conversation
    met: frozenset[str]
    quotes: dict[str, list[str]]


@dataclass(frozen=True, slots=True)
class Trade:
    name: str
    language: str
    criteria: dict[str, dict[str, Any]]
    phrases: dict[str, Phrases]  # kind → phrases
    calls: list[Call]


@dataclass(frozen=True, slots=True)
class Judged:
    """What people said and what the judge says of one criterion of one call."""

    call: str
    act: str
    truth: bool
    judgment: Judgment
    has_quote: bool  # the quote stands in the transcript
    quotes_right: bool | None  # it is the turn that people quoted; None unless both say met
    description: str  # for --show

    @property
    def found(self) -> bool:
        return self.judgment.answer == "met"

    @property
    def is_judged(self) -> bool:
        return self.judgment.answer is not None


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--show", choices=["seen"], help="list the errors; those of unseen trades stay unread"
    )
    parser.add_argument("--trade", help="only this seen trade")
    parser.add_argument("--split", choices=SPLITS, action="append", help="only this half")
    parser.add_argument("--language", choices=["en", "es"], help="only trades and pairs of this language")
    parser.add_argument("--model", type=Path, help="folder of a sentence model to judge with, too")
    chosen = parser.parse_args()
    splits = ("seen",) if chosen.show or chosen.trade else tuple(chosen.split or SPLITS)
    names = {split: split for split in splits} | {
        n: f"development_{n}" for n in ("second", "third", "fourth")
    }
    if not chosen.show:
        names["unread"] = "unread_fourth"
    trades = {split: list(read_trades(LABELED / "trades" / split, chosen.trade)) for split in splits}
    pairs = {split: read_pairs(LABELED / "near_misses" / f"{name}.yaml") for split, name in names.items()}
    if chosen.language:
        trades = {s: [t for t in found if t.language == chosen.language] for s, found in trades.items()}
        pairs = {s: [p for p in found if find_language(p) == chosen.language] for s, found in pairs.items()}
    embedders: list[Embedder] = [BuiltInEmbedder()]
    if not chosen.show and not chosen.trade and not chosen.model:
        embedders.append(LexicalEmbedder())
    folder = chosen.model or os.environ.get("CALLSCOPE_EMBED_MODEL_DIR")
    if folder:
        embedders.append(SentenceModel(Path(folder)))
    for embedder in embedders:
        print(f"\nTrades ({embedder.id})")
        for kind in GOALS:
            rows = {split: judge_trades(trades[split], kind, by_rules(embedder)) for split in splits}
            print_kind(kind, rows, goal=GOALS[kind])
            if chosen.show:
                print_errors(rows["seen"])
        if not chosen.trade:
            print_pairs(pairs, embedder, show=bool(chosen.show))
    print("\nFloor: stems, the phrases of a trade compete")
    for kind in GOALS:
        print_kind(kind, {split: judge_trades(trades[split], kind, by_stems) for split in splits})
    return 0


# Reading.


def read_trades(folder: Path, only: str | None) -> Iterator[Trade]:
    for path in sorted(folder.glob("*.criteria.yaml")):
        name = path.name.removesuffix(".criteria.yaml")
        phrases_path, calls_path = folder / f"{name}.phrases.yaml", folder / f"{name}.calls.yaml"
        if only not in (None, name) or not phrases_path.is_file() or not calls_path.is_file():
            continue
        criteria = {c["id"]: c for c in _load(path)["criteria"]}
        wordings = _load(phrases_path)
        kinds = {
            "one phrase": {id: wordings[id]["phrases"][:1] for id in criteria},
            "three phrases": {id: wordings[id]["phrases"] for id in criteria},
            "terse": {id: [wordings[id]["terse"]] for id in criteria},
        }
        language = _load(path)["language"]
        calls = [_read_call(call, language) for call in _load(calls_path)["calls"]]
        yield Trade(name, language, criteria, kinds, calls)


def read_pairs(path: Path) -> list[dict[str, Any]]:
    """Return pairs of a `phrase` and a `sentence`; `same` tells whether it does what the phrase does."""
    return list(yaml.safe_load(path.read_text(encoding="utf-8"))) if path.is_file() else []


def find_language(pair: dict[str, Any]) -> str:
    """Return the language of a pair."""
    return pair.get("language") or guess_language(f"{pair['phrase']} {pair['sentence']}") or "en"


def converse(turns: Iterable[Sequence[str]], language: str) -> Conversation:
    """Return the conversation in pairs of speaker and text."""
    segments, clock = [], 0.0
    for speaker, text in turns:
        start, clock = clock, clock + max(1, len(text.split())) / WORDS_A_SECOND
        segments.append({"start": start, "end": clock, "speaker": speaker, "text": text})
    return build_conversation(segments, language=language, spoken_language=language, quality={})


def _load(path: Path) -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))
    return loaded


def _read_call(call: dict[str, Any], language: str) -> Call:
    quotes = {id: q if isinstance(q, list) else [q] for id, q in (call.get("quotes") or {}).items()}
    return Call(call["id"], converse(call["turns"], language), frozenset(call["met"] or ()), quotes)


# Judging.


def by_rules(embedder: Embedder) -> Judge:
    latest: tuple[Conversation, Phrases, SemanticMatcher] | None = None

    def judge(conversation: Conversation, criterion_id: str, phrases: Phrases) -> Judgment:
        nonlocal latest
        if latest is None or latest[0] is not conversation or latest[1] is not phrases:
            rivals = [phrase for said in phrases.values() for phrase in said]
            matcher = SemanticMatcher(embedder, conversation.language, phrases=rivals)
            latest = (conversation, phrases, matcher)  # one a call, as in the product
        matcher = latest[2]
        rule = {"any_of": phrases[criterion_id], "speaker": "agent"}
        criterion = {"id": criterion_id, "name": criterion_id, "max_points": 1, "rule": rule}
        return judge_criterion(Criterion.model_validate(criterion), conversation, matcher)

    return judge


def by_stems(conversation: Conversation, criterion_id: str, phrases: Phrases) -> Judgment:
    """What is found by stems alone, where each sentence goes to the phrase that shares most of them."""
    language = conversation.language
    stems = {id: [_stems(p, language) for p in said] for id, said in phrases.items()}
    for segment in conversation.said_by("agent"):
        for sentence in split_sentences(segment.text, keep_titles=True):
            words = _stems(sentence, language)
            shares = {
                id: max((len(p & words) / len(p) if p else 0.0) for p in own) for id, own in stems.items()
            }
            if shares[criterion_id] >= max(SHARE_OF_STEMS, *shares.values()):
                return Judgment(criterion_id, "met")
    return Judgment(criterion_id, "not_met")


def judge_trades(trades: list[Trade], kind: str, judge: Judge) -> list[Judged]:
    rows = []
    for trade in trades:
        for call in trade.calls:
            for id, criterion in trade.criteria.items():
                judgment = judge(call.conversation, id, trade.phrases[kind])
                quote = judgment.quote
                verified = quote and verify_quote(quote.text, call.conversation, speaker="agent")
                right = None
                if id in call.met and quote and call.quotes.get(id):
                    right = any(_overlaps(quote.text, labeled) for labeled in call.quotes[id])
                description = f"{trade.name} {call.id} {id}: {trade.phrases[kind][id]}"
                description += f"\n      labeled {call.quotes.get(id)}"
                description += f"\n      judged {judgment.answer} {quote.text if quote else judgment.reason}"
                rows.append(
                    Judged(
                        f"{trade.name} {call.id}",
                        criterion["act"],
                        id in call.met,
                        judgment,
                        bool(verified),
                        right,
                        description,
                    )
                )
    return rows


def _stems(text: str, language: str) -> set[str]:
    return set(stem_words(extract_content_words(text, language), language))


def _overlaps(quote: str, labeled: str) -> bool:
    one, other = (" ".join(text.casefold().split()) for text in (quote, labeled))
    return one in other or other in one


# Figures.


def print_kind(kind: str, rows: dict[str, list[Judged]], *, goal: float | None = None) -> None:
    """Print the agreement of one kind of phrases, seen and unseen, then by act."""
    for split, judged in rows.items():
        if not judged:
            print(f"  {kind:14} {split:7} no data")
            continue
        wanted = f"  goal κ ≥ {goal:.2f}" if goal and split == "unseen" else ""
        print(f"  {kind:14} {split:7} {_describe(judged)}{wanted}")
        answered = [row for row in judged if row.is_judged]
        left_out = 1 - len(answered) / len(judged)
        if left_out:
            print(f"  {'':14} {'':7} {_describe(answered)}  where judged; {left_out:.1%} left out")
    if goal is None:
        return
    for split, judged in rows.items():
        found = [row for row in judged if row.found]
        right = [row.quotes_right for row in found if row.quotes_right is not None]
        if right:
            print(
                f"    quotes, {split}: verified {np.mean([r.has_quote for r in found]):.3f} of {len(found)}, "
                f"the words that people quoted {np.mean(right):.2f} of {len(right)}"
            )
    acts = sorted({row.act for judged in rows.values() for row in judged})
    for act in acts:
        parts = [
            f"{split} {_precision_and_recall([row for row in judged if row.act == act])}"
            for split, judged in rows.items()
        ]
        print(f"    {act:14} {'   '.join(parts)}")


def print_errors(rows: list[Judged]) -> None:
    for row in rows:
        if row.truth != row.found:
            name = "wrongly met" if row.found else "missed" if row.is_judged else "left out"
            print(f"    {name} ({row.act}) {row.description}")


def print_pairs(pairs: dict[str, list[dict[str, Any]]], embedder: Embedder, *, show: bool) -> None:
    """Print how many near misses are taken, and how many paraphrases are not.

    A pair in the gray band is neither taken nor refused: the criterion is not evaluated. The goals count
    an open paraphrase as lost; the row below shows the three shares apart.
    """
    for split, rows in pairs.items():
        if not rows:
            print(f"  near misses    {split:7} no data")
            continue
        answers = [(row["same"], _judge_pair(row, embedder)) for row in rows]
        for same, name in ((False, "near misses"), (True, "paraphrases")):
            given = [answer for is_same, answer in answers if is_same is same]
            met, unsure = (share([answer == wanted for answer in given]) for wanted in ("met", None))
            goal = f"lost {1 - given.count('met') / len(given):.1%} (goal {MOST_LOST_PCT} %)"
            goal = goal if same else f"goal {MOST_TAKEN_PCT} %"
            print(f"  {name:14} {split:7} taken {met}   left open {unsure}   {goal}")
            refused = share([answer == "not_met" for answer in given])
            print(f"  {'':14} {'':7} as a user sees it: taken {met}   open {unsure}   refused {refused}")
        if show:
            for row, (same, answer) in zip(rows, answers, strict=True):
                if same != (answer == "met"):
                    name = "lost" if same else "taken"
                    print(f"    {name} ({answer}, {row['kind']}) {row['phrase']!r}: {row['sentence']!r}")


def _judge_pair(pair: dict[str, Any], embedder: Embedder) -> str | None:
    language = find_language(pair)
    conversation = converse([("agent", pair["sentence"])], language)
    return by_rules(embedder)(conversation, "c", {"c": [pair["phrase"]]}).answer


def _describe(rows: list[Judged]) -> str:
    truth, found = np.array([r.truth for r in rows]), np.array([r.found for r in rows])
    low, high = interval(truth, found, [r.call for r in rows])
    return f"κ {kappa(truth, found):5.2f} [{low:5.2f}, {high:5.2f}]  {_precision_and_recall(rows)}"


def _precision_and_recall(rows: list[Judged]) -> str:
    both = sum(r.truth and r.found for r in rows)
    found, true = sum(r.found for r in rows), sum(r.truth for r in rows)
    precision = f"{both / found:.2f}" if found else "none"
    recall = f"{both / true:.2f}" if true else "none"
    return f"precision {precision:4} recall {recall:4} n {len(rows)} ({true} met)"


if __name__ == "__main__":
    sys.exit(main())
