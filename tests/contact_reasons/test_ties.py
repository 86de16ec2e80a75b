"""Where callers share few words, the ties of topics to the nearest ones say how many groups there are."""

import csv
from pathlib import Path

import numpy as np
import pytest
from scipy.cluster import hierarchy

from callscope.contact_reasons.clusters import clustering
from callscope.contact_reasons.clusters.clustering import Spread, cluster_vectors, settle
from callscope.contact_reasons.clusters.spaces import place_topics
from callscope.contact_reasons.clusters.ties import (
    check_number,
    draw_together,
    find_number,
    measure_cuts,
    tie,
)
from callscope.engines.embeddings.built_in import BuiltInEmbedder

LABELED = Path(__file__).parents[2] / "benchmarks" / "labeled" / "reasons" / "seen"
SPREAD = Spread(within=0.57, apart=0.26)
MEANINGS, EACH = 12, 10


def scatter(likeness, seed=3):
    """Return unit rows of 12 meanings, ten each; those of one meaning are as like as `likeness`."""
    dice = np.random.default_rng(seed)
    middles = np.linalg.qr(dice.normal(size=(200, 200)))[0][:MEANINGS]
    noise = dice.normal(size=(MEANINGS * EACH, 200))
    noise /= np.linalg.norm(noise, axis=1, keepdims=True)
    rows = np.sqrt(likeness) * np.repeat(middles, EACH, axis=0) + np.sqrt(1 - likeness) * noise
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def measure_agreement(intents, found):
    # To import it takes a second, also where these tests are only collected.
    from sklearn.metrics import adjusted_rand_score

    return adjusted_rand_score(intents, found)


def link(rows):
    return hierarchy.linkage(rows.astype(np.float64), method="ward")


def read(*languages):
    rows = []
    for language in languages:
        with (LABELED / f"{language}.csv").open(encoding="utf-8") as file:
            rows += [(row["text"], row["label"]) for row in csv.DictReader(file)]
    return [text for text, _ in rows], [label for _, label in rows]


def group(topics):
    space = place_topics(BuiltInEmbedder(), topics)
    return cluster_vectors(space.compared, np.ones(len(topics), dtype=np.int64), space.spread).labels


class TestCheckingANumber:
    def test_replaces_one_that_parts_most_texts_from_those_nearest_to_them(self):
        rows = scatter(0.3)

        assert MEANINGS / 1.6 <= check_number(link(rows), tie(rows), 80) <= MEANINGS * 1.6

    def test_leaves_one_that_keeps_them_together(self):
        rows = scatter(0.6)
        tree, ties = link(rows), tie(rows)

        assert [check_number(tree, ties, number) for number in (1, 6, MEANINGS)] == [1, 6, MEANINGS]

    def test_asks_no_ties_of_a_few_texts(self):
        rows = scatter(0.3)[:19]

        assert check_number(link(rows), tie(rows), 15) == 15

    def test_asks_less_of_a_cut_where_there_are_fewer_texts(self):
        """Thirty texts of six meanings in twelve groups stay; 120 of twelve in 24 do not."""
        few, many = scatter(0.3)[:60:2], scatter(0.3)

        assert check_number(link(few), tie(few), 12) == 12
        assert check_number(link(many), tie(many), 24) < 24

    def test_leaves_texts_without_words_alone(self):
        rows = np.zeros((30, 8), dtype=np.float32)

        assert check_number(link(rows), tie(rows), 7) == 7


class TestTies:
    def test_are_all_inside_one_group_and_none_inside_groups_of_one(self):
        rows = scatter(0.3)

        inside, chance = measure_cuts(link(rows), tie(rows))

        assert inside[1] == pytest.approx(1) and chance[1] == pytest.approx(1)
        assert inside[len(rows)] == 0 and chance[len(rows)] == pytest.approx(1 / len(rows), rel=0.2)
        assert (np.diff(inside[1:]) <= 1e-12).all() and (np.diff(chance[1:]) <= 1e-12).all()

    def test_count_as_a_cut_of_the_tree_says(self):
        """Both shares of one cut, computed from its labels."""
        rows = scatter(0.3)[:60]
        tree = link(rows)
        likeness = rows.astype(np.float64) @ rows.T.astype(np.float64)
        np.fill_diagonal(likeness, -1)
        ties = np.zeros_like(likeness)
        for row, nearest in enumerate(np.argsort(-likeness, axis=1)[:, :8]):
            ties[row, nearest] = np.clip(likeness[row, nearest], 0, None) ** 2
        labels = hierarchy.fcluster(tree, 7, criterion="maxclust")
        ends = (ties.sum(axis=0) + ties.sum(axis=1)) / (2 * ties.sum())

        inside, chance = measure_cuts(tree, tie(rows))

        together = labels[:, None] == labels[None, :]
        assert inside[7] == pytest.approx(ties[together].sum() / ties.sum(), rel=1e-4)
        assert chance[7] == pytest.approx((np.bincount(labels, weights=ends) ** 2).sum(), rel=1e-4)

    def test_of_a_text_are_those_to_the_nearest_ones(self):
        """Over several blocks of rows, as one comparison of all with all finds them."""
        rows = np.concatenate([scatter(0.3, seed) for seed in range(5)])
        likeness = (rows @ rows.T).astype(np.float64).round(6)
        np.fill_diagonal(likeness, -np.inf)

        ties = tie(rows)

        nearest = np.argsort(-likeness, axis=1, kind="stable")[:, :8]
        assert (np.sort(ties.right.reshape(-1, 8)) == np.sort(nearest)).all()
        assert (ties.left == np.repeat(np.arange(len(rows)), 8)).all()
        assert ties.weight == pytest.approx(np.clip(likeness[ties.left, ties.right], 0, None) ** 2, abs=2e-6)

    def test_are_found_once_in_a_grouping(self, monkeypatch):
        tied = []
        monkeypatch.setattr(clustering, "tie", lambda rows: tied.append(len(rows)) or tie(rows))

        cluster_vectors(scatter(0.3), np.ones(MEANINGS * EACH, dtype=np.int64), SPREAD)

        assert tied == [MEANINGS * EACH]

    def test_find_fewer_groups_where_chance_counts_less(self):
        inside, chance = measure_cuts(link(rows := scatter(0.2)), tie(rows))

        numbers = [find_number(inside, chance, weight) for weight in (0.0, 0.5, 0.7, 1.0)]

        assert numbers == sorted(numbers) and numbers[0] == 1


class TestDrawingTogether:
    def test_brings_texts_closer_to_those_of_their_meaning(self):
        rows = scatter(0.3)
        is_same = np.kron(np.eye(MEANINGS), np.ones((EACH, EACH))).astype(bool)
        drawn = draw_together(rows, tie(rows))

        before, after = ((each @ each.T) for each in (rows, drawn))

        assert after[is_same].mean() - after[~is_same].mean() > 1.5 * (
            before[is_same].mean() - before[~is_same].mean()
        )
        assert np.linalg.norm(drawn, axis=1) == pytest.approx(np.ones(len(rows)), abs=1e-5)

    def test_leaves_a_few_texts_and_texts_without_words_where_they_are(self):
        few, wordless = scatter(0.3)[:19], np.zeros((30, 8), dtype=np.float32)

        assert (draw_together(few, tie(few)) == few).all()
        assert (draw_together(wordless, tie(wordless)) == wordless).all()


class TestSettling:
    def test_moves_a_text_to_the_nearest_middle_and_then_nothing(self):
        rows = scatter(0.6)
        meanings = np.repeat(np.arange(MEANINGS), EACH)
        labels = meanings.copy()
        labels[[3, 47]] = [7, 1]

        settled = settle(rows, labels, np.zeros(MEANINGS, dtype=bool))

        assert (settled == meanings).all()
        assert (settle(rows, settled, np.zeros(MEANINGS, dtype=bool)) == settled).all()

    def test_neither_adds_to_what_began_lately_nor_takes_from_it(self):
        rows = scatter(0.6)
        labels = np.repeat(np.arange(MEANINGS), EACH)
        labels[[3, 47]] = [7, 1]

        settled = settle(rows, labels, np.isin(np.arange(MEANINGS), [4, 7]))

        assert settled[3] == 7 and settled[47] not in (4, 7)


class TestTopicsThatShareFewWords:
    @pytest.mark.parametrize(("languages", "least"), [(("es",), 0.5), (("es", "en"), 0.5), (("en",), 0.35)])
    def test_form_at_most_1_6_times_as_many_groups_as_there_are_intents(self, languages, least):
        """By distance alone: seven for each Spanish intent, index 0.15; with one weight 1.8 and 0.48.

        English: 35 for 13 where a cut into groups of fewer than two texts was trusted like others.
        """
        topics, intents = read(*languages)

        found = group(topics)

        assert len(set(found)) <= 1.6 * len(set(intents))
        assert measure_agreement(intents, found) > least

    def test_that_differ_by_a_city_do_not_become_a_group_for_each_city(self):
        cities = ["Madrid", "Lisbon", "Vienna", "Oslo", "Dublin", "Porto", "Ghent", "Turin", "Lyon", "Graz"]
        said = ["is too high", "is too high again", "arrived twice"]
        topics = [f"invoice of {city} {what}" for what in said for city in cities]

        found = group(topics)

        assert len(set(found)) <= 4
        assert measure_agreement([0] * 20 + [1] * 10, found) > 0.5
