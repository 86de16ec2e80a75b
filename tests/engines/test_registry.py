"""Which engines a project gets: the common ones, or what the operator runs for private projects."""

from decimal import Decimal

import pytest

from callscope.engines.asr.demo import DemoTranscriber
from callscope.engines.asr.remote import RemoteTranscriber
from callscope.engines.asr.whisper import WhisperTranscriber
from callscope.engines.embeddings.built_in import BuiltInEmbedder
from callscope.engines.embeddings.lexical import LexicalEmbedder
from callscope.engines.embeddings.remote import RemoteEmbedder
from callscope.engines.errors import EngineMissing
from callscope.engines.registry import engines_for
from callscope.environment import Environment

COMMON = {
    "CALLSCOPE_TRANSCRIBER": "https://asr.outside.example/v1",
    "CALLSCOPE_TRANSCRIBER_PRICE_MINUTE": "0.6",
    "CALLSCOPE_LLM_URL": "https://llm.outside.example/v1",
    "CALLSCOPE_LLM_MODEL": "large",
    "CALLSCOPE_EMBED_URL": "https://embed.outside.example/v1",
    "CALLSCOPE_EMBED_MODEL": "e1",
}
PRIVATE = {
    "CALLSCOPE_PRIVATE_TRANSCRIBER": "http://asr.inside.example/v1",
    "CALLSCOPE_PRIVATE_TRANSCRIBER_PRICE_MINUTE": "0.06",
    "CALLSCOPE_PRIVATE_LLM_URL": "http://llm.inside.example/v1",
    "CALLSCOPE_PRIVATE_LLM_PRICE_INPUT": "2",
    "CALLSCOPE_PRIVATE_LLM_PRICE_OUTPUT": "3",
}


def engines(variables, *, private):
    return engines_for(Environment.read(variables), private=private)


class TestCommonProject:
    def test_gets_the_common_engines(self):
        chosen = engines({**COMMON, **PRIVATE}, private=False)

        assert (chosen.transcriber.hosts, chosen.transcriber.sends_data_out) == (
            ["asr.outside.example"],
            True,
        )
        assert (chosen.llm.host, chosen.llm.model) == ("llm.outside.example", "large")
        assert isinstance(chosen.embedder, RemoteEmbedder)
        assert chosen.embedder.hosts == ["embed.outside.example"]

    def test_pays_the_prices_of_these(self):
        chosen = engines({**COMMON, **PRIVATE}, private=False)

        assert chosen.audio_cost_micros(60_000_000) == 600_000
        assert chosen.llm.pricing(1, 1) is None


class TestLocalEncoder:
    def test_is_the_built_in_one_whatever_compares_meanings(self):
        chosen = engines(COMMON, private=False)

        assert isinstance(chosen.local_encoder, BuiltInEmbedder)
        assert chosen.local_encoder.hosts == []

    def test_is_none_where_memory_is_scarce(self):
        assert engines({**COMMON, "CALLSCOPE_EMBEDDER": "words"}, private=False).local_encoder is None


class TestPrivateProject:
    def test_gets_the_private_engines_and_no_server_for_embeddings(self):
        chosen = engines({**COMMON, **PRIVATE}, private=True)

        assert (chosen.transcriber.hosts, chosen.transcriber.sends_data_out) == (
            ["asr.inside.example"],
            False,
        )
        assert chosen.llm.host == "llm.inside.example"
        assert isinstance(chosen.embedder, BuiltInEmbedder)

    def test_compares_by_words_alone_where_the_operator_says_so(self):
        chosen = engines({**COMMON, "CALLSCOPE_EMBEDDER": "words"}, private=True)

        assert isinstance(chosen.embedder, LexicalEmbedder)

    def test_pays_the_prices_of_these(self):
        chosen = engines({**COMMON, **PRIVATE}, private=True)

        assert chosen.audio_cost_micros(60_000_000) == 60_000
        assert chosen.llm.pricing(1, 1) == Decimal(5)

    def test_gets_nothing_that_sends_data_out_where_only_common_engines_are_configured(self):
        chosen = engines(COMMON, private=True)

        assert isinstance(chosen.transcriber, WhisperTranscriber)
        assert not chosen.transcriber.sends_data_out
        assert chosen.llm is None
        assert chosen.embedder.hosts == []
        assert chosen.audio_cost_micros(60_000_000) is None


class TestLocalModel:
    def test_of_the_common_projects_serves_private_ones_too(self):
        chosen = engines({"CALLSCOPE_TRANSCRIBER_MODEL": "/models/one"}, private=True)

        assert chosen.transcriber.model == "/models/one"
        assert chosen.transcriber.model_setting == "CALLSCOPE_TRANSCRIBER_MODEL"

    def test_of_private_projects_may_be_another(self):
        both = {"CALLSCOPE_TRANSCRIBER_MODEL": "/one", "CALLSCOPE_PRIVATE_TRANSCRIBER_MODEL": "/two"}

        assert engines(both, private=True).transcriber.model == "/two"

    def test_of_a_server_is_no_name_for_the_local_one(self):
        chosen = engines({**COMMON, "CALLSCOPE_TRANSCRIBER_MODEL": "whisper-1"}, private=True)

        assert chosen.transcriber.model == "small"
        assert chosen.transcriber.model_setting == "CALLSCOPE_PRIVATE_TRANSCRIBER_MODEL"


class TestEngines:
    @pytest.mark.parametrize(
        ("address", "kind"),
        [
            ("", WhisperTranscriber),
            ("local", WhisperTranscriber),
            ("demo", DemoTranscriber),
            ("http://127.0.0.1:9/v1", RemoteTranscriber),
        ],
    )
    def test_recognize_speech_at_every_kind_of_address(self, address, kind):
        assert isinstance(engines({"CALLSCOPE_TRANSCRIBER": address}, private=False).transcriber, kind)

    def test_have_no_language_model_by_default(self):
        assert engines({}, private=False).llm is None

    def test_share_a_client_and_its_connections(self):
        assert engines(COMMON, private=False).llm is engines(COMMON, private=False).llm

    def test_are_built_only_when_they_are_used(self, tmp_path):
        chosen = engines({"CALLSCOPE_EMBED_MODEL_DIR": str(tmp_path)}, private=True)

        assert chosen.llm is None
        with pytest.raises(EngineMissing, match=r"does not hold: config\.json"):
            _ = chosen.embedder
