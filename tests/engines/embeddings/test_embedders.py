"""Texts to vectors: by words alone, by a model in a folder, by a server."""

import json
import struct

import httpx2
import numpy as np
import pytest

from callscope.engines.embeddings.lexical import LexicalEmbedder
from callscope.engines.embeddings.remote import RemoteEmbedder
from callscope.engines.embeddings.sentence_model import SentenceModel
from callscope.engines.embeddings.wordpiece import WordPieces
from callscope.engines.errors import BadOutput, EngineRejected, EngineUnavailable

pytestmark = pytest.mark.one_database
PIECES = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "lost", "card", "my", "##s", "re", "##fund", "!", "cafe"]
SIZE, WIDE, LAYERS = 8, 16, 2


def write_safetensors(path, tensors):
    header, body = {}, b""
    for name, tensor in tensors.items():
        raw = np.ascontiguousarray(tensor, dtype=np.float32).tobytes()
        header[name] = {
            "dtype": "F32",
            "shape": list(tensor.shape),
            "data_offsets": [len(body), len(body) + len(raw)],
        }
        body += raw
    told = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(told)) + told + body)


@pytest.fixture
def folder(tmp_path):
    """A tiny BERT with random weights."""
    rng = np.random.default_rng(3)
    shapes = {
        "embeddings.word_embeddings.weight": (len(PIECES), SIZE),
        "embeddings.position_embeddings.weight": (16, SIZE),
        "embeddings.token_type_embeddings.weight": (2, SIZE),
        "embeddings.LayerNorm.weight": (SIZE,),
        "embeddings.LayerNorm.bias": (SIZE,),
    }
    for layer in range(LAYERS):
        name = f"encoder.layer.{layer}."
        for part, out, into in [
            ("attention.self.query", SIZE, SIZE), ("attention.self.key", SIZE, SIZE),
            ("attention.self.value", SIZE, SIZE), ("attention.output.dense", SIZE, SIZE),
            ("intermediate.dense", WIDE, SIZE), ("output.dense", SIZE, WIDE),
        ]:  # fmt: skip
            shapes |= {f"{name}{part}.weight": (out, into), f"{name}{part}.bias": (out,)}
        for part in ("attention.output.LayerNorm", "output.LayerNorm"):
            shapes |= {f"{name}{part}.weight": (SIZE,), f"{name}{part}.bias": (SIZE,)}
    write_safetensors(tmp_path / "model.safetensors", {n: rng.normal(size=s) for n, s in shapes.items()})
    vocabulary = {piece: i for i, piece in enumerate(PIECES)}
    tokenizer = {"model": {"type": "WordPiece", "vocab": vocabulary}, "normalizer": {"lowercase": True}}
    (tmp_path / "tokenizer.json").write_text(json.dumps(tokenizer))
    config = {"num_hidden_layers": LAYERS, "num_attention_heads": 2, "max_position_embeddings": 16}
    (tmp_path / "config.json").write_text(json.dumps(config))
    return tmp_path


class TestLexicalEmbedder:
    def test_gives_unit_vectors_and_zeros_for_nothing(self):
        vectors = LexicalEmbedder().encode(["lost my card", ""])

        assert vectors.dtype == np.float32
        assert np.linalg.norm(vectors, axis=1) == pytest.approx([1, 0], abs=1e-6)

    def test_puts_alike_texts_near_each_other(self):
        a, b, c = LexicalEmbedder().encode(["reset my password", "password resetting", "where is the parcel"])

        assert a @ b > 0.6
        assert a @ c < 0.2

    def test_gives_the_same_vector_alone_and_in_company(self):
        embedder = LexicalEmbedder()

        assert (embedder.encode(["lost card"])[0] == embedder.encode(["x", "lost card", "y"])[1]).all()

    def test_of_a_corpus_of_nothing_is_empty(self):
        assert LexicalEmbedder().encode_corpus(["", ""]).shape[0] == 2


class TestWordPieces:
    def test_splits_words_into_the_longest_known_pieces(self, folder):
        numbers = WordPieces(folder / "tokenizer.json").numbers("My cards, refund! Café xyz", most=20)

        assert [PIECES[n] for n in numbers] == [
            "[CLS]", "my", "card", "##s", "[UNK]", "re", "##fund", "!", "cafe", "[UNK]", "[SEP]",
        ]  # fmt: skip

    def test_keeps_both_marks_when_it_cuts(self, folder):
        numbers = WordPieces(folder / "tokenizer.json").numbers("lost lost lost lost", most=4)

        assert [PIECES[n] for n in numbers] == ["[CLS]", "lost", "lost", "[SEP]"]


class TestSentenceModel:
    def test_gives_unit_vectors_that_do_not_depend_on_company(self, folder):
        model = SentenceModel(folder)

        alone = model.encode(["lost my card"])
        in_company = model.encode(["refund", "lost my card", "my my my my my card"])

        assert np.linalg.norm(alone, axis=1) == pytest.approx([1.0], abs=1e-5)
        assert in_company[1] == pytest.approx(alone[0], abs=1e-5)

    def test_gives_zeros_for_a_text_without_words(self, folder):
        assert not SentenceModel(folder).encode([""]).any()

    def test_is_named_after_its_files(self, folder):
        before = SentenceModel(folder).id
        (folder / "config.json").write_text((folder / "config.json").read_text() + " ")

        assert SentenceModel(folder).id != before

    @pytest.mark.parametrize("name", ["config.json", "tokenizer.json", "model.safetensors"])
    def test_says_what_the_folder_lacks(self, folder, name):
        (folder / name).unlink()

        with pytest.raises(EngineRejected, match=f"holds no {name}"):
            SentenceModel(folder)

    @pytest.mark.parametrize("name", ["config.json", "tokenizer.json", "model.safetensors"])
    @pytest.mark.parametrize("content", ["", "{}", "[1]", "\x00" * 64, "garbage, long enough to be read"])
    def test_refuses_files_that_are_something_else(self, folder, name, content):
        (folder / name).write_text(content)

        with pytest.raises(EngineRejected):
            SentenceModel(folder)


def server(answer):
    return RemoteEmbedder("http://embed.test", model="m", transport=httpx2.MockTransport(answer))


class TestRemoteEmbedder:
    def test_sorts_by_index_and_scales_to_unit_length(self):
        def answer(request):
            rows = [{"index": 1, "embedding": [0, 5]}, {"index": 0, "embedding": [3, 4]}]
            return httpx2.Response(200, json={"object": "list", "data": rows, "model": "m"})

        assert (
            server(answer).encode(["a", "b"]).round(6).tolist() == np.float32([[0.6, 0.8], [0, 1]]).tolist()
        )

    @pytest.mark.parametrize(
        ("status", "body", "expected"),
        [
            (503, {"error": {"message": "busy"}}, EngineUnavailable),
            (401, {"error": {"message": "key"}}, EngineRejected),
            (200, {"data": []}, BadOutput),
            (200, {"data": [{"index": 0, "embedding": ["x"]}]}, BadOutput),
        ],
    )
    def test_tells_faults_apart(self, status, body, expected):
        with pytest.raises(expected):
            server(lambda request: httpx2.Response(status, json=body)).encode(["a"])
