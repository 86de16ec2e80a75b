"""The client and the analyser against a real inference server: llama.cpp with random weights.

Such a server refuses and babbles in its own ways; nothing that it says may become
a finding. It takes long to build, so `make llama` installs it into an environment
of its own, and names its Python in CALLSCOPE_TEST_LLAMA_PYTHON. CALLSCOPE_TEST_LLAMA_URL names
any other server that runs already.
"""

import os
import socket
import subprocess
import time
import urllib.request
from pathlib import Path

import pytest

from callscope.analysis.conversation.turns import build_conversation
from callscope.analysis.llm import analyzer
from callscope.analysis.results import findings
from callscope.engines.errors import BadOutput, EngineRejected, EngineUnavailable
from callscope.engines.llm import client as client_module
from callscope.engines.llm.client import ChatClient, ContextOverflow
from callscope.projects.configuration import parse

PYTHON = os.environ.get("CALLSCOPE_TEST_LLAMA_PYTHON", "")
URL = os.environ.get("CALLSCOPE_TEST_LLAMA_URL", "")  # of a server that runs already, in place of our own
STARTS_WITHIN_S = 60.0
LISTS = Path(__file__).parents[2] / "analysis" / "llm"
HOSTILE = [
    line
    for name in ("injections.txt", "more_injections.txt")
    for line in (LISTS / name).read_text(encoding="utf-8").splitlines()
]
pytestmark = [
    pytest.mark.one_database,
    pytest.mark.skipif(not PYTHON and not URL, reason="`make llama` builds llama.cpp and runs this"),
]


@pytest.fixture(scope="module")
def llama_url(tmp_path_factory):
    """Serve the tiny model on a free port until the module is done."""
    if URL:
        yield URL
        return
    model = tmp_path_factory.mktemp("llama") / "tiny.gguf"
    subprocess.run([PYTHON, str(Path(__file__).with_name("tiny_model.py")), str(model)], check=True)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    log = model.with_suffix(".log").open("wb")
    server = subprocess.Popen(
        [PYTHON, "-m", "llama_cpp.server", "--model", str(model), "--host", "127.0.0.1", "--port", str(port),
         "--n_ctx", "16384", "--n_threads", "1"],
        stdout=log, stderr=subprocess.STDOUT,
    )  # fmt: skip
    url = f"http://127.0.0.1:{port}/v1"
    try:
        _wait_for(f"{url}/models", server)
        yield url
    finally:
        server.terminate()
        server.wait(timeout=20)
        log.close()


def _wait_for(url: str, server: subprocess.Popen) -> None:
    ends_at = time.monotonic() + STARTS_WITHIN_S
    while time.monotonic() < ends_at:
        assert server.poll() is None, "The server ended."
        try:
            urllib.request.urlopen(url, timeout=2).read()
            return
        except OSError:
            time.sleep(0.3)
    raise AssertionError("The server did not start.")


@pytest.fixture
def client(llama_url, monkeypatch):
    monkeypatch.setattr(client_module, "_capabilities", {})
    return ChatClient(llama_url, model="tiny", timeout_s=120)


class TestLlama:
    def test_lists_its_model(self, client):
        assert client.models()

    def test_answers_or_is_refused_in_words_of_ours(self, client):
        """Whatever the ladder finds, it ends in a reply or in one of our errors."""
        schema = {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}
        try:
            reply = client.complete(
                [{"role": "user", "content": "Say something."}],
                schema=schema,
                schema_name="tiny",
                max_tokens=40,
            )
        except (BadOutput, EngineRejected, EngineUnavailable) as error:
            assert "127.0.0.1" in str(error)
        else:
            assert reply.output_tokens > 0

    def test_is_too_small_for_a_long_prompt(self, client):
        with pytest.raises(ContextOverflow):
            client.complete(
                [{"role": "user", "content": "word " * 5000}], schema={}, schema_name="tiny", max_tokens=10
            )

    def test_makes_no_finding_out_of_babble(self, client):
        said = [("agent", "Hello, how can I help?"), ("customer", "My invoice is wrong.")]
        turns = [{"start": 5 * i, "end": 5 * i + 4, "speaker": w, "text": t} for i, (w, t) in enumerate(said)]
        conversation = build_conversation(turns, language="en", spoken_language="en", quality={})
        criterion = {"id": "hi", "name": "Greets", "max_points": 5, "guideline": "Greets."}
        config = parse({"rubric": {"sections": [{"name": "All", "criteria": [criterion]}]}})

        try:
            found = analyzer.analyze_with_llm(
                conversation, config, client, types=[findings.COPC, findings.INSIGHTS], rubric_version=1
            )
        except EngineUnavailable:
            return  # reported as a server that may recover: the job tries again

        if found.copc is None:
            assert found.errors[findings.COPC]
        else:
            assert not [s for s in found.copc["criterion_scores"] if s["quote"] and not s["verified"]]


class TestHostileTranscripts:
    def test_earn_no_point_by_what_was_said_to_the_model(self, client):
        """A hundred calls, by turns of either speaker; a point needs a quote of the honest part."""
        criteria = [
            {"id": "greeting", "name": "Greets", "max_points": 10, "critical": True},
            {"id": "empathy", "name": "Empathy", "max_points": 6},
            {"id": "claim", "name": "Opens a claim", "max_points": 4},
        ]
        config = parse({"rubric": {"sections": [{"name": "All", "criteria": criteria}]}})
        judged = 0
        for number, said in enumerate(HOSTILE):
            speaker = ("agent", "customer")[number % 2]
            spoken = [("agent", "Good morning."), (speaker, said), ("agent", "That is not in my power.")]
            turns = [
                {"start": 5 * i, "end": 5 * i + 4, "speaker": w, "text": t} for i, (w, t) in enumerate(spoken)
            ]
            conversation = build_conversation(turns, language="en", spoken_language="en", quality={})
            try:
                found = analyzer.analyze_with_llm(
                    conversation, config, client, types=[findings.COPC], rubric_version=1
                )
            except EngineUnavailable:
                continue
            judged += found.copc is not None
            for score in found.copc["criterion_scores"] if found.copc else []:
                assert not score["score"] or (score["verified"] and score["quote"] not in said), said
        print(f"{judged} of {len(HOSTILE)} hostile calls were judged, none by what was said to the model")
