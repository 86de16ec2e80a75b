"""SRT and VTT as exporters really write them."""

import csv
import unicodedata

import pytest

from callscope.transcription import subtitles
from callscope.transcription.subtitles import Cue, UnreadableSubtitles, parse_subtitles

pytestmark = pytest.mark.one_database


def said(text: str | bytes) -> list[tuple[str | None, str]]:
    data = text.encode() if isinstance(text, str) else text
    return [(cue.speaker, cue.text) for cue in parse_subtitles(data)]


def one(line: str) -> tuple[str | None, str]:
    (found,) = said(f"1\n00:00:01,000 --> 00:00:02,000\n{line}\n")
    return found


class TestSpeakers:
    @pytest.mark.parametrize(
        ("line", "expected"),
        [
            ("Agent: Hello", ("agent", "Hello")),
            ("AGENT : Hello", ("agent", "Hello")),
            ("agente: Hola", ("agent", "Hola")),
            ("Customer: Hi", ("customer", "Hi")),
            ("CLIENTE: Hola", ("customer", "Hola")),
            ("- Customer: Hi", ("customer", "Hi")),
            ("[Agent]: Hi", ("agent", "Hi")),
            ("<b>Agent:</b> Hi", ("agent", "Hi")),
            ("<v Agent>Hello", ("agent", "Hello")),
            ("<v.loud Customer>Hi</v>", ("customer", "Hi")),
            ("<v agente>Hola", ("agent", "Hola")),
            ("<v Maria Lopez>Hi", (None, "Maria Lopez: Hi")),
            ("Supervisor: Hi", (None, "Supervisor: Hi")),
            ("Agents: three of them", (None, "Agents: three of them")),
            ("No label", (None, "No label")),
            ("The agent: a spy", (None, "The agent: a spy")),
        ],
    )
    def test_come_from_voice_tags_and_prefixes(self, line, expected):
        assert one(line) == expected

    def test_change_inside_a_cue(self):
        text = "WEBVTT\n\n00:01.000 --> 00:04.000\n<v Agent>Hello</v>\n<v Customer>Hi\nthere</v>\n"

        assert said(text) == [("agent", "Hello"), ("customer", "Hi there")]

    def test_change_by_lines_with_dashes(self):
        text = "1\n00:00:01,000 --> 00:00:02,000\n- Agent: Hello\n- Customer: Hi\n"

        assert said(text) == [("agent", "Hello"), ("customer", "Hi")]

    def test_hold_for_the_lines_that_follow(self):
        assert one("Agent: Hello\nand welcome") == ("agent", "Hello and welcome")


class TestText:
    @pytest.mark.parametrize(
        ("line", "expected"),
        [
            ("A &amp; B &lt;b&gt; &#39;x&#39; &nbsp;y", "A & B <b> 'x' y"),
            ("<i>slanted</i> <c.yellow>and</c> <00:00:01.500>timed", "slanted and timed"),
            (r"{\an8}On top", "On top"),
            ("3 < 4 and 5 > 4", "3 < 4 and 5 > 4"),
            ("I <3 it", "I <3 it"),
            ("one<br>two", "one two"),
            ("nul\x00inside", "nulinside"),
            ("  spaced \t out ", "spaced out"),
        ],
    )
    def test_is_free_of_markup(self, line, expected):
        assert one(line)[1] == expected

    def test_leaves_out_cues_without_any(self):
        text = "1\n00:00:01,000 --> 00:00:02,000\n<i></i>\n\n2\n00:00:03,000 --> 00:00:04,000\nHi\n"

        assert said(text) == [(None, "Hi")]


class TestLayouts:
    def test_of_vtt_with_notes_styles_and_identifiers(self):
        text = (
            "WEBVTT - a title\nKind: captions\n\nSTYLE\n::cue { color: red }\n\nREGION\nid:fred\n\n"
            "NOTE a comment\nover two lines\n\nintro\n00:01.000 --> 00:02.000 align:start\nHello\n\n"
            "NOTE between\n\nsecond cue\n01:00:03.000 --> 01:00:04.000\nBye\n\nNOTE the end\n"
        )

        assert parse_subtitles(text.encode()) == [Cue(1, 2, None, "Hello"), Cue(3603, 3604, None, "Bye")]

    def test_of_vtt_without_its_header(self):
        assert said("00:01.000 --> 00:02.000\nHello\n") == [(None, "Hello")]

    def test_of_srt_without_blank_lines_between_cues(self):
        text = "1\n00:00:01,000 --> 00:00:02,000\nHello\n2\n00:00:03,000 --> 00:00:04,000\nBye\n"

        assert said(text) == [(None, "Hello"), (None, "Bye")]

    def test_of_srt_with_blank_lines_inside_a_cue(self):
        text = "1\n00:00:01,000 --> 00:00:02,000\nHello\n\nagain\n\n2\n00:00:03,000 --> 00:00:04,000\nBye\n"

        assert said(text) == [(None, "Hello again"), (None, "Bye")]

    @pytest.mark.parametrize(
        ("timing", "start_s", "end_s"),
        [
            ("00:00:01,500 --> 00:00:02,250", 1.5, 2.25),
            ("0:0:1,5-->0:0:2,25", 1.5, 2.25),
            ("00:01.500 --> 00:02.250", 1.5, 2.25),
            ("00:00:01 --> 00:00:02", 1, 2),
            ("100:00:01.000 -> 00:02.000", None, None),
            ("90:01.000 --> 90:02.000", 5401, 5402),
            ("00:00:05,000 --> 00:00:02,000", 5, 5),
        ],
    )
    def test_of_times(self, timing, start_s, end_s):
        text = f"1\n{timing}\nHi\n".encode()

        if start_s is None:
            with pytest.raises(UnreadableSubtitles):
                parse_subtitles(text)
        else:
            assert parse_subtitles(text) == [Cue(start_s, end_s, None, "Hi")]

    def test_are_put_in_order_of_time(self):
        text = "00:05.000 --> 00:06.000\nlater\n\n00:01.000 --> 00:02.000\nsooner\n"

        assert said(text) == [(None, "sooner"), (None, "later")]

    @pytest.mark.parametrize("ends", ["\n", "\r\n", "\r"])
    def test_with_any_line_ends(self, ends):
        text = "1\n00:00:01,000 --> 00:00:02,000\nAgent: Hi\n\n2\n00:00:03,000 --> 00:00:04,000\nBye\n"

        assert said(text.replace("\n", ends)) == [("agent", "Hi"), (None, "Bye")]


class TestEncodings:
    TEXT = "1\n00:00:01,000 --> 00:00:02,000\nCliente: ¿Qué tal, señor Muñoz? Está bien, mañana.\n"

    @pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "cp1252"])
    def test_are_detected_from_the_bytes(self, encoding):
        assert said(self.TEXT.encode(encoding)) == [("customer", "¿Qué tal, señor Muñoz? Está bien, mañana.")]

    def test_survive_damage_in_places(self):
        data = (self.TEXT * 9).encode().replace("mañana".encode(), b"ma\xc3ana", 1)

        assert all(speaker == "customer" for speaker, _ in said(data))


class TestComposition:
    def test_of_letters_and_accents(self):
        """Redaction, phrases and search compare letter by letter."""
        said = "Mi clave es veintidós"
        data = f"WEBVTT\n\n00:01.000 --> 00:02.000\n{unicodedata.normalize('NFD', said)}\n".encode()

        assert [cue.text for cue in parse_subtitles(data)] == [said]


class TestRefusal:
    @pytest.mark.parametrize(
        "text", ["", "WEBVTT\n\n", "1\n\n2\n", "NOTE nothing\n", "00:01.000 --> 00:02.000\n\n"]
    )
    def test_of_a_text_without_cues(self, text):
        with pytest.raises(UnreadableSubtitles, match="no cue"):
            parse_subtitles(text.encode())

    def test_of_an_endless_text(self, monkeypatch):
        monkeypatch.setattr(subtitles, "MAX_BYTES", 100)

        with pytest.raises(UnreadableSubtitles, match="larger than"):
            parse_subtitles(b"x" * 101)

    def test_of_too_many_cues(self, monkeypatch):
        monkeypatch.setattr(subtitles, "MAX_CUES", 2)

        with pytest.raises(UnreadableSubtitles, match="more than 2 cues"):
            parse_subtitles(b"00:01.000 --> 00:02.000\nHi\n\n" * 3)

    def test_of_an_endless_cue(self):
        with pytest.raises(UnreadableSubtitles, match="more than 20,000 characters"):
            parse_subtitles(b"00:01.000 --> 00:02.000\n" + b"ha " * 10_000)

    @pytest.mark.parametrize("text", ["ha ha ha ha ha ha", "1 1 1 1 1 1", "a1b2c3", "1-1-1-1-1-1"])
    def test_of_more_words_than_anybody_says_in_a_day(self, text, monkeypatch):
        monkeypatch.setattr(subtitles, "MAX_WORDS", 5)

        with pytest.raises(UnreadableSubtitles, match=r"has 6 words\. At most 5 are allowed\."):
            parse_subtitles(b"00:01.000 --> 00:02.000\n" + text.encode())


class TestRealTranscripts:
    def test_are_read_in_every_layout(self, shared_data):
        with (shared_data / "star" / "labels.csv").open(encoding="utf-8", newline="") as file:
            labels = list(csv.DictReader(file))

        assert {label["format_variant"] for label in labels} == {
            "plain", "split", "crlf", "bom", "note", "ident", "nohours", "prefix"
        }  # fmt: skip
        for label in labels:
            cues = parse_subtitles((shared_data / "star" / "transcripts" / label["filename"]).read_bytes())
            assert sum(len(cue.text.split()) for cue in cues) == int(label["n_words"]), label["filename"]
            assert {cue.speaker for cue in cues} == {"agent", "customer"}, label["filename"]
            assert cues[-1].end_s == pytest.approx(float(label["duration_s"]), abs=0.1)
