# ruff: noqa: F811, fixtures of the other tests
"""What `callscope doctor` finds."""

import contextlib
import dataclasses
import http.server
import ipaddress
import json
import struct
import sys
import threading

import pytest
from django.db import OperationalError

from callscope.engines.llm.scripted import ScriptedChatServer, ScriptedReply
from callscope.environment import EngineAddress
from callscope.messages.message import Message
from callscope.pipeline.operation import engine_checks, health_checks
from callscope.transcription.audio import decoding
from tests.engines.embeddings.test_embedders import folder  # noqa: F401, a fixture: a tiny sentence model

pytestmark = pytest.mark.django_db


@pytest.fixture
def setting(settings):
    def change(**values):
        settings.ENVIRONMENT = dataclasses.replace(settings.ENVIRONMENT, **values)

    return change


@contextlib.contextmanager
def answering_engine():
    """Serve speech recognition, a language model and embeddings; yield the URL and what is asked."""
    asked = []
    answers = {
        "transcriptions": {"text": "", "language": "en", "duration": 2.0, "segments": [], "words": []},
        "completions": {
            "id": "1",
            "object": "chat.completion",
            "created": 1,
            "model": "m",
            "choices": [
                {
                    "index": 0,
                    "finish_reason": "stop",
                    "message": {"role": "assistant", "content": '{"answer": "OK"}'},
                }
            ],
        },
        "embeddings": {
            "object": "list",
            "model": "m",
            "data": [{"object": "embedding", "index": n, "embedding": [1.0, n]} for n in (0, 1)],
        },
        "models": {"object": "list", "data": []},
    }

    class Handler(http.server.BaseHTTPRequestHandler):
        def answer(self):
            self.rfile.read(int(self.headers.get("Content-Length", 0)))
            asked.append(self.path)
            body = json.dumps(answers[self.path.rpartition("/")[2]]).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_GET = do_POST = answer

        def log_message(self, *_):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/v1", asked
        server.shutdown()


class TestChecks:
    def test_find_a_pooler_that_shares_sessions(self, monkeypatch):
        assert health_checks.check_database_sessions().is_ok
        monkeypatch.setattr(health_checks, "is_pooled_by_transaction", lambda: True)

        found = health_checks.check_database_sessions()

        assert not (found.is_ok or found.is_warning)
        assert "pool_mode = session" in found.advice
        assert health_checks.check_database().is_ok  # which probes of readiness ask: one connection is enough

    def test_say_that_no_other_connection_can_be_opened(self, monkeypatch):
        def refuse():
            raise OperationalError("too many clients already\nmore")

        monkeypatch.setattr(health_checks, "is_pooled_by_transaction", refuse)

        found = health_checks.check_database_sessions()

        assert (found.is_ok, found.detail) == (False, "too many clients already")

    def test_find_a_working_installation_in_order(self):
        found = {check.name: check.is_ok for check in health_checks.run_all_checks()}

        assert found["database"] and found["migrations"] and found["storage"] and found["queue"]
        assert found["analysis"]

    def test_say_how_to_close_an_open_secret_key(self, settings, setting, tmp_path):
        setting(secret_key="")
        settings.DATA_DIR = tmp_path
        key = tmp_path / "secret_key"
        key.write_text("k")
        key.chmod(0o644)

        check = health_checks.check_secret_key()

        assert not check.is_ok
        assert check.advice == f"Run `chmod 600 {key}`."

    def test_warn_of_a_data_folder_that_others_can_read(self, settings, tmp_path):
        settings.DATA_DIR = tmp_path
        tmp_path.chmod(0o750)

        check = health_checks.check_data_folder()

        assert (check.is_ok, check.is_warning) == (False, True)
        assert check.detail == f"{tmp_path}, mode 0750, owned by {tmp_path.owner()}"
        assert check.advice == f"Run `chmod 700 {tmp_path}`."

    def test_find_a_closed_data_folder_whose_owner_has_no_name(self, settings, tmp_path, monkeypatch):
        settings.DATA_DIR = tmp_path
        tmp_path.chmod(0o700)
        monkeypatch.setattr("pwd.getpwuid", {}.__getitem__)

        check = health_checks.check_data_folder()

        assert check.is_ok
        assert check.detail == f"{tmp_path}, mode 0700, owned by {tmp_path.stat().st_uid}"

    def test_warn_of_a_data_folder_that_is_not_there(self, settings, tmp_path):
        settings.DATA_DIR = tmp_path / "nowhere"

        check = health_checks.check_data_folder()

        assert (check.is_ok, check.is_warning) == (False, True)
        assert "nowhere" in check.detail

    def test_warn_of_a_missing_recognizer_without_failing(self, setting, monkeypatch):
        monkeypatch.setitem(sys.modules, "faster_whisper", None)
        setting(transcriber=EngineAddress())

        check = next(c for c in health_checks.check_engines() if c.name == "speech recognition")

        assert not check.is_ok
        assert check.is_warning
        assert "pip install '.[whisper]'" in check.detail
        assert check.advice

    def test_find_a_speech_model_that_was_cut_off(self, setting, tmp_path):
        pytest.importorskip("faster_whisper", reason="the extra 'whisper' is not installed")
        (tmp_path / "tokenizer.json").write_text("{}")
        (tmp_path / "model.bin").write_bytes(struct.pack("<IH", 6, 12) + b"WhisperSpec\0")
        setting(transcriber=EngineAddress("local", model=str(tmp_path)), whisper_device="cpu")

        check = next(c for c in health_checks.check_engines() if c.name == "speech recognition")

        assert not check.is_ok
        assert "model.bin" in check.detail
        assert "Copy or fetch the model again" in check.detail

    def test_find_a_sentence_model_that_was_cut_off(self, setting, folder):
        weights = folder / "model.safetensors"
        weights.write_bytes(weights.read_bytes()[:-1])
        setting(embed_model_dir=str(folder))

        check = next(c for c in health_checks.check_engines() if c.name == "embeddings")

        assert (check.is_ok, check.is_warning) == (False, False)
        assert f"{folder} holds no BERT or MPNet sentence model" in check.detail
        assert "Copy or fetch the model again" in check.detail

    @pytest.mark.parametrize(
        ("name", "engine"),
        [("speech recognition", "transcriber"), ("analysis", "llm"), ("embeddings", "embed_url")],
    )
    def test_fail_for_an_engine_that_was_named_and_does_not_answer(self, setting, name, engine):
        setting(**{engine: EngineAddress("http://127.0.0.1:1/v1", model="m")})

        check = next(c for c in health_checks.check_engines() if c.name == name)

        assert (check.is_ok, check.is_warning) == (False, False)
        assert "CALLSCOPE_" in check.advice or "docs/engines.md" in check.advice

    def test_ask_engines_a_real_question(self, setting):
        with answering_engine() as (address, asked):
            engine = EngineAddress(address, model="m")
            setting(transcriber=engine, llm=engine, embed_url=engine)

            found = {check.name: check for check in health_checks.check_engines()}

        for name in ("speech recognition", "analysis", "embeddings"):
            assert found[name].is_ok, found[name]
            assert "answered in" in found[name].detail
        assert {path.rpartition("/v1/")[2] for path in asked} >= {
            "audio/transcriptions",
            "chat/completions",
            "embeddings",
        }

    def test_do_not_take_an_answer_without_what_was_asked_for_one(self, setting):
        nothing = ScriptedReply(raw='{"object": "list", "data": [], "choices": []}')
        with ScriptedChatServer(lambda request, number: nothing) as server:
            engine = EngineAddress(server.url, model="m")
            setting(llm=engine, embed_url=engine)

            found = {check.name: (check.is_ok, check.is_warning) for check in health_checks.check_engines()}

        assert (found["analysis"], found["embeddings"]) == ((False, True), (False, False))

    def test_wait_for_no_engine_that_hangs(self, setting, monkeypatch):
        monkeypatch.setattr(engine_checks, "LIMIT_S", 0.2)
        is_over, waits = threading.Event(), []

        def hang(request, number):
            waits.append(is_over.wait(20))
            return ScriptedReply("late")

        with ScriptedChatServer(hang) as server:
            engine = EngineAddress(server.url, model="m")
            setting(llm=engine, embed_url=engine)

            found = {check.name: check.is_ok for check in health_checks.check_engines()}
            is_over.set()

        assert (found["analysis"], found["embeddings"]) == (False, False)
        assert all(waits)  # nobody waited for the end of a wait

    def test_warn_of_the_demo_recognizer_and_say_what_it_can_do(self, setting):
        pytest.importorskip("pocketsphinx")
        setting(transcriber=EngineAddress("demo"))

        check = next(c for c in health_checks.check_engines() if c.name == "speech recognition")

        assert check.is_warning
        assert check.detail.startswith(
            "pocketsphinx (demo): for trying Callscope only: it knows English alone"
        )
        assert "CALLSCOPE_TRANSCRIBER" in check.advice

    @pytest.mark.parametrize(
        ("layers", "is_ok", "detail"),
        [
            (["network namespace", "Landlock"], True, "sandboxed by network namespace, Landlock"),
            (["seccomp"], True, "sandboxed by seccomp"),
            (["network namespace"], False, "sandboxed only by limits, network namespace"),
            ([], False, "sandboxed only by limits"),
        ],
    )
    def test_say_what_shuts_the_decoder_in(self, monkeypatch, layers, is_ok, detail):
        monkeypatch.setattr(decoding, "find_sandbox_layers", lambda: layers)

        check = health_checks.check_decoder()

        assert (check.is_ok, check.is_warning, check.detail) == (is_ok, not is_ok, detail)

    def test_decode_a_recording(self, monkeypatch):
        assert health_checks.check_decoder().is_ok

        def refuse(path):
            assert path.read_bytes()[:4] == b"RIFF"
            raise decoding.UnreadableRecording(Message("undecodable"))

        monkeypatch.setattr(decoding, "measure_audio_duration", refuse)
        check = health_checks.check_decoder()

        assert (check.is_ok, check.is_warning) == (False, False)
        assert check.detail == "The recording cannot be decoded."

    def test_name_unknown_settings(self, setting):
        setting(unknown=["CALLSCOPE_TIMEZONE"])

        check = health_checks.check_unknown_settings()

        assert "CALLSCOPE_TIMEZONE" in check.detail
        assert check.is_warning

    def test_keep_the_passwords_of_engines(self, setting):
        secret = EngineAddress("http://user:SECRET@127.0.0.1:1/v1", model="big")
        setting(llm=secret, private_llm=secret, transcriber=secret, private_transcriber=secret)

        found = " ".join(f"{check.detail} {check.advice}" for check in health_checks.check_engines())

        assert "SECRET" not in found
        assert "http://…@127.0.0.1:1/v1" in found

    def test_tell_what_judges_private_projects(self, setting):
        setting(llm=EngineAddress("http://llm.example/v1", model="big"))

        check = next(c for c in health_checks.check_engines() if c.name == "analysis of private projects")

        assert check.detail == (
            "the built-in rules analyzer: it judges by the phrases of the rubric; criteria without phrases "
            "and custom questions need a language model (CALLSCOPE_PRIVATE_LLM_URL)"
        )

    def test_tell_what_judges_the_calls(self, setting):
        setting(llm=EngineAddress("http://llm.example/v1", model="big"))

        check = next(c for c in health_checks.check_engines() if c.name == "analysis")

        assert check.detail.startswith("http://llm.example/v1, big")

    @pytest.mark.parametrize(
        "kind", ["llm", "private_llm", "embed_url", "transcriber", "private_transcriber"]
    )
    def test_fail_where_a_name_leads_to_a_metadata_service(self, kind, setting, monkeypatch):
        monkeypatch.setattr(
            health_checks, "resolve", lambda host, port: [ipaddress.ip_address("169.254.169.254")]
        )
        setting(**{kind: EngineAddress("http://llm.example/v1")})

        [failed] = [
            check for check in health_checks.check_engines() if not check.is_ok and not check.is_warning
        ]

        assert failed.detail.startswith("llm.example is at 169.254.169.254")
        assert "CALLSCOPE_ENGINE_NETWORKS" in failed.advice
