"""faster-whisper from end to end, on a tiny model of random weights that is made here.

What it hears is noise; that it loads, listens, times its words and answers in
our shape is what is tested. Missing packages and models must be reported at once.
"""

import contextlib
import json
import logging
import shutil
import socket
import struct
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from callscope.engines.asr.loops import is_loop
from callscope.engines.asr.model_files import LAST_VERSION
from callscope.engines.asr.whisper import WhisperTranscriber
from callscope.engines.errors import EngineMissing, EngineRejected
from callscope.engines.identity import DEFAULT_SPEECH_MODEL
from callscope.engines.registry import build_transcriber
from callscope.environment import EngineAddress, Environment

pytestmark = pytest.mark.one_database

WIDTH, LAYERS, HEADS, MELS = 64, 2, 2, 80
LANGUAGES = 99
TEXT_TOKENS, VOCABULARY = 50_257, 51_865  # the sizes by which the library knows a multilingual model
# Of a stretch with its prompt: noise has no end, and 448 take seven times as long.
MOST_TOKENS = 64
MOST_TOKENS_OF_A_LOOP = 224  # enough for what cannot be people's "no, no, no"


@pytest.fixture(autouse=True)
def _no_network(monkeypatch):
    def refuse(*_arguments, **_options):
        raise AssertionError("no connection may be opened")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)


@pytest.fixture(scope="session")
def model_folder(tmp_path_factory):
    """A Whisper model with random weights, 30 MB, made in seconds."""
    pytest.importorskip("faster_whisper", reason="the extra 'whisper' is not installed")
    import ctranslate2

    folder = tmp_path_factory.mktemp("whisper-random")
    _write_model(folder)
    _write_tokenizer(folder)
    ctranslate2.set_random_seed(7)  # after doubtful results the library draws lots
    return folder


@pytest.fixture(scope="session")
def english_folder(tmp_path_factory):
    """The same with the tokens of an English model."""
    pytest.importorskip("faster_whisper", reason="the extra 'whisper' is not installed")
    folder = tmp_path_factory.mktemp("whisper-english")
    _write_model(folder, vocabulary=VOCABULARY - 1)
    _write_tokenizer(folder, TEXT_TOKENS - 1)
    return folder


@pytest.fixture(scope="session")
def looping_folder(tmp_path_factory):
    """One that can say nothing but "a" for words, and never ends: whatever it hears, it falls into a loop."""
    pytest.importorskip("faster_whisper", reason="the extra 'whisper' is not installed")
    folder = tmp_path_factory.mktemp("whisper-looping")
    _write_model(folder, letters="a", ends=False)
    _write_tokenizer(folder)
    return folder


@pytest.fixture(scope="session")
def speech(shared_data):
    """Four seconds of a telephone call, and four of silence behind them."""
    from callscope.transcription.audio import decoding

    with decoding.decode_recording(
        shared_data / "asr_g711" / "long_ulaw" / "long_dev_00_clean.wav"
    ) as recording:
        said = np.array(recording.samples[: 4 * 16_000, 0])
    return np.concatenate([said, np.zeros(4 * 16_000, np.int16)])


def copy_model(folder, place):
    """Return a copy of which a test may change files."""
    return Path(shutil.copytree(folder, place / "copy"))


def listen(engine, samples, *, language="en", hints=(), most_tokens=MOST_TOKENS):
    with contextlib.suppress(EngineMissing):  # raised again below
        engine._load_model().max_length = most_tokens
    return engine.transcribe(samples, language=language, hints=list(hints), deadline=time.monotonic() + 300)


class TestRandomModel:
    @pytest.mark.parametrize("batch_size", [1, 4])
    def test_gives_utterances_with_times_words_and_confidence(self, model_folder, speech, batch_size):
        engine = WhisperTranscriber(
            model=str(model_folder), device="cpu", compute_type="int8", batch_size=batch_size
        )

        heard = listen(engine, speech, hints=["Zubiri"])

        assert engine.check().ok
        assert heard.utterances
        for utterance in heard.utterances:
            assert 0 <= utterance.start_s <= utterance.end_s
            assert utterance.text
            assert 0 <= utterance.confidence <= 1
        # Noise may repeat itself, too: what is left of a loop has no words of its own.
        assert any(u.words for u in heard.utterances) or {u.confidence for u in heard.utterances} == {0}
        assert heard.language == "en"

    def test_finds_the_language_out_where_none_is_given(self, model_folder, speech):
        engine = WhisperTranscriber(model=str(model_folder), device="cpu", compute_type="int8")

        assert len(listen(engine, speech, language=None).language) in (2, 3)

    def test_hears_nothing_in_silence(self, model_folder):
        engine = WhisperTranscriber(model=str(model_folder), device="cpu", compute_type="int8")

        heard = listen(engine, np.zeros(20 * 16_000, np.int16), language=None)

        assert heard.utterances == []
        assert heard.language == ""  # that of silence would be passed on to the other channel

    def test_is_loaded_once(self, model_folder):
        first = WhisperTranscriber(model=str(model_folder), device="cpu", compute_type="int8")
        second = WhisperTranscriber(model=str(model_folder), device="cpu", compute_type="int8")

        assert first._load_model() is second._load_model()

    def test_takes_the_threads_that_it_is_given(self, model_folder, monkeypatch):
        import faster_whisper

        given = {}
        original = faster_whisper.WhisperModel
        monkeypatch.setattr(
            faster_whisper,
            "WhisperModel",
            lambda *a, **options: given.update(options) or original(*a, **options),
        )
        environment = Environment.read({"CALLSCOPE_WHISPER_THREADS": "3", "CALLSCOPE_WHISPER_DEVICE": "cpu",
                                        "CALLSCOPE_WHISPER_COMPUTE_TYPE": "float32"})  # fmt: skip

        build_transcriber(EngineAddress("local", model=str(model_folder)), environment)._load_model()

        assert given["cpu_threads"] == 3

    def test_says_nothing_past_the_log(self, model_folder):
        import ctranslate2

        listen(WhisperTranscriber(model=str(model_folder), device="cpu"), np.zeros(16_000, np.int16))

        assert ctranslate2.get_log_level() == logging.ERROR
        assert not logging.getLogger("faster_whisper").isEnabledFor(logging.INFO)

    def test_with_an_impossible_compute_type_says_so(self, model_folder):
        engine = WhisperTranscriber(model=str(model_folder), device="cpu", compute_type="int3")

        with pytest.raises(EngineMissing, match="compute type int3"):
            listen(engine, np.zeros(16_000, np.int16))


class TestLoop:
    @pytest.mark.parametrize("batch_size", [1, 4])
    def test_is_said_once_and_without_confidence(self, looping_folder, speech, batch_size):
        engine = WhisperTranscriber(
            model=str(looping_folder), device="cpu", compute_type="int8", batch_size=batch_size
        )

        heard = listen(engine, speech, most_tokens=MOST_TOKENS_OF_A_LOOP)

        assert not is_loop([utterance.text for utterance in heard.utterances])
        assert [(len(u.text), u.confidence) for u in heard.utterances] == [(1, 0.0)] * len(heard.utterances)
        assert heard.utterances


class TestEnglishModel:
    def test_refuses_other_languages_instead_of_hearing_english(self, english_folder, speech):
        engine = WhisperTranscriber(model=str(english_folder), device="cpu", compute_type="int8")

        with pytest.raises(EngineRejected, match='knows English alone, and the project says "es"'):
            listen(engine, speech, language="es")

        assert listen(engine, speech, language="en").language == "en"

    def test_is_known_before_it_is_loaded(self, english_folder, model_folder):
        assert "English alone" in WhisperTranscriber(model=str(english_folder)).check().detail
        assert "English alone" not in WhisperTranscriber(model=str(model_folder)).check().detail


class TestMissing:
    def test_package_is_reported_with_the_command_that_installs_it(self, monkeypatch):
        monkeypatch.setitem(sys.modules, "faster_whisper", None)

        health = WhisperTranscriber().check()

        assert not health.ok
        assert "pip install '.[whisper]'" in health.detail

    @pytest.mark.parametrize("model", ["", "small", "large-v3", "someone/some-whisper"])
    def test_model_is_reported_at_once_without_a_network(self, monkeypatch, tmp_path, model):
        pytest.importorskip("faster_whisper", reason="the extra 'whisper' is not installed")
        monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
        began = time.monotonic()

        with pytest.raises(EngineMissing, match="hf download"):
            listen(WhisperTranscriber(model=model), np.zeros(16_000, np.int16))

        assert time.monotonic() - began < 20

    def test_name_is_reported_with_the_names_there_are(self):
        pytest.importorskip("faster_whisper", reason="the extra 'whisper' is not installed")

        assert "expected one of: tiny" in WhisperTranscriber(model="enormous").check().detail

    @pytest.mark.parametrize("files", [[], ["model.bin"], ["tokenizer.json"]])
    def test_part_of_a_folder_is_reported(self, tmp_path, files):
        pytest.importorskip("faster_whisper", reason="the extra 'whisper' is not installed")
        for name in files:
            (tmp_path / name).write_bytes(b"{}")

        health = WhisperTranscriber(model=str(tmp_path)).check()

        assert not health.ok
        assert str(tmp_path) in health.detail

    def test_sense_of_a_folder_is_reported(self, tmp_path):
        pytest.importorskip("faster_whisper", reason="the extra 'whisper' is not installed")
        for name in ("model.bin", "tokenizer.json"):
            (tmp_path / name).write_bytes(b"{}")

        with pytest.raises(EngineMissing, match="not a whole Whisper model"):
            listen(WhisperTranscriber(model=str(tmp_path), device="cpu"), np.zeros(16_000, np.int16))


class TestDamage:
    """A model that somebody copied and whose copy broke off: doctor finds it, and recordings wait."""

    @pytest.mark.parametrize("share", [0, 0.001, 0.5, 0.999999])
    def test_model_that_was_cut_off_is_found_without_loading_it(self, model_folder, tmp_path, share):
        folder = copy_model(model_folder, tmp_path)
        whole = (folder / "model.bin").read_bytes()
        (folder / "model.bin").write_bytes(whole[: int(len(whole) * share)])
        engine = WhisperTranscriber(model=str(folder), device="cpu")

        health = engine.check()

        assert not health.ok
        assert "not a whole Whisper model" in health.detail
        assert "Copy or fetch the model again" in health.detail
        with pytest.raises(EngineMissing, match="not a whole Whisper model"):
            listen(engine, np.zeros(16_000, np.int16))

    @pytest.mark.parametrize("name", ["tokenizer.json", "config.json", "vocabulary.json"])
    @pytest.mark.parametrize("share", [0, 0.5])
    def test_text_that_was_cut_off_is_found(self, model_folder, tmp_path, name, share):
        folder = copy_model(model_folder, tmp_path)
        whole = (folder / name).read_bytes()
        (folder / name).write_bytes(whole[: int(len(whole) * share)])
        engine = WhisperTranscriber(model=str(folder), device="cpu")

        health = engine.check()

        assert not health.ok
        assert str(folder / name) in health.detail
        with pytest.raises(EngineMissing, match=f"{name}.* is damaged"):
            listen(engine, np.zeros(16_000, np.int16))

    def test_tensors_of_a_later_version_are_left_to_the_library(self, model_folder, tmp_path):
        folder = copy_model(model_folder, tmp_path)
        later = struct.pack("<I", LAST_VERSION + 1)
        (folder / "model.bin").write_bytes(later + (folder / "model.bin").read_bytes()[4:100])
        engine = WhisperTranscriber(model=str(folder), device="cpu")

        assert engine.check().ok
        with pytest.raises(EngineMissing, match="does not load on device cpu"):
            listen(engine, np.zeros(16_000, np.int16))


class TestSettings:
    def test_compute_type_that_the_device_lacks_is_found_without_loading(self, model_folder):
        health = WhisperTranscriber(model=str(model_folder), device="cpu", compute_type="float3").check()

        assert not health.ok
        assert "CALLSCOPE_WHISPER_COMPUTE_TYPE is float3" in health.detail
        assert "int8" in health.detail

    @pytest.mark.parametrize("compute_type", ["default", "auto", "int8", "float32"])
    def test_compute_type_of_every_processor_passes(self, model_folder, compute_type):
        engine = WhisperTranscriber(model=str(model_folder), device="cpu", compute_type=compute_type)

        assert engine.check().ok

    def test_graphics_card_that_is_not_there_is_found_without_loading(self, model_folder):
        import ctranslate2

        if ctranslate2.get_cuda_device_count():
            pytest.skip("this machine has one")

        assert not WhisperTranscriber(model=str(model_folder), device="cuda").check().ok


def test_default_model_is_one_that_the_library_knows():
    utils = pytest.importorskip("faster_whisper.utils", reason="the extra 'whisper' is not installed")

    assert DEFAULT_SPEECH_MODEL in utils.available_models()


def _write_model(folder, *, letters="abcdefghijklmnopqrstuvwxyz", vocabulary=VOCABULARY, ends=True):
    from ctranslate2.specs import whisper_spec

    first = TEXT_TOKENS - (VOCABULARY - vocabulary)  # English models have one token less before the others

    random = np.random.default_rng(7)

    def weights(*shape):
        return (random.standard_normal(shape) * 0.2).astype(np.float32)

    def linear(layer, out, into):
        layer.weight, layer.bias = weights(out, into), np.zeros(out, np.float32)

    def norm(layer):
        layer.gamma, layer.beta = np.ones(WIDTH, np.float32), np.zeros(WIDTH, np.float32)

    def block(layer, *, cross):
        linear(layer.self_attention.linear[0], 3 * WIDTH, WIDTH)
        linear(layer.self_attention.linear[1], WIDTH, WIDTH)
        norm(layer.self_attention.layer_norm)
        if cross:
            linear(layer.attention.linear[0], WIDTH, WIDTH)
            linear(layer.attention.linear[1], 2 * WIDTH, WIDTH)
            linear(layer.attention.linear[2], WIDTH, WIDTH)
            norm(layer.attention.layer_norm)
        linear(layer.ffn.linear_0, 4 * WIDTH, WIDTH)
        linear(layer.ffn.linear_1, WIDTH, 4 * WIDTH)
        norm(layer.ffn.layer_norm)

    spec = whisper_spec.WhisperSpec(LAYERS, HEADS, LAYERS, HEADS)
    spec.encoder.conv1.weight, spec.encoder.conv1.bias = weights(WIDTH, MELS, 3), weights(WIDTH)
    spec.encoder.conv2.weight, spec.encoder.conv2.bias = weights(WIDTH, WIDTH, 3), weights(WIDTH)
    spec.encoder.position_encodings.encodings = weights(1500, WIDTH)
    spec.decoder.position_encodings.encodings = weights(448, WIDTH)
    spec.decoder.embeddings.weight = weights(vocabulary, WIDTH)
    linear(spec.decoder.projection, vocabulary, WIDTH)
    for part, cross in ((spec.encoder, False), (spec.decoder, True)):
        norm(part.layer_norm)
        for layer in part.layer:
            block(layer, cross=cross)
    # Letters and spaces, few times, sooner or later an end: noise that can be read.
    bias = np.full(vocabulary, -30, np.float32)
    all_letters = _letters()
    bias[[all_letters.index(letter) for letter in letters]] = 0
    bias[all_letters.index("Ġ")] = 2
    bias[first] = 1 if ends else -30
    bias[first + 2 : first + 2 + LANGUAGES] = 0
    bias[first + 107 :] = -8
    spec.decoder.projection.bias = bias
    spec.config.alignment_heads = [(layer, head) for layer in range(LAYERS) for head in range(HEADS)]
    spec.config.suppress_ids, spec.config.suppress_ids_begin = [], []
    spec.config.lang_ids = list(range(first + 2, first + 2 + LANGUAGES))
    spec.register_vocabulary(_tokens(first))
    spec.validate()
    spec.optimize()
    spec.save(str(folder))


def _tokens(text_tokens=TEXT_TOKENS):
    """Return the vocabulary in Whisper's order: bytes, fillers, special tokens, times."""
    from faster_whisper.tokenizer import _LANGUAGE_CODES

    text = [*_letters(), *(f"filler{n}" for n in range(text_tokens - 256))]
    languages = [f"<|{code}|>" for code in _LANGUAGE_CODES[:LANGUAGES]]
    special = ["translate", "transcribe", "startoflm", "startofprev", "nospeech", "notimestamps"]
    tokens = [
        *text,
        "<|endoftext|>",
        "<|startoftranscript|>",
        *languages,
        *(f"<|{name}|>" for name in special),
    ]
    return [
        *tokens,
        *(f"<|{n * 0.02:.2f}|>" for n in range(VOCABULARY - TEXT_TOKENS + text_tokens - len(tokens))),
    ]


def _letters():
    """Return the 256 letters that stand for bytes; Ġ is the space."""
    from tokenizers.pre_tokenizers import ByteLevel

    return sorted(ByteLevel.alphabet())


def _write_tokenizer(folder, text_tokens=TEXT_TOKENS):
    import tokenizers

    vocabulary = {token: number for number, token in enumerate(_tokens(text_tokens))}
    tokenizer = tokenizers.Tokenizer(tokenizers.models.BPE(vocab=vocabulary, merges=[]))
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = tokenizers.decoders.ByteLevel()
    tokenizer.add_special_tokens(["<|startoftranscript|>"])
    tokenizer.save(str(folder / "tokenizer.json"))
    assert json.loads((folder / "tokenizer.json").read_text(encoding="utf-8"))["model"]["type"] == "BPE"
