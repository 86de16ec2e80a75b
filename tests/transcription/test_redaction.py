"""Card numbers, security codes and other data are taken out, however they are said."""

import importlib.util
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callscope.engines.asr.protocol import Word
from callscope.transcription.redaction import redact, redact_text
from callscope.transcription.spoken_numbers import tokens

pytestmark = pytest.mark.one_database
DEFAULT = ["cards", "security_codes"]


def conversation(*turns):
    return [
        {"start": 3.0 * n, "end": 3.0 * n + 2, "speaker": speaker, "text": text, "confidence": None}
        for n, (speaker, text) in enumerate(turns)
    ]


def texts(result):
    return [segment["text"] for segment in result.segments]


class TestDigits:
    @pytest.mark.parametrize(
        ("text", "digits"),
        [
            ("4532 1488", "4532 1488"),
            ("four five three two", "4 5 3 2"),
            ("double five, triple one", "55 111"),
            ("double five six", "55 6"),
            ("three zeros and two sevens", "000 77"),
            ("forty-five thirty two", "45 32"),
            ("four oh four", "4 0 4"),
            ("oh oh seven", "0 0 7"),
            ("oh, hello", ""),
            ("one hundred and twenty three", "123"),
            ("two thousand five hundred", "2500"),
            ("a thousand thanks", ""),
            ("nineteen eighty four", "19 84"),
            ("cuatro cinco seis", "4 5 6"),
            ("treinta y dos", "32"),
            ("cuatro mil quinientos treinta y dos", "4532"),
            ("mil cuatrocientos ochenta y ocho", "1488"),
            ("ciento veintitrés", "123"),
            ("doble cero, triple siete", "00 777"),
            ("dos sietes y tres ceros", "77 000"),
            ("dieciséis", "16"),
            ("０１２３", "0123"),
            ("double double double", ""),
            ("nothing here", ""),
        ],
    )
    def test_are_read_as_one_would_write_them_down(self, text, digits):
        assert " ".join(token.digits for token in tokens(text) if token.digits) == digits


class TestCardNumber:
    @pytest.mark.parametrize(
        ("said", "left"),
        [
            ("It's 4532 1488 0343 6467, thanks.", "It's [card number], thanks."),
            ("4532-1488-0343-6467", "[card number]"),
            ("an Amex, 3782 822463 10005", "an Amex, [card number]"),
            (
                "so four five three two, one four eight eight, oh three four three, six four six seven okay",
                "so [card number] okay",
            ),
            ("es cuatro mil quinientos treinta y dos, 1488, 0343, 6467", "es [card number]"),
            (
                "my card is 4532 1488 03, the rest is scratched",
                "my card is [card number], the rest is scratched",
            ),
            (
                "The first four are 4532, the second 1488, then 0343 and last 6467.",
                "The first [card number] are [card number], the second [card number] and last [card number].",
            ),
        ],
    )
    def test_is_taken_out(self, said, left):
        assert redact_text(said, DEFAULT) == left

    def test_is_followed_over_the_other_sides_words(self):
        result = redact(
            conversation(
                ("customer", "4532"), ("agent", "uh-huh"), ("customer", "one four eight eight"),
                ("agent", "yes"), ("customer", "0343"), ("agent", "go on"),
                ("customer", "six four six seven, got it?"),
            ),
            DEFAULT,
        )  # fmt: skip

        assert texts(result) == [
            "[card number]", "uh-huh", "[card number]", "yes", "[card number]", "go on",
            "[card number], got it?",
        ]  # fmt: skip
        assert result.counts == {"cards": 1}

    @pytest.mark.parametrize(
        "text",
        [
            "Flight 527 leaves at 10:30.",
            "I paid 1200 dollars in 2019.",
            "My order number is 48213375.",
            "Your card ending in 6467 is blocked.",
            "Call me on 600 123 456.",
            "One moment, one more thing: it is on the 12th of March 1982 at 3pm.",
            "I am phoenix939 there, and 7916676427.",
        ],
    )
    def test_is_no_other_number(self, text):
        assert redact_text(text, DEFAULT) == text


class TestSecurityCode:
    @pytest.mark.parametrize(
        ("said", "left"),
        [
            ("The CVV is 123.", "The CVV is [security code]."),
            ("CVC: one two three", "CVC: [security code]"),
            ("seven oh nine is the security code", "[security code] is the security code"),
            (
                "el código de seguridad es cuatrocientos cincuenta y seis",
                "el código de seguridad es [security code]",
            ),
            ("my PIN is four four double two", "my PIN is [security code]"),
            ("the code we texted you, 482 913", "the code we texted you, [security code]"),
        ],
    )
    def test_is_taken_out(self, said, left):
        assert redact_text(said, DEFAULT) == left

    def test_is_found_in_the_answer(self):
        result = redact(
            conversation(
                ("agent", "And the three digits on the back?"), ("customer", "Wait."), ("customer", "seven"),
                ("customer", "one nine"), ("agent", "719, thank you. Your flight is 4410."),
            ),
            DEFAULT,
        )  # fmt: skip

        assert texts(result)[2:4] == ["[security code]", "[security code]"]
        assert texts(result)[4].startswith("[security code], thank you.")

    @pytest.mark.parametrize(
        "rest", ["expires oh nine twenty six, and it says 719", "exp 0927 719", "seven one nine"]
    )
    def test_is_found_after_a_card_without_a_word(self, rest):
        left = redact_text(f"4532 1488 0343 6467, {rest}", DEFAULT)

        assert not [token.digits for token in tokens(left) if token.digits]

    def test_is_found_where_it_is_read_back(self):
        result = redact(
            conversation(("agent", "And the CVV?"), ("customer", "719"), ("agent", "Fine. So that was 719.")),
            DEFAULT,
        )

        assert texts(result)[1:] == ["[security code]", "Fine. So that was [security code]."]

    def test_is_not_what_the_agent_says_afterwards(self):
        said = "Thank you. The balance is 1920."

        result = redact(
            conversation(("agent", "Your PIN?"), ("customer", "5380"), ("agent", "Okay."), ("agent", said)),
            DEFAULT,
        )

        assert texts(result)[1:] == ["[security code]", "Okay.", said]

    def test_does_not_reach_for_ever(self):
        turns = [("agent", "the CVV please"), *[("agent", "well")] * 30, ("customer", "room 412")]

        assert texts(redact(conversation(*turns), DEFAULT))[-1] == "room 412"


class TestOtherKinds:
    @pytest.mark.parametrize(
        ("kind", "said", "left"),
        [
            ("phones", "call 600 123 456 or +1 (555) 010-0199", "call [phone] or +[phone]"),
            ("phones", "mi móvil es seis cero cero, uno dos tres, cuatro cinco seis", "mi móvil es [phone]"),
            ("emails", "write to ana.ruiz+x@mail.example.com please", "write to [email] please"),
            ("emails", "john dot smith at gmail dot com", "[email]"),
            ("emails", "es ana punto ruiz arroba correo punto es", "es [email]"),
            ("emails", "look at me dot I mean it", "look at me dot I mean it"),
            ("digit_runs", "order 48213, seat 12", "order [number], seat 12"),
            ("digit_runs", "I paid 1200 euros", "I paid 1200 euros"),
            ("digit_runs", "reference four two two one", "reference [number]"),
        ],
    )
    def test_are_taken_out_where_the_project_asks(self, kind, said, left):
        assert redact_text(said, [kind]) == left
        assert redact_text(said, []) == said

    def test_card_keeps_its_name_beside_them(self):
        kinds = ["digit_runs", "phones", "emails", "cards", "security_codes"]

        assert redact_text("card 4532 1488 0343 6467", kinds) == "card [card number]"


class TestSilences:
    WORDS = tuple(
        Word(n * 0.5, n * 0.5 + 0.4, w) for n, w in enumerate(["card", "4532", "1488", "0343", "6467", "bye"])
    )

    def test_follow_the_words_where_they_are_timed(self):
        segments = conversation(("customer", "card 4532 1488 0343 6467 bye"))

        (silence,) = redact(segments, DEFAULT, words=[self.WORDS]).silences

        assert silence == (pytest.approx(0.25), pytest.approx(2.65))

    @pytest.mark.parametrize("words", [None, [()], [(Word(0, 1, "elsewhere"),)]])
    def test_are_the_whole_segment_where_they_are_not(self, words):
        segments = conversation(("customer", "card 4532 1488 0343 6467 bye"))

        assert redact(segments, DEFAULT, words=words).silences == [(0, 2)]


class TestRedaction:
    def test_changes_nothing_that_it_was_given(self):
        segments = conversation(("customer", "4532 1488 0343 6467"))

        redact(segments, DEFAULT)

        assert segments[0]["text"] == "4532 1488 0343 6467"

    @given(
        st.lists(st.tuples(st.sampled_from(["agent", "customer", None]), st.text(max_size=80)), max_size=6)
    )
    def test_stands_any_text(self, turns):
        result = redact(conversation(*turns), ["cards", "security_codes", "digit_runs", "emails", "phones"])

        assert len(result.segments) == len(turns)

    @given(st.from_regex(r"4[0-9]{3}( |-|, |\. )[0-9]{4}\1[0-9]{4}\1[0-9]{4}", fullmatch=True))
    def test_leaves_no_card_in_four_groups(self, number):
        assert redact_text(f"so {number} then", DEFAULT) == "so [card number] then"

    def test_is_quick_on_a_transcript_of_nothing_but_numbers(self):
        segments = conversation(
            *[("customer", "the CVV and card 4532 then 1488 uh 99 ") for _ in range(3000)]
        )

        assert "4532" not in str(texts(redact(segments, ["cards", "security_codes", "emails"])))


class TestCorpus:
    def test_of_over_two_hundred_lines_keeps_no_secret(self):
        path = Path(__file__).parent.parent.parent / "benchmarks" / "quality_speech.py"
        spec = importlib.util.spec_from_file_location("quality_speech", path)
        quality = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(quality)
        lines = list(quality.corpus())

        kept = [line.segments for line in lines if line.kind != "none" and not quality.is_hidden(line)]
        assert len(lines) >= 200
        assert kept == []
