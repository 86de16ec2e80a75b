"""Search finds a part of a text in any case, by an index of pieces or without it."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from callscope.reports.models import CallText
from callscope.reports.search import call_texts, samples
from callscope.reports.search.call_texts import (
    SEPARATOR,
    build_search_text,
    find_matching_calls,
    index_texts,
)
from tests.effort import count_examples

pytestmark = pytest.mark.django_db
WORDS = st.text(st.sampled_from('aAbß"% _'), max_size=6)
NUMBERS = st.text(st.sampled_from("+-1234"), min_size=3, max_size=12)
# Words with boundaries of every kind: ASCII, other signs, other letters, capitals, a fold to two letters.
NAMES = st.lists(
    st.sampled_from(
        ["12345", "123456", "0012345", "abcde", "ABCDEF", "-", " ", ".", "_", "é", "ß", "·", "\u0301"]
    ),
    max_size=6,
).map("".join)
EXAMPLES = settings(
    max_examples=count_examples(20),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


@pytest.fixture(autouse=True)
def no_samples_of_other_tests():
    samples.drop_sample()


def queries_of(texts):
    """Parts of the texts, and other names."""
    parts = [
        field[start:end] for pair in texts for field in pair for start in range(4) for end in (-2, -1, None)
    ]
    return st.sampled_from(parts) | NAMES if parts else NAMES


def store(project, *fields):
    """Keep a text for each call, numbered from 1, as facts do."""
    CallText.objects.all().delete()
    texts = [(pk, build_search_text(*each)) for pk, each in enumerate(fields, start=1)]
    CallText.objects.bulk_create(CallText(call_id=pk, project=project, text=text) for pk, text in texts)
    index_texts(texts)


def count_texts():
    """Have PostgreSQL count its texts; SQLite does so at each search."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("ANALYZE reports_calltext")


class TestBuildSearchText:
    def test_folds_case_and_keeps_fields_apart(self):
        assert build_search_text("Straße", "B") == f"strasse{SEPARATOR}b"

    def test_replaces_a_separator_within_a_field(self):
        assert build_search_text(f"a{SEPARATOR}b", "c").count(SEPARATOR) == 1


class TestFindMatchingCalls:
    @pytest.mark.parametrize(
        ("query", "found"),
        [
            ("STRASSE", [1]),
            ("ss", [1]),
            ("%", [2]),
            ("50%_", [2]),
            ('say "hi"', [3]),
            ("not there", []),
            ("line one", []),
            ("\x00", []),
            ("x" * 10_001, []),
        ],
    )
    def test_takes_every_character_as_it_is(self, project, query, found):
        store(project, ("Neue Straße",), ("refund 50%_off",), ('say "hi"', "line", "one"))

        assert sorted(find_matching_calls(query)) == found

    @given(texts=st.lists(st.tuples(WORDS, WORDS), max_size=5), query=WORDS)
    @EXAMPLES
    def test_agrees_with_looking_into_every_text(self, project, texts, query):
        store(project, *texts)

        expected = [
            pk
            for pk, fields in enumerate(texts, start=1)
            if any(query.casefold() in field.casefold() for field in fields)
        ]
        assert sorted(find_matching_calls(query)) == expected

    def test_returns_a_queryset_where_many_match(self, project, monkeypatch):
        monkeypatch.setattr(call_texts, "FEW", 2)
        store(project, *((f"parcel {n}",) for n in range(4)))

        many, few = find_matching_calls("parcel"), find_matching_calls("parcel 3")

        assert sorted(many) == [1, 2, 3, 4]
        assert not isinstance(many, list)
        assert few == [4]

    @pytest.mark.parametrize("few", [0, 1, 2000])
    @given(texts=st.lists(st.tuples(NUMBERS, WORDS), max_size=5), query=NUMBERS)
    @EXAMPLES
    def test_finds_the_same_by_rare_pieces(self, project, monkeypatch, few, texts, query):
        monkeypatch.setitem(call_texts.LARGE, connection.vendor, -1)
        monkeypatch.setattr(call_texts, "FEW", few)
        samples.drop_sample()
        store(project, *texts)

        expected = [pk for pk, (number, _) in enumerate(texts, start=1) if query in number]
        assert sorted(find_matching_calls(query)) == expected

    @pytest.mark.parametrize(("few", "share"), [(0, 1.0), (2, 1.0), (2000, 1.0), (2000, 0.3)])
    @given(texts=st.lists(st.tuples(NAMES, NAMES), max_size=6), data=st.data())
    @EXAMPLES
    def test_finds_the_same_by_a_word(self, project, monkeypatch, few, share, texts, data):
        monkeypatch.setitem(call_texts.LARGE, connection.vendor, -1)
        monkeypatch.setattr(call_texts, "FEW", few)
        monkeypatch.setattr(call_texts, "RARE_SHARE", share)
        samples.drop_sample()
        store(project, *texts)
        query = data.draw(queries_of(texts))

        expected = [
            pk
            for pk, fields in enumerate(texts, start=1)
            if any(query.casefold() in field.casefold() for field in fields)
        ]
        assert sorted(find_matching_calls(query)) == expected

    def test_chooses_pieces_that_few_calls_hold(self, project, monkeypatch):
        if connection.vendor != "postgresql":
            pytest.skip("SQLite looks for whatever pieces are rarest")
        monkeypatch.setitem(call_texts.LARGE, connection.vendor, -1)
        monkeypatch.setattr(samples, "RARE_PIECES", 2)
        store(project, *((f"+34600{n:06}",) for n in range(200)))
        count_texts()

        # All calls hold "000": passing their entries costs more than reading the one that holds "123".
        assert call_texts._choose_rare_pieces("+34600000123") == ["123"]
        assert call_texts._choose_rare_pieces("+%é") == []

    def test_chooses_pieces_of_one_word(self, project, monkeypatch):
        monkeypatch.setitem(call_texts.LARGE, connection.vendor, -1)
        store(project, *((f"ticket-{n}_agent-7.wav",) for n in range(10_000, 20_000, 2)))
        count_texts()

        chosen = call_texts._choose_rare_pieces("ticket-10482_agent-7.wav")
        assert {"048", "482"} <= set(chosen) <= {"048", "104", "482"}
        assert find_matching_calls("ticket-10482_agent-7.wav") == [242]

    def test_looks_for_the_whole_text_where_no_piece_is_rare(self, project, monkeypatch):
        if connection.vendor != "postgresql":
            pytest.skip("SQLite looks for whatever pieces are rarest")
        monkeypatch.setitem(call_texts.LARGE, connection.vendor, 0)
        monkeypatch.setattr(call_texts, "FEW", 20)
        store(project, *(("parcel",) for _ in range(200)))
        count_texts()

        assert call_texts._choose_rare_pieces("parcel") == []
        assert len(find_matching_calls("parcel")) == 200

    def test_looks_for_the_rarest_word_where_many_match(self, project, monkeypatch):
        if connection.vendor != "postgresql":
            pytest.skip("SQLite passes few entries by itself")
        monkeypatch.setitem(call_texts.LARGE, connection.vendor, 0)
        monkeypatch.setattr(call_texts, "FEW", 5)
        texts = ["new parcel"] * 20 + ["late parcel"] * 90 + ["new card"] * 90
        store(project, *((text,) for text in texts))
        count_texts()

        assert call_texts.choose_word("late parcel") == "late "
        assert call_texts.choose_word("parcel") is None
        assert call_texts.choose_word("new parcel") is None, "each word is in many more calls"
        many = find_matching_calls("late parcel")
        assert "%late %" in many.query.sql_with_params()[1]
        assert sorted(many) == list(range(21, 111))
        assert sorted(find_matching_calls("new parcel")) == list(range(1, 21))

    def test_takes_a_sample_again_when_postgresql_has_counted_its_texts(self, project):
        if connection.vendor != "postgresql":
            pytest.skip("SQLite looks for whatever pieces are rarest")
        store(project, ("parcel",), ("card",), ("carton",))

        sample = samples.take_sample(3)
        assert sample.texts == 3
        assert [len(sample.holders.get(piece, ())) for piece in ("par", "car", "xyz")] == [1, 2, 0]
        store(project, ("parcel",), ("parcel",))
        assert len(samples.take_sample(3).holders["par"]) == 1
        assert len(samples.take_sample(2).holders["par"]) == 2

    def test_samples_texts_of_many_pages(self, project, monkeypatch):
        if connection.vendor != "postgresql":
            pytest.skip("SQLite looks for whatever pieces are rarest")
        monkeypatch.setattr(samples, "SAMPLED_TEXTS", 20)
        store(project, *((f"parcel {n}",) for n in range(200)))

        assert samples.take_sample(200).texts == 20

    def test_draws_calls_of_the_whole_history(self, project, monkeypatch):
        if connection.vendor != "sqlite":
            pytest.skip("PostgreSQL draws its pages itself")
        monkeypatch.setattr(samples, "SAMPLED_TEXTS", 20)
        monkeypatch.setitem(call_texts.LARGE, connection.vendor, 0)
        store(project, *((f"parcel {n}",) for n in range(2000)))

        drawn = samples.draw_calls()

        assert len(drawn) == 20
        assert min(drawn) < 1000 < max(drawn)
        assert samples.take_sample(2000).texts >= 19, "the last may lie behind the end"
        assert list(find_matching_calls("parcel 1234")) == [1235]

    def test_counts_roughly_on_sqlite(self, project):
        if connection.vendor != "sqlite":
            pytest.skip("PostgreSQL counts when it analyzes")
        store(project)
        assert samples.count_texts() == 0
        store(project, *(("parcel",) for _ in range(1234)))
        assert samples.count_texts() == 1200

    def test_finds_many_by_no_rare_pieces(self, project, monkeypatch):
        monkeypatch.setitem(call_texts.LARGE, connection.vendor, -1)
        monkeypatch.setattr(call_texts, "FEW", 2)
        store(project, *((f"parcel {n}",) for n in range(4)))

        assert sorted(find_matching_calls("parcel")) == [1, 2, 3, 4]
        assert sorted(find_matching_calls("parcel 3")) == [4]

    def test_reads_each_text_once_where_many_match(self, project, monkeypatch):
        if connection.vendor != "sqlite":
            pytest.skip("PostgreSQL reads fewer, by its index")
        monkeypatch.setattr(call_texts, "FEW", 2)
        store(project, *((f"parcel {n}",) for n in range(4)))

        many = find_matching_calls("parcel")

        with CaptureQueriesContext(connection) as asked:
            assert many.count() == 4
            assert sorted(many) == [1, 2, 3, 4]
        assert not any("instr" in query["sql"].lower() for query in asked)

    def test_holds_no_more_calls_in_memory_than_a_bound(self, project, monkeypatch):
        if connection.vendor != "sqlite":
            pytest.skip("PostgreSQL names only few calls")
        monkeypatch.setattr(call_texts, "FEW", 1)
        monkeypatch.setattr(call_texts, "MANY", 3)
        store(project, *((f"parcel {n}",) for n in range(4)))

        many = find_matching_calls("parcel")

        assert sorted(many) == [1, 2, 3, 4]
        assert "instr" in str(many.query).lower()

    @pytest.mark.parametrize("missing", [call_texts.INDEX, call_texts.WORD_INDEX])
    def test_needs_no_index(self, project, monkeypatch, missing):
        if connection.vendor != "sqlite":
            pytest.skip("PostgreSQL keeps its index itself")
        monkeypatch.setitem(call_texts.LARGE, connection.vendor, 0)
        store(project, ("late parcel",), ("card lost",))
        has_index = call_texts.has_index
        monkeypatch.setattr(call_texts, "has_index", lambda name: name != missing and has_index(name))

        assert list(find_matching_calls("late parcel")) == [1]


@pytest.mark.skipif("connection.vendor != 'sqlite'", reason="PostgreSQL has no index of words")
class TestRareWord:
    @pytest.fixture(autouse=True)
    def _numbers(self, project, monkeypatch):
        monkeypatch.setitem(call_texts.LARGE, connection.vendor, 0)
        store(project, *((f"p-{n:08}.wav", "+34666777888") for n in range(300)))

    @pytest.mark.parametrize(
        ("text", "word"),
        [
            ("p-00000123.wav", '"00000123"'),
            ("p-00000123", '"00000123"*'),
            ("p-00000123é", '"00000123"*'),
            ("p-00000123-zyxwv", '"zyxwv"*'),
            ("00000123.wav", None),  # more may stand before it
            ("é00000123.wav", None),  # this letter is part of the word
            ("p-0000", None),  # too short
            ("p-00000", None),  # in most calls
            ("+34666777888", None),
        ],
    )
    def test_is_one_that_begins_within_the_text(self, text, word):
        assert call_texts._choose_rare_word(text, samples.take_sample(samples.count_texts())) == word

    def test_finds_the_calls_that_hold_all_of_the_text(self):
        assert find_matching_calls("p-00000123.w") == [124]
        assert find_matching_calls("p-0000012") == list(range(121, 131))
        assert find_matching_calls("x-00000123") == []

    def test_follows_texts_that_change_and_go(self):
        CallText.objects.filter(pk=124).update(text="p-zyxwvut")
        CallText.objects.filter(pk=125).delete()

        assert find_matching_calls("p-00000123") == find_matching_calls("p-00000124") == []
        assert find_matching_calls("p-zyxwvut") == [124]
