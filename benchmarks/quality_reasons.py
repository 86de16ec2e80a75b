"""How well do contact reasons follow the intents that people labelled?

Adjusted Rand index (0 = chance, 1 = the labels) of one regrouping of the customer sentences
in ../shared/data, whole and in small random samples, as a project has them in its first weeks.
Next to it the floors: every sentence a reason of its own, and one reason for all (both are chance).
"""

import csv
import statistics
import sys
from pathlib import Path

import numpy as np
from sklearn.metrics import adjusted_rand_score

from callscope.contact_reasons.clustering import MIN_CUT, MIN_CUT_BY_WORDS, cluster_vectors
from callscope.engines.embeddings.built_in import BuiltInEmbedder
from callscope.engines.embeddings.lexical import LexicalEmbedder
from callscope.engines.embeddings.protocol import Embedder

DATA = Path(__file__).parent.parent.parent / "shared" / "data"
COLLECTIONS = ["banking77/banking77_dev.csv", "dstc11/dstc11_dev.csv"]
SAMPLES = [(40, 8), (150, 12)]  # sentences and intents of a small sample
DRAWS = 12


def read(path: Path) -> tuple[list[str], list[str]]:
    with path.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    return [row["text"] for row in rows], [row["label"] for row in rows]


def reasons(texts: list[str], embedder: Embedder) -> list[int]:
    """Group as a regrouping does: every text once."""
    unique = sorted(set(texts))
    counts = np.array([texts.count(text) for text in unique], dtype=np.int64)
    if isinstance(embedder, LexicalEmbedder):
        grouped = cluster_vectors(embedder.encode_corpus(unique), counts, min_cut=MIN_CUT_BY_WORDS)
    else:
        grouped = cluster_vectors(embedder.encode(unique), counts, min_cut=MIN_CUT)
    label = dict(zip(unique, grouped.labels.tolist(), strict=True))
    return [label[text] for text in texts]


def sample(
    texts: list[str], labels: list[str], size: int, intents: int, draw: int
) -> tuple[list[str], list[str]]:
    dice = np.random.default_rng(draw)
    chosen = set(dice.choice(sorted(set(labels)), intents, replace=False))
    rows = dice.permutation([n for n, label in enumerate(labels) if label in chosen])[:size]
    return [texts[n] for n in rows], [labels[n] for n in rows]


def main() -> None:
    if not DATA.is_dir():
        sys.exit(f"{DATA} is not there: nothing to measure.")
    for embedder in (BuiltInEmbedder(), LexicalEmbedder()):
        print(f"\n{embedder.id}\n")
        print("| sentences | n | intents | reasons | adjusted Rand index | own reason each | one for all |")
        print("|---|---|---|---|---|---|---|")
        for name in COLLECTIONS:
            texts, labels = read(DATA / name)
            show(f"{Path(name).parent}", [(texts, labels)], embedder)
            for size, intents in SAMPLES:
                drawn = [sample(texts, labels, size, intents, draw) for draw in range(DRAWS)]
                show(f"{Path(name).parent}, {DRAWS} samples", drawn, embedder)


def show(what: str, drawn: list[tuple[list[str], list[str]]], embedder: Embedder) -> None:
    """Print one row: means over the samples, and from the least to the most."""
    grouped = [reasons(texts, embedder) for texts, _ in drawn]
    scores = [adjusted_rand_score(labels, found) for (_, labels), found in zip(drawn, grouped, strict=True)]
    alone = statistics.mean(adjusted_rand_score(labels, range(len(labels))) for _, labels in drawn)
    together = statistics.mean(adjusted_rand_score(labels, [0] * len(labels)) for _, labels in drawn)
    print(
        f"| {what} | {len(drawn[0][0])} | {statistics.mean(len(set(labels)) for _, labels in drawn):.0f} "
        f"| {statistics.mean(len(set(found)) for found in grouped):.0f} "
        f"| {statistics.mean(scores):.2f} ({min(scores):.2f} to {max(scores):.2f}) "
        f"| {alone:.2f} | {together:.2f} |"
    )


if __name__ == "__main__":
    main()
