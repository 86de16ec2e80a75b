"""Numbers that no rule explains are weighed by what stands around them."""

import pytest

from callscope.transcription.redaction.utterances import read_utterances
from callscope.transcription.redaction.vocabulary.kinds import Kind
from callscope.transcription.redaction.weighing.evidence import FAR, Heard, list_evidence
from callscope.transcription.redaction.weighing.likelihood import (
    BY_MEANING,
    BY_WORDS,
    OTHERS,
    START,
    Rater,
    Rating,
    read_weights,
    to_likelihood,
    weigh_words,
)
from tests.transcription.redaction.test_dialog import CARD, redact, survives
from tests.transcription.redaction.test_hostile_text import conversation

pytestmark = pytest.mark.one_database


class TestWeights:
    def test_make_evidence_for_codes_more_likely_than_none(self):
        best = sorted(read_weights(), key=read_weights().get)[-20:]

        assert to_likelihood(weigh_words(best)) >= BY_WORDS.code_from
        assert weigh_words([]) == pytest.approx(weigh_words(["words that nobody said"]))
        assert START in read_weights()


class TestEvidence:
    def test_can_be_read_back_from_a_list(self):
        utterances = list(
            read_utterances(conversation(["4821", "And the PIN? 4821 is mine.", "\u00a04821\n"]))
        )
        heard = Heard(FAR, FAR, False, [], True)
        found = {e for u in utterances for piece in u.pieces for e in list_evidence(utterances, piece, heard)}

        assert {"sign before nothing", "sign before space", "sign after space", "sign after nothing"} <= found
        assert [evidence for evidence in found if evidence != " ".join(evidence.split())] == []

    def test_of_signs_that_cannot_be_seen_has_weights(self):
        assert {"sign before space", "sign after space"} <= read_weights().keys()


class TestBars:
    @pytest.mark.parametrize("kind", [Kind.IDENTIFIER, Kind.ACCOUNT, Kind.AMOUNT, Kind.LAST_FOUR])
    def test_are_higher_for_the_answer_to_another_question(self, kind):
        least = BY_MEANING.find_least({kind}, OTHERS, is_spoken_of=True)

        assert least > BY_MEANING.find_least(set(), OTHERS, is_spoken_of=True)

    @pytest.mark.parametrize("kind", [Kind.NAMED, Kind.PLACE, Kind.DATE])
    def test_are_lower_for_what_words_about_places_and_things_seem_to_say(self, kind):
        least = BY_MEANING.find_least({kind}, OTHERS, is_spoken_of=True)

        assert least < BY_MEANING.find_least(set(), OTHERS, is_spoken_of=True)
        assert BY_MEANING.find_least({kind}, OTHERS | {kind}, is_spoken_of=True) == BY_MEANING.other_code_from

    @pytest.mark.parametrize(
        ("likelihood", "by_words", "is_doubtful"), [(0.01, 0.01, True), (0.01, 0.4, False)]
    )
    def test_doubt_an_answer_by_words_and_meaning_together(self, likelihood, by_words, is_doubtful):
        rater = Rater([], None, None)

        assert rater.is_doubtful(Rating(likelihood, BY_MEANING, by_words), None) is is_doubtful


class TestRules:
    def test_do_not_ask_for_what_a_purpose_names(self):
        assert survives("A: To text you the gate PIN I need the mobile we hold.", "C: 303 555 8457.")

    def test_keep_a_count_apart_from_the_digits_after_it(self):
        said = redact("A: Tarjeta y código, por favor.", f"C: {CARD}, y tres cifras 471.")

        assert "471" not in said[1]

    def test_let_who_repeats_a_question_answer_it(self):
        assert survives("A: Card number?", "C: Order number? 44722687.")

    def test_know_a_long_part_of_a_card_whatever_is_asked(self):
        said = redact("A: Card number?", f"C: {CARD}.", "A: Your phone?", "C: 1488 0343.")

        assert "0343" not in said[3]

    def test_leave_a_redacted_transcript_as_it_is(self):
        once = redact("A: Your PIN?", "C: 4821.", "A: And the year?", "C: 1987.")

        assert survives(*(f"{'AC'[n % 2]}: {text}" for n, text in enumerate(once)))
