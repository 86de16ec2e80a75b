"""The chat client against a server that refuses in every way that servers do."""

import json
import threading
import time
from email.utils import formatdate

import pytest

from callscope.engines.answers import listen_to_answers
from callscope.engines.errors import BadOutput, EngineRejected, EngineUnavailable, Trouble
from callscope.engines.llm import client as client_module
from callscope.engines.llm.client import ChatClient, ContextOverflow
from callscope.engines.llm.scripted import ScriptedChatServer, ScriptedReply

pytestmark = pytest.mark.one_database
MESSAGES = [{"role": "system", "content": "Rules."}, {"role": "user", "content": "Words."}]
SCHEMA = {
    "type": "object",
    "properties": {"a": {"type": "string"}},
    "required": ["a"],
    "additionalProperties": False,
}


@pytest.fixture(autouse=True)
def _forget_servers(monkeypatch):
    monkeypatch.setattr(client_module, "_capabilities", {})
    monkeypatch.setattr(client_module, "_answered_forms", {})


def ask(server, **changes):
    client = ChatClient(server.url, api_key="secret", model="m1", **changes)
    return client.complete(MESSAGES, schema=SCHEMA, schema_name="test", max_tokens=50)


def formats(server):
    return [(r.get("response_format") or {}).get("type", "none") for r in server.requests]


class TestAnswer:
    def test_carries_text_tokens_and_stated_cost(self):
        usage = {"prompt_tokens": 12, "completion_tokens": 3, "cost": 0.00125}
        with ScriptedChatServer(lambda r, n: ScriptedReply('{"a": "x"}', usage=usage)) as server:
            reply = ask(server)

        assert (reply.text, reply.input_tokens, reply.output_tokens) == ('{"a": "x"}', 12, 3)
        assert (reply.cost_micros, reply.model) == (1250, "m1")

    def test_is_asked_for_by_the_strict_schema_first(self):
        with ScriptedChatServer(lambda r, n: ScriptedReply("{}")) as server:
            ask(server)

        form = server.requests[0]["response_format"]
        assert (form["type"], form["json_schema"]["strict"], form["json_schema"]["schema"]) == (
            "json_schema",
            True,
            SCHEMA,
        )
        assert server.requests[0]["temperature"] == 0

    @pytest.mark.parametrize(
        ("said", "message"),
        [
            (ScriptedReply('{"a":', finish_reason="length"), "cut off"),
            (ScriptedReply("", finish_reason="stop"), "empty answer"),
            (ScriptedReply("x", finish_reason="content_filter"), "refused to answer"),
            (ScriptedReply(raw='{"choices": []}'), "without a message"),
        ],
    )
    def test_that_cannot_be_used_is_bad_output(self, said, message):
        with ScriptedChatServer(lambda r, n: said) as server, pytest.raises(BadOutput, match=message):
            ask(server)

    @pytest.mark.parametrize("choices", ["5", "true", "null", "{}", '"text"', "[null]", "[5]", "[[]]"])
    def test_whose_choices_are_none_is_asked_for_again(self, choices):
        said = ScriptedReply(raw=f'{{"choices": {choices}}}')
        with ScriptedChatServer(lambda r, n: said) as server, pytest.raises(BadOutput) as caught:
            ask(server)

        assert caught.value.is_mishap

    @pytest.mark.parametrize("raw", ["{}", "[]", '{"status": "ok"}', '{"message": {"content": "{}"}}'])
    def test_without_a_completion_may_be_everybodys(self, raw):
        heard = []

        with (
            ScriptedChatServer(lambda r, n: ScriptedReply(raw=raw)) as server,
            listen_to_answers(heard.append),
            pytest.raises(EngineRejected, match="without a message") as rejected,
        ):
            ask(server)

        assert (rejected.value.is_of_call, heard, len(server.requests)) == (False, [], 1)

    def test_without_a_completion_that_is_paid_for_is_asked_for_again(self):
        said = ScriptedReply(raw='{"usage": {"prompt_tokens": 1000}}')
        with ScriptedChatServer(lambda r, n: said) as server, pytest.raises(BadOutput) as caught:
            ask(server)

        assert caught.value.is_mishap
        assert caught.value.reply.input_tokens == 1000

    @pytest.mark.parametrize(
        "said",
        [
            ScriptedReply(raw="<html>hello</html>", headers={"content-type": "text/html"}),
            ScriptedReply(raw="{nonsense"),
            ScriptedReply(raw="[" * 10**5 + "]" * 10**5),
        ],
    )
    def test_of_a_gateway_in_place_of_the_model_may_pass(self, said):
        with (
            ScriptedChatServer(lambda r, n: said) as server,
            pytest.raises(EngineUnavailable, match="not JSON") as caught,
        ):
            ask(server)

        assert caught.value.trouble is None


class TestLadder:
    @pytest.mark.parametrize("status", [400, 404, 422])
    def test_steps_down_until_the_server_understands(self, status):
        def script(request, number):
            return (
                ScriptedReply('{"a": "x"}')
                if "response_format" not in request
                else ScriptedReply("unknown field", status=status)
            )

        with ScriptedChatServer(script) as server:
            ask(server)

        assert formats(server) == ["json_schema", "json_object", "none"]
        assert json.dumps(SCHEMA) in server.requests[-1]["messages"][0]["content"]
        assert server.requests[-1]["messages"][-1]["content"] == "Words."

    @pytest.mark.parametrize(
        "refusal",
        [
            ScriptedReply("The response was filtered: content_filter policy.", status=400),
            ScriptedReply("Your input was flagged by moderation.", status=403),
        ],
    )
    def test_is_not_stepped_down_for_refused_content(self, refusal):
        with ScriptedChatServer(lambda r, n: refusal) as server, pytest.raises(EngineRejected) as refused:
            ask(server)

        assert formats(server) == ["json_schema"]
        assert refused.value.is_of_call

    def test_is_not_stepped_down_where_the_same_form_was_answered_before(self):
        def script(request, number):
            return ScriptedReply("{}") if number == 0 else ScriptedReply("Bad request.", status=400)

        with ScriptedChatServer(script) as server:
            ask(server)
            with pytest.raises(EngineRejected):
                ask(server)

        assert formats(server) == ["json_schema"] * 2

    def test_is_stepped_down_where_a_server_no_longer_knows_a_form(self):
        def script(request, number):
            is_known = number == 0 or "response_format" not in request
            return ScriptedReply("{}") if is_known else ScriptedReply("no response_format here", status=400)

        with ScriptedChatServer(script) as server:
            ask(server)
            ask(server)

        assert formats(server) == ["json_schema", "json_schema", "json_object", "none"]

    def test_steps_down_on_a_crash_that_names_the_format(self):
        def script(request, number):
            is_strict = (request.get("response_format") or {}).get("type") == "json_schema"
            return (
                ScriptedReply("failed to parse json_schema grammar", status=500)
                if is_strict
                else ScriptedReply("{}")
            )

        with ScriptedChatServer(script) as server:
            ask(server)

        assert formats(server) == ["json_schema", "json_object"]

    def test_remembers_the_rung_for_this_server_and_model(self):
        def script(request, number):
            return (
                ScriptedReply("{}") if "response_format" not in request else ScriptedReply("no", status=400)
            )

        with ScriptedChatServer(script) as server:
            ask(server)
            ask(server)

        assert formats(server) == ["json_schema", "json_object", "none", "none"]

    def test_remembers_nothing_of_a_question_that_failed_altogether(self):
        with ScriptedChatServer(
            lambda r, n: ScriptedReply("no such model", status=404) if n < 3 else ScriptedReply("{}")
        ) as server:
            with pytest.raises(EngineUnavailable, match="no such model"):
                ask(server)
            ask(server)

        assert formats(server) == ["json_schema", "json_object", "none", "json_schema"]

    def test_learns_which_parameters_a_server_does_not_know(self):
        def script(request, number):
            if "max_tokens" in request:
                return ScriptedReply(
                    "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens'.", status=400
                )
            if "temperature" in request:
                return ScriptedReply("Unsupported value: 'temperature' does not support 0.", status=400)
            return ScriptedReply("{}")

        with ScriptedChatServer(script) as server:
            ask(server)

        assert "temperature" not in server.requests[-1]
        assert server.requests[-1]["max_completion_tokens"] == 50
        assert formats(server)[-1] == "json_schema"


class TestRefusal:
    @pytest.mark.parametrize("status", [408, 429, 500, 502, 503, 529])
    def test_that_may_pass_asks_for_another_try(self, status):
        said = ScriptedReply("busy", status=status, headers={"retry-after": "17"})
        with ScriptedChatServer(lambda r, n: said) as server, pytest.raises(EngineUnavailable) as caught:
            ask(server)

        assert caught.value.retry_after_s == 17
        assert len(server.requests) == 1

    def test_understands_a_date_to_wait_for(self):
        said = ScriptedReply(
            "busy", status=503, headers={"retry-after": formatdate(time.time() + 600, usegmt=True)}
        )
        with ScriptedChatServer(lambda r, n: said) as server, pytest.raises(EngineUnavailable) as caught:
            ask(server)

        assert 500 < caught.value.retry_after_s <= 601

    @pytest.mark.parametrize(
        ("status", "text", "trouble"),
        [
            (401, "bad key", Trouble.KEY),
            (403, "no", Trouble.KEY),
            (402, "pay", Trouble.QUOTA),
            (429, "insufficient_quota", Trouble.QUOTA),
            (429, "slow down", Trouble.BUSY),
            (503, "Loading model", Trouble.BUSY),
            (302, "moved", Trouble.UNREACHABLE),
            (500, "oops", None),
            (400, "Incorrect API key provided: secret.", Trouble.KEY),
            (422, "No auth credentials found", Trouble.KEY),
            (400, "You are out of credits.", Trouble.QUOTA),
        ],
    )
    def test_counts_as_trouble_of_the_engine_or_not(self, status, text, trouble):
        with (
            ScriptedChatServer(lambda r, n: ScriptedReply(text, status=status)) as server,
            pytest.raises(EngineUnavailable) as caught,
        ):
            ask(server)

        assert (caught.value.trouble, len(server.requests)) == (trouble, 1)
        assert caught.value.engine == ("language", server.url)

    def test_of_this_content_is_final(self):
        said = ScriptedReply("Your input was flagged by moderation.", status=403)
        with ScriptedChatServer(lambda r, n: said) as server, pytest.raises(EngineRejected):
            ask(server)

    @pytest.mark.parametrize(
        ("status", "error", "trouble"),
        [
            (429, {"message": "Limit 3 / min. Visit https://h/account/billing.", "code": "requests"}, "busy"),
            (429, {"message": "Rate limit reached. Upgrade: https://h/settings/billing"}, "busy"),
            (429, {"message": "You exceeded your current quota. Please retry in 38.2s."}, "busy"),
            (429, {"message": "You exceeded your current quota, see your billing details."}, "quota"),
            (429, {"message": "Wait 2 s, try again in 2s.", "code": "insufficient_quota"}, "quota"),
            (503, {"message": "Overloaded. Please try again in 20s."}, "busy"),
            (503, {"message": "Overloaded.", "details": [{"retryDelay": "20s"}]}, "busy"),
            (503, {"message": "Overloaded."}, None),
            (500, {"message": "Cannot read 'it broke again, try again in 20 seconds'"}, None),
            (429, {"message": "Over budget.", "type": "budget_exceeded"}, "quota"),
            (400, {"message": "Budget has been exceeded! Max budget: 0.01"}, "quota"),
            (403, {"message": "Your team doesn't have any credits yet."}, "quota"),
            (404, {"message": "No such address.", "code": "DeploymentNotFound"}, "model"),
            (400, {"message": "a/b is not a valid model ID"}, "model"),
            (400, {"message": "No models loaded. Please load a model."}, "model"),
        ],
    )
    def test_differs_from_others_that_look_like_it(self, status, error, trouble):
        said = ScriptedReply(status=status, raw=json.dumps({"error": error}))
        with ScriptedChatServer(lambda r, n: said) as server, pytest.raises(EngineUnavailable) as caught:
            ask(server)

        assert caught.value.trouble == trouble

    @pytest.mark.parametrize(
        "message",
        [
            "Cannot read 'it is your bill, you exceeded the quota, and I'd say the API key is invalid'",
            'Cannot read "you said that no such model is there, no credits, unauthorized',
            "Hello, this is billing, how may I help? is no text.",
            "The text 'my API key is not valid, insufficient funds' was flagged.",
        ],
    )
    def test_that_repeats_what_a_caller_said_is_not_the_engines(self, message):
        said = ScriptedReply(status=400, raw=json.dumps({"error": {"message": message}}))
        with ScriptedChatServer(lambda r, n: said) as server, pytest.raises(EngineRejected):
            ask(server)

    @pytest.mark.parametrize(
        ("reply", "wait_s"),
        [
            (ScriptedReply("Please try again in 1h2m3s.", status=429), 3600),
            (ScriptedReply("Please try again in 7m12.5s.", status=429), 432.5),
            (ScriptedReply("Please try again in 350ms.", status=429), 0.35),
            (ScriptedReply("Please retry after 26 seconds.", status=429), 26),
            (ScriptedReply("slow down", status=429, headers={"retry-after-ms": "1500"}), 1.5),
            (ScriptedReply("Retry after 26 seconds.", status=429, headers={"retry-after": "3"}), 3),
            (
                ScriptedReply(
                    status=429,
                    raw='[{"error": {"message": "Slow down.", "details": [{}, {"retryDelay": "38s"}]}}]',
                ),
                38,
            ),
            (ScriptedReply("Please try again in a while.", status=429), None),
        ],
    )
    def test_says_in_words_how_long_to_wait(self, reply, wait_s):
        with ScriptedChatServer(lambda r, n: reply) as server, pytest.raises(EngineUnavailable) as caught:
            ask(server)

        assert caught.value.retry_after_s == wait_s

    def test_of_a_request_that_no_minute_has_room_for_asks_for_a_shorter_one(self):
        said = ScriptedReply("Request too large for m: Limit 10000, Requested 12000.", status=429)
        with ScriptedChatServer(lambda r, n: said) as server, pytest.raises(ContextOverflow):
            ask(server)

    def test_of_a_key_names_its_setting_and_what_was_said(self):
        said = ScriptedReply("This region is not supported.", status=403)
        with ScriptedChatServer(lambda r, n: said) as server, pytest.raises(EngineUnavailable) as caught:
            ask(server, operator_run=True)

        assert "CALLSCOPE_PRIVATE_LLM_API_KEY (HTTP 403): This region" in str(caught.value)

    def test_never_shows_the_key(self):
        said = ScriptedReply("no", status=401)
        with ScriptedChatServer(lambda r, n: said) as server, pytest.raises(EngineUnavailable) as caught:
            ask(server)

        assert "secret" not in str(caught.value)

    @pytest.mark.parametrize(
        "text",
        [
            "This model's maximum context length is 8192 tokens.",
            "prompt is too long: 210000 tokens > 200000 maximum",
            "the request exceeds the available context size",
        ],
    )
    def test_of_a_prompt_that_is_too_long_is_distinguished(self, text):
        with (
            ScriptedChatServer(lambda r, n: ScriptedReply(text, status=400)) as server,
            pytest.raises(ContextOverflow),
        ):
            ask(server)

    @pytest.mark.parametrize(
        ("error", "trouble"),
        [
            ({"code": "429", "message": "slow down"}, Trouble.BUSY),
            ({"code": "rate_limit_exceeded", "message": "slow down"}, Trouble.BUSY),
            ({"code": 401, "message": "who are you"}, Trouble.KEY),
            ({"code": "invalid_api_key", "message": "no"}, Trouble.KEY),
            ({"code": 402, "message": "Insufficient credits"}, Trouble.QUOTA),
            ({"code": "insufficient_quota", "message": "no"}, Trouble.QUOTA),
            ({"code": "model_not_found", "message": "no"}, Trouble.MODEL),
        ],
    )
    def test_in_an_answer_is_read_like_any_other(self, error, trouble):
        said = ScriptedReply(raw=json.dumps({"error": error}))
        with ScriptedChatServer(lambda r, n: said) as server, pytest.raises(EngineUnavailable) as caught:
            ask(server)

        assert caught.value.trouble == trouble

    @pytest.mark.parametrize(
        ("raw", "said"),
        [
            ('[{"error": {"code": 400, "message": "the list says so"}}]', "the list says so"),
            ('{"detail": [{"loc": ["body"], "msg": "Field required"}]}', "Field required"),
            ('{"error": "in one sentence"}', "in one sentence"),
            (
                "<html><style>p {}</style><p>Bad\n<b>gateway &amp; more</b></p></html>",
                "Bad gateway & more",
            ),
            ('{"message": "secret and sk-abcdefghijkl are wrong"}', "*** and *** are wrong"),
        ],
    )
    def test_is_shown_in_the_servers_own_words(self, raw, said):
        reply = ScriptedReply(status=400, raw=raw)
        with ScriptedChatServer(lambda r, n: reply) as server, pytest.raises(EngineRejected) as caught:
            ask(server)

        assert str(caught.value).endswith(f"(HTTP 400): {said}")
        assert not caught.value.is_of_call

    @pytest.mark.parametrize(("raw", "requests"), [("<html>no</html>", 1), ('{"detail": "Not Found"}', 3)])
    def test_of_the_address_names_it(self, raw, requests):
        reply = ScriptedReply(status=404, raw=raw)
        with ScriptedChatServer(lambda r, n: reply) as server, pytest.raises(EngineUnavailable) as caught:
            ask(server)

        assert caught.value.trouble == Trouble.ADDRESS
        assert server.url in str(caught.value)
        assert len(server.requests) == requests

    @pytest.mark.parametrize(("code", "expected"), [(429, EngineUnavailable), (400, EngineRejected)])
    def test_that_hides_behind_a_200_is_found(self, code, expected):
        said = ScriptedReply(raw=json.dumps({"error": {"message": "upstream", "code": code}}))
        with ScriptedChatServer(lambda r, n: said) as server, pytest.raises(expected):
            ask(server)

    def test_by_a_closed_port_asks_for_another_try(self):
        with ScriptedChatServer(lambda r, n: ScriptedReply("{}")) as server:
            pass

        with pytest.raises(EngineUnavailable, match="cannot be reached"):
            ask(server)

    def test_to_answer_in_time_asks_for_another_try(self):
        gate = threading.Event()

        def script(request, number):
            gate.wait(60)
            return ScriptedReply("{}")

        with ScriptedChatServer(script) as server:
            try:
                with pytest.raises(EngineUnavailable, match="in time"):
                    ask(server, timeout_s=0.2)
            finally:
                gate.set()
