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
            ("00:00:05,000 --> 00:00:05,000", 5, 5),
            ("00:00:05,000 --> 00:00:02,000", 5, 5),
            ("00:00:01,500\u00a0-->\u00a000:00:02,250", 1.5, 2.25),
            ("\ufeff00:00:01,500 --> 00:00:02,250 ", 1.5, 2.25),
            ("0:00:01.500 --> 0:00:02.250 position:10%,line-left align:left", 1.5, 2.25),
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


class TestNumbers:
    """Of cues are no speech; numbers that somebody says are."""

    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("1\n{0}\nHello\n\n2\n", ["Hello"]),  # cut off
            ("1\n{0}\n2\n{1}\nBye\n", ["Bye"]),  # a cue without text
            ("1\n\n{0}\n\nHello\n\n2\n\n{1}\n\nBye\n", ["Hello", "Bye"]),  # blank lines everywhere
            ("0\n{0}\nHello\n\n1\n\n{1}\nBye\n", ["Hello", "Bye"]),
            ("\ufeff1\n{0}\nHello\n\ufeff2\n{1}\nBye\n", ["Hello", "Bye"]),  # two files in one
            ("1\n{0}\n2\n\n2\n{1}\n3\n", ["2", "3"]),
            ("{0}\n5\n\n{1}\n6\n", ["5", "6"]),  # digits that are read aloud
            ("1\n{0}\nHow many?\n\n3\n\n2\n{1}\nBye\n", ["How many? 3", "Bye"]),
            ("1\n{0}\nHello\n\n5\n{1}\nBye\n", ["Hello", "Bye"]),  # others were deleted
            ("1\n{0}\n2\n", ["2"]),
        ],
    )
    def test_are_kept_apart_from_speech(self, text, expected):
        text = text.format("00:00:01,000 --> 00:00:02,000", "00:00:03,000 --> 00:00:04,000")

        assert [spoken for _, spoken in said(text)] == expected

    @pytest.mark.parametrize(
        ("text", "line"),
        [
            ("1\n{0}\nHello\n\n2\nHi\n\n3\n{1}\nBye\n", 5),
            ("1\n{0}\nHello\n\n2\nHi\n\n3\nWait\n\n4\n{1}\nBye\n", 5),
            ("1\n{0}\nHello\n\n2\nxx --> yy\nHi\n", 5),
            ("1\nHello\n\n2\n{0}\nBye\n", 1),
        ],
    )
    def test_without_a_time_line_fail_the_file(self, text, line):
        text = text.format("00:00:01,000 --> 00:00:02,000", "00:00:03,000 --> 00:00:04,000")

        with pytest.raises(UnreadableSubtitles, match=f"^Line {line} of the transcript is a cue number"):
            parse_subtitles(text.encode())


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


BROKEN_TIMES = [
    "00:00:xx,000 --> 00:00:07,000",
    "00:00:05,000 -->",
    "--> 00:00:07,000",
    "00:05.000 -->",
    "00:00:05,000 --> end",
    "start --> 00:00:07,000",
    "00:00:05,000 --> 00:00:0x,000",
    "??:??:?? --> ??:??:??",
    "00;00;05,000 --> 00;00;07,000",
    "00.00.05,000 --> 00.00.07,000",
    "5.0 --> 7.0",
    "00: 00: 05,000 --> 00: 00: 07,000",
    "00:00:05,000 -- > 00:00:07,000",
    "00:00:05,000 ---> 00:00:07,000",
    "00:00:05,000 --&gt; 00:00:07,000",
    "00:00:05,000 \u2014> 00:00:07,000",
    "00:00:05,000 \u2192 00:00:07,000",
    "00\uff1a00\uff1a05,000 --> 00\uff1a00\uff1a07,000",
    "00:00:05,000 --> 00:00:07,000Hello",
    "2 00:00:05,000 --> 00:00:07,000",
    "Bye 00:00:05,000 --> 00:00:07,000",
    "00:00:05,000 -x> 00:00:07,000",
    "00:00:05,000, 00:00:07,000",
    "00:05.000 00:07.000",
    "[00:00:05.000 --> 00:00:07.000]",
    "-112:-7:-40,-860 --> -112:-7:-38,-100",
]
SPOKEN_ARROWS = [
    "go to Settings --> Wi-Fi",
    "Agent: go to Settings --> Wi-Fi",
    "Settings --> Wi-Fi",
    "press 2 --> billing",
    "--> and then",
    "yes -->",
    "we are open from 9:00 --> 17:00",
    "open 9:00 \u2192 17:00",
    "9:00 \u2192 17:00",
    "10:30 --> lunch",
    "the log says 12:30:15 --> failed",
    "page 5: 3 --> 4",
    "it went from v2.1 --> v2.2",
    "a -> b",
    "it was 1,500 10:30 at night",
]


class TestBrokenTimes:
    """Are never speech: who sent the file hears which line it is."""

    @pytest.mark.parametrize("time_line", BROKEN_TIMES)
    @pytest.mark.parametrize("above", ["2\n", ""])
    @pytest.mark.parametrize("ends", ["\n", "\r\n"])
    def test_fail_the_file(self, time_line, above, ends):
        text = f"1\n00:00:01,000 --> 00:00:02,000\nAgent: Hello\n\n{above}{time_line}\nBye\n"

        line = 6 if above else 5
        with pytest.raises(UnreadableSubtitles, match=f"^Line {line} of the transcript is not a valid time"):
            parse_subtitles(text.replace("\n", ends).encode())

    def test_of_the_first_cue_fail_the_file(self):
        text = "WEBVTT\n\n00:xx.000 --> 00:02.000\nHello\n\n00:03.000 --> 00:04.000\nBye\n"

        with pytest.raises(UnreadableSubtitles) as refusal:
            parse_subtitles(text.encode())

        assert str(refusal.value) == (
            "Line 3 of the transcript is not a valid time line: “00:xx.000 --> 00:02.000”. "
            "Write it as “00:00:05,000 --> 00:00:07,000” or “00:05.000 --> 00:07.000”."
        )

    def test_show_little_of_what_is_said_around_them(self):
        text = "00:01.000 --> 00:02.000\nHello\nMy name is Ann 00:00:xx --> 00:00:07,000 and I moved\n"

        with pytest.raises(UnreadableSubtitles) as refusal:
            parse_subtitles(text.encode())

        assert "“00:00:xx --> 00:00:07,000”" in str(refusal.value)
        assert "Ann" not in str(refusal.value)

    @pytest.mark.parametrize("spoken", SPOKEN_ARROWS)
    def test_are_not_arrows_in_speech(self, spoken):
        text = f"1\n00:00:01,000 --> 00:00:02,000\nWell:\n{spoken}\n\n2\n00:00:03,000 --> 00:00:04,000\nBye\n"

        assert spoken.removeprefix("Agent: ") in " ".join(piece for _, piece in said(text))

    @pytest.mark.parametrize("ids", ["", "{}\n"])
    @pytest.mark.parametrize("clock", ["00:00:0{},000", "00:0{}.000"])
    @pytest.mark.parametrize("damage", ["x", " ", "", "::", ">", "\u00e9"])
    def test_do_not_become_speech_whichever_character_is_damaged(self, ids, clock, damage):
        times = [f"{clock.format(2 * n)} --> {clock.format(2 * n + 1)}" for n in range(3)]
        for cue in range(3):
            for place in range(len(times[cue])):
                broken = times[cue][:place] + damage + times[cue][place + 1 :]
                lines = [*times[:cue], broken, *times[cue + 1 :]]
                text = "\n".join(f"{ids.format(n + 1)}{line}\nHello\n" for n, line in enumerate(lines))

                try:
                    words = {word for _, spoken in said(f"WEBVTT\n\n{text}") for word in spoken.split()}
                except UnreadableSubtitles:
                    continue
                assert words == {"Hello"}, broken

    @pytest.mark.parametrize("block", ["NOTE", "STYLE"])
    def test_in_notes_and_styles_do_not_matter(self, block):
        note = f"{block}\n00:00:xx,000 --> 00:00:07,000 is out\n\n"
        text = f"WEBVTT\n\n{note}00:01.000 --> 00:02.000\nHello\n\n{note}00:03.000 --> 00:04.000\nBye\n"

        assert said(text) == [(None, "Hello"), (None, "Bye")]

    @pytest.mark.parametrize(
        ("time_line", "sentence"),
        [
            (
                "00:00:05,000 --> 99:00:00,000",
                "In line 6 of the transcript a cue is later than a day: “00:00:05,000 --> 99:00:00,000”. "
                "At most 24:00:00 is allowed.",
            ),
        ],
    )
    def test_of_what_cannot_be_fail_the_file_where_there_is_speech(self, time_line, sentence):
        text = f"1\n00:00:01,000 --> 00:00:02,000\nAgent: Hello\n\n2\n{time_line}\n"

        assert said(text) == [("agent", "Hello")]
        with pytest.raises(UnreadableSubtitles) as refusal:
            parse_subtitles(f"{text}Bye\n".encode())
        assert str(refusal.value) == sentence


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
