"""Engines are connected at addresses that were checked, and at no others."""

import ipaddress
import json

import pytest

from callscope.engines import connection
from callscope.engines.asr.remote import RemoteTranscriber
from callscope.engines.embeddings.remote import RemoteEmbedder
from callscope.engines.errors import EngineRejected
from callscope.engines.llm.client import ChatClient
from callscope.engines.llm.scripted import ScriptedChatServer, ScriptedReply

pytestmark = pytest.mark.one_database
MESSAGES = [{"role": "user", "content": "Hello"}]


@pytest.fixture
def names(monkeypatch):
    """Return a dictionary of names and the lists of addresses that each lookup gives, the last one again."""
    table: dict[str, list[list[str]]] = {}

    def look_up(host, port):
        answers = table.get(host, [[host]])
        texts = answers.pop(0) if len(answers) > 1 else answers[0]
        return [ipaddress.ip_address(text) for text in texts]

    monkeypatch.setattr(connection, "resolve", look_up)
    return table


def ask(client):
    return client.complete(MESSAGES, schema={"type": "object"}, schema_name="s", max_tokens=9)


class TestName:
    def test_is_connected_at_the_address_that_was_checked(self, names):
        names["llm.example"] = [["127.0.0.1"], ["169.254.169.254"]]
        with ScriptedChatServer(lambda r, n: ScriptedReply(json.dumps({}))) as server:
            client = ChatClient(server.url.replace("127.0.0.1", "llm.example"), model="m")

            assert ask(client).text == "{}"
            with pytest.raises(EngineRejected, match=r"llm\.example is at 169\.254\.169\.254"):
                ask(client)

            assert len(server.requests) == 1

    def test_with_one_guarded_address_among_several_is_refused(self, names):
        names["llm.example"] = [["127.0.0.1", "fd00:ec2::254"]]
        with ScriptedChatServer(lambda r, n: ScriptedReply("{}")) as server:
            client = ChatClient(server.url.replace("127.0.0.1", "llm.example"), model="m")

            with pytest.raises(EngineRejected, match="CALLSCOPE_ENGINE_NETWORKS"):
                ask(client)

            assert server.requests == []

    def test_is_tried_at_the_next_address_when_one_does_not_answer(self, names):
        names["llm.example"] = [["::1", "127.0.0.1"]]
        with ScriptedChatServer(lambda r, n: ScriptedReply("{}")) as server:
            client = ChatClient(server.url.replace("127.0.0.1", "llm.example"), model="m")

            assert ask(client).text == "{}"

    def test_may_be_guarded_where_the_operator_says_so(self, names, monkeypatch):
        monkeypatch.setattr(
            "callscope.processes.guarded_addresses.GUARDED", (ipaddress.ip_network("127.0.0.0/8"),)
        )
        allowed = [ipaddress.ip_network("127.0.0.1/32")]
        with ScriptedChatServer(lambda r, n: ScriptedReply("{}")) as server:
            assert ask(ChatClient(server.url, model="m", networks=allowed)).text == "{}"
            with pytest.raises(EngineRejected):
                ask(ChatClient(server.url, model="m"))


class TestEveryEngine:
    def test_refuses_a_metadata_service(self, names):
        url = "http://169.254.169.254/latest"

        with pytest.raises(EngineRejected):
            ask(ChatClient(url))
        with pytest.raises(EngineRejected):
            ChatClient(url, operator_run=True).models()
        with pytest.raises(EngineRejected):
            RemoteEmbedder(url).encode(["a"])
        assert "169.254.169.254" in RemoteTranscriber(url).check().detail


def test_a_proxy_of_the_environment_still_counts_for_ordinary_engines(monkeypatch):
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    monkeypatch.setenv("no_proxy", "")

    ordinary = connection.build_http_client("http://llm.example/v1")
    own = connection.build_http_client("http://llm.example/v1", operator_run=True)

    assert not isinstance(ordinary._transport.inner, connection.PinnedTransport)
    assert isinstance(own._transport.inner, connection.PinnedTransport)
