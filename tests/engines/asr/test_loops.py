"""What a recognizer repeats without anybody saying it, as real models did over voices in the background."""

import pytest

from callscope.engines.asr.loops import is_loop, unwind
from callscope.engines.asr.protocol import Utterance
from callscope.samples.catalog import FOLDER
from callscope.transcription.subtitles import parse_subtitles

AGAIN = "for those least I'll be known again " * 20
STRETCH_WORDS = 90  # half a minute of quick speech


class TestLoop:
    @pytest.mark.parametrize(
        "texts",
        [
            [AGAIN],
            ["How are you referring to me?"] * 11,
            ["Gracias por ver el video."] * 12,
            ["you're not gonna", "be able to do it"] * 9,
            ["ja" * 100],
        ],
    )
    def test_is_found_in_one_text_and_over_several(self, texts):
        assert is_loop(texts)

    @pytest.mark.parametrize(
        "texts", [[], ["no, no, no, no, no"], ["four four four four, double four, four four"]]
    )
    def test_is_not_what_people_repeat(self, texts):
        assert not is_loop(texts)

    def test_is_nowhere_in_what_people_say(self):
        stretches = []
        for path in sorted(FOLDER.rglob("*.[sv][rt]t")):
            words = " ".join(cue.text for cue in parse_subtitles(path.read_bytes())).split()
            stretches += [
                " ".join(words[begin : begin + STRETCH_WORDS])
                for begin in range(0, len(words), STRETCH_WORDS // 2)
            ]

        assert len(stretches) > 100
        assert [stretch for stretch in stretches if is_loop([stretch])] == []


class TestUnwound:
    def test_says_each_phrase_once_without_confidence(self):
        said = [Utterance(n, n + 1.0, "How are you referring to me?", 0.9) for n in range(12)]

        assert unwind(said) == Utterance(0, 12.0, "How are you referring to me?", 0.0)

    def test_ends_one_inside_of_a_word(self):
        assert unwind([Utterance(1.0, 9.0, "ja" * 100, 0.9)]).text == "ja"

    def test_keeps_what_stands_before_and_behind(self):
        text = f"Well, {AGAIN}and goodbye"

        assert unwind([Utterance(1.0, 9.0, text, 0.9)]).text == (
            "Well, for those least I'll be known again and goodbye"
        )
