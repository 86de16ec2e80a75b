"""Judging with a sentence model of the operator, made here and read by the product's own loader."""

import json
from collections import defaultdict

import numpy as np
import pytest
from safetensors.numpy import save_file

from callscope.analysis.matching import embedder_weights, scale
from callscope.analysis.matching.embedder_weights import Reference, ReferenceClause, ReferenceReading
from callscope.analysis.matching.gray_band import Errors
from callscope.analysis.matching.semantic_matcher import SemanticMatcher
from callscope.analysis.rules.judge import judge_criterion
from callscope.engines.embeddings.built_in import BuiltInEmbedder
from callscope.engines.embeddings.lexical import LexicalEmbedder
from callscope.engines.embeddings.sentence_model import SentenceModel
from callscope.language.tokens import tokenize
from callscope.projects.configuration import Criterion

SIZE = 64
MOST_MEANINGS = 2  # of a word that says something
MEAN_LOG_ODDS, MOST_LOSS = 5.0, 0.4  # of the clauses by which the models are calibrated
# What the model knows next to the reference pairs: texts that say the same, of trades without a list.
TAUGHT = [
    ("Where is the mooring?", "In which berth does the yacht lie?"),
    ("The varnish has hardened.", "Your lacquer has dried by now."),
    ("¿Dónde está el amarre?", "¿En qué atraque tienen el velero?"),
]
ELSE = ["What color is the sail?", "The invoice is in the drawer.", "¿De qué color es la vela?"]


def write_model(folder, meanings, *, common=0.0):
    """Write a model without layers: a text is the mean of its words, each near the texts that say the same.

    `common` is what all words share, as the texts of some models do.
    """
    rng = np.random.default_rng(7)
    directions = rng.normal(size=(len(meanings), SIZE))
    where = defaultdict(list)
    for number, texts in enumerate(meanings):
        for word in {w for text in texts for w in tokenize(text)}:
            where[word].append(number)
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "?", ".", "¿", *sorted(where)]
    table = np.zeros((len(words), SIZE))
    for row, word in enumerate(words):
        if 0 < len(where[word]) <= MOST_MEANINGS:
            table[row] = directions[where[word]].mean(axis=0) + 0.05 * rng.normal(size=SIZE)
    table[7:] += common * rng.normal(size=SIZE)
    tensors = {
        "embeddings.word_embeddings.weight": table,
        "embeddings.position_embeddings.weight": np.zeros((64, SIZE)),
        "embeddings.token_type_embeddings.weight": np.zeros((2, SIZE)),
        "embeddings.LayerNorm.weight": np.ones(SIZE),
        "embeddings.LayerNorm.bias": np.zeros(SIZE),
    }
    save_file({name: t.astype(np.float32) for name, t in tensors.items()}, folder / "model.safetensors")
    config = {"num_hidden_layers": 0, "num_attention_heads": 1, "max_position_embeddings": 64}
    (folder / "config.json").write_text(json.dumps(config))
    tokenizer = {
        "version": "1.0",
        "added_tokens": [],
        "normalizer": {
            "type": "BertNormalizer",
            "clean_text": True,
            "handle_chinese_chars": True,
            "strip_accents": True,
            "lowercase": True,
        },
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "post_processor": {
            "type": "BertProcessing",
            "sep": ["[SEP]", words.index("[SEP]")],
            "cls": ["[CLS]", words.index("[CLS]")],
        },
        "model": {
            "type": "WordPiece",
            "unk_token": "[UNK]",
            "continuing_subword_prefix": "##",
            "max_input_chars_per_word": 100,
            "vocab": {word: i for i, word in enumerate(words)},
        },
    }
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer))
    return SentenceModel(folder)


def known_texts():
    """Return the texts that say the same: the reference pairs, what is taught, and each other text alone."""
    same = [two for kind, *two in scale.load_pairs() if kind == "same"]
    return [*same, *TAUGHT, *([text] for text in ELSE)]


@pytest.fixture(autouse=True)
def taught_reference(monkeypatch, settings, tmp_path):
    """Embedders are calibrated by texts that the models of these tests know."""
    settings.DATA_DIR = tmp_path
    pairs = scale.load_pairs()
    texts = list(dict.fromkeys(text for _, *two in pairs for text in two))
    by_clause = defaultdict(list)
    for number, (kind, one, other) in enumerate(pairs):
        reading = ReferenceReading(texts.index(other), number, MEAN_LOG_ODDS, kind == "same")
        by_clause[texts.index(one)].append(reading)
    clauses = [ReferenceClause(1.0, text, readings) for text, readings in by_clause.items()]
    reference = Reference(texts=texts, clauses=clauses, pairs=[], loss=MOST_LOSS, errors=Errors(0, 0))
    monkeypatch.setattr(embedder_weights, "load_reference", lambda: {"en": reference, "es": reference})
    monkeypatch.setattr(embedder_weights, "_known", {})


def judged(talk, embedder, phrase, said):
    language = "es" if "¿" in phrase else "en"
    call = talk(f"agent: {said}", "agent: Well.", language=language)
    rule = {"id": "c", "name": "C", "max_points": 1, "rule": {"any_of": [phrase]}}
    matcher = SemanticMatcher(embedder, language, phrases=[phrase])
    return judge_criterion(Criterion.model_validate(rule), call, matcher).answer


def count_right(talk, embedder):
    right = 0
    for (phrase, paraphrase), other in zip(TAUGHT, ELSE, strict=True):
        right += judged(talk, embedder, phrase, paraphrase) == "met"
        right += judged(talk, embedder, phrase, other) != "met"
    return right


class TestModelOfTheOperator:
    def test_judges_better_the_better_it_is(self, talk, tmp_path):
        knowing = write_model(tmp_path, known_texts())

        assert count_right(talk, knowing) == 2 * len(TAUGHT)
        assert count_right(talk, LexicalEmbedder()) < 2 * len(TAUGHT)

    def test_is_read_on_its_own_scale(self, talk, tmp_path):
        """Cosines that all are high say no more than cosines that all are low."""
        crowded = write_model(tmp_path, known_texts(), common=2.0)
        vectors = crowded.encode([TAUGHT[0][0], ELSE[0]])

        assert vectors[0] @ vectors[1] > scale.DEFAULT.same
        assert judged(talk, crowded, TAUGHT[0][0], ELSE[0]) != "met"
        assert judged(talk, crowded, *TAUGHT[0]) == "met"

    def test_is_not_asked_where_it_knows_nothing(self, talk, tmp_path):
        """A model to which all texts are alike would meet every criterion."""
        ignorant = write_model(tmp_path, known_texts(), common=100.0)

        assert not scale.read_scale(ignorant).tells_apart
        for (phrase, said), other in zip(TAUGHT, ELSE, strict=True):
            for text in (said, other):
                assert judged(talk, ignorant, phrase, text) == judged(talk, BuiltInEmbedder(), phrase, text)
