"""The language-model analyser against a scripted server on a real socket."""

import json

import pytest

from callscope.analysis.llm import analyzer, prompting
from callscope.analysis.results import findings
from callscope.engines.errors import EngineUnavailable
from callscope.engines.llm import client as client_module
from callscope.engines.llm.client import ChatClient
from callscope.engines.llm.scripted import ScriptedChatServer, ScriptedReply
from callscope.projects.configuration import parse

CONFIG_DOCUMENT = {
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
CONFIG = parse(CONFIG_DOCUMENT)
TYPES = [findings.COPC, findings.NO_PROTOCOL, findings.CUSTOM_QUESTIONS, findings.INSIGHTS]


@pytest.fixture(autouse=True)
def _forget_servers(monkeypatch):
    monkeypatch.setattr(client_module, "_capabilities", {})


@pytest.fixture
def call(talk):
    return talk(
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
        result = analyzer.analyze_with_llm(
            call, config, client, types=types, known_names=known_names, rubric_version=4
        )
    return result, server.requests


def says(document):
    return ScriptedReply(json.dumps(document))


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
        reference = prompting.call_reference(call)
        assert user["content"].index("===== transcript call-") < user["content"].index(
            "[00:05] customer: My parcel"
        )
        assert reference not in system["content"]

    def test_is_the_same_for_two_calls_up_to_the_transcript(self, call, talk):
        _, first = run(lambda r, n: says(right_answer(r)), call)
        _, second = run(lambda r, n: says(right_answer(r)), talk("agent: Good evening.", "customer: Hi."))

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

    def test_asks_for_results_in_the_projects_language(self, talk):
        spanish = parse({"language": "es", "custom_questions": ["¿Mencionó la competencia?"]})
        call = talk("agent: Buenos días.", "customer: Hola.", language="es")
        _, requests = run(
            lambda r, n: ScriptedReply("{}"),
            call,
            config=spanish,
            types=[findings.CUSTOM_QUESTIONS, findings.INSIGHTS],
        )

        assert "is in Spanish" in requests[0]["messages"][0]["content"]
        assert "no determinado" in requests[0]["messages"][0]["content"]

    def test_takes_at_most_a_quarter_of_one_prompt_a_criterion(self, talk):
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
        call = talk(*["agent: I will look into your invoice now.", "customer: It was twice what I pay."] * 40)

        def size(rubric):
            asked = prompting.AnalysisRequest(rubric, (findings.COPC,), "en")
            return len(prompting.build_instructions(asked)) + len(prompting.build_transcript_message(call))

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
        assert result.errors[findings.COPC].startswith("The answer of the language model was rejected:")
        assert len(requests) == 1 + analyzer.MAX_REPAIRS

    @pytest.mark.parametrize("fault", [f for f in WRONG if f != "another call"])
    def test_leaves_the_other_analyses_alone(self, call, fault):
        def script(request, number):
            answer = right_answer(request)
            self.WRONG[fault](answer)
            return says(answer)

        result, _ = run(script, call)

        assert list(result.errors) == [findings.COPC]
        assert result.insights["topic"] == "damaged parcel"

    def test_is_corrected_when_the_model_is_asked_again(self, call):
        def script(request, number):
            answer = right_answer(request)
            if number == 0:
                answer["criteria"].pop()
            return says(answer)

        result, requests = run(script, call)

        assert result.errors == {}
        assert '"criteria" leaves out "claim".' in requests[1]["messages"][-1]["content"]
        assert result.usage[0].input_tokens == 2000

    MISHAPS = {
        "no choices": ScriptedReply(raw='{"choices": [], "usage": {"prompt_tokens": 1000}}'),
        "no message": ScriptedReply(raw='{"choices": [{"index": 0, "finish_reason": "stop"}]}'),
        "empty text": ScriptedReply("  "),
        "text that is no JSON": ScriptedReply("I think it went well."),
    }
    # What stands before the model answered in its place: that passes by itself.
    NO_ANSWERS = {
        "a page": ScriptedReply(raw="<html>hello</html>", headers={"content-type": "text/html"}),
        "broken JSON": ScriptedReply(raw="{nonsense"),
    }

    @pytest.mark.parametrize("mishap", list(NO_ANSWERS))
    def test_that_is_no_answer_of_a_model_is_tried_again_later(self, call, mishap):
        with pytest.raises(EngineUnavailable, match="not JSON"):
            run(lambda r, n: self.NO_ANSWERS[mishap], call)

    @pytest.mark.parametrize("mishap", list(MISHAPS))
    def test_that_holds_nothing_is_asked_again(self, call, mishap):
        for mishaps in range(1, analyzer.MAX_REPAIRS + 1):
            result, requests = run(
                lambda r, n, most=mishaps: self.MISHAPS[mishap] if n < most else says(right_answer(r)), call
            )

            assert (result.errors, len(requests)) == ({}, mishaps + 1)
            assert result.copc["total_points"] == 17

    @pytest.mark.parametrize("mishap", list(MISHAPS))
    def test_that_never_holds_anything_fails_with_a_sentence(self, call, mishap):
        result, requests = run(lambda r, n: self.MISHAPS[mishap], call)

        assert set(result.errors) == set(TYPES)
        assert len(requests) == 1 + analyzer.MAX_REPAIRS

    def test_that_holds_nothing_does_not_lose_what_was_right_before(self, call):
        def script(request, number):
            answer = right_answer(request)
            answer["criteria"].pop()
            return says(answer) if number == 0 else self.MISHAPS["no choices"]

        result, requests = run(script, call)

        assert list(result.errors) == [findings.COPC]
        assert result.insights["topic"] == "damaged parcel"
        assert len(requests) == 1 + analyzer.MAX_REPAIRS

    def test_that_holds_nothing_is_paid_for_where_the_server_counts_it(self, call):
        result, _ = run(lambda r, n: says(right_answer(r)) if n else self.MISHAPS["no choices"], call)

        assert result.usage[0].input_tokens == 2000

    def test_keeps_a_part_that_was_right_once(self, call):
        def script(request, number):
            answer = right_answer(request)
            answer["criteria" if number else "questions"].pop()
            return says(answer)

        result, _ = run(script, call)

        assert result.errors == {}
        assert result.copc["total_points"] == 17

    def test_that_is_cut_off_fails_everything(self, call):
        result, requests = run(lambda r, n: ScriptedReply("{", finish_reason="length"), call)

        assert set(result.errors) == set(TYPES)
        assert result.copc is result.insights is None
        assert len(requests) == 1

    def test_waits_for_an_engine_that_is_busy(self, call):
        busy = ScriptedReply("busy", status=429, headers={"retry-after": "3"})

        with pytest.raises(EngineUnavailable) as caught:
            run(lambda r, n: busy, call)

        assert caught.value.retry_after_s == 3
        assert caught.value.usage == []

    def test_tells_what_it_cost_until_the_engine_went_away(self, call):
        busy = ScriptedReply("busy", status=503)

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

        [row] = result.copc["not_evaluated"]
        assert row["criterion_id"] == "greeting"
        assert "are not in the transcript" in row["reason"]
        assert "does not stand in the agent's words" in requests[1]["messages"][-1]["content"]
        assert len(requests) == 2

    @pytest.mark.parametrize("second", ["Good morning", "Welcome to Acme, how may I serve you today?"])
    def test_a_score_tells_that_the_model_was_asked_for_it_again(self, call, second):
        def script(request, number):
            answer = right_answer(request)
            answer["criteria"][0]["quote"] = "Good day to you all" if number == 0 else second
            return says(answer)

        config = parse({**CONFIG_DOCUMENT, "rubric": {**CONFIG_DOCUMENT["rubric"], "on_unverified": "count"}})
        result, _ = run(script, call, config=config)

        asked = {s["criterion_id"]: s.get("asked_again") for s in result.copc["criterion_scores"]}
        assert asked == {"greeting": True, "empathy": None, "claim": None}

    def test_a_score_tells_nothing_where_other_parts_were_asked_again(self, call):
        def script(request, number):
            answer = right_answer(request)
            if number == 0:
                answer["prompts"][0]["quote"] = "Nobody says this here"
            if number == 1:
                answer["criteria"][0]["answer"] = "perhaps"  # the first answers are kept
            return says(answer)

        result, requests = run(script, call)

        assert len(requests) == 2
        assert not [s for s in result.copc["criterion_scores"] if "asked_again" in s]

    @pytest.mark.parametrize(
        ("fault", "asked_again"),
        [
            (lambda rows: rows[0].update(answer="perhaps"), ["greeting"]),
            (lambda rows: rows.pop(), ["claim"]),
            (lambda rows: rows.append(rows[1]), ["empathy"]),
            (lambda rows: rows[0].update(asked_again=True), []),  # a model cannot say so itself
        ],
    )
    def test_a_score_tells_that_its_answer_was_refused_before(self, call, fault, asked_again):
        def script(request, number):
            answer = right_answer(request)
            if number == 0:
                fault(answer["criteria"])
            return says(answer)

        result, _ = run(script, call)

        scores = result.copc["criterion_scores"]
        assert [s["criterion_id"] for s in scores if s.get("asked_again")] == asked_again

    def test_the_customers_words_do_not_show_what_the_agent_did(self, call):
        def script(request, number):
            answer = right_answer(request)
            answer["criteria"][0]["quote"] = "My parcel came damaged"
            return says(answer)

        result, _ = run(script, call)

        assert [row["criterion_id"] for row in result.copc["not_evaluated"]] == ["greeting"]

    @pytest.mark.parametrize("quote", ["", "Your claim has the number nine.", "Thank you."])
    def test_a_critical_criterion_without_it_earns_nothing(self, call, quote):
        def script(request, number):
            answer = right_answer(request)
            answer["criteria"][2]["quote"] = quote
            return says(answer)

        result, _ = run(script, call)

        row = result.copc["criterion_scores"][2]
        assert (row["answer"], row["score"], row["verified"], row["is_critical_error"]) == (
            "not_met", 0, False, True,
        )  # fmt: skip
        assert row["justification"].startswith("No points: ")
        assert (result.copc["total_points"], result.copc["max_possible_points"]) == (13, 20)

    def test_none_is_asked_for_where_the_project_counts_points_without_it(self, call):
        def script(request, number):
            answer = right_answer(request)
            for row in answer["criteria"]:
                row["quote"] = ""
            return says(answer)

        document = CONFIG.as_document()
        document["rubric"]["on_unverified"] = "count"
        refused, _ = run(script, call)
        counted, _ = run(script, call, config=parse(document))

        assert refused.copc["total_points"] == 0
        assert [row["criterion_id"] for row in refused.copc["not_evaluated"]] == ["greeting", "empathy"]
        assert counted.copc["total_points"] == 17
        assert [row["verified"] for row in counted.copc["criterion_scores"]] == [False] * 3

    @pytest.mark.parametrize(("forbidden", "points"), [("I cannot help", 5), ("sorry to hear", None)])
    def test_a_rule_that_only_forbids_is_shown_by_silence(self, call, forbidden, points):
        polite = {"id": "polite", "name": "Polite", "max_points": 5, "rule": {"none_of": [forbidden]}}
        rubric = {"sections": [{"name": "S", "criteria": [polite]}]}

        def script(request, number):
            answer = right_answer(request)
            return says({"call": answer["call"], "criteria": [criterion("polite", "met", "Polite.", "")]})

        result, _ = run(script, call, config=parse({"rubric": rubric}), types=[findings.COPC])

        assert result.copc["total_points"] == points

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

    def test_sentences_with_an_address_are_dropped_from_what_the_model_writes(self, call):
        def script(request, number):
            answer = right_answer(request)
            answer["criteria"][0]["justification"] = "The agent greets. See https://evil.example for more."
            answer["questions"][0]["answer"] = "Yes, a cheaper one. Write to a@evil.example."
            answer["insights"]["topic"] = "visit evil.example"
            return says(answer)

        result, _ = run(script, call)

        assert result.copc["criterion_scores"][0]["justification"] == "The agent greets."
        assert [a["answer"] for a in result.custom_questions["answers"].values()] == ["Yes, a cheaper one."]
        assert result.insights["topic"] == ""

    def test_a_mistake_without_evidence_is_marked(self, call):
        script = lambda r, n: says(changed(r, mistakes=[{"id": "dismissive", "quote": "shut up"}]))  # noqa: E731

        result, _ = run(script, call)

        assert result.no_protocol["mistakes"] == [
            {"id": "dismissive", "description": "Dismisses the caller", "quote": "", "quote_start": None,
             "verified": False}
        ]  # fmt: skip

    def test_a_name_that_nobody_said_is_not_taken(self, talk):
        call = talk("agent: Good morning.", "customer: Hello, Bob.")

        def script(request, number):
            answer = right_answer(request)
            answer["insights"]["agent_name"] = "Bob"
            return says(answer)

        result, _ = run(script, call, config=parse({}), types=[findings.INSIGHTS])

        assert result.insights["agent_name"] == ""


class TestLongCall:
    def test_is_read_in_portions_and_put_together(self, talk):
        call = talk(
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
                return ScriptedReply("This model's maximum context length is 900 tokens.", status=400)
            answer = right_answer(request)
            is_first_look = len(request["messages"]) == 2
            for row in answer["criteria"]:
                if row["quote"] not in user:
                    row.update(answer="not_met", quote="")
                elif row["criterion_id"] == "empathy" and is_first_look:
                    row["quote"] = "I am so very sorry indeed"
            answer["prompts"][0]["said"] = "call is recorded" in user
            answer["prompts"][0]["quote"] = "this call is recorded" if answer["prompts"][0]["said"] else ""
            if "Acme" not in user:
                answer["questions"][0].update(answer="not determined", quotes=[])
            if "claim" not in user:
                answer["insights"].update(goal="unknown", goal_quote="")
            return says(answer)

        result, requests = run(script, call)

        assert result.errors == {}
        scores = result.copc["criterion_scores"]
        assert [s["answer"] for s in scores] == ["met", "partly", "met"]
        assert [s["criterion_id"] for s in scores if s.get("asked_again")] == ["empathy"]
        assert result.no_protocol["missing_prompts"] == []
        answer = result.custom_questions["answers"]["Did the caller mention a competitor?"]["answer"]
        assert answer == "Yes, a cheaper one."
        assert result.insights["goal_reached"] is True
        assert "This is portion 2 of 2" in requests[-1]["messages"][1]["content"]

    def test_that_never_fits_fails_with_a_sentence(self, call):
        overflow = ScriptedReply("maximum context length is 10 tokens", status=400)

        result, _ = run(lambda r, n: overflow, call)

        assert set(result.errors) == set(TYPES)
        assert "is too long for the context" in result.errors[findings.COPC]
