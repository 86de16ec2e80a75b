"""What the cosines of other embedders are worth. The embedders are made of the built-in encoder."""

import collections
import functools
import hashlib
import json

import numpy as np
import pytest

from callscope.analysis.matching import embedder_weights, scale, semantic_matcher
from callscope.analysis.matching.embedder_weights import Chosen, choose_embedder, fit_cosines, load_reference
from callscope.analysis.matching.gray_band import count_errors
from callscope.analysis.matching.likelihood import USUAL_BAND, WITH_MODEL, Band
from callscope.analysis.matching.semantic_matcher import SemanticMatcher
from callscope.engines.embeddings.built_in import BuiltInEmbedder
from callscope.engines.embeddings.lexical import LexicalEmbedder

PHRASE, CLAUSE = "Which film would you like to see?", "And what movie is it that you want to watch?"


@pytest.fixture(autouse=True)
def data_folder(settings, tmp_path, monkeypatch):
    """A data folder of this test, and a process that has fitted nothing."""
    settings.DATA_DIR = tmp_path
    monkeypatch.setattr(embedder_weights, "_known", {})
    monkeypatch.setattr(scale, "_known", {})
    return tmp_path


def unify(vectors):
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


@functools.cache
def list_same():
    """Return which texts of the reference say the same as each phrase."""
    same = collections.defaultdict(set)
    for reference in load_reference().values():
        texts = reference["texts"]
        for clause in [*reference["clauses"], *reference["pairs"]]:
            for reading in clause.readings:
                if reading.is_said:
                    same[texts[clause.text]].add(texts[reading.text])
                    same[texts[reading.text]].add(texts[reading.text])
    return same


def find_same(text):
    return sorted(list_same().get(text, ()))


@functools.cache
def encode_built_in(texts):
    """Return the vectors of the built-in encoder, which takes nearly all of the time of fitting."""
    return BuiltInEmbedder().encode(texts)


class Made:
    """An embedder for a test; counts the texts that it read."""

    is_semantic = True
    hosts = []

    def __init__(self):
        self.id = f"made-{type(self).__name__}"
        self.texts = 0

    def encode(self, texts):
        self.texts += len(texts)
        return np.asarray(self.place(texts), dtype=np.float32)

    def place(self, texts):
        raise NotImplementedError


class Crowded(Made):
    """Knows what the built-in encoder knows, and puts all texts close together."""

    def place(self, texts):
        vectors = encode_built_in(tuple(texts))
        return np.hstack([vectors * 0.5, np.full((len(texts), 1), np.sqrt(0.75))])


class Ignorant(Made):
    """Places texts by their hash: what is the same in it is the same text."""

    def place(self, texts):
        seeds = [int.from_bytes(hashlib.sha256(text.encode()).digest()[:8]) for text in texts]
        vectors = np.array([np.random.default_rng(seed).normal(size=512) for seed in seeds])
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


class EnglishOnly(Ignorant):
    """Knows the English texts of the reference, and the pairs of `scale`."""

    def place(self, texts):
        is_spanish = np.array([[text in load_reference()["es"]["texts"]] for text in texts])
        return np.where(is_spanish, super().place(texts), encode_built_in(tuple(texts)))


class Better(Made):
    """Puts what says the same in the reference at one place, and is as good as the built-in encoder else."""

    def place(self, texts):
        vectors = encode_built_in(tuple(texts))
        places = np.zeros((len(texts), 512))
        for row, text in enumerate(texts):
            for other in find_same(text):
                seed = int.from_bytes(hashlib.sha256(other.encode()).digest()[:8])
                places[row] += np.random.default_rng(seed).normal(size=512)
        lengths = np.linalg.norm(places, axis=1, keepdims=True)
        places = np.divide(places, lengths, out=places, where=lengths > 0)
        return unify(np.hstack([vectors, places]))


class Worse(Made):
    """Blurs what the built-in encoder knows by half."""

    def place(self, texts):
        return unify(encode_built_in(tuple(texts)) + 0.5 * Ignorant().place(texts))


class Broken(Made):
    def place(self, texts):
        raise AssertionError("no text is read again")


def test_reference_was_picked_with_the_weights_of_today():
    stored = json.loads(embedder_weights._read_reference_file())["weights"]

    assert stored == [WITH_MODEL.start, list(WITH_MODEL.evidence)], "run benchmarks/pick_reference.py"
    for reference in load_reference().values():
        fitted = fit_cosines(reference, BuiltInEmbedder())
        assert (fitted.loss, fitted.band) == (reference["loss"], USUAL_BAND)


def test_cosines_on_another_scale_are_worth_the_same():
    embedder = Crowded()
    for language in ("en", "es"):
        chosen = choose_embedder(embedder, language)

        assert chosen.embedder is embedder
        assert chosen.weights.evidence.words == WITH_MODEL.evidence.words


def test_one_that_knows_nothing_is_not_asked():
    for language in ("en", "es", "fr"):
        chosen = choose_embedder(Ignorant(), language)

        assert isinstance(chosen.embedder, BuiltInEmbedder)
        assert chosen.weights == WITH_MODEL


def test_one_that_knows_one_language_is_asked_in_that_one():
    embedder = EnglishOnly()

    assert choose_embedder(embedder, "en").embedder is embedder
    assert isinstance(choose_embedder(embedder, "es").embedder, BuiltInEmbedder)
    assert embedder_weights.list_languages_of_default(embedder) == ["es"]


def test_calls_are_judged_by_the_weights_of_the_embedder(talk):
    call = talk(f"agent: {CLAUSE}", "agent: Well.")
    known = SemanticMatcher(BuiltInEmbedder(), "en", phrases=[PHRASE]).find_nearest([PHRASE], call.segments)
    for embedder in (Crowded(), Ignorant()):
        found = SemanticMatcher(embedder, "en", phrases=[PHRASE]).find_nearest([PHRASE], call.segments)

        assert found.score == pytest.approx(known.score, abs=0.1)


@pytest.mark.parametrize("language", ["en", "es"])
class TestGrayBand:
    """The bounds of an embedder are those at which it is wrong no more often than the built-in encoder."""

    def test_is_narrower_for_a_better_model(self, language):
        chosen = choose_embedder(Better(), language)

        assert chosen.band.unsure_from > USUAL_BAND.unsure_from
        assert chosen.band.said_from < USUAL_BAND.said_from

    def test_is_wider_for_a_worse_one_that_is_still_asked(self, language):
        embedder = Worse()

        chosen = choose_embedder(embedder, language)

        assert chosen.embedder is embedder
        width = chosen.band.said_from - chosen.band.unsure_from
        assert width > USUAL_BAND.said_from - USUAL_BAND.unsure_from

    def test_is_the_usual_one_where_the_built_in_encoder_judges(self, language):
        for embedder in (BuiltInEmbedder(), LexicalEmbedder(), Ignorant()):
            assert choose_embedder(embedder, language).band == USUAL_BAND

    def test_allows_no_more_errors_than_those_of_the_built_in_encoder(self, language):
        reference = load_reference()[language]
        for embedder in (Better(), Worse(), Crowded()):
            fitted = fit_cosines(reference, embedder)
            weighed = embedder_weights.weigh_reference(reference, embedder)

            errors = count_errors(*embedder_weights.judge_clauses(weighed, fitted), fitted.band)

            assert errors.taken <= reference["errors"].taken
            assert errors.refused <= reference["errors"].refused


def test_a_call_is_judged_by_the_band_of_the_embedder(talk, monkeypatch):
    """What the one model leaves open, the other decides."""
    call = talk(f"agent: {CLAUSE}", "agent: Well.")
    usual = SemanticMatcher(BuiltInEmbedder(), "en", phrases=[PHRASE]).find_nearest([PHRASE], call.segments)
    assert usual.certainty == "said"
    strict = Chosen(BuiltInEmbedder(), WITH_MODEL, Band(0.1, usual.score + 0.01))
    monkeypatch.setattr(semantic_matcher, "choose_embedder", lambda embedder, language: strict)

    found = SemanticMatcher(Crowded(), "en", phrases=[PHRASE]).find_nearest([PHRASE], call.segments)

    assert (found.score, found.certainty, found.margin) == (usual.score, "unsure", None)


def test_words_and_the_built_in_encoder_read_nothing(data_folder):
    for embedder in (LexicalEmbedder(), BuiltInEmbedder()):
        assert choose_embedder(embedder, "en") == (embedder, WITH_MODEL, USUAL_BAND)
    assert not list(data_folder.iterdir())


def test_later_processes_read_no_text_again(monkeypatch):
    first = Crowded()
    chosen = choose_embedder(first, "en")
    assert first.texts >= len(load_reference()["en"]["texts"])
    monkeypatch.setattr(embedder_weights, "_known", {})
    later = Broken()
    later.id = first.id

    assert choose_embedder(later, "en")[1:] == chosen[1:]


@pytest.mark.parametrize(
    "damage", [b"", b"[1, 2]", b"{}", b"[null, 1, 2, 3, 4, 5]", b"[-5, 2, 5, 0.1]", b"\xff"]
)
def test_a_damaged_file_is_fitted_again(monkeypatch, data_folder, damage):
    chosen = choose_embedder(Crowded(), "en")
    [path] = (data_folder / embedder_weights.FOLDER).iterdir()
    path.write_bytes(damage)
    monkeypatch.setattr(embedder_weights, "_known", {})

    assert choose_embedder(Crowded(), "en").weights == chosen.weights
    assert path.read_bytes() != damage


def test_works_where_nothing_can_be_kept(data_folder):
    (data_folder / embedder_weights.FOLDER).write_text("a file where the folder should be")

    assert choose_embedder(Crowded(), "en").weights != WITH_MODEL
