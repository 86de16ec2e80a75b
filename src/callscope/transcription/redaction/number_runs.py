"""Numbers that one speaker reads out together, over sentences and neighboring segments."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from callscope.transcription.redaction.utterances import Utterance
from callscope.transcription.redaction.vocabulary.kinds import CARDS, SECRET_CODES, Kind
from callscope.transcription.redaction.vocabulary.word_classes import CORRECTIONS, NUMBER_NOUNS, STATING

MAX_PAUSE_S = 60.0  # after which a number does not go on
WRITTEN_CHUNK = 3  # digits of a number that is a chunk by itself
MAX_LOOSE_WORDS = 8  # that are no numbers, between two parts of one card number
MAX_ASIDE_WORDS = 30  # between parts that make up a number with a right check digit
_CHUNK = re.compile(r"\d+")
FAR = 1000  # words: more than any distance that is asked for

PHONE_DIGITS = 9  # a card is read out in shorter parts
OF_NO_CARD = SECRET_CODES | {Kind.ACCOUNT, Kind.IDENTIFIER}

Place = tuple[int, int]  # segment, token


@dataclass(slots=True)
class NumberRun:
    """Numbers with nothing but fillers between them, and what stands before them."""

    speaker: str | None
    words_before: int  # of the same speaker since the run before, fillers apart
    is_correction: bool  # "no, sorry" is among them
    is_answer: bool = False  # another number than a card was asked for last
    is_bare: bool = True  # its sentences say nothing else
    begins_with_oh: bool = False  # which may be a zero or "Oh, four five three nine"
    places: list[Place] = field(default_factory=list)
    groups: list[str] = field(default_factory=list)  # the digits of each number
    pauses: list[bool] = field(default_factory=list)  # a comma or a filler stands before the number
    breaks: list[int] = field(default_factory=list)  # where in `groups` a new sentence begins
    chunks: list[tuple[int, int]] = field(default_factory=list)  # first number, digits between two pauses

    def append(self, utterance: Utterance, place: int) -> None:
        """Add a number of an utterance."""
        token, before = utterance.tokens[place], utterance.tokens[place - 1] if place else None
        self.is_bare = self.is_bare and utterance.sentences[place] not in utterance.wordy
        is_paused = before is None or before.end + 1 < token.start or not before.digits
        said = utterance.text[token.start : token.end].casefold()
        self.begins_with_oh = self.begins_with_oh or (not self.places and place == 0 and said == "oh")
        if self.places and self.is_in_another_sentence(utterance, place):
            self.breaks.append(len(self.places))
        at, written = len(self.places), _CHUNK.findall(utterance.text, token.start, token.end)
        if is_paused or len(token.digits) >= WRITTEN_CHUNK or not self.chunks:
            self.chunks += [(at, len(chunk)) for chunk in written] or [(at, len(token.digits))]
        else:
            first, size = self.chunks[-1]
            self.chunks[-1] = (first, size + len(token.digits))
        self.places.append((utterance.index, place))
        self.groups.append(token.digits)
        self.pauses.append(is_paused)

    def is_in_another_sentence(self, utterance: Utterance, place: int) -> bool:
        """True unless a token stands in the sentence of the number that was said last."""
        segment, last = self.places[-1]
        return segment != utterance.index or utterance.sentences[place] != utterance.sentences[last]

    @property
    def digits(self) -> str:
        return "".join(self.groups)

    @property
    def is_said_twice(self) -> bool:
        """True for "4375 3434, 4375 3434": a part that is repeated in the same breath."""
        half = len(self.digits) // 2
        return half > 1 and self.digits == 2 * self.digits[:half]

    def goes_on_from(self, _before: "NumberRun") -> bool:
        """True if a speaker may go on with the same number, after something else: "Wait, the door."."""
        return self.words_before <= MAX_ASIDE_WORDS

    def takes_up(self, before: "NumberRun") -> bool:
        """True if anybody may go on with the number: in the next turn, or the same speaker a little later."""
        reach = 2 if self.speaker == before.speaker else 1
        return self.segments[0] - before.segments[1] <= reach

    def is_near(self, before: "NumberRun") -> bool:
        """True if little else is said between the number and this one."""
        if self.speaker == before.speaker:
            return self.words_before <= MAX_LOOSE_WORDS
        return before.is_bare or self.is_bare

    @property
    def segments(self) -> tuple[int, int]:
        """The first and the last segment."""
        return self.places[0][0], self.places[-1][0]


@dataclass(slots=True)
class _Speaker:
    """What was said since the last number of a speaker."""

    run: NumberRun | None = None
    words: int = FAR
    is_correction: bool = False
    is_open: bool = False
    end_s: float = 0.0
    segment: int = -1

    def read(self, utterance: Utterance) -> Iterator[NumberRun]:
        """Yield the runs that begin in an utterance."""
        self.is_open = self.is_open and utterance.index - self.segment <= 1
        if utterance.start_s - self.end_s > MAX_PAUSE_S:
            self.is_open, self.words = False, FAR
        free = {token for piece in utterance.pieces for token in piece.tokens}
        for place, token in enumerate(utterance.tokens):
            if place in free:
                if self.run is None or not self.is_open:
                    self.run = NumberRun(utterance.speaker, self.words, self.is_correction)
                    yield self.run
                self.run.append(utterance, place)
                self.words, self.is_correction, self.is_open = 0, False, True
                continue
            self.is_correction = self.is_correction or token.word in CORRECTIONS
            if token.word in STATING and self.is_in_new_sentence(utterance, place):
                self.is_open = False  # "7491. So it's 2460 1644 7187 7491."
            if place not in utterance.fillers:
                self.is_open, self.words = False, self.words + 1
        self.segment, self.end_s = utterance.index, utterance.end_s

    def is_in_new_sentence(self, utterance: Utterance, place: int) -> bool:
        """True if a sentence of the same segment ended between the number that was said last and a token."""
        run = self.run
        is_same_turn = run is not None and run.places[-1][0] == utterance.index
        return run is not None and is_same_turn and run.is_in_another_sentence(utterance, place)


def collect_number_runs(utterances: Sequence[Utterance]) -> list[NumberRun]:
    """Return the runs in order of speech."""
    runs: list[NumberRun] = []
    speakers: dict[str | None, _Speaker] = {}
    for utterance in utterances:
        runs += speakers.setdefault(utterance.speaker, _Speaker()).read(utterance)
    mark_answers(utterances, runs)
    return runs


def mark_answers(utterances: Sequence[Utterance], runs: Sequence[NumberRun]) -> None:
    """Mark the runs before which another number than a card was asked for, since the run before."""
    asked = [
        ((utterance.index, name.first), name.kind)
        for utterance in utterances
        for name in utterance.names
        if not name.use and utterance.asks(utterance.sentences[name.first])
        if name.kind is not Kind.PHONE
        or not NUMBER_NOUNS.isdisjoint(utterance.words_between(name.first, name.end))
    ]
    places = [place for place, _ in asked]
    end: Place = (-1, -1)
    for run in sorted(runs, key=lambda run: run.places[0]):
        since = bisect_left(places, end)
        kinds = {kind for _, kind in asked[since : bisect_left(places, run.places[0])]}
        of_other = OF_NO_CARD if len(run.digits) < PHONE_DIGITS else OF_NO_CARD | {Kind.PHONE}
        is_asked = not kinds.isdisjoint(of_other) and kinds.isdisjoint(CARDS)
        run.is_answer = is_asked and not is_called_card(utterances[run.places[0][0]], run.places[0][1])
        end = max(end, run.places[-1])


def is_called_card(utterance: Utterance, place: int) -> bool:
    """True for "My card. It's 4539 ...", whatever was asked for: the name before a number is nearer."""
    before = utterance.names[: bisect_right(utterance.names, place, key=lambda name: name.end)]
    before = [name for name in before if name.kind is not Kind.NUMBER]
    return before != [] and before[-1].kind in CARDS and not before[-1].use
