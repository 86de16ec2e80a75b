"""What there is to show where a rule found nothing: why it applied, what it looked for, and where."""

import pytest

from callscope.analysis.conversation.turns import build_conversation
from callscope.analysis.rules.absence import explain_absence
from callscope.projects.configuration import Rule

pytestmark = pytest.mark.one_database
SEGMENTS = [
    {"start": 0.0, "end": 3.0, "speaker": "agent", "text": "Good morning, how can I help you?"},
    {"start": 4.0, "end": 9.0, "speaker": "customer", "text": "I want an appointment with a technician."},
    {"start": 50.0, "end": 60.0, "speaker": "agent", "text": "Goodbye."},
]


def explain(rule: dict, **options):
    conversation = build_conversation(SEGMENTS, language="en", spoken_language="en", quality={})
    return explain_absence(Rule.model_validate(rule), conversation, **options)


class TestAnAbsence:
    def test_quotes_what_made_the_rule_apply(self):
        found = explain({"any_of": ["between two and four"], "applies_if": ["appointment with a technician"]})

        assert found.applied is not None
        assert (found.applied.text, found.applied.start_s) == (
            "I want an appointment with a technician.",
            4.0,
        )
        assert (found.phrases, found.speaker) == (["between two and four"], "agent")
        assert (found.start_s, found.end_s) == (None, None)

    def test_quotes_nothing_where_the_rule_always_applies(self):
        assert explain({"any_of": ["thank you"]}).applied is None

    def test_names_the_groups_that_nobody_said_alone(self):
        rule = {"all_of": [["good morning"], ["my name is", {"pattern": "this is [a-z]+"}]]}

        assert explain(rule, heard_groups=[0]).phrases == ["my name is", "/this is [a-z]+/"]

    def test_says_between_which_seconds_it_should_have_stood(self):
        first = explain({"any_of": ["thank you"], "within_seconds": 30})
        last = explain({"any_of": ["anything else"], "last_seconds": 20})
        longer = explain({"any_of": ["anything else"], "last_seconds": 300})

        assert (first.start_s, first.end_s) == (0.0, 30.0)
        assert (last.start_s, last.end_s) == (40.0, 60.0)
        assert (longer.start_s, longer.end_s) == (0.0, 60.0)

    @pytest.mark.parametrize(
        ("order", "place"),
        [
            ({"before": {"any_of": ["goodbye"]}}, (0.0, 50.0)),
            ({"after": {"any_of": ["appointment"]}}, (4.0, 60.0)),
            ({"before": {"criterion": "end"}}, (0.0, 50.0)),
            ({"before": {"criterion": "end"}, "after": {"any_of": ["appointment"]}}, (4.0, 50.0)),
            ({"before": {"criterion": "end"}, "within_seconds": 30}, (0.0, 30.0)),
            ({"before": {"any_of": ["nobody said this"]}}, (None, None)),
            ({"before": {"criterion": "unknown"}}, (None, None)),
            ({"after": {"any_of": ["goodbye"]}, "before": {"any_of": ["good morning"]}}, (None, None)),
        ],
    )
    def test_says_before_or_after_what_it_should_have_stood(self, order, place):
        rules = {"end": Rule.model_validate({"any_of": ["goodbye"]})}

        found = explain({"any_of": ["between two and four"], **order}, rules=rules)

        assert (found.start_s, found.end_s) == place
