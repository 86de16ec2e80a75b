"""How well is the act of a clause recognized: does it ask, offer, confirm, state a success or a failure ...?

Reads labeled/trades: each criterion names the act that it wants, so its phrases do
that act, its terse phrase describes it, and the words that people quoted from the
calls do it. Seen trades may be read while patterns are changed; of unseen ones only
the totals are printed. `--show seen` lists the errors of the seen trades.
"""

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import yaml
from agreement import kappa

from callscope.analysis.acts.clauses import read_clauses
from callscope.analysis.acts.kinds import choose_likeliest
from callscope.analysis.acts.reported import find_reported_act, read_phrase_acts

TRADES = Path(__file__).parent / "labeled" / "trades"
SPLITS = ("seen", "unseen")
# The labels know fewer acts than the grammar.
LABEL_OF = {
    "offers_help": "offers",
    "offers_more_help": "offers",
    "introduces": "greets",
    "requests": "states_fact",
    "sympathizes": "apologizes",
}
RESAMPLES = 2000


class Labeled(NamedTuple):
    """One text, the act that it does by the labels, and by the grammar."""

    kind: str
    text: str
    truth: str
    found: str


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--show", choices=["seen"], help="list the errors; those of unseen trades stay unread"
    )
    show = parser.parse_args().show
    rows = {split: [row for path in _trades(split) for row in read_trade(path)] for split in SPLITS}
    print("The act, one of twelve (what does it: a phrase, a terse phrase, words of a call)")
    for kind in ("phrases", "terse", "quotes"):
        for split in SPLITS:
            print_accuracy(kind, split, [row for row in rows[split] if row.kind == kind])
    print("\nBy act, phrases and quotes together: seen, unseen")
    for act in sorted({row.truth for split in rows.values() for row in split}):
        parts = [_describe_act(act, [r for r in rows[s] if r.kind != "terse"]) for s in SPLITS]
        print(f"  {act:14} {'   '.join(parts)}")
    for row in rows["seen"] if show else ():
        if row.truth != row.found:
            print(f"  {row.kind}: {row.truth}, not {row.found}: {row.text!r}")
    return 0


def _trades(split: str) -> list[Path]:
    return sorted((TRADES / split).glob("*.criteria.yaml"))


def read_trade(path: Path) -> Iterator[Labeled]:
    """Yield the phrases and the quotes of one trade."""
    trade = _load(path)
    language = trade["language"]
    wordings = _load(path.with_name(path.name.replace("criteria", "phrases")))
    calls = _load(path.with_name(path.name.replace("criteria", "calls")))["calls"]
    for criterion in trade["criteria"]:
        act = criterion["act"]
        for phrase in wordings[criterion["id"]]["phrases"]:
            acts = read_phrase_acts(phrase, language)
            yield Labeled("phrases", phrase, act, _label(choose_likeliest(acts)))
        terse = wordings[criterion["id"]]["terse"]
        reported = find_reported_act(terse, language)
        found = _label(choose_likeliest(reported.acts)) if reported else "none"
        yield Labeled("terse", terse, act, found)
        for call in calls:
            quotes = (call.get("quotes") or {}).get(criterion["id"]) or []
            for quote in quotes if isinstance(quotes, list) else [quotes]:
                turn = next((t for _, t in call["turns"] if quote.casefold() in t.casefold()), None)
                if turn:
                    yield Labeled("quotes", quote, act, find_act_of_quote(quote, turn, act, language))


def find_act_of_quote(quote: str, turn: str, wanted: str, language: str) -> str:
    """Return the wanted act if a clause that the quote touches does it, else that of the last such clause."""
    start = turn.casefold().index(quote.casefold())
    touched = [
        _label(clause.act)
        for clause in read_clauses(turn, language)
        if clause.start < start + len(quote) - 1 and clause.start + len(clause.text) > start + 1
    ]
    return wanted if wanted in touched else touched[-1] if touched else "none"


def _label(act: str) -> str:
    return LABEL_OF.get(act, act)


def _load(path: Path) -> Any:
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def print_accuracy(kind: str, split: str, rows: list[Labeled]) -> None:
    if not rows:
        print(f"  {kind:8} {split:7} no data")
        return
    right = np.array([row.truth == row.found for row in rows])
    draws = np.random.default_rng(1).integers(0, len(right), (RESAMPLES, len(right)))
    low, high = np.quantile(right[draws].mean(axis=1), (0.025, 0.975))
    print(f"  {kind:8} {split:7} right {right.mean():.2f} [{low:.2f}, {high:.2f}]  n {len(rows)}")


def _describe_act(act: str, rows: list[Labeled]) -> str:
    truth = np.array([row.truth == act for row in rows])
    found = np.array([row.found == act for row in rows])
    both = int((truth & found).sum())
    precision = f"{both / found.sum():.2f}" if found.any() else "none"
    recall = f"{both / truth.sum():.2f}" if truth.any() else "none"
    return f"κ {kappa(truth, found):.2f} precision {precision:4} recall {recall:4} n {int(truth.sum()):3}"


if __name__ == "__main__":
    sys.exit(main())
