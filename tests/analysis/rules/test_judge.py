"""Criteria decided by phrases, speaker and time."""

import pytest

from callscope.analysis.rules import judge
from callscope.projects.configuration import Criterion


def criterion(**rule):
    rest = {k: rule.pop(k) for k in ("may_not_apply", "critical", "partial_credit") if k in rule}
    return Criterion.model_validate({"id": "c", "name": "C", "max_points": 10, "rule": rule, **rest})


class TestPhrases:
    @pytest.mark.parametrize(
        ("phrase", "said"),
        [
            ("thank you for calling", "Hi, THANK YOU for calling Acme."),
            ("do not worry", "Don't worry about it."),
            ("call is recorded", "This call is being recorded."),
            ("anything else i can do", "Is there anything else that I can do for you?"),
            ("canceled your subscription", "I have cancelled your subscription."),
            ("wi-fi", "Is the Wi-Fi light on?"),
        ],
    )
    def test_finds_the_same_or_nearly_the_same_words(self, talk, meaning, phrase, said):
        found = judge.judge_criterion(criterion(any_of=[phrase]), talk(f"agent: {said}"), meaning)

        assert (found.answer, found.quote.text) == ("met", said)

    @pytest.mark.parametrize(
        ("phrase", "said"),
        [
            ("hi", "This is the billing line."),
            ("call is recorded", "This call is not recorded."),
            ("within 24 hours", "We answer within 48 hours."),
            ("refund", "I am fun."),
        ],
    )
    def test_does_not_take_other_words_for_the_phrase(self, talk, meaning, phrase, said):
        found = judge.judge_criterion(criterion(any_of=[phrase]), talk(f"agent: {said}"), meaning)

        assert found.answer == "not_met"

    def test_ignores_accents_and_case_in_spanish(self, talk, meaning):
        call = talk("agent: ¿En qué le puedo AYUDAR?", language="es")

        found = judge.judge_criterion(criterion(any_of=["en que le puedo ayudar"]), call, meaning)

        assert found.answer == "met"

    def test_reads_on_over_the_cues_of_one_turn(self, talk, meaning):
        call = talk("agent: Is there anything", "agent: else I can do for you?")

        assert (
            judge.judge_criterion(criterion(any_of=["anything else i can do"]), call, meaning).answer == "met"
        )

    def test_does_not_join_the_words_of_two_speakers(self, talk, meaning):
        call = talk("agent: Is there anything", "customer: else I can do?")

        assert (
            judge.judge_criterion(criterion(any_of=["anything else"], speaker="any"), call, meaning).answer
            == "not_met"
        )

    def test_a_forbidden_phrase_decides_against_a_wanted_one(self, talk, meaning):
        call = talk("agent: Thank you for calling.", "agent: That's not my problem.")

        found = judge.judge_criterion(
            criterion(any_of=["thank you"], none_of=["not my problem"]), call, meaning
        )

        assert (found.answer, found.quote.text) == ("not_met", "That's not my problem.")

    def test_a_rule_of_forbidden_phrases_alone_is_met_by_silence(self, talk, meaning):
        found = judge.judge_criterion(criterion(none_of=["calm down"]), talk("agent: Hello."), meaning)

        assert (found.answer, found.quote) == ("met", None)

    def test_blame_needs_the_very_words(self, talk, meaning):
        found = judge.judge_criterion(
            criterion(none_of=["not my problem"]), talk("agent: That is not a problem."), meaning
        )

        assert found.answer == "met"


class TestSpeaker:
    def test_counts_only_the_words_of_the_speaker_it_names(self, talk, meaning):
        call = talk("customer: Thank you for calling back.", "agent: Sure.")

        assert (
            judge.judge_criterion(criterion(any_of=["thank you for calling"]), call, meaning).answer
            == "not_met"
        )
        assert (
            judge.judge_criterion(
                criterion(any_of=["thank you for calling"], speaker="any"), call, meaning
            ).answer
            == "met"
        )

    def test_is_not_evaluated_where_nobody_knows_who_speaks(self, talk, meaning):
        found = judge.judge_criterion(
            criterion(any_of=["thank you"]), talk("?: Thank you for calling."), meaning
        )

        assert found.answer is None
        assert "unknown who is speaking" in found.reason

    def test_anybody_will_do_for_a_rule_that_names_no_speaker(self, talk, meaning):
        found = judge.judge_criterion(
            criterion(any_of=["thank you"], speaker="any"), talk("?: Thank you."), meaning
        )

        assert found.answer == "met"

    def test_is_not_evaluated_where_only_an_unknown_speaker_said_it(self, talk, meaning):
        call = talk("agent: Hello.", "?: Have a nice day.")

        assert judge.judge_criterion(criterion(any_of=["have a nice day"]), call, meaning).answer is None


class TestTime:
    def test_looks_only_at_the_first_seconds(self, talk, meaning):
        call = talk("@10 agent: Hello.", "@45 agent: Thank you for calling.")
        rule = {"any_of": ["thank you for calling"]}

        assert judge.judge_criterion(criterion(**rule, within_seconds=30), call, meaning).answer == "not_met"
        assert judge.judge_criterion(criterion(**rule, within_seconds=60), call, meaning).answer == "met"

    def test_looks_only_at_the_last_seconds_of_speech(self, talk, meaning):
        call = talk("@0 agent: Goodbye to that fee.", "@100 agent: Anything else?", "@120 customer: No.")
        rule = {"any_of": ["goodbye"]}

        assert judge.judge_criterion(criterion(**rule, last_seconds=30), call, meaning).answer == "not_met"
        assert judge.judge_criterion(criterion(**rule, last_seconds=130), call, meaning).answer == "met"


class TestApplicability:
    def test_comes_first(self, talk, meaning):
        rule = {"any_of": ["i have opened a claim"], "applies_if": ["damaged"]}

        calm = judge.judge_criterion(criterion(**rule), talk("customer: A question.", "agent: Yes?"), meaning)
        hurt = judge.judge_criterion(
            criterion(**rule), talk("customer: It came damaged.", "agent: Oh."), meaning
        )

        assert (calm.answer, hurt.answer) == ("not_applicable", "not_met")

    def test_a_criterion_without_a_rule_is_not_evaluated(self, talk, meaning):
        bare = Criterion.model_validate({"id": "c", "name": "C", "max_points": 1, "may_not_apply": True})

        found = judge.judge_criterion(bare, talk("agent: Hello."), meaning)

        assert (found.answer, found.reason) == (
            None,
            "This criterion has no rule, so judging it needs a language model.",
        )

    def test_an_empty_transcript_is_not_evaluated(self, talk, meaning):
        assert (
            judge.judge_criterion(criterion(any_of=["hello"], speaker="any"), talk(), meaning).answer is None
        )


class TestHalfHeardCall:
    CALL = ("agent: thank you for calling acme how can i help", "customer: this call is recorded they say")

    def answer(self, talk, **rule):
        return judge.judge_half_heard(
            criterion(**rule), talk(*self.CALL, quality={"half_heard": True})
        ).answer

    def test_is_judged_by_what_stands_there_word_for_word(self, talk):
        found = judge.judge_half_heard(criterion(any_of=["Thank you for calling"]), talk(*self.CALL))

        assert (found.answer, found.quote.text) == ("met", "thank you for calling acme how can i help")
        assert found.justification == "The agent said the phrase “Thank you for calling”."

    @pytest.mark.parametrize(
        "rule",
        [
            {"any_of": ["thanks for your call"]},
            {"any_of": ["thank you for callling"]},
            {"any_of": ["thank you for your calling"]},
            {"any_of": ["how may I help you"]},
            {"any_of": ["this call is recorded"]},
            {"any_of": ["thank you for calling"], "last_seconds": 1},
            {"none_of": ["not my problem"]},
            {"any_of": ["goodbye"], "applies_if": ["refund"]},
            {},
        ],
    )
    def test_is_not_judged_by_anything_else(self, talk, rule):
        found = judge.judge_half_heard(criterion(**rule), talk(*self.CALL))

        assert found.answer is None
        assert found.reason == (
            "The transcript of this call is unreliable, and no phrase of the rule is in it word for word."
        )

    def test_shows_a_forbidden_phrase(self, talk):
        assert self.answer(talk, any_of=["goodbye"], none_of=["how can i help"], critical=True) == "not_met"

    def test_leaves_a_criterion_for_a_language_model_open(self, talk):
        plain = Criterion.model_validate({"id": "c", "name": "C", "max_points": 10})

        assert judge.judge_half_heard(plain, talk(*self.CALL)).answer is None
