"""What an answer hangs on, whether something was said, nearly said, or not at all."""

import pytest

from callscope.analysis.conversation.turns import build_conversation
from callscope.analysis.rules.decisive import find_decisions
from callscope.engines.embeddings.built_in import BuiltInEmbedder
from callscope.projects import configuration

pytestmark = pytest.mark.one_database
SEGMENTS = [
    {"start": 0.0, "end": 3.0, "speaker": "agent", "text": "Good morning, this is Ana."},
    {"start": 4.0, "end": 9.0, "speaker": "customer", "text": "I want an appointment."},
    {"start": 10.0, "end": 14.0, "speaker": "agent", "text": "Could you confirm your date of birth?"},
    {"start": 15.0, "end": 18.0, "speaker": "agent", "text": "Calm down, please."},
]


def decide(rule: dict, *, quality: dict | None = None):
    criterion = {"id": "one", "name": "One", "max_points": 1, "rule": rule}
    config = configuration.parse({"rubric": {"sections": [{"name": "All", "criteria": [criterion]}]}})
    conversation = build_conversation(SEGMENTS, language="en", spoken_language="en", quality=quality or {})
    return find_decisions(conversation, config, BuiltInEmbedder(), ["one"])


class TestDecisions:
    def test_quote_the_words_of_a_phrase(self):
        found = decide({"any_of": ["good morning"]})["one"]
        [words] = found.words

        assert found.answer == "met"
        assert (words.role, words.phrase, words.certainty) == ("wanted", "good morning", "said")
        assert (words.quote.text, words.quote.start_s, words.speaker) == (SEGMENTS[0]["text"], 0.0, "agent")
        assert words.likelihood_pct is None

    def test_say_how_near_the_nearest_words_come(self):
        [words] = decide({"any_of": ["could you tell me your date of birth"]})["one"].words

        assert words.quote.start_s == 10.0
        assert words.phrase == "could you tell me your date of birth"
        assert words.likelihood_pct >= 100 * words.band.said_from
        assert words.certainty == "said"

    def test_say_so_too_where_they_are_too_far(self):
        found = decide({"any_of": ["thank you for waiting"]})["one"]
        [words] = found.words

        assert (found.answer, words.certainty) == ("not_met", "not_said")
        assert words.quote is None or words.likelihood_pct < 100 * words.band.unsure_from

    def test_name_what_makes_the_rule_apply_and_what_it_forbids(self):
        rule = {"any_of": ["good morning"], "applies_if": ["appointment"], "none_of": ["calm down"]}
        found = decide(rule)["one"]

        assert found.answer == "not_met"
        assert [(each.role, each.quote.start_s) for each in found.words] == [
            ("applies", 4.0),
            ("forbidden", 15.0),
            ("wanted", 0.0),
        ]

    def test_hang_on_the_condition_alone_where_the_rule_does_not_apply(self):
        found = decide({"any_of": ["good morning"], "applies_if": ["refund"]})["one"]
        [words] = found.words

        assert found.answer == "not_applicable"
        assert (words.role, words.quote, words.certainty) == ("applies", None, "not_said")

    def test_list_each_group(self):
        found = decide({"all_of": [["good morning"], ["this is"]]})["one"]

        assert [(each.part, each.certainty) for each in found.words] == [(0, "said"), (1, "said")]

    def test_are_not_made_of_a_transcript_that_is_not_to_be_relied_on(self):
        assert decide({"any_of": ["good morning"]}, quality={"half_heard": True}) == {}
