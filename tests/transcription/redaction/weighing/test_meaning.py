"""Codes that are asked for in words of no list are found by what the words mean."""

import numpy as np
import pytest

from callscope.engines.embeddings.built_in import BuiltInEmbedder
from callscope.transcription.redaction.number_runs import collect_number_runs
from callscope.transcription.redaction.redaction import redact_segments
from callscope.transcription.redaction.utterances import read_utterances
from callscope.transcription.redaction.weighing import likelihood, meaning
from callscope.transcription.redaction.weighing.meaning import Meanings, Said, describe
from tests.transcription.redaction.test_hostile_text import conversation

KINDS = ("cards", "security_codes")
ENCODER = BuiltInEmbedder()
UNLISTED = [
    ("What do you bang in to get past the turnstile?", "I bang in 4821."),
    ("What should the cleaner press to get in?", "She presses 4821."),
    ("How do you unlock the treadmill?", "I tap 4821."),
    ("¿Cómo se desbloquea la cosechadora?", "Se activa con 4821."),
]
KEPT = [
    ("What does the scale show?", "It shows 4821."),
    ("How many bricks are left?", "There are 4821."),
    ("Which train did you take?", "The 4821."),
    ("What's stamped on the engine?", "It says 4821."),
    ("¿Cuántos ladrillos quedan?", "Quedan 4821."),
    ("¿Qué pone en el motor?", "Pone 4821."),
]


class FakeEncoder:
    """Counts what it is asked for, and finds that all of it means the same."""

    is_semantic = True
    hosts = []

    def __init__(self, name=meaning.ENCODER):
        self.id = name
        self.asked = []

    def encode(self, texts):
        self.asked += texts
        return np.zeros((len(texts), 512), dtype=np.float32)


def redact(*turns, encoder):
    return [s["text"] for s in redact_segments(conversation(turns), KINDS, encoder=encoder).segments]


class TestMeaning:
    @pytest.mark.parametrize("turns", UNLISTED)
    def test_finds_codes_that_are_asked_for_in_words_of_no_list(self, turns):
        assert redact(*turns, encoder=None) == list(turns)
        assert redact(*turns, encoder=ENCODER) == [turns[0], turns[1].replace("4821", "[security code]")]

    @pytest.mark.parametrize("turns", KEPT)
    def test_leaves_other_numbers_that_are_asked_for_in_such_words(self, turns):
        assert redact(*turns, encoder=ENCODER) == list(turns)

    def test_changes_nothing_in_a_redacted_transcript(self):
        once = redact(*UNLISTED[0], *UNLISTED[1], encoder=ENCODER)

        assert redact(*once, encoder=ENCODER) == once


class TestEncoder:
    def test_is_the_one_that_the_weights_are_for(self):
        assert ENCODER.id == meaning.ENCODER
        for weights in meaning.read_weights()[1].values():
            assert len(weights) == ENCODER.encode(["a"]).shape[1]

    def test_reads_nothing_where_no_number_is_open(self):
        encoder = FakeEncoder()

        redact("My PIN is 4821.", "It costs $45.50, the 3rd of May.", "Thanks.", encoder=encoder)

        assert encoder.asked == []

    def test_is_not_asked_if_it_is_another(self):
        encoder = FakeEncoder("another/1")

        redact("What do you tap in?", "4821", encoder=encoder)

        assert encoder.asked == []

    def test_reads_so_many_texts_of_a_transcript_at_most(self, monkeypatch):
        monkeypatch.setattr(meaning, "MOST_TEXTS", 5)
        encoder = FakeEncoder()

        redact(*(f"So what about the {word}? It is 4821 or so." for word in "abcdefghijk"), encoder=encoder)

        assert len(encoder.asked) == 4  # those of two numbers: a third one's would be six

    def test_leaves_what_it_does_not_read_to_the_words_and_their_bar(self, monkeypatch):
        monkeypatch.setattr(likelihood, "weigh_words", lambda _evidence: 1.75)  # 0.85, above one bar of two
        turns = ["We spoke of my PIN.", "So what about the gate? It is 4821 or so."]
        by_words = redact(*turns, encoder=None)
        monkeypatch.setattr(meaning, "MOST_TEXTS", 0)

        assert "4821" not in by_words[1]
        assert redact(*turns, encoder=FakeEncoder()) == by_words

    def test_reads_nothing_of_a_redacted_transcript(self):
        encoder = FakeEncoder()

        redact("My PIN is [security code].", "What do you tap in?", "I tap 4821.", encoder=encoder)

        assert encoder.asked == []

    def test_reads_a_text_once(self):
        meanings = Meanings(encoder := FakeEncoder())

        assert meanings.weigh(Said("Go on.", "It is #")) == meanings.weigh(Said("Go on.", "It is #"))
        assert meanings.weigh(Said("Go on.", "I tap #")) == 0.0
        assert encoder.asked == ["Go on.", "It is #", "I tap #"]

    def test_sees_no_number(self):
        segments = conversation(["I am 42. What do you press?", "Well, four eight two one, and then 17."])
        utterances = list(read_utterances(segments))
        piece = collect_number_runs(utterances) and utterances[1].pieces[0]

        assert describe(utterances, piece) == ("I am #. What do you press?", "Well, #, and then #")
