"""How well do contact reasons follow the intents that people labelled, and how long do they stay?

Adjusted Rand index and normalized mutual information (0 = chance, 1 = the labels) of one regrouping of the
customer sentences in ../shared/data, whole and in small random samples, as a project has them in its first
weeks. Next to it the floors, which know the true number: TF-IDF with Ward's method, and k-means on the
vectors of the embedder. Then how many of the earlier calls keep their reason
(and so its name) while a project grows.

Spanish topics of our own, as agents note them and as customers say them, are measured alone and with English
ones of the same intents, which are measured alone, too; each intent is in one half. Each is said in 14 or 4
ways that share few words.

A sentence model in CALLSCOPE_EMBED_MODEL_DIR is measured next to the embedders that come along.
The constants were fitted to these collections, with the built-in embedder. Other files with the columns
text and label, given as arguments, are printed as unseen.
"""

import csv
import os
import statistics
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from sklearn.cluster import AgglomerativeClustering, KMeans
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score

from callscope.contact_reasons.clusters.beginnings import measure_ages
from callscope.contact_reasons.clusters.clustering import cluster_vectors
from callscope.contact_reasons.clusters.continuity import NONE, Beginning, continue_reasons
from callscope.contact_reasons.clusters.spaces import place_topics
from callscope.engines.embeddings.built_in import BuiltInEmbedder
from callscope.engines.embeddings.lexical import LexicalEmbedder
from callscope.engines.embeddings.protocol import Embedder, Vectors
from callscope.engines.embeddings.sentence_model import SentenceModel

DATA = Path(__file__).parent.parent.parent / "shared" / "data"
LABELED = Path(__file__).parent / "labeled" / "reasons"
LANGUAGES = {"Spanish": ["es"], "Spanish and English": ["es", "en"], "English of our own": ["en"]}
COLLECTIONS = ["banking77/banking77_dev.csv", "dstc11/dstc11_dev.csv"]
SAMPLES = [(40, 8), (150, 12)]  # sentences and intents of a small sample
DRAWS = 12
ORDERS = 5  # in which a project grows
GROWTH = {"50 → 75 → 100 %": (0.5, 0.75, 1.0), "ten months": tuple(n / 10 for n in range(1, 11))}


class Remembering:
    """An embedder that reads each text once: a growing project is regrouped over and over."""

    hosts: list[str] = []

    def __init__(self, embedder: Embedder) -> None:
        self.id, self.is_semantic = embedder.id, embedder.is_semantic
        self._embedder = embedder
        self._rows: dict[str, np.ndarray] = {}

    def encode(self, texts: Sequence[str]) -> Vectors:
        unknown = sorted(set(texts) - self._rows.keys())
        self._rows.update(zip(unknown, self._embedder.encode(unknown), strict=True))
        return np.stack([self._rows[text] for text in texts])


def read(path: Path) -> tuple[list[str], list[str]]:
    with path.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    return [row["text"] for row in rows], [row["label"] for row in rows]


def read_languages(part: str, name: str) -> tuple[list[str], list[str]]:
    """Return the labeled topics of one half of the intents, in one language or in two."""
    files = [read(LABELED / part / f"{language}.csv") for language in LANGUAGES[name]]
    return [text for texts, _ in files for text in texts], [label for _, labels in files for label in labels]


def regroup(texts: Sequence[str], former: dict[str, int], embedder: Embedder) -> dict[str, int]:
    """Group as a regrouping does: every text once, from the reasons that texts have already."""
    unique = sorted(set(texts))
    counts = np.array([list(texts).count(text) for text in unique], dtype=np.int64)
    space = place_topics(embedder, unique)
    ages = np.ones(len(unique))
    if former:  # a project that grows; files of sentences are in no order of time
        first = np.array([list(texts).index(text) for text in unique])
        ages = measure_ages(np.arange(len(texts)), first)
    groups = cluster_vectors(space.compared, counts, space.spread, ages)
    of_text = np.array([former.get(text, NONE) for text in unique], dtype=np.int64)
    found = continue_reasons(
        space.compared,
        groups.labels,
        of_text,
        counts,
        kept=[],
        new_calls=int(counts[of_text == NONE].sum()),
        beginning=Beginning(groups.is_late, of_text == NONE, ages),
    )
    first_free = int(of_text.max()) + 1
    return {
        text: reason if reason > NONE else first_free - 2 - reason
        for text, reason in zip(unique, found.tolist(), strict=True)
    }


def sample(
    texts: list[str], labels: list[str], size: int, intents: int, draw: int
) -> tuple[list[str], list[str]]:
    dice = np.random.default_rng(draw)
    chosen = set(dice.choice(sorted(set(labels)), intents, replace=False))
    rows = dice.permutation([n for n, label in enumerate(labels) if label in chosen])[:size]
    return [texts[n] for n in rows], [labels[n] for n in rows]


def main() -> None:
    if not DATA.is_dir():
        print(f"{DATA} is not there: nothing to measure.")
        return
    collections = [("seen", DATA / name) for name in COLLECTIONS]
    collections += [("unseen", Path(name)) for name in sys.argv[1:]]
    embedders: list[Embedder] = [BuiltInEmbedder(), LexicalEmbedder()]
    if os.environ.get("CALLSCOPE_EMBED_MODEL_DIR"):
        embedders.append(SentenceModel(Path(os.environ["CALLSCOPE_EMBED_MODEL_DIR"])))
    for embedder in map(Remembering, embedders):
        print(f"\n{embedder.id}\n")
        print("| sentences | n | intents | reasons | ARI | NMI | ARI TF-IDF + Ward | ARI k-means |")
        print("|---|---|---|---|---|---|---|---|")
        for part, path in collections:
            texts, labels = read(path)
            show(f"{path.stem}, {part}", [(texts, labels)], embedder)
            for size, intents in SAMPLES:
                drawn = [sample(texts, labels, size, intents, draw) for draw in range(DRAWS)]
                show(f"{path.stem}, {part}, {DRAWS} samples", drawn, embedder)
        for part in ("seen", "unseen"):
            for name in LANGUAGES:
                texts, labels = read_languages(part, name)
                show(f"{name}, {part}", [(texts, labels)], embedder)
        print(f"\nGrowing, {ORDERS} orders: share of the earlier calls that keep their reason in a step\n")
        print("| sentences | steps | mean | least | first calls, to the end | ARI | reasons / intents |")
        print("|---|---|---|---|---|---|---|")
        for part, path in collections:
            for name, steps in GROWTH.items():
                grow(f"{path.stem}, {part} | {name}", *read(path), steps, embedder)
        for part in ("seen", "unseen"):
            for language in LANGUAGES:
                for name, steps in GROWTH.items():
                    grow(f"{language}, {part} | {name}", *read_languages(part, language), steps, embedder)


def show(what: str, drawn: list[tuple[list[str], list[str]]], embedder: Embedder) -> None:
    """Print one row: means over the samples, and from the least to the most."""
    grouped = []
    for texts, _ in drawn:
        of_text = regroup(texts, {}, embedder)
        grouped.append([of_text[text] for text in texts])
    pairs = [(labels, found) for (_, labels), found in zip(drawn, grouped, strict=True)]
    scores = [adjusted_rand_score(labels, found) for labels, found in pairs]
    shared = statistics.mean(normalized_mutual_info_score(labels, found) for labels, found in pairs)
    ward = statistics.mean(
        adjusted_rand_score(labels, floor_by_words(texts, labels)) for texts, labels in drawn
    )
    means = statistics.mean(
        adjusted_rand_score(labels, floor_by_means(texts, labels, embedder)) for texts, labels in drawn
    )
    print(
        f"| {what} | {len(drawn[0][0])} | {statistics.mean(len(set(labels)) for labels, _ in pairs):.0f} "
        f"| {statistics.mean(len(set(found)) for _, found in pairs):.0f} "
        f"| {statistics.mean(scores):.2f} ({min(scores):.2f} to {max(scores):.2f}) | {shared:.2f} "
        f"| {ward:.2f} | {means:.2f} |",
        flush=True,
    )


def floor_by_words(texts: list[str], labels: list[str]) -> list[int]:
    vectors = TfidfVectorizer(sublinear_tf=True).fit_transform(texts).toarray()
    return list(AgglomerativeClustering(len(set(labels))).fit_predict(vectors))


def floor_by_means(texts: list[str], labels: list[str], embedder: Embedder) -> list[int]:
    return list(KMeans(len(set(labels)), n_init=3, random_state=0).fit_predict(embedder.encode(texts)))


def grow(
    what: str, texts: list[str], labels: list[str], steps: tuple[float, ...], embedder: Embedder
) -> None:
    """Print one row: a project grows in random order and is regrouped after each step."""
    kept: list[float] = []
    first: list[float] = []
    scores: list[float] = []
    ratios: list[float] = []
    for order in range(ORDERS):
        rows = np.random.default_rng(order).permutation(len(texts))
        of_text: dict[str, int] = {}
        start: dict[str, int] = {}
        for step in steps:
            after = regroup([texts[n] for n in rows[: round(step * len(texts))]], of_text, embedder)
            if of_text:
                kept.append(statistics.mean(after[text] == reason for text, reason in of_text.items()))
            of_text, start = after, start or after
        first.append(statistics.mean(of_text[text] == reason for text, reason in start.items()))
        found = [of_text[text] for text in texts]
        scores.append(adjusted_rand_score(labels, found))
        ratios.append(len(set(found)) / len(set(labels)))
    print(
        f"| {what} | {statistics.mean(kept):.0%} | {min(kept):.0%} | {statistics.mean(first):.0%} "
        f"| {statistics.mean(scores):.2f} ({min(scores):.2f} to {max(scores):.2f}) "
        f"| {statistics.mean(ratios):.2f} |",
        flush=True,
    )


if __name__ == "__main__":
    main()
