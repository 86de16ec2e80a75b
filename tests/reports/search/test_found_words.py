"""What is marked: the words that the search finds, in the text as it was said."""

import pytest

from callscope.reports.search.found_words import find_part, find_spoken
from callscope.reports.search.spoken_words import parse_spoken_query


def spoken(text, looked_for, language="en"):
    """Return the parts of one text that are found."""
    [places] = find_spoken([text], language, parse_spoken_query(looked_for))
    return [text[start:end] for start, end in places]


class TestSpoken:
    @pytest.mark.parametrize(
        ("text", "looked_for", "language", "found"),
        [
            ("I was refunded: refunds are late.", "refund", "en", ["refunded", "refunds"]),
            ("A refund of the invoice", "invoices refunding", "en", ["refund", "invoice"]),
            ("Quiero la devolución, las DEVOLUCIONES", "devolucion", "es", ["devolución", "DEVOLUCIONES"]),
            ("devolucio\u0301n, por favor", "devolución", "es", ["devolucio\u0301n"]),  # accent of its own
            ("the ﬁnal ｒｅｆｕｎｄ", "final refund", "en", ["ﬁnal", "ｒｅｆｕｎｄ"]),
            ("I don’t know", "don't", "en", ["don’t"]),
            ("half: ½ price", "1", "en", ["½"]),
            ("refunded", "fund", "en", []),
            ("nothing of it", "refund", "en", []),
            ("", "refund", "en", []),
            ("refund", "", "en", []),
            ("Straße 5", "strasse", "de", ["Straße"]),
            ("<script>alert(1)</script>", "script", "en", ["script", "script"]),
        ],
    )
    def test_words_in_any_form(self, text, looked_for, language, found):
        assert spoken(text, looked_for, language) == found

    @pytest.mark.parametrize(
        ("text", "looked_for", "found"),
        [
            ("my invoice is not the invoice", '"my invoice"', ["my invoice"]),
            ("my old invoice, my invoices", '"my invoice"', ["my invoices"]),
            ("refund my invoice: my refunds", 'refund "my invoice"', ["refund", "my invoice", "refunds"]),
            ("invoice, my invoice", 'invoice "my invoice"', ["invoice", "my invoice"]),
            ("my invoice", 'my "my invoice"', ["my invoice"]),
        ],
    )
    def test_phrases_as_a_whole(self, text, looked_for, found):
        assert spoken(text, looked_for) == found

    def test_words_of_a_phrase_that_goes_on_in_the_next_text(self):
        texts = ["send me my", "invoice please"]

        places = find_spoken(texts, "en", parse_spoken_query('"my invoice"'))

        assert [[text[a:b] for a, b in each] for text, each in zip(texts, places, strict=True)] == [
            ["my"],
            ["invoice"],
        ]


class TestPart:
    @pytest.mark.parametrize(
        ("text", "part", "found"),
        [
            ("Billing, rebilling", "BILL", ["Bill", "bill"]),
            ("Große Straße", "SS", ["ß", "ß"]),
            ("aaa", "aa", ["aa"]),
            ("a+b (c)", "+b (", ["+b ("]),
            ("anything", "", []),
            ("", "x", []),
        ],
    )
    def test_in_any_case(self, text, part, found):
        assert [text[start:end] for start, end in find_part(text, part)] == found
