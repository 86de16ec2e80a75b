"""What the cosines of other embedders are worth. The embedders are made of the built-in encoder."""

import collections
import functools
import hashlib
import json

import numpy as np
import pytest

from callscope.analysis.matching import embedder_weights, scale, semantic_matcher
from callscope.analysis.matching.embedder_weights import Chosen, choose_embedders, fit_cosines, load_reference
from callscope.analysis.matching.gray_band import count_errors
from callscope.analysis.matching.heard import SentenceVectors
from callscope.analysis.matching.likelihood import USUAL_BAND, WITH_MODEL, Band
from callscope.analysis.matching.readings import read_sentence
from callscope.analysis.matching.semantic_matcher import SemanticMatcher
from callscope.engines.embeddings.built_in import BuiltInEmbedder
from callscope.engines.embeddings.lexical import LexicalEmbedder

BLUR, SHARP = 3.0, 0.6  # how much a model made here does not know of some texts, and of others
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


@functools.cache
def place_by_hash(text):
    """Return a vector of this text alone, not of any length."""
    seed = int.from_bytes(hashlib.sha256(text.encode()).digest()[:8])
    return np.random.default_rng(seed).normal(size=512)


@functools.cache
def place_with_same(texts):
    """Return the places of `Better`; several embedders made here are asked about the same texts."""
    vectors = encode_built_in(texts)
    places = np.zeros((len(texts), 512))
    for row, text in enumerate(texts):
        for other in find_same(text):
            places[row] += place_by_hash(other)
    lengths = np.linalg.norm(places, axis=1, keepdims=True)
    places = np.divide(places, lengths, out=places, where=lengths > 0)
    return unify(np.hstack([vectors, places]))


@functools.cache
def blur(texts):
    """Return what `Different` adds to the places of `Better`."""
    doubts = np.array([Ignorant().place([text, f"{text} again"]).ravel() for text in texts])
    return doubts * [[BLUR if is_odd(text) else SHARP] for text in texts]


def is_odd(text):
    return hashlib.sha256(text.encode()).digest()[0] % 2 == 1


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


class Same(Made):
    """Knows what the built-in encoder knows."""

    def place(self, texts):
        return encode_built_in(tuple(texts))


class Ignorant(Made):
    """Places texts by their hash: what is the same in it is the same text."""

    def place(self, texts):
        return unify(np.array([place_by_hash(text) for text in texts]))


class Better(Made):
    """Puts what says the same in the reference at one place, and is as good as the built-in encoder else."""

    def place(self, texts):
        return place_with_same(tuple(texts))


class Crowded(Better):
    """Knows as much, and puts all texts close together."""

    def place(self, texts):
        return np.hstack([super().place(texts) * 0.5, np.full((len(texts), 1), np.sqrt(0.75))])


class EnglishOnly(Better):
    """Knows nothing of the Spanish texts of the reference."""

    def place(self, texts):
        is_spanish = np.array([[text in load_reference()["es"]["texts"]] for text in texts])
        unknown = [Ignorant().place([text])[0] for text in texts]
        return np.where(is_spanish, unify(np.hstack([unknown, unknown])), super().place(texts))


class Different(Made):
    """Knows less of each text than the built-in encoder, but of some what that one does not know."""

    def place(self, texts):
        return unify(Better().place(texts) + blur(tuple(texts)))


class Broken(Made):
    def place(self, texts):
        raise AssertionError("no text is read again")


def test_reference_was_picked_with_the_weights_of_today():
    stored = json.loads(embedder_weights._read_reference_file())["weights"]

    assert stored == [WITH_MODEL.start, list(WITH_MODEL.evidence)], "run benchmarks/pick_reference.py"
    for reference in load_reference().values():
        fitted = fit_cosines(reference, BuiltInEmbedder())
        assert fitted.loss == reference["loss"]
        assert fitted.band.unsure_from == USUAL_BAND.unsure_from
        assert fitted.band.said_from <= USUAL_BAND.said_from


def test_cosines_on_another_scale_are_worth_the_same():
    for language in ("en", "es"):
        embedder = Crowded()

        chosen = choose_embedders(embedder, language)

        assert chosen.embedders == (embedder,)
        assert chosen[1:] == choose_embedders(Better(), language)[1:]
        assert chosen.weights.evidence.words == WITH_MODEL.evidence.words


def test_one_that_knows_no_more_is_not_asked():
    for embedder in (Same(), Ignorant()):
        for language in ("en", "es", "fr"):
            [chosen], weights, band = choose_embedders(embedder, language)

            assert isinstance(chosen, BuiltInEmbedder)
            assert (weights, band) == (WITH_MODEL, USUAL_BAND)


def test_one_that_knows_one_language_is_asked_in_that_one():
    embedder = EnglishOnly()

    assert choose_embedders(embedder, "en").embedders == (embedder,)
    assert isinstance(choose_embedders(embedder, "es").embedders[0], BuiltInEmbedder)
    assert embedder_weights.list_languages_of_default(embedder) == ["es"]


@pytest.mark.parametrize("language", ["en", "es"])
def test_one_that_errs_in_other_places_is_asked_with_the_built_in_encoder(language):
    embedder, reference = Different(), load_reference()[language]
    cosines = embedder_weights.compare_reference(reference, embedder)
    alone = embedder_weights.fit_compared(reference, cosines, 1.0)

    chosen = choose_embedders(embedder, language)

    assert fit_cosines(reference, embedder).loss < min(alone.loss, reference["loss"])
    assert isinstance(chosen.embedders[0], BuiltInEmbedder)
    assert chosen.embedders[1:] == (embedder,)
    assert embedder_weights.list_languages_of_default(embedder) == []


def test_a_cosine_of_two_is_their_mean():
    readings = [read_sentence(text, "en") for text in (PHRASE, CLAUSE)]
    embedders = (BuiltInEmbedder(), Different())

    def compare(asked):
        vectors = SentenceVectors(asked)
        vectors.add(readings)
        return vectors.compare(*readings)

    alone = [compare([embedder]) for embedder in embedders]
    assert alone[0] != pytest.approx(alone[1], abs=0.05)
    assert compare(embedders) == pytest.approx(sum(alone) / 2)


def test_calls_are_judged_by_the_weights_of_the_embedder(talk):
    call = talk(f"agent: {CLAUSE}", "agent: Well.")
    known, same, crowded, better = (
        SemanticMatcher(embedder, "en", phrases=[PHRASE]).find_nearest([PHRASE], call.segments)
        for embedder in (BuiltInEmbedder(), Ignorant(), Crowded(), Better())
    )

    assert same.score == known.score
    assert crowded.score == pytest.approx(better.score, abs=0.001)
    assert better.score != pytest.approx(known.score, abs=0.001)


@pytest.mark.parametrize("language", ["en", "es"])
class TestGrayBand:
    """The bounds of an embedder are those at which it is wrong no more often than the built-in encoder."""

    def test_is_narrower_for_a_better_model(self, language):
        chosen = choose_embedders(Better(), language)

        assert chosen.band.unsure_from == USUAL_BAND.unsure_from
        assert chosen.band.said_from < USUAL_BAND.said_from

    def test_is_the_usual_one_where_the_built_in_encoder_judges(self, language):
        for embedder in (BuiltInEmbedder(), LexicalEmbedder(), Ignorant()):
            assert choose_embedders(embedder, language).band == USUAL_BAND

    def test_allows_no_more_errors_than_those_of_the_built_in_encoder(self, language):
        reference = load_reference()[language]
        usual = embedder_weights.compare_reference(reference, BuiltInEmbedder())
        for embedder in (Better(), Different()):
            fitted = fit_cosines(reference, embedder)
            own = embedder_weights.compare_reference(reference, embedder)
            mixed = embedder_weights.mix(usual, own, fitted.share)
            weighed = embedder_weights.weigh_reference(reference, mixed)

            errors = count_errors(*embedder_weights.judge_clauses(weighed, fitted), fitted.band)

            assert errors.taken <= reference["errors"].taken
            assert errors.refused <= reference["errors"].refused


def compare(embedder, one, other):
    vectors = SentenceVectors((embedder,))
    vectors.add([one, other])
    return vectors.compare(one, other)


def test_a_call_is_judged_by_the_band_of_the_embedder(talk, monkeypatch):
    """What the one model leaves open, the other decides."""
    call = talk(f"agent: {CLAUSE}", "agent: Well.")
    usual = SemanticMatcher(BuiltInEmbedder(), "en", phrases=[PHRASE]).find_nearest([PHRASE], call.segments)
    assert usual.certainty == "said"
    strict = Chosen((BuiltInEmbedder(),), WITH_MODEL, Band(0.1, usual.score + 0.01))
    monkeypatch.setattr(semantic_matcher, "choose_embedders", lambda embedder, language: strict)

    found = SemanticMatcher(Crowded(), "en", phrases=[PHRASE]).find_nearest([PHRASE], call.segments)

    assert (found.score, found.certainty, found.margin) == (usual.score, "unsure", None)


def test_words_and_the_built_in_encoder_read_nothing(data_folder):
    for embedder in (LexicalEmbedder(), BuiltInEmbedder()):
        assert choose_embedders(embedder, "en") == ((embedder,), WITH_MODEL, USUAL_BAND)
    assert not list(data_folder.iterdir())


def test_later_processes_read_no_text_again(monkeypatch):
    first = Crowded()
    chosen = choose_embedders(first, "en")
    assert first.texts >= len(load_reference()["en"]["texts"])
    monkeypatch.setattr(embedder_weights, "_known", {})
    later = Broken()
    later.id = first.id

    assert choose_embedders(later, "en")[1:] == chosen[1:]


_crowded = []


def fit_crowded(data_folder):
    """Return the name of the file that keeps what was fitted, and the weights; it is fitted once."""
    if not _crowded:
        chosen = choose_embedders(Crowded(), "en")
        [path] = (data_folder / embedder_weights.FOLDER).iterdir()
        _crowded.extend((path.name, chosen.weights))
    return tuple(_crowded)


@pytest.mark.parametrize(
    "damage", [b"", b"[1, 2]", b"{}", b"[null, 1, 2, 3, 4, 5, 1]", b"[-5, 2, 5, 0.1, 0.3, 0.6]", b"\xff"]
)
def test_a_damaged_file_is_fitted_again(monkeypatch, data_folder, damage):
    name, weights = fit_crowded(data_folder)
    path = data_folder / embedder_weights.FOLDER / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(damage)
    monkeypatch.setattr(embedder_weights, "_known", {})

    assert choose_embedders(Crowded(), "en").weights == weights
    assert path.read_bytes() != damage


def test_works_where_nothing_can_be_kept(data_folder):
    (data_folder / embedder_weights.FOLDER).write_text("a file where the folder should be")

    assert choose_embedders(Crowded(), "en").weights != WITH_MODEL


class TestServerAtFault:
    """A server answers nonsense for a while: the same vector for every text."""

    def test_the_built_in_encoder_judges_after_a_restart_until_it_recovers(self, monkeypatch):
        choose_embedders(Better(), "en")
        for module in (embedder_weights, scale):  # another process
            monkeypatch.setattr(module, "_known", {})
        faulty, recovered = Better(), Better()
        faulty.place = lambda texts: np.full((len(texts), 4), 0.5)

        judging = SentenceVectors(choose_embedders(faulty, "en").embedders)
        phrase, clause = (read_sentence(text, "en") for text in (PHRASE, CLAUSE))
        judging.add([phrase, clause])

        assert judging.compare(phrase, clause) == compare(BuiltInEmbedder(), phrase, clause)
        assert recovered in choose_embedders(recovered, "en").embedders

    def test_its_first_answers_do_not_rule_it_out_for_good(self, monkeypatch):
        faulty, recovered = Better(), Better()
        faulty.place = lambda texts: np.full((len(texts), 4), 0.5)

        assert faulty not in choose_embedders(faulty, "en").embedders
        for module in (embedder_weights, scale):
            monkeypatch.setattr(module, "_known", {})
        assert recovered in choose_embedders(recovered, "en").embedders
