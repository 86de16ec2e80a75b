"""The language-model analyser against a scripted server on a real socket."""

import json

import pytest

from callscope.analysis import findings, llm_analyser, prompting
from callscope.engines.errors import EngineUnavailable
from callscope.engines.llm import client as client_module
from callscope.engines.llm.client import ChatClient
from callscope.engines.llm.scripted import Said, ScriptedChatServer
from callscope.projects.configuration import parse

CONFIG = parse(
    {
        "rubric": {
            "sections": [
                {
                    "name": "Opening",
                    "criteria": [
                        {
                            "id": "greeting",
                            "name": "Greets",
                            "max_points": 10,
                            "guideline": "Greets the caller.",
                        },
                        {"id": "empathy", "name": "Empathy", "max_points": 6, "partial_credit": True},
                        {
                            "id": "claim",
                            "name": "Opens a claim",
                            "max_points": 4,
                            "may_not_apply": True,
                            "critical": True,
                        },
                    ],
                }
            ]
        },
        "no_protocol": {
            "prompts": [
                {"id": "recorded", "text": "Says that the call is recorded", "any_of": ["call is recorded"]}
            ],
            "mistakes": [{"id": "dismissive", "text": "Dismisses the caller", "any_of": ["not my problem"]}],
        },
        "custom_questions": ["Did the caller mention a competitor?"],
    }
)
TYPES = [findings.COPC, findings.NO_PROTOCOL, findings.CUSTOM_QUESTIONS, findings.INSIGHTS]


@pytest.fixture(autouse=True)
def _forget_servers(monkeypatch):
    monkeypatch.setattr(client_module, "_manners", {})


@pytest.fixture
def call(told):
    return told(
        "agent: Good morning, my name is Ana Ruiz, this call is recorded.",
        "customer: My parcel came damaged and Acme ships for less.",
        "agent: I am sorry to hear that, let me open a claim for you.",
        "customer: Thank you.",
    )


def criterion(name, answer, justification, quote):
    return {
        "criterion_id": name, "applies": True, "answer": answer,
        "justification": justification, "quote": quote,
    }  # fmt: skip


def right_answer(request) -> dict:
    """Return what an honest model says about `call`."""
    user = request["messages"][1]["content"]
    return {
        "call": user.split("Call reference: ")[1].split("\n")[0],
        "criteria": [
            criterion("greeting", "met", "The agent greets.", "Good morning"),
            criterion("empathy", "partly", "A short apology.", "I am sorry to hear that"),
            criterion("claim", "met", "A claim is opened.", "let me open a claim for you"),
        ],
        "prompts": [{"id": "recorded", "said": True, "quote": "this call is recorded"}],
        "mistakes": [],
        "questions": [{"number": 1, "answer": "Yes, a cheaper one.", "quotes": ["Acme ships for less"]}],
        "insights": {"sentiment": "negative", "topic": "damaged parcel", "goal": "reached",
                     "goal_quote": "let me open a claim for you", "agent_name": ""},
    }  # fmt: skip


def changed(request, **parts):
    return {**right_answer(request), **parts}


def run(script, call, *, config=CONFIG, types=TYPES, known_names=()):
    with ScriptedChatServer(script) as server:
        client = ChatClient(server.url, model="m1")
        result = llm_analyser.analyze(
            call, config, client, types=types, known_names=known_names, rubric_version=4
        )
    return result, server.requests


def says(document):
    return Said(json.dumps(document))


class TestRightAnswer:
    def test_becomes_results_with_our_points_and_the_transcripts_times(self, call):
        result, requests = run(lambda r, n: says(right_answer(r)), call)

        assert result.errors == {}
        assert [(s["score"], s["answer"]) for s in result.copc["criterion_scores"]] == [
            (10, "met"), (3, "partly"), (4, "met"),
        ]  # fmt: skip
        assert result.copc["criterion_scores"][1]["quote"].startswith("[00:10] I am sorry to hear that")
        assert (result.copc["total_points"], result.copc["max_possible_points"]) == (17, 20)
        assert result.no_protocol["prompts"][0]["verified"] is True
        assert result.no_protocol["missing_prompts"] == []
        question = result.custom_questions["answers"]["Did the caller mention a competitor?"]
        assert question["quotes"] == ["[00:05] My parcel came damaged and Acme ships for less."]
        assert (result.insights["sentiment"], result.insights["goal_reached"]) == ("negative", True)
        assert len(requests) == 1

    def test_says_who_judged_and_what_it_cost(self, call):
        result, _ = run(lambda r, n: says(right_answer(r)), call)

        assert result.provenance == {
            "engine": "OpenAI-compatible (127.0.0.1)",
            "model": "m1",
            "prompt_version": "analysis-1",
            "rubric_version": 4,
            "input_tokens": 1000,
            "output_tokens": 100,
            "cost_micros": None,
            "hosts": ["127.0.0.1"],
        }
        assert [(u.model, u.input_tokens, u.output_tokens) for u in result.usage] == [("m1", 1000, 100)]


class TestPrompt:
    def test_puts_the_transcript_last_and_marks_it_off(self, call):
        _, requests = run(lambda r, n: says(right_answer(r)), call)

        system, user = requests[0]["messages"]
        assert "damaged" not in system["content"]
        reference = prompting.reference(call)
        assert user["content"].index("===== transcript call-") < user["content"].index(
            "[00:05] customer: My parcel"
        )
        assert reference not in system["content"]

    def test_is_the_same_for_two_calls_up_to_the_transcript(self, call, told):
        _, first = run(lambda r, n: says(right_answer(r)), call)
        _, second = run(lambda r, n: says(right_answer(r)), told("agent: Good evening.", "customer: Hi."))

        assert first[0]["messages"][0] == second[0]["messages"][0]

    def test_never_holds_the_agents_name(self, call):
        result, requests = run(lambda r, n: says(right_answer(r)), call, known_names=["Damaged Goods"])

        sent = json.dumps(requests)
        assert "Ana" not in sent
        assert "Ruiz" not in sent
        assert result.insights["agent_name"] == "Ana Ruiz"

    def test_shows_the_quote_unmasked(self, call):
        def script(request, number):
            answer = right_answer(request)
            answer["criteria"][0]["quote"] = "Good morning, my name is [agent], this call is recorded."
            return says(answer)

        result, _ = run(script, call)

        assert result.copc["criterion_scores"][0]["quote"] == (
            "[00:00] Good morning, my name is Ana Ruiz, this call is recorded."
        )

    def test_asks_for_results_in_the_projects_language(self, told):
        spanish = parse({"language": "es", "custom_questions": ["¿Mencionó la competencia?"]})
        call = told("agent: Buenos días.", "customer: Hola.", language="es")
        _, requests = run(
            lambda r, n: Said("{}"),
            call,
            config=spanish,
            types=[findings.CUSTOM_QUESTIONS, findings.INSIGHTS],
        )

        assert "is in Spanish" in requests[0]["messages"][0]["content"]
        assert "no determinado" in requests[0]["messages"][0]["content"]

    def test_takes_at_most_a_quarter_of_one_prompt_a_criterion(self, told):
        criteria = [
            {
                "id": f"c{i}",
                "name": f"Criterion {i}",
                "max_points": 1,
                "guideline": "The agent does what is asked. " * 6,
            }
            for i in range(12)
        ]
        config = parse({"rubric": {"sections": [{"name": "All", "criteria": criteria}]}})
        call = told(*["agent: I will look into your invoice now.", "customer: It was twice what I pay."] * 40)

        def size(rubric):
            asked = prompting.Asked(rubric, (findings.COPC,), "en")
            return len(prompting.instructions(asked)) + len(prompting.transcript_message(call))

        one_by_one = sum(
            size(parse({"rubric": {"sections": [{"name": "All", "criteria": [c]}]}})) for c in criteria
        )
        assert size(config) <= one_by_one / 4


def without(rows, index):
    return [r for i, r in enumerate(rows) if i != index]


class TestWrongAnswer:
    WRONG = {
        "an unknown id": lambda a: a["criteria"][0].update(criterion_id="politeness"),
        "a missing id": lambda a: a["criteria"].pop(),
        "a repeated id": lambda a: a["criteria"].append(dict(a["criteria"][0])),
        "an answer outside the set": lambda a: a["criteria"][0].update(answer="excellent"),
        "partly where it is not allowed": lambda a: a["criteria"][0].update(answer="partly"),
        "not applicable where it is not allowed": lambda a: a["criteria"][0].update(
            answer="not_applicable", applies=False
        ),
        "applicability against the answer": lambda a: a["criteria"][2].update(applies=False),
        "a score": lambda a: a["criteria"][0].update(score=99),
        "another call": lambda a: a.update(call="call-000000000000"),
        "no list": lambda a: a.update(criteria={"greeting": "met"}),
        "a number for a text": lambda a: a["criteria"][0].update(justification=7),
    }

    @pytest.mark.parametrize("fault", list(WRONG))
    def test_is_asked_again_and_then_fails_without_points(self, call, fault):
        def script(request, number):
            answer = right_answer(request)
            self.WRONG[fault](answer)
            return says(answer)

        result, requests = run(script, call)

        assert result.copc is None
        assert result.errors[findings.COPC].startswith("The language model's answer was refused:")
        assert len(requests) == 1 + llm_analyser.MAX_REPAIRS

    @pytest.mark.parametrize("fault", [f for f in WRONG if f != "another call"])
    def test_leaves_the_other_analyses_alone(self, call, fault):
        def script(request, number):
            answer = right_answer(request)
            self.WRONG[fault](answer)
            return says(answer)

        result, _ = run(script, call)

        assert list(result.errors) == [findings.COPC]
        assert result.insights["topic"] == "damaged parcel"

    def test_is_mended_when_the_model_is_told(self, call):
        def script(request, number):
            answer = right_answer(request)
            if number == 0:
                answer["criteria"].pop()
            return says(answer)

        result, requests = run(script, call)

        assert result.errors == {}
        assert '"criteria" leaves out "claim".' in requests[1]["messages"][-1]["content"]
        assert result.usage[0].input_tokens == 2000

    def test_that_is_no_json_is_asked_again(self, call):
        result, requests = run(
            lambda r, n: says(right_answer(r)) if n else Said("I think it went well."), call
        )

        assert (result.errors, len(requests)) == ({}, 2)

    def test_keeps_a_part_that_was_right_once(self, call):
        def script(request, number):
            answer = right_answer(request)
            answer["criteria" if number else "questions"].pop()
            return says(answer)

        result, _ = run(script, call)

        assert result.errors == {}
        assert result.copc["total_points"] == 17

    def test_that_is_cut_off_fails_everything(self, call):
        result, requests = run(lambda r, n: Said("{", finish_reason="length"), call)

        assert set(result.errors) == set(TYPES)
        assert result.copc is result.insights is None
        assert len(requests) == 1

    def test_waits_for_an_engine_that_is_busy(self, call):
        busy = Said("busy", status=429, headers={"retry-after": "3"})

        with pytest.raises(EngineUnavailable) as caught:
            run(lambda r, n: busy, call)

        assert caught.value.retry_after_s == 3
        assert caught.value.usage == []

    def test_tells_what_it_cost_until_the_engine_went_away(self, call):
        busy = Said("busy", status=503)

        with pytest.raises(EngineUnavailable) as caught:
            run(lambda r, n: busy if n else says({}), call)

        [use] = caught.value.usage
        assert use.input_tokens == 1000
        assert use.output_tokens > 0


class TestEvidence:
    def test_a_quote_that_fails_is_asked_again_then_left_out(self, call):
        def script(request, number):
            answer = right_answer(request)
            answer["criteria"][0]["quote"] = "Welcome to Acme, how may I serve you today?"
            return says(answer)

        result, requests = run(script, call)

        row = result.copc["criterion_scores"][0]
        assert (row["quote"], row["quote_start"], row["verified"], row["score"]) == ("", None, False, 10)
        assert "does not stand in the agent's words" in requests[1]["messages"][-1]["content"]
        assert len(requests) == 2

    def test_the_customers_words_do_not_show_what_the_agent_did(self, call):
        def script(request, number):
            answer = right_answer(request)
            answer["criteria"][0]["quote"] = "My parcel came damaged"
            return says(answer)

        result, _ = run(script, call)

        assert (
            result.copc["criterion_scores"][0]["quote"],
            result.copc["criterion_scores"][0]["verified"],
        ) == ("", False)

    def test_absence_needs_no_quote(self, call):
        def script(request, number):
            answer = right_answer(request)
            answer["criteria"][0].update(answer="not_met", quote="")
            return says(answer)

        result, requests = run(script, call)

        assert result.copc["criterion_scores"][0]["verified"] is True
        assert len(requests) == 1

    def test_a_made_up_quotation_in_a_justification_is_struck_out(self, call):
        def script(request, number):
            answer = right_answer(request)
            answer["criteria"][0]["justification"] = (
                "The agent said “I will never help you” and then “I am sorry to hear that”."
            )
            return says(answer)

        result, _ = run(script, call)

        assert result.copc["criterion_scores"][0]["justification"] == (
            "The agent said […] and then “I am sorry to hear that”."
        )

    def test_a_mistake_without_evidence_is_marked(self, call):
        script = lambda r, n: says(changed(r, mistakes=[{"id": "dismissive", "quote": "shut up"}]))  # noqa: E731

        result, _ = run(script, call)

        assert result.no_protocol["mistakes"] == [
            {"id": "dismissive", "description": "Dismisses the caller", "quote": "", "quote_start": None,
             "verified": False}
        ]  # fmt: skip

    def test_a_name_that_nobody_said_is_not_taken(self, told):
        call = told("agent: Good morning.", "customer: Hello, Bob.")

        def script(request, number):
            answer = right_answer(request)
            answer["insights"]["agent_name"] = "Bob"
            return says(answer)

        result, _ = run(script, call, config=parse({}), types=[findings.INSIGHTS])

        assert result.insights["agent_name"] == ""


class TestLongCall:
    def test_is_read_in_portions_and_put_together(self, told):
        call = told(
            *[
                "agent: Good morning, this call is recorded.",
                "customer: My parcel came damaged, Acme ships for less.",
            ],
            *["agent: One moment please.", "customer: Yes."] * 50,
            *["agent: I am sorry to hear that, let me open a claim for you.", "customer: Thank you."],
        )

        def script(request, number):
            user = request["messages"][1]["content"]
            if len(user) > 2500:
                return Said("This model's maximum context length is 900 tokens.", status=400)
            answer = right_answer(request)
            for row in answer["criteria"]:
                if row["quote"] not in user:
                    row.update(answer="not_met", quote="")
            answer["prompts"][0]["said"] = "call is recorded" in user
            answer["prompts"][0]["quote"] = "this call is recorded" if answer["prompts"][0]["said"] else ""
            if "Acme" not in user:
                answer["questions"][0].update(answer="not determined", quotes=[])
            if "claim" not in user:
                answer["insights"].update(goal="unknown", goal_quote="")
            return says(answer)

        result, requests = run(script, call)

        assert result.errors == {}
        assert [s["answer"] for s in result.copc["criterion_scores"]] == ["met", "partly", "met"]
        assert result.no_protocol["missing_prompts"] == []
        answer = result.custom_questions["answers"]["Did the caller mention a competitor?"]["answer"]
        assert answer == "Yes, a cheaper one."
        assert result.insights["goal_reached"] is True
        assert "This is portion 2 of 2" in requests[-1]["messages"][1]["content"]

    def test_that_never_fits_fails_with_a_sentence(self, call):
        overflow = Said("maximum context length is 10 tokens", status=400)

        result, _ = run(lambda r, n: overflow, call)

        assert set(result.errors) == set(TYPES)
        assert "does not fit" in result.errors[findings.COPC]
