"""What a sentence does, and what is compared of it."""

import pytest

from callscope.analysis.matching.readings import read_sentence


class TestForm:
    @pytest.mark.parametrize(
        ("sentence", "form"),
        [
            ("give me the address", "asks"),
            ("where are you going", "asks"),
            ("I can filter by price", "offers"),
            ("your order is on its way", "states"),
            ("account number", "names"),
        ],
    )
    def test_is_classified_without_a_question_mark(self, sentence, form):
        assert read_sentence(sentence, "en").form == form


class TestReading:
    def test_holds_what_a_sentence_must_not_differ_in(self):
        reading = read_sentence("My brother's PIN is not 4821.", "en")

        assert reading.numbers == {"4821"}
        assert reading.other_people == {"brother"}
        assert reading.has_negation

    @pytest.mark.parametrize(("said", "has_content"), [("When?", False), ("When do you arrive?", True)])
    def test_has_no_content_with_a_question_word_alone(self, said, has_content):
        assert read_sentence(said, "en").has_content is has_content

    def test_marks_the_terms_that_a_question_asks_for(self):
        reading = read_sentence("Which hotel would you like to stay at?", "en")

        assert [term.key for term in reading.asked_for] == ["hotel"]
