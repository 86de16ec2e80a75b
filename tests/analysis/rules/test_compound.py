"""Rules that want, count or order several things."""

import re

import pytest

from callscope.analysis.matching.likelihood import SAID_FROM
from callscope.analysis.matching.rule_evaluation import Part, find_least_margin
from callscope.analysis.rules import judge
from callscope.analysis.rules.analyzer import judge_rubric
from callscope.projects.configuration import Criterion, Rule, parse

TWO = [["good morning", "thank you for calling"], ["Acme"]]


def judged(call, meaning, *, partial_credit=False, **rule):
    criterion = Criterion.model_validate(
        {"id": "c", "name": "C", "max_points": 10, "partial_credit": partial_credit, "rule": rule}
    )
    return judge.judge_criterion(criterion, call, meaning)


def judged_together(call, meaning, **rules):
    """Return the answer of each criterion of one rubric."""
    criteria = [{"id": name, "name": name, "max_points": 1, "rule": rule} for name, rule in rules.items()]
    config = parse({"rubric": {"sections": [{"name": "All", "criteria": criteria}]}})
    return {name: found.answer for name, found in judge_rubric(config, call, meaning).items()}


class TestGroups:
    @pytest.mark.parametrize(
        ("said", "answer"),
        [
            ("Good morning, Acme service.", "met"),
            ("Good morning, what is it?", "not_met"),
            ("Acme service, what is it?", "not_met"),
            ("What is it?", "not_met"),
        ],
    )
    def test_all_have_to_hold(self, talk, meaning, said, answer):
        assert judged(talk(f"agent: {said}"), meaning, all_of=TWO).answer == answer

    @pytest.mark.parametrize(("said", "answer"), [("Good morning.", "partly"), ("What is it?", "not_met")])
    def test_some_earn_half_where_the_criterion_gives_half(self, talk, meaning, said, answer):
        assert judged(talk(f"agent: {said}"), meaning, all_of=TWO, partial_credit=True).answer == answer

    @pytest.mark.parametrize(
        ("said", "answer"),
        [
            ("Your date of birth and your postcode, please?", "met"),
            ("Your date of birth, please?", "not_met"),
        ],
    )
    def test_may_ask_for_some_of_them_alone(self, talk, meaning, said, answer):
        groups = [["date of birth"], ["postcode"], ["customer number"]]

        assert judged(talk(f"agent: {said}"), meaning, all_of=groups, at_least=2).answer == answer

    def test_give_a_quote_each_and_the_first_next_to(self, talk, meaning):
        call = talk("agent: Good morning to you.", "customer: Is that Acme?", "agent: This is Acme, yes.")

        found = judged(call, meaning, all_of=TWO)

        shown = [(q.group, q.quote.text, q.speaker, q.quote.start_s) for q in found.quotes]
        assert shown == [(0, "Good morning to you.", "agent", 0.0), (1, "This is Acme, yes.", "agent", 10.0)]
        assert found.quote.text == "Good morning to you."

    def test_stay_open_where_the_other_one_may_have_been_said_by_somebody_unknown(self, talk, meaning):
        call = talk("agent: Good morning to you.", "?: Acme service here.")

        assert judged(call, meaning, all_of=TWO).answer is None

    def test_count_no_words_of_the_other_side(self, talk, meaning):
        call = talk("agent: Good morning to you.", "customer: Is that Acme?")

        assert judged(call, meaning, all_of=TWO).answer == "not_met"

    def test_hold_next_to_any_of(self, talk, meaning):
        call = talk("agent: Good morning, Acme service.")

        assert judged(call, meaning, all_of=TWO, any_of=["how can I help"]).answer == "not_met"

    def test_count_in_half_heard_speech_only_word_for_word(self, talk, meaning):
        quality = {"ok": False, "reasons": [], "half_heard": True}
        rule = {"all_of": TWO}
        criterion = Criterion.model_validate({"id": "c", "name": "C", "max_points": 1, "rule": rule})

        whole = judge.judge_half_heard(criterion, talk("agent: good morning acme", quality=quality))
        half = judge.judge_half_heard(criterion, talk("agent: good morning acne", quality=quality))

        assert (whole.answer, len(whole.quotes)) == ("met", 2)
        assert half.answer is None


class TestMargin:
    """How near a rule of several parts is to another answer."""

    def margin(self, *margins, at_least=None, partial_credit=False):
        """Return the least margin of parts with these; one below 0 is of a part that was not said."""
        rule = Rule.model_validate({"all_of": [[str(n)] for n in range(len(margins))], "at_least": at_least})
        parts = [
            Part(n, (), None, "not_said" if m is not None and m < 0 else "said", margin=m and abs(m))
            for n, m in enumerate(margins)
        ]
        return find_least_margin(rule, parts, partial_credit=partial_credit)

    def test_is_the_least_of_the_parts_on_which_the_answer_hangs(self):
        assert self.margin(0.3, 0.05, None) == 0.05

    def test_is_that_of_the_one_part_that_is_missing(self):
        assert self.margin(0.02, -0.2) == 0.2

    def test_leaves_out_parts_that_would_change_nothing(self):
        assert self.margin(-0.02, -0.2) is None
        assert self.margin(0.02, 0.2, None, at_least=1) is None

    def test_counts_half_points_as_another_answer(self):
        assert self.margin(-0.02, -0.2, partial_credit=True) == 0.02

    def test_is_unknown_where_words_decided(self):
        assert self.margin(None, None) is None

    def test_is_what_the_judgment_carries(self, talk, meaning):
        call = talk("agent: Good morning.", "agent: What is the number of your account?")

        found = judged(call, meaning, all_of=[["good morning"], ["may I have your account number"]])

        assert found.answer == "met"
        percent = int(re.search(r"(\d+) %", found.justification)[1])
        assert found.margin == pytest.approx(percent / 100 - SAID_FROM, abs=0.005)


class TestOrder:
    @pytest.mark.parametrize(
        ("lines", "answer"),
        [
            (["Your date of birth, please?", "Your balance is ten euros."], "met"),
            (["Your balance is ten euros.", "Your date of birth, please?"], "not_met"),
            (["Your balance is ten euros. Your date of birth, please?"], "not_met"),
            (["Your date of birth, please? Your balance is ten euros."], "met"),
            (["Your date of birth, please?"], "met"),
            (["Your balance is ten euros."], "not_met"),
        ],
    )
    def test_stands_before_phrases(self, talk, meaning, lines, answer):
        call = talk(*(f"agent: {line}" for line in lines))
        rule = {"any_of": ["date of birth"], "before": {"any_of": ["your balance is"]}}

        assert judged(call, meaning, **rule).answer == answer

    @pytest.mark.parametrize(
        ("lines", "answer"),
        [
            (["Please hold the line.", "Thank you for holding."], "met"),
            (["Thank you for holding.", "Please hold the line."], "not_met"),
            (["Thank you for holding."], "not_met"),
        ],
    )
    def test_stands_after_phrases(self, talk, meaning, lines, answer):
        call = talk(*(f"agent: {line}" for line in lines))
        rule = {"any_of": ["thank you for holding"], "after": {"any_of": ["hold the line"]}}

        assert judged(call, meaning, **rule).answer == answer

    @pytest.mark.parametrize(
        ("lines", "answer"),
        [
            (["Your date of birth, please?", "I can offer you a discount."], "met"),
            (["I can offer you a discount.", "Your date of birth, please?"], "not_met"),
        ],
    )
    def test_stands_before_the_evidence_of_another_criterion(self, talk, meaning, lines, answer):
        call = talk(*(f"agent: {line}" for line in lines))

        answers = judged_together(
            call,
            meaning,
            identity={"any_of": ["date of birth"], "before": {"criterion": "offer"}},
            offer={"any_of": ["I can offer you"]},
        )

        assert answers == {"identity": answer, "offer": "met"}

    def test_shows_what_was_said_too_late(self, talk, meaning):
        call = talk("agent: Your balance is ten euros.", "agent: Your date of birth, please?")

        found = judged(call, meaning, any_of=["date of birth"], before={"any_of": ["your balance is"]})

        assert "Said, but not where it counts: “date of birth”." in found.justification

    def test_finds_the_first_time_even_where_a_later_one_is_nearer(self, talk, meaning):
        call = talk(
            "agent: Your current balance is ten euros.",  # nearly the phrase
            "agent: Your date of birth, please?",
            "agent: So your balance is ten euros.",  # the very words
        )
        rule = {"any_of": ["date of birth"], "before": {"any_of": ["your balance is ten"]}}

        assert judged(call, meaning, **rule).answer == "not_met"


class TestOtherSide:
    RULE = {"any_of": ["a discount"], "not_within": {"seconds": 10, "any_of": ["any discount"]}}

    @pytest.mark.parametrize(
        ("lines", "answer"),
        [
            (["agent: We have a discount for you."], "met"),
            (["customer: Is there any discount?", "agent: We have a discount for you."], "not_met"),
            (["agent: We have a discount for you.", "customer: So there is any discount."], "met"),
        ],
    )
    def test_does_not_count_just_after_the_customer_said_it(self, talk, meaning, lines, answer):
        assert judged(talk(*lines), meaning, **self.RULE).answer == answer

    def test_counts_again_after_the_time(self, talk, meaning):
        pause = ["customer: Well.", "agent: Yes?", "customer: Fine.", "agent: Good."]
        call = talk("customer: Is there any discount?", *pause, "agent: We have a discount for you.")

        assert judged(call, meaning, **self.RULE).answer == "met"

    def test_without_phrases_means_the_own_ones(self, talk, meaning):
        call = talk("customer: I want a discount.", "agent: Here is a discount.")

        assert judged(call, meaning, any_of=["a discount"], not_within={}).answer == "not_met"


class TestCounts:
    @pytest.mark.parametrize(("times", "answer"), [(0, "met"), (2, "met"), (3, "not_met")])
    def test_allows_so_many_times(self, talk, meaning, times, answer):
        call = talk("agent: Hello there.", *["agent: Please hold the line.", "customer: Okay."] * times)

        assert judged(call, meaning, any_of=["hold the line", "please hold"], at_most=2).answer == answer

    def test_shows_every_time(self, talk, meaning):
        call = talk("agent: Please hold. Please hold.", "customer: Okay.", "agent: Please hold.")

        found = judged(call, meaning, any_of=["please hold"], at_most=1)

        assert [q.quote.start_s for q in found.quotes] == [0.0, 0.0]
        assert found.answer == "not_met"


class TestSilence:
    def talk_with_pause(self, talk, seconds):
        """Return a call in which the agent is away for so many seconds after second 4."""
        return talk("agent: One moment please.", "customer: Okay.", f"@{4 + seconds} agent: I am back.")

    @pytest.mark.parametrize(("seconds", "answer"), [(50, "met"), (70, "not_met")])
    def test_counts_until_the_speaker_comes_back(self, talk, meaning, seconds, answer):
        call = self.talk_with_pause(talk, seconds)
        rule = {"no_silence": {"over_seconds": 60, "after": ["one moment"]}}

        assert judged(call, meaning, **rule).answer == answer

    @pytest.mark.parametrize(("seconds", "answer"), [(60, "met"), (80, "not_met")])
    def test_without_phrases_counts_until_anybody_speaks(self, talk, meaning, seconds, answer):
        call = self.talk_with_pause(talk, seconds)

        assert judged(call, meaning, no_silence={"over_seconds": 60}).answer == answer

    def test_quotes_the_last_words_before_it(self, talk, meaning):
        call = self.talk_with_pause(talk, 70)

        found = judged(call, meaning, no_silence={"over_seconds": 60, "after": ["one moment"]})

        assert found.quote.text == "One moment please."
        assert "There was a wait of 70 seconds; at most 60 are allowed." in found.justification


class TestPatterns:
    @pytest.mark.parametrize(
        ("pattern", "said", "answer"),
        [
            (r"\border (?:no|number)\.? ?\d+", "It is Order Number 77.", "met"),
            (r"\bcredito\b", "Le damos un CRÉDITO hoy.", "met"),
            (r"\bcrédito\b", "Le damos un credito hoy.", "met"),
            (r"\d{4}", "It is one two three four.", "not_met"),
            (r"[.!,]+", "Well... no!", "not_met"),
            (r"number.*thanks", "The number is [card number], thanks.", "not_met"),
            (r"\[card", "The number is [card number], thanks.", "not_met"),
            (r"\s{5,}", "The number is [card number], thanks.", "not_met"),
        ],
    )
    def test_match_what_was_said_and_nothing_redacted(self, talk, meaning, pattern, said, answer):
        call = talk("agent: Good day.", "customer: Yes.", f"agent: {said}")

        assert judged(call, meaning, any_of=[{"pattern": pattern}]).answer == answer

    def test_reach_over_the_cues_of_one_turn(self, talk, meaning):
        call = talk("agent: Your order", "agent: number is 77.")

        found = judged(call, meaning, any_of=[{"pattern": r"order\s+number is \d+"}])

        assert (found.answer, found.quote.text) == ("met", "number is 77.")

    def test_forbid_too(self, talk, meaning):
        found = judged(
            talk("agent: Tough luck, mate."), meaning, none_of=[{"pattern": "tough (luck|cookie)"}]
        )

        assert found.answer == "not_met"
        assert "/tough (luck|cookie)/" in found.justification

    def test_decide_nothing_in_half_heard_speech(self, talk):
        call = talk("agent: order 77", quality={"ok": False, "reasons": [], "half_heard": True})
        rule = {"any_of": [{"pattern": "order"}]}
        criterion = Criterion.model_validate({"id": "c", "name": "C", "max_points": 1, "rule": rule})

        assert judge.judge_half_heard(criterion, call).answer is None
