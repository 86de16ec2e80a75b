"""What every recognizer takes and gives: plain values, no Django.

Sound is 16 kHz, one channel, int16. A recognizer hears one channel and one
piece at a time; who speaks and where the piece lies is the caller's business.
"""

import unicodedata
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, TypeAlias

import numpy as np

from callscope.engines.errors import EngineUnavailable

RATE = 16_000  # samples a second
SENTENCE_ENDS = (".", "?", "!", "…")
DEMO_RECOGNIZER = "pocketsphinx (demo)"  # as transcripts name it

Samples: TypeAlias = np.ndarray[Any, np.dtype[np.int16]]


class EngineUnreachable(EngineUnavailable):
    """Nobody answered: no connection came about, so no sound was sent."""


@dataclass(frozen=True, slots=True)
class Word:
    start_s: float
    end_s: float
    text: str  # composed (NFC): words are compared letter by letter

    def __post_init__(self) -> None:
        _compose_text(self)


@dataclass(frozen=True, slots=True)
class Utterance:
    """One stretch of recognized speech, in seconds from the start of the samples."""

    start_s: float
    end_s: float
    text: str
    confidence: float | None = None  # 0 to 1; None where the engine gives none
    words: tuple[Word, ...] = ()  # () where the engine gives no times for words

    def __post_init__(self) -> None:
        _compose_text(self)

    def shifted(self, by_s: float) -> "Utterance":
        """Return the utterance later by so many seconds."""
        words = tuple(Word(w.start_s + by_s, w.end_s + by_s, w.text) for w in self.words)
        return replace(self, start_s=self.start_s + by_s, end_s=self.end_s + by_s, words=words)

    def split_sentences(self) -> list["Utterance"]:
        """Return its sentences, by the times of its words; itself where the words are not the text."""
        sentences: list[list[Word]] = [[]]
        for word in self.words:
            sentences[-1].append(word)
            if word.text.endswith(SENTENCE_ENDS):
                sentences.append([])
        spoken = [sentence for sentence in sentences if sentence]
        if len(spoken) < 2 or "".join(w.text for w in self.words) != "".join(self.text.split()):
            return [self]
        return [
            Utterance(s[0].start_s, s[-1].end_s, " ".join(w.text for w in s), self.confidence, tuple(s))
            for s in spoken
        ]


def _compose_text(said: Word | Utterance) -> None:
    if not unicodedata.is_normalized("NFC", said.text):
        object.__setattr__(said, "text", unicodedata.normalize("NFC", said.text))


@dataclass(frozen=True, slots=True)
class Recognition:
    """What a recognizer heard. `language` is an ISO 639-1 code, "" when not known."""

    utterances: list[Utterance] = field(default_factory=list)
    language: str = ""


@dataclass(frozen=True, slots=True)
class Health:
    ok: bool
    detail: str  # one sentence: what answers, or what is missing and how to fix it


class Transcriber(Protocol):
    """Speech to text."""

    name: str  # as shown with every result
    model: str
    hosts: list[str]  # machines that the sound is sent to; [] in process
    sends_data_out: bool  # a private project only ever gets one that does not
    is_demo: bool  # only shows the way from sound to report: nothing is judged by what it hears

    def check(self) -> Health:
        """Return whether the engine could work now, without sending any sound."""

    def transcribe(
        self, samples: Samples, *, language: str | None, hints: list[str], deadline: float
    ) -> Recognition:
        """Return what is said, in time order; nothing for silence.

        `language` None asks the engine to find out. `deadline` is a
        time.monotonic() moment. Raises EngineUnavailable if a retry may help,
        EngineRejected or BadOutput if not.
        """
