"""Card numbers, security codes and other data are taken out, however they are said."""

import importlib
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callscope.engines.asr.protocol import Word
from callscope.transcription.redaction.redaction import redact_segments, redact_text

pytestmark = pytest.mark.one_database
DEFAULT = ["cards", "security_codes"]


def conversation(*turns):
    return [
        {"start": 3.0 * n, "end": 3.0 * n + 2, "speaker": speaker, "text": text, "confidence": None}
        for n, (speaker, text) in enumerate(turns)
    ]


def texts(result):
    return [segment["text"] for segment in result.segments]


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
                "The first four are [card number], the second [card number] and last [card number].",
            ),
        ],
    )
    def test_is_taken_out(self, said, left):
        assert redact_text(said, DEFAULT) == left

    def test_is_followed_over_the_other_sides_words(self):
        result = redact_segments(
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
        result = redact_segments(
            conversation(
                ("agent", "And the three digits on the back?"), ("customer", "Wait."), ("customer", "seven"),
                ("customer", "one nine"), ("agent", "719, thank you. Your flight is 4410."),
            ),
            DEFAULT,
        )  # fmt: skip

        assert texts(result)[2:4] == ["[security code]", "[security code]"]
        assert texts(result)[4].startswith("[security code], thank you.")

    @pytest.mark.parametrize(
        ("rest", "left"),
        [
            (
                "expires oh nine twenty six, and it says 719",
                "expires oh nine twenty six, and it says [security code]",
            ),
            ("exp 0927 719", "exp 0927 [security code]"),
            ("September 2027, 719", "September 2027, [security code]"),
            ("719, 09/27", "[security code], 09/27"),
            ("0927, 719, 90210", "0927, [security code], 90210"),
            ("and seven one nine on the back", "and [security code] on the back"),
            (
                "caduca en septiembre de 2027, y detrás 719",
                "caduca en septiembre de 2027, y detrás [security code]",
            ),
        ],
    )
    def test_is_found_after_a_card_without_a_word(self, rest, left):
        assert redact_text(f"4539 1488 0343 6467, {rest}", DEFAULT) == f"[card number], {left}"

    def test_is_found_where_it_is_read_back(self):
        result = redact_segments(
            conversation(("agent", "And the CVV?"), ("customer", "719"), ("agent", "Fine. So that was 719.")),
            DEFAULT,
        )

        assert texts(result)[1:] == ["[security code]", "Fine. So that was [security code]."]

    def test_is_not_what_the_agent_says_afterwards(self):
        said = "Thank you. The balance is 1920."

        result = redact_segments(
            conversation(("agent", "Your PIN?"), ("customer", "5380"), ("agent", "Okay."), ("agent", said)),
            DEFAULT,
        )

        assert texts(result)[1:] == ["[security code]", "Okay.", said]

    def test_does_not_reach_without_end(self):
        turns = [("agent", "the CVV please"), *[("agent", "well")] * 30, ("customer", "room 412")]

        assert texts(redact_segments(conversation(*turns), DEFAULT))[-1] == "room 412"


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

    def test_card_keeps_its_name_next_to_them(self):
        kinds = ["digit_runs", "phones", "emails", "cards", "security_codes"]

        assert redact_text("card 4532 1488 0343 6467", kinds) == "card [card number]"


class TestSilences:
    WORDS = tuple(
        Word(n * 0.5, n * 0.5 + 0.4, w) for n, w in enumerate(["card", "4532", "1488", "0343", "6467", "bye"])
    )

    def test_follow_the_words_where_they_are_timed(self):
        segments = conversation(("customer", "card 4532 1488 0343 6467 bye"))

        (silence,) = redact_segments(segments, DEFAULT, words=[self.WORDS]).silences

        assert silence == (pytest.approx(0.25), pytest.approx(2.65))

    @pytest.mark.parametrize("words", [None, [()], [(Word(0, 1, "elsewhere"),)]])
    def test_are_the_whole_segment_where_they_are_not(self, words):
        segments = conversation(("customer", "card 4532 1488 0343 6467 bye"))

        assert redact_segments(segments, DEFAULT, words=words).silences == [(0, 2)]


class TestRedaction:
    def test_changes_nothing_that_it_was_given(self):
        segments = conversation(("customer", "4532 1488 0343 6467"))

        redact_segments(segments, DEFAULT)

        assert segments[0]["text"] == "4532 1488 0343 6467"

    @given(
        st.lists(st.tuples(st.sampled_from(["agent", "customer", None]), st.text(max_size=80)), max_size=6)
    )
    def test_stands_any_text(self, turns):
        result = redact_segments(
            conversation(*turns), ["cards", "security_codes", "digit_runs", "emails", "phones"]
        )

        assert len(result.segments) == len(turns)

    @given(st.from_regex(r"4[0-9]{3}( |-|, |\. )[0-9]{4}\1[0-9]{4}\1[0-9]{4}", fullmatch=True))
    def test_leaves_no_card_in_four_groups(self, number):
        assert redact_text(f"so {number} then", DEFAULT) == "so [card number] then"

    def test_is_quick_on_a_transcript_of_nothing_but_numbers(self):
        segments = conversation(
            *[("customer", "the CVV and card 4532 then 1488 uh 99 ") for _ in range(3000)]
        )

        assert "4532" not in str(texts(redact_segments(segments, ["cards", "security_codes", "emails"])))


@pytest.fixture(scope="module")
def quality():
    """The measuring script, which knows the labeled data."""
    folder = Path(__file__).parents[3] / "benchmarks"
    sys.path.insert(0, str(folder))
    try:
        return importlib.import_module("quality_redaction")
    finally:
        sys.path.remove(str(folder))


class TestCorpus:
    def test_of_over_two_hundred_lines_keeps_no_secret(self, quality):
        lines = list(quality.corpus())

        kept = [line.segments for line in lines if line.kind != "none" and not quality.is_hidden(line)]
        assert len(lines) >= 200
        assert kept == []

    def test_of_labeled_dialogs_is_distinguished(self, quality):
        dialogs = quality.redaction_data.load_dialogs(quality.LABELED / "seen.yaml", variants=1, seed=7)
        judged = [quality.judge(dialog) for dialog in dialogs]

        hidden = [found for one in judged for found in one.hidden.values()]
        right = [hit for one in judged for hit in quality.replacements(one, quality.KINDS)]
        assert len(dialogs) >= 400
        assert sum(hidden) / len(hidden) >= 0.98
        assert sum(right) / len(right) >= 0.98

    @pytest.mark.parametrize(
        ("turns", "manners"),
        [
            (["Your PIN?", "4821."], {"asked for", "asked or named"}),
            (["Hello.", "My PIN is 4821."], {"named", "asked or named"}),
            (["The three on the back?", "Your PIN, I mean.", "The PIN, 4821."],
             {"asked for", "named", "asked or named"}),
            (["Your PIN?", "One moment.", "Take your time.", "It's 4821."], {"named far"}),
            (["What do you tap in at the gate?", "4821."], {"not named"}),
            (["Your zip code? I'll call you back.", "4821."], {"not named"}),
        ],
    )  # fmt: skip
    def test_counts_codes_that_are_asked_for_or_named(self, quality, turns, manners):
        data = quality.redaction_data
        said = tuple(data.Turn("customer", text) for text in turns)
        start = turns[-1].index("4821")
        span = data.Span(len(turns) - 1, start, start + 4, "code", "digits", "code:", "4821")

        assert quality.how_named(data.Dialog("one/0", "en", said, (span,)), span) == manners
