"""Texts to vectors: by words alone, by a model in a folder, by a server."""

import json
import struct
import sys

import httpx2
import numpy as np
import pytest

from callscope.engines.embeddings.built_in import BuiltInEmbedder
from callscope.engines.embeddings.lexical import LexicalEmbedder
from callscope.engines.embeddings.remote import RemoteEmbedder
from callscope.engines.embeddings.sentence_model import SentenceModel
from callscope.engines.errors import BadOutput, EngineRejected, EngineUnavailable

pytestmark = pytest.mark.one_database
PIECES = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "lost", "card", "my", "##s", "re", "##fund", "!", "cafe"]
SIZE, WIDE, LAYERS = 8, 16, 2


def write_safetensors(path, tensors, *, kind="F32"):
    header, body = {}, b""
    for name, tensor in tensors.items():
        whole = np.ascontiguousarray(tensor, dtype=np.float32)
        if kind == "BF16":
            raw = (whole.view(np.uint32) >> 16).astype(np.uint16).tobytes()
        else:
            raw = whole.astype({"F64": np.float64, "F32": np.float32, "F16": np.float16}[kind]).tobytes()
        header[name] = {
            "dtype": kind,
            "shape": list(tensor.shape),
            "data_offsets": [len(body), len(body) + len(raw)],
        }
        body += raw
    encoded = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(encoded)) + encoded + body)


def read_safetensors(path):
    data = path.read_bytes()
    start = 8 + struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8:start])
    return {
        name: np.frombuffer(
            data[start:], np.float32, np.prod(entry["shape"]), entry["data_offsets"][0]
        ).reshape(entry["shape"])
        for name, entry in header.items()
    }


def write_tokenizer(folder):
    vocabulary = {piece: i for i, piece in enumerate(PIECES)}
    tokenizer = {
        "version": "1.0",
        "truncation": {"direction": "Right", "max_length": 3, "strategy": "LongestFirst", "stride": 0},
        "padding": None,
        "added_tokens": [],
        "normalizer": {
            "type": "BertNormalizer", "clean_text": True, "handle_chinese_chars": True,
            "strip_accents": None, "lowercase": True,
        },
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "post_processor": {"type": "BertProcessing", "sep": ["[SEP]", 3], "cls": ["[CLS]", 2]},
        "decoder": {"type": "WordPiece", "prefix": "##", "cleanup": True},
        "model": {
            "type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
            "max_input_chars_per_word": 100, "vocab": vocabulary,
        },
    }  # fmt: skip
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer))


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
    write_tokenizer(tmp_path)
    config = {"num_hidden_layers": LAYERS, "num_attention_heads": 2, "max_position_embeddings": 16}
    (tmp_path / "config.json").write_text(json.dumps(config))
    return tmp_path


@pytest.fixture
def mpnet(tmp_path):
    """A tiny MPNet with random weights, and eight buckets for distances."""
    rng = np.random.default_rng(5)
    shapes = {
        "embeddings.word_embeddings.weight": (len(PIECES), SIZE),
        "embeddings.position_embeddings.weight": (66, SIZE),
        "embeddings.LayerNorm.weight": (SIZE,),
        "embeddings.LayerNorm.bias": (SIZE,),
        "encoder.relative_attention_bias.weight": (8, 2),
    }
    for layer in range(LAYERS):
        name = f"encoder.layer.{layer}."
        for part, out, into in [
            ("attention.attn.q", SIZE, SIZE), ("attention.attn.k", SIZE, SIZE),
            ("attention.attn.v", SIZE, SIZE), ("attention.attn.o", SIZE, SIZE),
            ("intermediate.dense", WIDE, SIZE), ("output.dense", SIZE, WIDE),
        ]:  # fmt: skip
            shapes |= {f"{name}{part}.weight": (out, into), f"{name}{part}.bias": (out,)}
        for part in ("attention.LayerNorm", "output.LayerNorm"):
            shapes |= {f"{name}{part}.weight": (SIZE,), f"{name}{part}.bias": (SIZE,)}
    write_safetensors(tmp_path / "model.safetensors", {n: rng.normal(size=s) for n, s in shapes.items()})
    write_tokenizer(tmp_path)
    config = {
        "model_type": "mpnet", "num_hidden_layers": LAYERS, "num_attention_heads": 2, "pad_token_id": 1,
        "layer_norm_eps": 1e-5, "max_position_embeddings": 66, "relative_attention_num_buckets": 8,
    }  # fmt: skip
    (tmp_path / "config.json").write_text(json.dumps(config))
    return tmp_path


class TestBuiltInEmbedder:
    def test_gives_unit_vectors_and_zeros_for_nothing(self):
        vectors = BuiltInEmbedder().encode(["lost my card", "", "?!", "half \ud83d of a sign"])

        assert vectors.dtype == np.float32
        assert np.linalg.norm(vectors, axis=1) == pytest.approx([1, 0, 0, 1], abs=1e-5)

    @pytest.mark.parametrize(
        ("said", "same", "other"),
        [
            ("Which film do you want to see?", "What movie are you after?", "What is your card number?"),
            ("¿Qué película quiere ver?", "¿Qué filme le apetece?", "¿A qué hora llega el tren?"),
            ("When does the ferry leave?", "¿A qué hora sale el transbordador?", "What is your name?"),
        ],
    )
    def test_knows_words_that_say_the_same(self, said, same, other):
        first, second, third = BuiltInEmbedder().encode([said, same, other])

        assert first @ second > 0.6 > 0.4 > first @ third

    def test_sends_nothing_anywhere_and_names_the_version_of_its_weights(self):
        embedder = BuiltInEmbedder()

        assert embedder.hosts == []
        assert embedder.id.startswith("use-multilingual-3/")

    def test_gives_the_same_vector_alone_and_in_company(self):
        embedder = BuiltInEmbedder()
        alone, company = embedder.encode(["lost card"]), embedder.encode(["x y z", "lost card", "y"])

        assert alone[0] == pytest.approx(company[1], abs=1e-5)


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


class TestSentenceModel:
    def test_reads_texts_in_the_pieces_of_its_vocabulary(self, folder):
        model = SentenceModel(folder)

        as_written = model.encode(["My cards, refund! Café xyz"])
        in_pieces = model.encode(["my cards x refund ! cafe x"])

        assert as_written == pytest.approx(in_pieces, abs=1e-6)

    def test_cuts_a_text_at_the_length_of_the_model(self, folder):
        cut = SentenceModel(folder).encode(["lost " * 14, "lost " * 20, "lost " * 13])

        assert cut[0] == pytest.approx(cut[1], abs=1e-6)
        assert cut[0] != pytest.approx(cut[2], abs=1e-6)

    @pytest.mark.parametrize("kind", ["F64", "F16", "BF16"])
    def test_reads_weights_of_other_sizes(self, folder, kind):
        whole = SentenceModel(folder).encode(["lost my card"])
        tensors = read_safetensors(folder / "model.safetensors")
        write_safetensors(folder / "model.safetensors", tensors, kind=kind)

        assert SentenceModel(folder).encode(["lost my card"]) == pytest.approx(whole, abs=0.05)

    def test_names_the_extra_that_is_missing(self, folder, monkeypatch):
        monkeypatch.setitem(sys.modules, "tokenizers", None)

        with pytest.raises(EngineRejected, match=r"needs tokenizers.*'\.\[embeddings\]'"):
            SentenceModel(folder)

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

        with pytest.raises(EngineRejected, match=f"does not hold: {name}"):
            SentenceModel(folder)

    @pytest.mark.parametrize("name", ["config.json", "tokenizer.json", "model.safetensors"])
    @pytest.mark.parametrize("content", ["", "{}", "[1]", "\x00" * 64, "garbage, long enough to be read"])
    def test_refuses_files_that_are_something_else(self, folder, name, content):
        (folder / name).write_text(content)

        with pytest.raises(EngineRejected):
            SentenceModel(folder)


SHORT, LONG = "lost my card", "my refund lost card! " * 10
# By transformers 4.49 (TFMPNetModel) with the weights of the fixture: mean of the tokens, and first token.
MEANS = [
    [0.37948, -0.38793, -0.21138, 0.36578, 0.18675, 0.03173, -0.34282, 0.61124],
    [0.40138, -0.35198, -0.11648, 0.28422, 0.26229, -0.01089, -0.24271, 0.70202],
]
FIRST_TOKENS = [
    [0.37507, -0.28698, -0.16505, 0.36422, 0.21153, 0.02808, -0.28351, 0.70082],
    [0.41668, -0.34276, -0.08636, 0.24617, 0.2945, -0.02088, -0.20339, 0.71575],
]


def set_pooling(folder, **modes):
    (folder / "1_Pooling").mkdir(exist_ok=True)
    pooling = {f"pooling_mode_{mode}": value for mode, value in modes.items()}
    (folder / "1_Pooling" / "config.json").write_text(
        json.dumps({"word_embedding_dimension": SIZE, **pooling})
    )


class TestMpNet:
    def test_gives_the_vectors_of_the_reference(self, mpnet):
        assert SentenceModel(mpnet).encode([SHORT, LONG]) == pytest.approx(np.array(MEANS), abs=3e-5)

    def test_cuts_a_text_at_its_last_position(self, mpnet):
        cut = SentenceModel(mpnet).encode(["lost " * 62, "lost " * 90])

        assert cut[0] == pytest.approx(cut[1], abs=1e-6)


class TestPooling:
    def test_takes_the_first_token_where_the_model_says_so(self, mpnet):
        by_mean = SentenceModel(mpnet)
        set_pooling(mpnet, cls_token=True, mean_tokens=False)
        by_first_token = SentenceModel(mpnet)

        assert by_first_token.encode([SHORT, LONG]) == pytest.approx(np.array(FIRST_TOKENS), abs=3e-5)
        assert by_first_token.id != by_mean.id

    def test_takes_the_mean_where_the_model_says_so(self, mpnet):
        silent = SentenceModel(mpnet)
        set_pooling(mpnet, cls_token=False, mean_tokens=True)
        plain = SentenceModel(mpnet)

        assert plain.id == silent.id
        assert plain.encode([SHORT]) == pytest.approx(silent.encode([SHORT]))

    @pytest.mark.parametrize(
        "modes", [{"max_tokens": True}, {"cls_token": True, "mean_tokens": True}, {"mean_tokens": False}]
    )
    def test_refuses_another_way(self, folder, modes):
        set_pooling(folder, **modes)

        with pytest.raises(EngineRejected, match=r"1_Pooling/config\.json asks for"):
            SentenceModel(folder)


class TestOtherKinds:
    def test_reads_the_pieces_of_a_model_of_many_languages(self, folder):
        tokenizer = json.loads((folder / "tokenizer.json").read_text())
        pieces = [[f"▁{piece}" if at > 3 else piece, -float(at)] for at, piece in enumerate(PIECES)]
        tokenizer |= {
            "normalizer": None,
            "pre_tokenizer": {
                "type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True,
            },
            "decoder": None,
            "model": {"type": "Unigram", "unk_id": 1, "vocab": pieces, "byte_fallback": False},
        }  # fmt: skip
        by_word_pieces = SentenceModel(folder).encode(["lost my card"])
        (folder / "tokenizer.json").write_text(json.dumps(tokenizer))

        assert SentenceModel(folder).encode(["lost my card"]) == pytest.approx(by_word_pieces, abs=1e-6)

    @pytest.mark.parametrize(
        ("config", "message"),
        [
            ({"model_type": "distilbert"}, 'model_type is "distilbert".*bert and mpnet are'),
            ({"hidden_act": "relu"}, 'hidden_act is "relu".*only "gelu" is'),
        ],
    )
    def test_refuses_a_model_that_is_not_run(self, folder, config, message):
        before = json.loads((folder / "config.json").read_text())
        (folder / "config.json").write_text(json.dumps(before | config))

        with pytest.raises(EngineRejected, match=message):
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

    def test_refuses_an_answer_that_nests_too_deeply(self):
        nested = b"[" * 10**5 + b"]" * 10**5

        with pytest.raises(BadOutput):
            server(lambda request: httpx2.Response(200, content=nested)).encode(["a"])

    @pytest.mark.parametrize(
        ("status", "body", "expected"),
        [
            (503, {"error": {"message": "busy"}}, EngineUnavailable),
            (401, {"error": {"message": "key"}}, EngineUnavailable),
            (400, {"error": {"message": "no"}}, EngineRejected),
            (200, {"data": []}, BadOutput),
            (200, {"data": [{"index": 0, "embedding": ["x"]}]}, BadOutput),
        ],
    )
    def test_tells_faults_apart(self, status, body, expected):
        with pytest.raises(expected):
            server(lambda request: httpx2.Response(status, json=body)).encode(["a"])
