"""How well are the customer's sentiment and the outcome of a call judged, without a language model?

Reads labeled/trades (see labeled/README.md), written and labeled by people who
did not write the rules, and the STAR dialogs of ../shared/data, typed by people.
Seen calls may be read while rules are changed, and the weights were fitted to
them; of unseen ones only totals are printed. Half of the STAR dialogs, chosen by
their names, was read while these rules were written; their word lists of before
were corrected with all of them in view.

Sentiment: "negative" against everything else, a call without a sentiment
included; "where known" leaves those out. Goal: only calls with an answer.
Intervals: whole calls drawn again, 95 %. `--show seen` lists the errors of the
seen trades.
"""

import argparse
import csv
import hashlib
import json
import os
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "callscope.settings")
os.environ.setdefault("CALLSCOPE_DATA_DIR", tempfile.mkdtemp(prefix="callscope-quality-"))

import django
import numpy as np
import yaml
from agreement import RESAMPLES, kappa

django.setup()

from callscope.analysis.conversation.turns import Conversation, build_conversation  # noqa: E402
from callscope.analysis.evidence import verify_quote  # noqa: E402
from callscope.analysis.rules.goal import GoalOutcome, detect_goal_outcome  # noqa: E402
from callscope.analysis.rules.sentiment import classify_sentiment  # noqa: E402
from callscope.projects.configuration import Goal  # noqa: E402

HERE = Path(__file__).parent
TRADES = HERE / "labeled" / "trades"
STAR = HERE.parent.parent / "shared" / "data" / "star"
WORDS_A_SECOND = 2.5  # at which turns without times are laid out
SENTIMENT_GOAL = "κ ≥ 0.40 at precision ≥ 0.60"
OUTCOME_GOAL = "κ ≥ 0.65, answered ≥ 0.60"
LABELS = {"true": True, "false": False, "negative": True, "not_negative": False, "": None}


@dataclass(frozen=True, slots=True)
class Call:
    name: str
    group: str
    conversation: Conversation
    is_negative: bool | None  # as people labeled it; None where they did not
    is_reached: bool | None

    @property
    def sentiment(self) -> str | None:
        return classify_sentiment(self.conversation)

    @property
    def outcome(self) -> GoalOutcome:
        return detect_goal_outcome(Goal(), self.conversation)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--show", choices=["seen"], help="list the errors of the seen trades")
    chosen = parser.parse_args()
    groups = {f"trades, {split}": list(read_trades(split)) for split in ("seen", "unseen")}
    if chosen.show:
        print_errors(groups["trades, seen"])
        return 0
    for language in ("en", "es"):
        of_language = [c for c in groups["trades, unseen"] if c.conversation.language == language]
        groups[f"trades, unseen, {language}"] = of_language
    for call in read_star():
        groups.setdefault(call.group, []).append(call)
    print(f"Negative sentiment (goal on unseen calls: {SENTIMENT_GOAL})")
    for name, calls in groups.items():
        print_sentiment(name, [c for c in calls if c.is_negative is not None])
    print(f"\nGoal reached (goal on unseen trades: {OUTCOME_GOAL})")
    for name, calls in groups.items():
        print_outcome(name, [c for c in calls if c.is_reached is not None])
    return 0


# Reading.


def read_trades(split: str) -> Iterator[Call]:
    for path in sorted((TRADES / split).glob("*.calls.yaml")):
        trade = path.name.removesuffix(".calls.yaml")
        language = _load(path.with_name(f"{trade}.criteria.yaml"))["language"]
        for call in _load(path)["calls"]:
            talk = _converse(call["turns"], language)
            yield Call(call["id"], trade, talk, LABELS[call["sentiment"]], call["goal_reached"])


def read_star() -> Iterator[Call]:
    if not STAR.is_dir():
        print("No ../shared/data next to the repository: the STAR dialogs are left out.")
        return
    with (STAR / "labels.csv").open(encoding="utf-8", newline="") as file:
        labels = {row["filename"]: row for row in csv.DictReader(file)}
    for line in (STAR / "labels.jsonl").read_text(encoding="utf-8").splitlines():
        call = json.loads(line)
        name, row = call["filename"], labels[call["filename"]]
        was_read = int(hashlib.sha256(name.encode()).hexdigest(), 16) % 2 == 0
        talk = _converse(((t["speaker"].lower(), t["text"]) for t in call["turns"]), "en")
        group = f"STAR, {'read' if was_read else 'not read'}"
        yield Call(name, group, talk, LABELS[row["sentiment_proxy"]], LABELS[row["goal_reached"]])


def _load(path: Path) -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))
    return loaded


def _converse(turns: Iterable[Sequence[str]], language: str) -> Conversation:
    segments, clock = [], 0.0
    for speaker, text in turns:
        start, clock = clock, clock + max(1, len(text.split())) / WORDS_A_SECOND
        segments.append({"start": start, "end": clock, "speaker": speaker, "text": text})
    return build_conversation(segments, language=language, spoken_language=language, quality={})


# Figures.


def print_sentiment(name: str, calls: list[Call]) -> None:
    found = [c.sentiment for c in calls]
    known = [i for i, sentiment in enumerate(found) if sentiment]
    truth = [bool(c.is_negative) for c in calls]
    negative = [sentiment == "negative" for sentiment in found]
    print_line(name, truth, negative, covered=len(known) / len(calls) if calls else 0.0)
    print_line("  where known", [truth[i] for i in known], [negative[i] for i in known])


def print_outcome(name: str, calls: list[Call]) -> None:
    found = [c.outcome for c in calls]
    answered = [i for i, outcome in enumerate(found) if outcome.reached is not None]
    quoted = [
        verify_quote(o.quote.text, c.conversation) for c, o in zip(calls, found, strict=True) if o.quote
    ]
    truth = [bool(calls[i].is_reached) for i in answered]
    covered = len(answered) / len(calls) if calls else 0.0
    print_line(name, truth, [bool(found[i].reached) for i in answered], covered=covered)
    if len(quoted) < len(answered) or not all(quoted):
        print("  some quotes are not in their calls")


def print_line(name: str, truth: list[bool], found: list[bool], covered: float | None = None) -> None:
    """Print κ, precision and recall, each with its interval, and how many calls they are from."""
    if not truth:
        print(f"  {name}: no calls")
        return
    figures = "  ".join(
        f"{label} {value:4.2f} [{low:5.2f}, {high:4.2f}]"
        for label, value, low, high in measure(np.array(truth), np.array(found))
    )
    answered = "" if covered is None else f"  answered {covered:.2f}"
    print(f"  {name:20} {figures}{answered}  n {len(truth)}, {sum(truth)} of them so")


def measure(truth: np.ndarray, found: np.ndarray) -> Iterator[tuple[str, float, float, float]]:
    """Yield the name, value and interval of each figure."""
    rng = np.random.default_rng(1)
    draws = rng.integers(0, len(truth), size=(RESAMPLES, len(truth)))
    for label, figure in (("κ", kappa), ("precision", _precision), ("recall", _recall)):
        values = [figure(truth[d], found[d]) for d in draws]
        low, high = np.nanquantile(values, (0.025, 0.975)) if not np.isnan(values).all() else (np.nan, np.nan)
        yield label, figure(truth, found), low, high


def _precision(truth: np.ndarray, found: np.ndarray) -> float:
    return float((truth & found).sum() / found.sum()) if found.any() else float("nan")


def _recall(truth: np.ndarray, found: np.ndarray) -> float:
    return float((truth & found).sum() / truth.sum()) if truth.any() else float("nan")


def print_errors(calls: list[Call]) -> None:
    for call in calls:
        outcome = call.outcome
        if (call.sentiment == "negative") != call.is_negative:
            print(f"{call.group} {call.name}: negative {call.is_negative}, found {call.sentiment}")
        if outcome.reached not in (None, call.is_reached):
            quoted = outcome.quote.text if outcome.quote else ""
            print(f"{call.group} {call.name}: reached {call.is_reached}, found {outcome.reached} ({quoted})")


if __name__ == "__main__":
    sys.exit(main())
