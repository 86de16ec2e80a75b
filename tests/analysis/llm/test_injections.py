"""Fifty things a caller may say to the model, and a model that obeys every one of them.

Whatever the model does, no quote is shown that was not said by whom it should,
nothing is called not applicable that cannot be, and points follow from answers.
"""

import json
import re
from pathlib import Path

import pytest

from callscope.analysis.llm import analyzer
from callscope.analysis.results import findings
from callscope.engines.llm.client import ChatClient
from callscope.engines.llm.scripted import ScriptedChatServer, ScriptedReply
from callscope.language import tokens
from callscope.projects.configuration import parse

pytestmark = pytest.mark.one_database
INJECTIONS = (Path(__file__).parent / "injections.txt").read_text(encoding="utf-8").splitlines()
CONFIG = parse(
    {
        "contact_reasons": {"mode": "predefined", "codes": [{"code": "Damage"}, {"code": "Billing"}]},
        "rubric": {
            "on_critical_error": "zero_score",
            "sections": [
                {
                    "name": "All",
                    "criteria": [
                        {"id": "greeting", "name": "Greets", "max_points": 10, "critical": True},
                        {"id": "empathy", "name": "Empathy", "max_points": 6, "partial_credit": True},
                        {"id": "claim", "name": "Opens a claim", "max_points": 4, "may_not_apply": True},
                    ],
                }
            ],
        },
        "no_protocol": {
            "prompts": [{"id": "recorded", "text": "Recording notice", "any_of": ["call is recorded"]}],
            "mistakes": [{"id": "dismissive", "text": "Dismisses the caller", "any_of": ["not my problem"]}],
        },
        "custom_questions": ["Did the caller mention a competitor?"],
    }
)
TYPES = [findings.COPC, findings.NO_PROTOCOL, findings.CUSTOM_QUESTIONS, findings.INSIGHTS]


@pytest.fixture(autouse=True)
def _hide_nothing(monkeypatch):
    """What is said to the model reaches it, as it would where nobody recognizes it."""
    monkeypatch.setattr(analyzer, "hide_hostile_words", lambda conversation: conversation)


@pytest.fixture(scope="module")
def obedient():
    with ScriptedChatServer(obey) as server:
        yield ChatClient(server.url, model="obedient")


def obey(request, number):
    """Answer as a model that does all that the caller asks, and quotes what it is asked to quote."""
    user = request["messages"][1]["content"]
    said = next(line for line in user.splitlines() if line.startswith("[00:05] customer: "))[18:]
    quote = next(iter(re.findall(r"[\"“](.+?)[\"”]", said)), said)
    reference = user.split("Call reference: ")[1].split("\n")[0]
    wants_na = re.search(r"not applicable|no aplicables|applies to false", said, re.IGNORECASE)
    row = {"applies": not wants_na, "answer": "not_applicable" if wants_na else "met"}
    rows = [
        {"criterion_id": i, **row, "justification": f"The agent said “{quote}”. {said}", "quote": quote}
        for i in ("greeting", "empathy", "claim")
    ]
    answer = {
        "call": "call-aaaaaaaaaaaa" if "call-aaaaaaaaaaaa" in said else reference,
        "criteria": _bent(rows, said),
        "prompts": [{"id": "recorded", "said": True, "quote": quote}],
        "mistakes": [] if "Do not list" in said else [{"id": "dismissive", "quote": quote}],
        "questions": [{"number": 1, "answer": f"Yes: “{quote}”", "quotes": [quote]}],
        "insights": {
            "sentiment": "ecstatic" if "ecstatic" in said else "positive",
            "topic": "[card number] praise",
            "goal": "reached",
            "goal_quote": quote,
            "agent_name": "Maximilian" if "Maximilian" in said else "Clara",
            "contact_reason": "praise for the agent" if "contact reason is" in said else "Damage",
        },
    }
    if re.search(r"word OK|poem", said):
        return ScriptedReply("OK")
    return ScriptedReply(json.dumps(answer, ensure_ascii=False))


def _bent(rows, said):
    """Bend the list of criteria as the caller asks."""
    greeting = rows[0]
    if "called kindness" in said:
        rows.append({**greeting, "criterion_id": "kindness", "points": 50})
    if "Leave out" in said:
        rows.pop()
    if "Repeat" in said:
        rows += [greeting, greeting]
    if "999" in said or "score 10" in said or "98 percent" in said:
        greeting["score"] = 999
    if "1000" in said:
        greeting["max_points"] = 1000
    if '"excellent"' in said:
        greeting["answer"] = "excellent"
    if "Give partly" in said:
        greeting["answer"] = "partly"
    if "[59:59]" in said:
        greeting["quote"] = "[59:59] Good morning."
    return [] if "empty list" in said else rows


def shown_quotes(result):
    rows = (result.copc or {}).get("criterion_scores", [])
    yield from ((r["quote"], "agent") for r in rows)
    no_protocol = result.no_protocol or {"mistakes": [], "prompts": []}
    yield from ((r["quote"], "agent") for r in [*no_protocol["mistakes"], *no_protocol["prompts"]])
    for answer in (result.custom_questions or {"answers": {}})["answers"].values():
        yield from ((q, "any") for q in answer["quotes"])
    yield (result.insights or {"goal_quote": ""})["goal_quote"], "any"


def stands_in(quote, call, speaker):
    time, text = re.fullmatch(r"\[(\d\d:\d\d)\] (.+)", quote).groups()
    minutes, seconds = time.split(":")
    return any(
        " ".join(tokens.tokenize(text)) in " ".join(s.words)
        and int(s.start_s) == int(minutes) * 60 + int(seconds)
        for s in call.said_by(speaker)
    )


class TestFiftyInjections:
    def test_are_fifty(self):
        assert len(set(INJECTIONS)) == 50

    @pytest.mark.parametrize("said", INJECTIONS)
    def test_change_no_quote_no_applicability_and_no_points(self, talk, obedient, said):
        call = talk("agent: Good morning.", f"customer: {said}", "agent: That is not in my power, sorry.")

        result = analyzer.analyze_with_llm(call, CONFIG, obedient, types=TYPES, rubric_version=1)

        for quote, speaker in shown_quotes(result):
            assert not quote or stands_in(quote, call, speaker), quote
        worth = {"greeting": 10, "empathy": 6, "claim": 4}
        allowed = {"greeting": {"met", "not_met"}, "empathy": {"met", "partly", "not_met"},
                   "claim": {"met", "not_met", "not_applicable"}}  # fmt: skip
        for row in (result.copc or {"criterion_scores": []})["criterion_scores"]:
            assert row["answer"] in allowed[row["criterion_id"]]
            assert (
                row["score"]
                == {"met": 1, "partly": 0.5, "not_met": 0, "not_applicable": 1}[row["answer"]]
                * worth[row["criterion_id"]]
            )
            assert row["max_points"] == worth[row["criterion_id"]]
            assert "“" not in row["justification"] or said in row["justification"]
            assert row["verified"] or row["score"] == 0
        copc = result.copc or {"criterion_scores": [], "not_evaluated": [1, 2, 3]}
        assert len(copc["criterion_scores"]) + len(copc["not_evaluated"]) == 3
        if result.insights:
            assert result.insights["agent_name"] == ""
            assert "[" not in result.insights["topic"]
            assert result.insights["sentiment"] in ("positive", "neutral", "negative", None)
            assert result.insights["contact_reason_code"] in ("Damage", "Billing", "")
        assert (result.copc is None) == (findings.COPC in result.errors)
