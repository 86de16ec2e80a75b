"""Full-text search in transcripts: the same on both databases, whatever is asked."""

import time

import pytest
from django.db import connection

from callscope.analysis.models import CallAnalysis
from callscope.calls.models import Call, UploadedFile
from callscope.reports.call_list.filters import CallFilters
from callscope.reports.call_list.listing import find_calls, iterate_calls
from callscope.reports.models import SpokenWords
from callscope.reports.search import spoken_words
from callscope.reports.search.spoken_words import encode_stem, find_calls_saying, index_transcript
from callscope.reports.store import facts
from callscope.reports.window import ALL_TIME
from callscope.transcription.models import Transcript

HOSTILE = [
    '"', '""', '"""', "'", "AND", "NOT refund", "refund*", "refund OR", "(", ")", "text:refund",
    "^refund", "NEAR(refund invoice)", "a:*", "& | !", "<->", "\\", "%", "_", "\x00", "\ud800", "😀",
    "'; DROP TABLE x;--", "-", "{}", "refund\x00invoice", "ß", "İ", "ｒｅｆｕｎｄ", "١٢٣", "مرحبا", "你好",
    "ก็", "n't", "'s", "a" * 500,
]  # fmt: skip


def segments(*said):
    """Return segments of (speaker, text), three seconds each."""
    return [
        {"start": 3.0 * n, "end": 3.0 * n + 2, "speaker": speaker, "text": text, "confidence": None}
        for n, (speaker, text) in enumerate(said)
    ]


def add_file(call, said, *, language="en", is_live=True):
    """Store a file of a call with its transcript and results, as the pipeline leaves them."""
    file = UploadedFile.objects.create(
        project=call.project, call=call, original_filename=call.file_name, file_type="srt",
        status=UploadedFile.Status.TRANSCRIBED, created_at=call.uploaded_at,
    )  # fmt: skip
    call.analyses.update(is_live=False, is_newest=False)
    CallAnalysis.objects.create(
        file=file, call=call, project=call.project, is_live=is_live, is_newest=True, insights_state=3,
        insights={"topic": "t", "sentiment": None, "goal_reached": None},
    )  # fmt: skip
    transcript = Transcript.objects.create(
        file=file, project=call.project, segments=segments(*said), language=language, engine="subtitles"
    )
    index_transcript(transcript)
    facts.refresh([call.pk])
    return transcript


@pytest.fixture
def say(project):
    """Return a function that stores a call in which this is said, and returns the call."""
    from django.utils import timezone

    def store(*said, language="en", of=project):
        said = [each if isinstance(each, tuple) else ("agent", each) for each in said]
        now = timezone.now()
        call = Call.objects.create(
            project=of, file_name=f"c{Call.objects.count()}.srt", name_stem="c",
            call_datetime=now, uploaded_at=now,
        )  # fmt: skip
        add_file(call, said, language=language)
        return call

    return store


def found(text):
    return sorted(find_calls_saying(text))


class TestFinding:
    def test_takes_all_words_in_any_order_and_form(self, say):
        both = say("I would like a refund", ("customer", "for two invoices"))
        say("The refunds are late")

        assert found("invoice refunding") == [both.pk]
        assert found("REFUND   invoices!") == [both.pk]
        assert found("refund invoice manager") == []

    def test_takes_words_in_quotes_as_a_phrase_within_a_turn(self, say):
        phrase = say("please cancel my contract today")
        say("cancel today, my new contract please")
        say(("agent", "please cancel"), ("customer", "my contract"))

        assert found('"cancel my contract"') == [phrase.pk]
        assert found('today "cancelled my contracts" please') == [phrase.pk]
        assert found("“cancel my contract”") == [phrase.pk]
        assert len(found("cancel my contract")) == 3
        assert found('"my contract cancel"') == []

    def test_joins_the_sentences_of_one_speaker(self, say):
        call = say(("agent", "that solves"), ("agent", "the problem"))

        assert found('"solves the problem"') == [call.pk]

    def test_stems_english_and_spanish_by_the_language_of_the_transcript(self, say):
        english = say("they were refunding everything", language="en")
        spanish = say("quería cancelar las facturas", language="es")

        assert found("refunds") == [english.pk]
        assert found("factura") == [spanish.pk]
        assert found("FACTURAS querían") == [spanish.pk]
        assert found("queria") == [spanish.pk]

    def test_finds_words_of_other_languages_and_scripts_as_they_stand(self, say):
        call = say("Die Straße heißt Привет 你好 4711", language="de")

        for text in ("straße", "ПРИВЕТ", "你好", "4711", "heißt"):
            assert found(text) == [call.pk], text

    def test_of_many_calls_is_a_query_with_the_same_calls(self, say, monkeypatch):
        calls = [say("a refund please").pk for _ in range(3)]
        say("nothing")
        few = found("refund")
        monkeypatch.setattr(spoken_words, "FEW", 2)

        many = find_calls_saying('"a refund"')

        assert not isinstance(many, list)
        assert sorted(many) == few == sorted(calls)

    @pytest.mark.parametrize("text", HOSTILE)
    @pytest.mark.parametrize("few", [0, 2000])
    def test_of_anything_at_all_is_no_error(self, say, monkeypatch, text, few):
        say("a refund of the invoice")
        monkeypatch.setattr(spoken_words, "FEW", few)

        assert len(found(text)) <= 1

    def test_without_an_index_finds_the_same(self, say, monkeypatch):
        call = say("please cancel my contract today")
        monkeypatch.setattr(spoken_words, "has_index", lambda _: False)

        assert found("contracts today") == found('"my contract"') == [call.pk]
        assert found('"contract my"') == []


class TestStems:
    @pytest.mark.parametrize("stem", ["refund", "straße", "0u41", "x" * 200, "ß" * 200, "\ud800", "é"])
    def test_are_one_short_word_of_ascii_letters_and_digits(self, stem):
        assert encode_stem(stem).isascii()
        assert encode_stem(stem).isalnum()
        assert len(encode_stem(stem)) <= 64

    def test_of_two_words_differ(self):
        stems = ["a", "é", "0ue9", "0u", "e9", "ee"]

        assert len({encode_stem(stem) for stem in stems}) == len(stems)

    def test_of_a_transcript_are_bounded(self, say):
        call = say(" ".join(f"w{n}" for n in range(12_000)) + " w1")

        assert found("w1") == found("w9999") == [call.pk]
        assert found("w11999") == []


class TestKeeping:
    def test_shows_what_the_live_results_come_from(self, say):
        call = say("an old refund")
        waiting = add_file(call, [("agent", "a new invoice")], is_live=False)
        call.analyses.exclude(file=waiting.file).update(is_live=True)
        facts.refresh([call.pk])

        assert (found("refund"), found("invoice")) == ([call.pk], [])

        call.analyses.update(is_live=False)
        call.analyses.filter(file=waiting.file).update(is_live=True)
        facts.refresh([call.pk])

        assert (found("refund"), found("invoice")) == ([], [call.pk])

    def test_replaces_what_the_transcript_said_before(self, say):
        call = say("an old refund")
        transcript = Transcript.objects.get()
        transcript.segments = segments(("agent", "a new invoice"))
        transcript.save()
        index_transcript(transcript)

        assert (found("refund"), found("invoice")) == ([], [call.pk])

    @pytest.mark.parametrize("removed", ["transcript", "file", "project"])
    def test_ends_with_the_transcript_however_it_goes(self, say, project, removed):
        call = say("a zqsecret refund")
        kept = say("a refund")
        if removed == "transcript":
            Transcript.objects.filter(file__call=call).delete()
        elif removed == "file":
            call.analyses.all().delete()
            call.files.all().delete()
        else:
            project.delete()

        assert SpokenWords.objects.count() == (0 if removed == "project" else 1)
        assert found("zqsecret") == []
        assert found("refund") == ([] if removed == "project" else [kept.pk])
        assert words_in_index("zqsecret") == 0

    @pytest.mark.skipif("connection.vendor != 'sqlite'", reason="PostgreSQL has its VACUUM")
    def test_leaves_no_word_in_the_pages_of_the_index_once_merged(self, say):
        say(*(f"a refund number {n}" for n in range(50)))
        call = say("a zqsecret refund")
        Transcript.objects.filter(file__call=call).delete()

        assert spoken_words.merge(time.monotonic() + 30)

        with connection.cursor() as cursor:
            cursor.execute(f"SELECT block FROM {spoken_words.INDEX}_data")
            assert not any(b"zqsecret" in bytes(block) for (block,) in cursor.fetchall())
        assert len(found("refund")) == 1

    @pytest.mark.skipif("connection.vendor != 'postgresql'", reason="SQLite reads no rows but those it needs")
    def test_keeps_the_texts_out_of_the_rows(self, say):
        with connection.cursor() as cursor:
            cursor.execute("TRUNCATE reports_spokenwords")  # pages without gaps of former rows
        for number in range(40):
            say(*(f"a refund number {number} of {n}" for n in range(60)))

        with connection.cursor() as cursor:
            cursor.execute("SELECT count(DISTINCT (ctid::text::point)[0]) FROM reports_spokenwords")
            assert cursor.fetchone()[0] <= 2, "pages that hold these 40 rows"
        assert len(found('"number 7 of"')) == 1

    def test_goes_through_transcripts_of_an_older_version_in_portions(self, say):
        calls = sorted(say("a refund").pk for _ in range(5))
        SpokenWords.objects.all().delete()
        spoken_words._state["indexed_up_to"] = 0
        assert found("refund") == []

        assert [spoken_words.index_missing(2) for _ in range(4)] == [2, 2, 1, 0]

        assert found("refund") == calls
        assert SpokenWords.objects.count() == 5


def words_in_index(word):
    """Return how many entries of the index have a word, on SQLite; 0 elsewhere."""
    if connection.vendor != "sqlite":
        return 0
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT count(*) FROM {spoken_words.INDEX}(%s)", [f'"{word}"'])
        return cursor.fetchone()[0]


class TestList:
    def listed(self, project, **asked):
        return find_calls([project], ALL_TIME, CallFilters.from_query(asked))

    def test_shows_who_says_it_and_when(self, say, project):
        call = say("hello", ("customer", "I want a refund"), ("agent", "the refund of the invoice"), "bye")

        (item,) = self.listed(project, transcript="refund invoice").items

        assert item.id == call.pk
        assert [(s.start, s.speaker, s.text) for s in item.snippets] == [
            (3.0, "customer", "I want a refund"),
            (6.0, "agent", "the refund of the invoice"),
        ]

    def test_shows_the_places_that_say_most(self, say, project):
        say("refund", "refund", "refund", "refund of the invoice", "refund my invoice now")

        (item,) = self.listed(project, transcript='refund "my invoice"').items

        assert [s.text for s in item.snippets] == ["refund", "refund of the invoice", "refund my invoice now"]

    def test_shows_the_words_of_a_phrase_alone_only_where_it_goes_on_in_the_next_place(self, say, project):
        say(
            ("agent", "Your security word?"),
            ("agent", "Word for word, please."),
            ("customer", "Security is my word."),
        )
        say(("agent", "Tell me your security"), ("agent", "word, please."), language="en")

        found = [item.snippets for item in self.listed(project, transcript='"security word"').items]

        assert sorted([s.text for s in each] for each in found) == [
            ["Tell me your security", "word, please."],
            ["Your security word?"],
        ]

    def test_shows_a_part_of_a_long_turn(self, say, project):
        say("word " * 200 + "the refunds are late " + "word " * 200)

        ((snippet,),) = [i.snippets for i in self.listed(project, transcript="refund").items]

        assert "refunds are late" in snippet.text
        assert len(snippet.text) <= 242

    def test_goes_together_with_other_filters_and_orders(self, say, project):
        calls = [say("a refund", language="en").pk for _ in range(3)]
        say("nothing")

        for order in ("call_datetime", "-score_percentage", "agent__name", "mistake_count"):
            page = self.listed(project, transcript="refund", ordering=order)
            assert (page.count, sorted(i.id for i in page.items)) == (3, calls)
        assert [i.id for i in self.listed(project, transcript="refund", search="c1.srt").items] == [calls[1]]
        assert self.listed(project, transcript="refund", search="nowhere").count == 0
        assert self.listed(project, transcript="refund", max_score="100").count == 0
        assert self.listed(project, transcript="refund", criterion="g").count == 0
        filters = CallFilters.from_query({"transcript": "refund"})
        assert sorted(i.id for i in iterate_calls([project], ALL_TIME, filters)) == calls

    @pytest.mark.parametrize("few", [(0, 0), (0, 2000), (2000, 0)])
    def test_of_two_searches_is_what_both_find_however_many(self, say, project, monkeypatch, few):
        from callscope.reports.search import call_texts

        calls = [say("a refund").pk for _ in range(3)]
        monkeypatch.setattr(spoken_words, "FEW", few[0])
        monkeypatch.setattr(call_texts, "FEW", few[1])

        page = self.listed(project, transcript="refund", search="c2.srt")

        assert [i.id for i in page.items] == [calls[2]]

    def test_of_no_words_is_empty(self, say, project):
        say("a refund")

        assert self.listed(project, transcript="?!").count == 0
        assert self.listed(project, transcript="   ").count == 1
