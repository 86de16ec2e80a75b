"""What stands where something was redacted is no speech: no phrase, topic or feeling finds it."""

import pytest

from callscope.analysis.evidence import format_quote, verify_quote
from callscope.analysis.llm.prompting import build_transcript_message
from callscope.analysis.matching.phrases import find_phrase
from callscope.analysis.rules import judge
from callscope.analysis.rules.topics import extract_topic
from callscope.projects.configuration import Criterion
from callscope.transcription.redaction.placeholders import PLACEHOLDERS

pytestmark = pytest.mark.one_database
QUOTED = "customer: It is [card number], and the PIN is [security code], thanks."


def criterion(**rule):
    return Criterion.model_validate({"id": "c", "name": "C", "max_points": 10, "rule": rule})


class TestPhrases:
    @pytest.mark.parametrize("placeholder", PLACEHOLDERS.values())
    def test_never_match_a_placeholder(self, talk, placeholder):
        call = talk("agent: Go on, please.", f"customer: Sure, {placeholder}, yes.")

        assert find_phrase([placeholder.strip("[]")], list(call.turns()), "en") is None

    def test_do_not_make_a_criterion_apply(self, talk, meaning):
        rule = {"any_of": ["never read it out"], "applies_if": ["card number"]}

        redacted = judge.judge_criterion(criterion(**rule), talk("customer: It is [card number]."), meaning)
        spoken = judge.judge_criterion(criterion(**rule), talk("customer: Here is my card number."), meaning)

        assert redacted.answer == "not_applicable"
        assert spoken.answer != "not_applicable"

    def test_do_not_meet_a_criterion(self, talk, meaning):
        call = talk("agent: Thank you, [card number], [security code].", "customer: Right.")

        for phrase in ("card number", "security code", "asks for the security code"):
            assert judge.judge_criterion(criterion(any_of=[phrase]), call, meaning).answer == "not_met"

    def test_match_the_words_around_a_placeholder(self, talk):
        call = talk("customer: My card [card number] does not work.")

        assert find_phrase(["my card does not work"], list(call.turns()), "en")


class TestTopic:
    def test_is_none_of_a_placeholder(self, talk):
        topic = extract_topic(talk("agent: How can I help?", "customer: [card number] [security code]"))

        assert "card number" not in topic
        assert "security code" not in topic


class TestQuote:
    @pytest.mark.parametrize(
        "claimed",
        [QUOTED[10:], "and the PIN is [security code]", "[00:00] It is [card number]", "[card number]"],
    )
    def test_is_verified_with_its_placeholders(self, talk, claimed):
        quote = verify_quote(claimed, talk(QUOTED), speaker="customer")

        assert format_quote(quote) == f"[00:00] {QUOTED[10:]}"

    def test_is_not_made_of_a_placeholder_that_is_not_there(self, talk):
        assert verify_quote("[phone]", talk(QUOTED)) is None


class TestPrompt:
    def test_holds_turns_that_are_nothing_but_redacted(self, talk):
        prompt = build_transcript_message(talk("agent: Your card?", "customer: [card number]."))

        assert "customer: [card number]." in prompt
