"""Is a contact reason that begins marked as new, and is nothing marked where nothing changed?

Two windows of calls that say the sentences of ../shared/data, 20 intents as unequal as reasons are. Calls
come in four portions a window: each gets the nearest reason at once or waits, then the reasons are
regrouped as in the product, and in the end the report's test judges the ten most frequent reasons.

Null: both windows are drawn alike; what is marked is a mistake (at most 5 % of the runs may show a mark).
Planted: one intent makes up a tenth of the second window, 30 of its 300 calls, and none of the first;
counted is how often the reason that most of its calls have is marked new in the report, how often on its
own page, which needs no place among the ten, and how often as growing, too. Each intent is in one half of
the labels: what sets late parts apart was chosen on the seen half, the unseen one is only printed.

    python benchmarks/quality_courses.py [NULL_RUNS PLANTED_RUNS]     100 and 50 for each half unless given
"""

import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from quality_reasons import COLLECTIONS, DATA, Remembering, read

from callscope.contact_reasons.clusters import centers
from callscope.contact_reasons.clusters.beginnings import measure_ages
from callscope.contact_reasons.clusters.clustering import cluster_vectors, compute_centroids
from callscope.contact_reasons.clusters.continuity import NONE, Beginning, continue_reasons
from callscope.contact_reasons.clusters.spaces import place_topics
from callscope.engines.embeddings.built_in import BuiltInEmbedder
from callscope.engines.embeddings.protocol import Embedder
from callscope.reports.overview.course import GROWING, STEADY, Course, bound_share, judge_course

NULL_RUNS = 100
PLANTED_RUNS = 50
INTENTS = 20
BEFORE, NULL_NOW, PLANTED_NOW = 300, 300, 300
PLANTED = 30
PORTIONS = 4  # of a window
SHOWN = 10  # most frequent reasons that a report lists and judges
Z = 1.959964  # of intervals that miss by 5 %

Said = dict[str, list[str]]  # sentences by intent


class GrowingProject:
    """Calls in the order in which they came, with the reason of each that has one."""

    def __init__(self, embedder: Embedder) -> None:
        self.topics: list[str] = []
        self.reasons: dict[int, int] = {}
        self._embedder = embedder
        self._centers: dict[int, bytes] = {}
        self._next = 1
        self._regrouped = 0  # calls at the last regrouping

    def take(self, topics: Sequence[str]) -> None:
        """Take calls in: each gets the nearest reason at once, or waits."""
        vectors = self._embedder.encode(topics)
        nearest = centers.find_nearest(vectors, self._centers, centers.min_likeness(self._embedder))
        for topic, reason in zip(topics, nearest, strict=True):
            if reason is not None:
                self.reasons[len(self.topics)] = reason
            self.topics.append(topic)

    def regroup(self) -> None:
        """Group all topics again, from the reasons that are there."""
        calls: dict[str, list[int]] = {}
        for call, topic in enumerate(self.topics):
            calls.setdefault(topic, []).append(call)
        topics = sorted(calls)
        counts = np.array([len(calls[topic]) for topic in topics], dtype=np.int64)
        former = np.full(len(topics), NONE, dtype=np.int64)
        for row, topic in enumerate(topics):
            held = Counter(self.reasons[call] for call in calls[topic] if call in self.reasons)
            if held:
                former[row] = min(held, key=lambda reason: (-held[reason], reason))
        space = place_topics(self._embedder, topics)
        first = np.array([calls[topic][0] for topic in topics])
        ages = measure_ages(np.arange(len(self.topics)), first)
        groups = cluster_vectors(space.compared, counts, space.spread, ages)
        found = continue_reasons(
            space.compared,
            groups.labels,
            former,
            counts,
            kept=[],
            new_calls=len(self.topics) - self._regrouped,
            beginning=Beginning(groups.is_late, first >= self._regrouped, ages),
        )
        ids = {number: number for number in found.tolist() if number > NONE}
        for number in sorted({number for number in found.tolist() if number < NONE}, reverse=True):
            ids[number] = self._next
            self._next += 1
        numbers, labels = np.unique(found, return_inverse=True)
        middles = compute_centroids(space.vectors, labels, counts)
        self._centers = {ids[n]: middles[row].tobytes() for row, n in enumerate(numbers.tolist())}
        for topic, number in zip(topics, found.tolist(), strict=True):
            self.reasons.update(dict.fromkeys(calls[topic], ids[number]))
        self._regrouped = len(self.topics)

    def judge(self, first: int, shown: int | None = SHOWN) -> dict[int, Course]:
        """Return the courses of the most frequent reasons: calls from `first` on against those before."""
        now = Counter(self.reasons[call] for call in range(first, len(self.topics)))
        before = Counter(self.reasons[call] for call in range(first))
        looked_at = len(now.keys() | before.keys())
        ranked = sorted(now, key=lambda reason: (-now[reason], reason))[:shown]
        sizes = now.total(), before.total()
        return {
            each: judge_course(now[each], sizes[0], before[each], sizes[1], reasons=looked_at)
            for each in ranked
        }


def main() -> None:
    if not DATA.is_dir():
        print(f"{DATA} is not there: nothing to measure.")
        return
    null_runs, planted_runs = map(int, sys.argv[1:3]) if len(sys.argv) > 2 else (NULL_RUNS, PLANTED_RUNS)
    embedder = Remembering(BuiltInEmbedder())
    print("| sentences | runs | n | with a mark, marked new | 95 % | new on its page | new or growing |")
    print("|---|---|---|---|---|---|---|")
    for name in COLLECTIONS:
        for part, half in (("seen", 0), ("unseen", 1)):
            said = read_half(DATA / name, half)
            marked = sum(run_null(said, embedder, number) for number in range(null_runs))
            show(f"{name}, {part} half | null", marked, null_runs, " | ")
            courses = [run_planted(said, embedder, number) for number in range(planted_runs)]
            new = sum(listed.is_new for listed, _ in courses)
            on_page = sum(own.is_new for _, own in courses) / planted_runs
            grown = sum(listed.course == GROWING for listed, _ in courses) / planted_runs
            show(f"{name}, {part} half | planted", new, planted_runs, f"{on_page:.0%} | {grown:.0%}")


def read_half(path: Path, half: int) -> Said:
    """Return the sentences of every other intent."""
    texts, labels = read(path)
    return {
        intent: [text for text, label in zip(texts, labels, strict=True) if label == intent]
        for intent in sorted(set(labels))[half::2]
    }


def show(what: str, part: int, base: int, more: str) -> None:
    low, high = bound_share(part, base, Z)
    print(f"| {what} | {base} | {part / base:.1%} | {low:.1%} to {high:.1%} | {more} |", flush=True)


def run_null(said: Said, embedder: Embedder, number: int) -> bool:
    """Return whether anything is marked between two windows that are drawn alike."""
    dice = np.random.default_rng(number)
    sayings, shares = choose_intents(said, dice)
    project = GrowingProject(embedder)
    for size in (BEFORE, NULL_NOW):
        fill(project, draw(sayings, shares, size, dice))
    return any(each.is_new or each.course != STEADY for each in project.judge(BEFORE).values())


def run_planted(said: Said, embedder: Embedder, number: int) -> tuple[Course, Course]:
    """Return the course of the reason that most calls of the planted intent have, in the report and alone."""
    dice = np.random.default_rng(number)
    (*sayings, planted), shares = choose_intents(said, dice)
    project = GrowingProject(embedder)
    fill(project, draw(sayings, shares[:-1], BEFORE, dice))
    new = [*draw(sayings, shares[:-1], PLANTED_NOW - PLANTED, dice), *draw([planted], [1], PLANTED, dice)]
    fill(project, [new[row] for row in dice.permutation(len(new))])
    theirs = (call for call in range(BEFORE, len(project.topics)) if project.topics[call] in planted)
    (most, _) = Counter(project.reasons[call] for call in theirs).most_common(1)[0]
    return project.judge(BEFORE).get(most, Course()), project.judge(BEFORE, None)[most]


def choose_intents(said: Said, dice: np.random.Generator) -> tuple[list[list[str]], list[float]]:
    """Return the sentences of some intents, and how often callers have each."""
    chosen = dice.choice(sorted(said), INTENTS, replace=False)
    return [said[str(each)] for each in chosen], [1 / (rank + 2) for rank in range(INTENTS)]


def draw(
    sayings: Sequence[list[str]], shares: Sequence[float], size: int, dice: np.random.Generator
) -> list[str]:
    chosen = dice.choice(len(sayings), size, p=np.array(shares) / sum(shares))
    return [sayings[each][dice.integers(len(sayings[each]))] for each in chosen]


def fill(project: GrowingProject, topics: list[str]) -> None:
    for start in range(0, len(topics), -(-len(topics) // PORTIONS)):
        project.take(topics[start : start + -(-len(topics) // PORTIONS)])
        project.regroup()


if __name__ == "__main__":
    main()
