"""What is taken from a model's answer, and the sentences that it is shown where nothing can be."""

import copy

import pytest

from callscope.analysis.llm.prompting import AnalysisRequest
from callscope.analysis.llm.response import MAX_TEXT, MAX_TOPIC, Answers, parse_answers
from callscope.analysis.results import findings
from callscope.projects.configuration import parse

pytestmark = pytest.mark.one_database

CONFIG = parse(
    {
        "contact_reasons": {"mode": "predefined", "codes": [{"code": "Damage"}, {"code": "Billing"}]},
        "rubric": {
            "sections": [
                {
                    "name": "All",
                    "criteria": [
                        {"id": "greeting", "name": "Greets", "max_points": 10},
                        {"id": "claim", "name": "Opens a claim", "max_points": 4, "may_not_apply": True},
                    ],
                }
            ]
        },
        "no_protocol": {
            "prompts": [{"id": "recorded", "text": "Recording notice", "any_of": ["call is recorded"]}],
            "mistakes": [{"id": "dismissive", "text": "Dismisses the caller", "any_of": ["not my problem"]}],
        },
        "custom_questions": ["Which product?", "Which competitor?"],
    }
)
TYPES = (findings.COPC, findings.NO_PROTOCOL, findings.CUSTOM_QUESTIONS, findings.INSIGHTS)
REQUEST = AnalysisRequest(CONFIG, TYPES, "en")
RIGHT = {
    "call": "call-1",
    "criteria": [
        {
            "criterion_id": "claim",
            "applies": False,
            "answer": "not_applicable",
            "justification": "",
            "quote": "",
        },
        {
            "criterion_id": "greeting",
            "applies": True,
            "answer": "met",
            "justification": " Says\nhi. ",
            "quote": "Hi",
        },
    ],
    "prompts": [{"id": "recorded", "said": True, "quote": "recorded"}],
    "mistakes": [],
    "questions": [
        {"number": 2, "answer": "None.", "quotes": []},
        {"number": "1", "answer": "A lamp.", "quotes": ["the lamp"]},
    ],
    "insights": {
        "sentiment": "neutral",
        "topic": "lamp",
        "goal": "unknown",
        "goal_quote": None,
        "agent_name": "",
        "contact_reason": "Damage",
    },
}


def parsed(**parts):
    return parse_answers({**copy.deepcopy(RIGHT), **parts}, REQUEST, reference="call-1")


def row(part, number, **changes):
    rows = copy.deepcopy(RIGHT[part])
    rows[number].update(changes)
    return {part: rows}


class TestRightAnswer:
    def test_comes_in_the_order_of_the_checklist(self):
        answers = parsed()

        assert answers.problems == {}
        assert [a.criterion_id for a in answers.criteria] == ["greeting", "claim"]
        assert [q.answer for q in answers.questions] == ["A lamp.", "None."]

    def test_has_its_texts_in_one_line_of_bounded_length(self):
        answers = parsed(
            **row("criteria", 1, quote="q" * 5000), insights={**RIGHT["insights"], "topic": "t" * 200}
        )

        assert answers.criteria[0].justification == "Says hi."
        assert len(answers.criteria[0].quote) == MAX_TEXT
        assert len(answers.insights.topic) == MAX_TOPIC

    def test_may_leave_out_texts_and_add_keys(self):
        answers = parsed(prompts=[{"id": "recorded", "said": False, "note": "?"}])

        assert (answers.prompts[0].said, answers.prompts[0].quote) == (False, "")
        assert answers.insights.goal_quote == ""


class TestWrongAnswer:
    @pytest.mark.parametrize(
        ("parts", "problem"),
        [
            ({"call": "call-2"}, '"call" is "call-2"; this call is "call-1".'),
            ({"criteria": None}, '"criteria" is missing or no list.'),
            ({"criteria": ["met"]}, '"criteria" holds "met"; every entry is an object.'),
            (row("criteria", 0, score=9), '"criteria" gives "score"; points are not asked for.'),
            (
                row("criteria", 0, criterion_id="grace"),
                '"criteria" names "grace", which is not in the checklist.',
            ),
            (row("criteria", 0, criterion_id="greeting"), '"criteria" names "greeting" twice.'),
            ({"criteria": RIGHT["criteria"][:1]}, '"criteria" leaves out "greeting".'),
            (
                row("criteria", 1, answer="partly"),
                'criteria, id "greeting": the answer is "partly". Allowed: met, not_met.',
            ),
            (
                row("criteria", 1, applies=False),
                'criteria, id "greeting": "applies" is False and the answer is "met".',
            ),
            (
                row("criteria", 1, justification=7),
                'criteria, id "greeting": "justification" is 7; it is a text.',
            ),
            (
                row("prompts", 0, said="yes"),
                'prompts, id "recorded": "said" is "yes"; it is true or false.',
            ),
            ({"mistakes": [{"id": "rude"}]}, '"mistakes" names "rude", which is not in the checklist.'),
            (row("questions", 1, quotes="lamp"), 'questions, number 1: "quotes" is a list of texts.'),
            (row("questions", 1, answer=" "), 'questions, number 1: the "answer" is empty.'),
            ({"insights": []}, '"insights" is missing or no object.'),
            (
                {"insights": {**RIGHT["insights"], "goal": "maybe"}},
                'insights: the goal is "maybe". Allowed: reached, not_reached, unknown.',
            ),
            (
                {"insights": {**RIGHT["insights"], "contact_reason": "Other"}},
                'insights: the contact_reason is "Other". Allowed: Damage, Billing or empty.',
            ),
        ],
    )
    def test_is_explained_in_a_sentence(self, parts, problem):
        problems = parsed(**parts).problems

        assert next(iter(problems.values()))[0] == problem

    def test_leaves_the_other_parts_alone(self):
        answers = parsed(criteria=None)

        assert answers.missing_parts(REQUEST) == [findings.COPC]
        assert answers.insights.topic == "lamp"


class TestMergedAnswers:
    def test_keep_the_latest_right_version_of_every_part(self):
        first, second = parsed(questions=None), parsed(criteria=None, insights=None)

        merged = first.merged_with(second, REQUEST)

        assert merged.missing_parts(REQUEST) == []
        assert merged.problems == {}

    def test_keep_the_problems_of_what_was_never_right(self):
        merged = Answers().merged_with(parsed(criteria=None), REQUEST)

        assert merged.problems == {findings.COPC: ['"criteria" is missing or no list.']}
