"""How well a judge agrees with people: κ with its interval, precision, recall; used by the quality files."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

RESAMPLES = 2000


def print_agreement(
    name: str, truth: Sequence[bool], found: Sequence[bool], *, calls: Sequence[str] | None = None
) -> None:
    """Print one line; `calls` names the call of each row, for the interval (else each row is a call)."""
    t, f = np.array(truth, dtype=bool), np.array(found, dtype=bool)
    both = int((t & f).sum())
    precision = both / int(f.sum()) if f.any() else float("nan")
    recall = both / int(t.sum()) if t.any() else float("nan")
    f1 = 2 * both / (int(f.sum()) + int(t.sum())) if t.any() or f.any() else float("nan")
    low, high = interval(t, f, list(range(len(t))) if calls is None else calls)
    print(
        f"  {name:48} κ {kappa(t, f):5.2f} [{low:5.2f}, {high:5.2f}]  precision {precision:.2f}  "
        f"recall {recall:.2f}  F1 {f1:.2f}  n {len(t)}"
    )


def kappa(truth: np.ndarray, found: np.ndarray) -> float:
    """Return Cohen's κ: agreement beyond what the two rates alone would give."""
    agreed = float((truth == found).mean())
    expected = float(truth.mean() * found.mean() + (1 - truth.mean()) * (1 - found.mean()))
    return 0.0 if expected == 1 else (agreed - expected) / (1 - expected)


def interval(truth: np.ndarray, found: np.ndarray, calls: Sequence[Any]) -> tuple[float, float]:
    """Return the 95 % bootstrap interval of κ; rows of one call are drawn together."""
    rng = np.random.default_rng(1)
    names, numbers = np.unique(np.array(calls), return_inverse=True)
    counts = np.zeros((len(names), 4))  # both yes, only people, only the judge, both no
    np.add.at(counts, (numbers, np.where(truth, np.where(found, 0, 1), np.where(found, 2, 3))), 1)
    drawn = rng.multinomial(len(names), np.full(len(names), 1 / len(names)), size=RESAMPLES) @ counts
    n = drawn.sum(axis=1)
    agreed = (drawn[:, 0] + drawn[:, 3]) / n
    yes, judged_yes = (drawn[:, 0] + drawn[:, 1]) / n, (drawn[:, 0] + drawn[:, 2]) / n
    expected = yes * judged_yes + (1 - yes) * (1 - judged_yes)
    with np.errstate(divide="ignore", invalid="ignore"):
        values = np.where(expected == 1, 0.0, (agreed - expected) / (1 - expected))
    return float(np.quantile(values, 0.025)), float(np.quantile(values, 0.975))


def share(hits: list[bool], templates: int | None = None) -> str:
    """Return the share with Wilson's 95 % interval and n."""
    if not hits:
        return "no such numbers"
    z, total = 1.96, len(hits)
    rate = sum(hits) / total
    middle = (rate + z * z / (2 * total)) / (1 + z * z / total)
    half = z / (1 + z * z / total) * math.sqrt(rate * (1 - rate) / total + z * z / (4 * total * total))
    count = f"n {total}" + (f" of {templates} templates" if templates else "")
    return f"{rate:.3f} [{max(0.0, middle - half):.3f}, {min(1.0, middle + half):.3f}] {count}"
