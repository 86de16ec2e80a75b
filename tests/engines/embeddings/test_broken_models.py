# ruff: noqa: F811, fixtures of the other tests
"""A folder whose files make no model is refused when it is loaded, not by the first text that shows it."""

import json

import numpy as np
import pytest

from callscope.engines.embeddings.sentence_model import SentenceModel
from callscope.engines.errors import EngineRejected
from tests.engines.embeddings.test_embedders import (  # noqa: F401, fixtures
    folder,
    mpnet,
    read_safetensors,
    write_safetensors,
)

pytestmark = [pytest.mark.one_database, pytest.mark.filterwarnings("error")]
WORDS, POSITIONS = "embeddings.word_embeddings.weight", "embeddings.position_embeddings.weight"
DEEP = '{"a":' * 100_000


def change_json(path, values):
    path.write_text(json.dumps(json.loads(path.read_text()) | values))


def change_weights(folder, name, change):
    tensors = read_safetensors(folder / "model.safetensors")
    write_safetensors(folder / "model.safetensors", tensors | {name: change(tensors[name].copy())})


def put(value):
    """Return a change that writes a value into the vectors of one word, which no probe holds."""

    def change(tensor):
        tensor[5] = value
        return tensor

    return change


class TestConfiguration:
    @pytest.mark.parametrize(
        ("values", "message"),
        [
            ({"num_attention_heads": 0}, "num_attention_heads is 0"),
            ({"num_attention_heads": -2}, "num_attention_heads is -2"),
            ({"num_attention_heads": 3}, "num_attention_heads is 3, for 8"),
            ({"num_attention_heads": float("inf")}, "infinity"),
            ({"num_hidden_layers": -1}, "num_hidden_layers is -1"),
            ({"layer_norm_eps": float("nan")}, "layer_norm_eps is nan"),
            ({"layer_norm_eps": -1e9}, "layer_norm_eps is -1"),
            ({"layer_norm_eps": float("inf")}, "layer_norm_eps is inf"),
            ({"pad_token_id": -5}, "pad_token_id is -5"),
            ({"pad_token_id": 1000}, "reads 0 pieces"),
            ({"relative_attention_num_buckets": 0}, "num_buckets is 0"),
            ({"relative_attention_num_buckets": 6}, "num_buckets is 6"),
            ({"relative_attention_num_buckets": 10**12}, "num_buckets is 10"),
        ],
    )
    def test_is_refused_where_it_makes_no_model(self, mpnet, values, message):
        change_json(mpnet / "config.json", values)

        with pytest.raises(EngineRejected, match=message):
            SentenceModel(mpnet)

    @pytest.mark.parametrize("name", ["config.json", "tokenizer.json", "1_Pooling/config.json"])
    def test_is_refused_where_it_nests_too_deeply(self, folder, name):
        (folder / "1_Pooling").mkdir()
        (folder / name).write_text(DEEP)

        with pytest.raises(EngineRejected):
            SentenceModel(folder)


class TestWeights:
    @pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 1e30])
    def test_are_refused_where_they_make_no_vectors(self, folder, value):
        change_weights(folder, WORDS, put(value))

        with pytest.raises(EngineRejected, match=f"{WORDS} holds values"):
            SentenceModel(folder)

    def test_are_refused_where_pieces_have_no_vector(self, folder):
        change_weights(folder, WORDS, lambda tensor: tensor[:5])

        with pytest.raises(EngineRejected, match="up to 11, and the model knows 5"):
            SentenceModel(folder)

    @pytest.mark.parametrize("positions", [0, 1, 2])
    def test_are_refused_where_no_piece_of_a_text_has_a_position(self, folder, positions):
        change_weights(folder, POSITIONS, lambda tensor: tensor[:positions])

        with pytest.raises(EngineRejected, match=f"reads {positions} pieces"):
            SentenceModel(folder)


class TestTokenizer:
    @pytest.mark.parametrize(
        "model",
        [
            {
                "type": "WordPiece", "unk_token": "[UNK]", "vocab": {"probe": 4},
                "continuing_subword_prefix": "##", "max_input_chars_per_word": 100,
            },
            {"type": "Unigram", "unk_id": None, "vocab": [["probe", 0.0]], "byte_fallback": False},
        ],
    )  # fmt: skip
    def test_is_refused_where_it_has_no_piece_for_what_is_unknown(self, folder, model):
        change_json(folder / "tokenizer.json", {"model": model})

        with pytest.raises(EngineRejected, match=r"tokenizer\.json: .*(UNK|unk_id)"):
            SentenceModel(folder)

    def test_is_refused_where_the_library_panics(self, folder):
        parts = [{"SpecialToken": {"id": "[X]", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}]
        template = {"type": "TemplateProcessing", "single": parts, "pair": [], "special_tokens": {}}
        change_json(folder / "tokenizer.json", {"post_processor": template})

        with pytest.raises(EngineRejected, match=r"tokenizer\.json: "):
            SentenceModel(folder)
