"""How often the 95 % intervals of kappa, AC1 and alpha hold the true value, in simulated worlds.

    python benchmarks/bench_agreement.py [--worlds 1000]

Each world draws pairs (for alpha: three raters, one answer in ten missing) from a known
distribution: answers as rare as given, a rater who repeats the truth as often as given and
else guesses by the same rates.
"""

import argparse
from collections.abc import Callable, Sequence

import numpy as np

from callscope.reviews.statistics.estimate import Estimate
from callscope.reviews.statistics.many_raters import estimate_alpha
from callscope.reviews.statistics.two_raters import estimate_ac1, estimate_kappa

RATES = ((0.5, 0.5), (0.8, 0.2), (0.9, 0.1), (0.5, 0.3, 0.15, 0.05))
REPEATED = (0.4, 0.7, 0.9)
SIZES = (20, 50, 100, 400)
LARGE = 200_000  # units from which the true alpha is taken


def main() -> None:
    """Print a line for each coefficient and size: coverage in all worlds, and the lowest and highest."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--worlds", type=int, default=1000)
    worlds = parser.parse_args().worlds
    print(f"{worlds} worlds for each of {len(RATES) * len(REPEATED)} distributions")
    for n in SIZES:
        show("kappa", n, [cover_pairs(estimate_kappa, r, s, n, worlds) for r in RATES for s in REPEATED])
        show("AC1", n, [cover_pairs(estimate_ac1, r, s, n, worlds) for r in RATES for s in REPEATED])
        show("alpha", n, [cover_units(r, s, n, worlds) for r in RATES for s in REPEATED])


def show(name: str, n: int, coverages: Sequence[float]) -> None:
    print(
        f"  {name:6} n {n:4}  covered {100 * float(np.mean(coverages)):5.1f} %  "
        f"lowest {100 * min(coverages):5.1f}  highest {100 * max(coverages):5.1f}",
        flush=True,
    )


def cover_pairs(
    estimate: Callable[[np.ndarray], Estimate], rates: Sequence[float], repeated: float, n: int, worlds: int
) -> float:
    """Return the share of worlds whose interval holds the true coefficient; undefined ones are left out."""
    shares = repeated * np.diag(rates) + (1 - repeated) * np.outer(rates, rates)
    truth = estimate(shares * 1e12).value
    rng = np.random.default_rng(7)
    tables = rng.multinomial(n, shares.ravel(), size=worlds).reshape(worlds, *shares.shape)
    return share_of_hits([estimate(table.astype(float)) for table in tables], truth or 0.0)


def cover_units(rates: Sequence[float], repeated: float, n: int, worlds: int) -> float:
    """Return the same for alpha over n units."""
    rng = np.random.default_rng(8)
    accuracy = repeated**0.5  # so that two raters repeat each other about that often
    truth = estimate_alpha(draw_units(rng, rates, accuracy, LARGE)).value
    return share_of_hits(
        [estimate_alpha(draw_units(rng, rates, accuracy, n)) for _ in range(worlds)], truth or 0.0
    )


def draw_units(
    rng: np.random.Generator, rates: Sequence[float], accuracy: float, n: int
) -> list[list[int | None]]:
    truth = rng.choice(len(rates), size=n, p=rates)
    guesses = rng.choice(len(rates), size=(n, 3), p=rates)
    answers = np.where(rng.random((n, 3)) < accuracy, truth[:, None], guesses)
    given = rng.random((n, 3)) >= 0.1
    return [
        [answer if kept else None for answer, kept in zip(*row, strict=True)]
        for row in zip(answers.tolist(), given.tolist(), strict=True)
    ]


def share_of_hits(estimates: Sequence[Estimate], truth: float) -> float:
    bounds = [(e.low, e.high) for e in estimates if e.low is not None and e.high is not None]
    return sum(low <= truth <= high for low, high in bounds) / len(bounds)


if __name__ == "__main__":
    main()
