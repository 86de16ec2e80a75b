"""What does a regrouping of many topics cost, in time and memory, next to MiniBatchKMeans?

    python benchmarks/bench_regrouping.py [TOPICS]     10,000 unless given

Made-up topics, one call each, of TOPICS / 50 intents. Ours: where topics lie, which groups they form, and
which reasons these continue, with reasons for nine topics in ten. Theirs: scikit-learn's MiniBatchKMeans on
the same vectors, with the true number of groups. The encoder (words alone) reads each topic once for both;
its time is not counted, its memory is. Peak memory is that of this process after ours, scikit-learn loaded.
"""

import random
import resource
import sys
import time
from collections.abc import Sequence

import numpy as np
from measuring import row
from sklearn.cluster import MiniBatchKMeans

from callscope.contact_reasons.clusters.beginnings import measure_ages
from callscope.contact_reasons.clusters.clustering import cluster_vectors, compute_centroids
from callscope.contact_reasons.clusters.continuity import NONE, continue_reasons
from callscope.contact_reasons.clusters.spaces import place_topics
from callscope.engines.embeddings.lexical import LexicalEmbedder
from callscope.engines.embeddings.protocol import Vectors

TOPICS = 10_000
EACH = 50  # topics of one intent
MEGABYTE = 1 << 20


class TimedEmbedder(LexicalEmbedder):
    """The embedder of words alone, with the time that it took."""

    spent_s = 0.0

    def encode(self, texts: Sequence[str]) -> Vectors:
        began = time.perf_counter()
        rows = super().encode(texts)
        self.spent_s += time.perf_counter() - began
        return rows


def main() -> None:
    topics = make_topics(int(sys.argv[1]) if len(sys.argv) > 1 else TOPICS)
    embedder = TimedEmbedder()
    counts = np.ones(len(topics), dtype=np.int64)
    began = time.perf_counter()
    space = place_topics(embedder, topics)
    placed_s = time.perf_counter() - began - embedder.spent_s
    began = time.perf_counter()
    came = np.random.default_rng(0).permutation(len(topics))  # in any order: nothing began
    groups = cluster_vectors(space.compared, counts, space.spread, measure_ages(came, came)).labels
    clustered_s = time.perf_counter() - began
    former = np.where(np.arange(len(topics)) % 10 < 9, groups + 1, NONE).astype(np.int64)
    began = time.perf_counter()
    continue_reasons(space.compared, groups, former, counts, kept=[], new_calls=len(topics) // 10)
    continued_s = time.perf_counter() - began
    compute_centroids(space.vectors, groups, counts)  # of what is stored
    ours = placed_s + clustered_s + continued_s
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024  # before the other one takes its own
    began = time.perf_counter()
    MiniBatchKMeans(max(2, len(topics) // EACH), random_state=0, n_init=3).fit_predict(space.compared)
    theirs = time.perf_counter() - began
    parts = f"placing {placed_s:.1f} s, groups {clustered_s:.1f} s, continuing {continued_s:.1f} s"
    detail = f"{parts}; theirs {theirs:.1f} s"
    row(f"regrouping {len(topics):,} topics against MiniBatchKMeans", ours / theirs, "≤ 3", detail)
    print(
        f"| peak memory | – | ≤ 1,024 MB | | {peak:,.0f} MB; {int(groups.max()) + 1:,} groups |", flush=True
    )


def make_topics(number: int) -> list[str]:
    """Return different topics: words of one intent each, and some of their own."""
    chance = random.Random(7)
    words = [
        "".join(chance.choice("bcdfglmnprst") + chance.choice("aeiou") for _ in range(3)) for _ in range(4000)
    ]
    intents = [chance.sample(words, 5) for _ in range(max(2, number // EACH))]
    found: set[str] = set()
    while len(found) < number:
        found.add(" ".join([*chance.sample(chance.choice(intents), 3), chance.choice(words)]))
    return sorted(found)


if __name__ == "__main__":
    main()
