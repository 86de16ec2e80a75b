"""A segment as the search for numbers reads it: sentences, names of numbers, and numbers read out."""

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from callscope.transcription.redaction.number_shapes import find_shapes
from callscope.transcription.redaction.pieces import Piece
from callscope.transcription.redaction.vocabulary.kinds import SECRETS, Kind
from callscope.transcription.redaction.vocabulary.number_names import Name, find_names
from callscope.transcription.redaction.vocabulary.spoken_numbers import NumberToken, tokenize_numbers
from callscope.transcription.redaction.vocabulary.word_classes import (
    ABBREVIATIONS,
    AND,
    ANOTHER,
    ANSWER_WORDS,
    ARRIVING,
    BETWEEN_DIGITS,
    CHOOSING,
    DETERMINERS,
    ELLIPSIS_BEGINNINGS,
    JOINING,
    LISTING,
    LONGEST_PAUSE,
    MESSAGES,
    MONTHS,
    NEXT_ONE,
    ORDINALS,
    PAUSES,
    QUESTION_BEGINNINGS,
    QUESTION_WORDS,
    SINCE,
    STATING,
    TOWARD,
    WHICH,
    YOURS,
)
from callscope.transcription.schema import Segment

QUESTION_FOR_A_THING = 8  # words
SHORT_QUESTION = 4  # words: "And what is it?"
SHORT_SENTENCE = 6  # words: "And your address, please"
NAMED_SENTENCE = 3  # words: "Voicemail PIN?"
NEAR_WORDS, FAR_WORDS = 8, 16
NEXT_BEFORE, NEXT_AFTER = 3, 2  # words right next to a number
PAUSE_SIGNS = frozenset(",:;.!?")
# A stop inside of "C.V.V." ends no sentence, nor do three.
SENTENCE_END = re.compile(r"[?!;\n¿¡]|(?<!\.)\.(?![\w.])")


@dataclass(slots=True)
class Utterance:
    """One segment of the transcript, read."""

    index: int
    speaker: str | None
    start_s: float
    end_s: float
    text: str
    tokens: list[NumberToken]
    sentences: list[int]  # for each token the number of its sentence
    names: list[Name]
    in_names: set[int]  # tokens
    shapes: dict[int, Kind]  # token → what its own writing says: a date, a price
    fillers: set[int]  # tokens that may stand between the digits of one number
    pieces: list[Piece]
    questions: set[int]  # sentences that may ask for something
    plain_questions: set[int]  # sentences that ask by their mark or their first word
    plain: list[bool]  # for each token: it says nothing besides a number
    wordy: set[int]  # sentences with tokens that are not plain
    speaks_of_card: bool
    has_stops: bool  # False where a recognizer wrote the words without any sign between them

    def words_between(self, first: int, end: int) -> list[str]:
        return [token.word for token in self.tokens[first:end]]

    def words_before(self, place: int) -> list[str]:
        """Return the words of the same sentence shortly before a token."""
        first = place
        while first > max(0, place - NEAR_WORDS) and self.sentences[first - 1] == self.sentences[place]:
            first -= 1
        return self.words_between(first, place)

    def words_after(self, place: int) -> list[str]:
        """Return the words of the same sentence shortly after the token before a place."""
        end = place
        while (
            end < min(len(self.tokens), place + FAR_WORDS)
            and self.sentences[end] == self.sentences[place - 1]
        ):
            end += 1
        return self.words_between(place, end)

    def words_of(self, sentence: int) -> list[str]:
        """Return the words of a sentence."""
        return self.words_between(
            bisect_left(self.sentences, sentence), bisect_right(self.sentences, sentence)
        )

    def names_of(self, sentence: int) -> list[Name]:
        """Return the names that begin in a sentence."""
        first, end = (
            bisect_left(self.names, find(self.sentences, sentence), key=lambda name: name.first)
            for find in (bisect_left, bisect_right)
        )
        return self.names[first:end]

    def are_plain(self, first: int, end: int) -> bool:
        """True if the tokens say nothing besides a number: "well, it is"."""
        return all(self.plain[first:end])

    def ends_sentence(self, end: int) -> bool:
        """True if a sentence ends before a token, or with words that go with any answer."""
        at = end
        while at < len(self.tokens) and self.sentences[at] == self.sentences[end - 1] and self.plain[at]:
            at += 1
        return at == len(self.tokens) or self.sentences[at] != self.sentences[end - 1]

    def goes_on(self, end: int) -> bool:
        """True if a word that means something follows at once: the "Elm Road" of "28 Elm Road"."""
        is_next = end < len(self.tokens) and self.sentences[end] == self.sentences[end - 1]
        return is_next and not self.plain[end] and not self.pauses(end)

    def is_address(self, piece: Piece) -> bool:
        """True for "to 43 Park Lane": names follow the number at once, or it is where something goes."""
        first, end = piece.tokens[0], piece.tokens[-1] + 1
        if not self.goes_on(end):
            return False
        return not TOWARD.isdisjoint(self.words_before(first)[-1:]) or self.is_in_street(piece)

    def is_in_street(self, piece: Piece) -> bool:
        """True for "43 Park Lane": two names follow the number at once, and no title."""
        end = piece.tokens[-1] + 1
        following = self.tokens[end : end + 2]
        return (
            self.goes_on(end)
            and len(following) == 2
            and all(self.text[token.start].isupper() for token in following)
            and following[0].word not in ABBREVIATIONS
            and not self.pauses(end + 1)
        )

    def are_joined(self, first: int, end: int) -> bool:
        """True if the tokens only join what stands on both sides: "the order and the PIN"."""
        return all(token.word in JOINING for token in self.tokens[first:end])

    def are_in_one_sentence(self, first: int, last: int) -> bool:
        return self.sentences[first] == self.sentences[last]

    def is_bare(self, piece: Piece) -> bool:
        """True if the sentence says nothing but the number and words that go with any answer."""
        return self.sentences[piece.tokens[0]] not in self.wordy

    def is_bare_nearby(self, piece: Piece) -> bool:
        """True if the words right next to the number go with any answer, as far as the next comma."""
        first, end = piece.tokens[0], piece.tokens[-1] + 1
        before = max(
            (at for at in range(max(0, first - NEXT_BEFORE), first) if self.pauses(at + 1)), default=-1
        )
        after = min((at for at in range(end, end + NEXT_AFTER) if self.pauses(at)), default=end + NEXT_AFTER)
        return self.are_plain(max(before + 1, first - NEXT_BEFORE, 0), first) and self.are_plain(end, after)

    def pauses(self, place: int) -> bool:
        """True if a comma or the end of a sentence stands before a token."""
        if not 0 < place < len(self.tokens):
            return True
        gap = self.text[self.tokens[place - 1].end : self.tokens[place].start]
        return not PAUSE_SIGNS.isdisjoint(gap)

    def asks_for_something(self, sentence: int) -> bool:
        """True for a short question for a thing that is on no list: "What's your branch?"."""
        first = bisect_left(self.sentences, sentence)
        end = bisect_right(self.sentences, sentence)
        if sentence not in self.plain_questions or end - first > QUESTION_FOR_A_THING:
            return False
        last = self.tokens[end - 1].word
        words = self.words_between(first, end)
        if last in MESSAGES or self.plain[end - 1] or not ORDINALS.isdisjoint(words):
            return False  # "What does the screen say?" asks for what was sent
        if end - first <= NAMED_SENTENCE and self.text[self.tokens[end - 1].end :][:1] == "?":
            return True  # "Pension plan?", "And the branch?"
        return any(
            self.tokens[at].word in DETERMINERS | QUESTION_BEGINNINGS and not self.plain[at + 1]
            for at in range(first, end - 1)
        )

    def asks_in_the_end(self) -> bool:
        """True if the last sentence asks for a thing that is on no list."""
        if not self.sentences:
            return False
        is_elliptical = not self.has_stops and self.sentences[-1] in self.questions and not self.plain[-1]
        return is_elliptical or self.asks_for_something(self.sentences[-1])

    def asks_which(self, sentence: int) -> bool:
        """True for a question that names nothing: "Which one would you like?", "And yours?"."""
        words = self.words_of(sentence)
        if words[-1] in YOURS:
            return True
        if len(words) > QUESTION_FOR_A_THING:
            return False
        if not ANOTHER.isdisjoint(words):
            return True  # "Please request another.", "And again when it changes."
        if len(words) <= SHORT_QUESTION and not NEXT_ONE.isdisjoint(words):
            return not self.names  # "Too late, the next one?"
        if len(words) <= SHORT_QUESTION and not SINCE.isdisjoint(words) and self.may_ask(sentence):
            return not self.names and SINCE.union(ANSWER_WORDS).issuperset(words)  # "And since then?"
        if sentence not in self.plain_questions and WHICH.isdisjoint(words[:2]):
            return False
        return not WHICH.isdisjoint(words) and not CHOOSING.isdisjoint(words)

    def may_ask(self, sentence: int) -> bool:
        """True for a plain question, and where no sign could tell that it is one."""
        return sentence in self.plain_questions or not self.has_stops

    def says_which(self) -> bool:
        """True if the last sentence has a word of asking which."""
        return not WHICH.isdisjoint(self.words_of(self.sentences[-1]))

    def asks_back(self) -> bool:
        """True for "Which is?", "What's that then?": it asks for what the other side spoke of."""
        words = [token.word for token in self.tokens]
        return len(words) <= SHORT_QUESTION and not self.names and not WHICH.isdisjoint(words)

    def asks_whether_it_came(self) -> bool:
        """True for "And has it arrived?": a short turn that names nothing and asks for what was sent."""
        words = {token.word for token in self.tokens}
        is_short = len(self.tokens) <= QUESTION_FOR_A_THING and not self.pieces
        return is_short and not self.names and not ARRIVING.isdisjoint(words)

    def asks(self, sentence: int) -> bool:
        """True for a question, a word of asking, or a sentence as short as "And your address, please"."""
        return sentence in self.questions

    def asks_plainly(self, sentence: int) -> bool:
        """True for a question by its mark or its first word."""
        return sentence in self.plain_questions


def read_utterances(segments: list[Segment]) -> Iterator[Utterance]:
    """Yield the segments in order, read."""
    for index, segment in enumerate(segments):
        yield _Reader(index, segment).read()


class _Reader:
    def __init__(self, index: int, segment: Segment) -> None:
        self.index = index
        self.segment = segment
        self.text = segment["text"]
        self.has_stops = not PAUSE_SIGNS.isdisjoint(self.text)
        self.tokens = tokenize_numbers(self.text)
        self.sentences = self.number_sentences()
        self.fillers = self.find_fillers()
        self.names = find_names(self.tokens, self.sentences)
        self.in_names = {place for name in self.names for place in range(name.first, name.end)} - self.fillers
        self.shapes = find_shapes(self.text, self.tokens, self.in_names | self.fillers)

    def read(self) -> Utterance:
        plain_questions = self.find_plain_questions()
        plain = [
            bool(token.digits)
            or place in self.fillers
            or place in self.in_names
            or token.word in ANSWER_WORDS
            or token.word in MONTHS
            for place, token in enumerate(self.tokens)
        ]
        return Utterance(
            index=self.index,
            speaker=self.segment["speaker"],
            start_s=self.segment["start"],
            end_s=self.segment["end"],
            text=self.text,
            tokens=self.tokens,
            sentences=self.sentences,
            names=self.names,
            in_names=self.in_names,
            shapes=self.shapes,
            fillers=self.fillers,
            pieces=self.collect_pieces(),
            questions=self.find_questions() | plain_questions,
            plain_questions=plain_questions,
            plain=plain,
            wordy={
                sentence for sentence, is_plain in zip(self.sentences, plain, strict=True) if not is_plain
            },
            speaks_of_card=any(name.kind in (Kind.CARD, Kind.WEAK_CARD) for name in self.names),
            has_stops=self.has_stops,
        )

    def number_sentences(self) -> list[int]:
        """Return the number of the sentence of each token."""
        sentences, sentence = [], 0
        for place, token in enumerate(self.tokens):
            if place:
                before = self.tokens[place - 1]
                end = SENTENCE_END.search(self.text, before.end, token.start + 1)
                if end and not (end[0] == "." and before.word in ABBREVIATIONS):
                    sentence += 1
            sentences.append(sentence)
        return sentences

    def find_fillers(self) -> set[int]:
        """Return the places of words and phrases that may stand between the digits of one number."""
        words = [token.digits or token.word for token in self.tokens]
        fillers = {place for place, word in enumerate(words) if word in BETWEEN_DIGITS}
        for place in range(len(words)):
            for length in range(1, LONGEST_PAUSE + 1):
                if tuple(words[place : place + length]) in PAUSES:
                    fillers.update(range(place, place + length))
        return fillers

    def collect_pieces(self) -> list[Piece]:
        pieces: list[Piece] = []
        is_open = False
        for place, token in enumerate(self.tokens):
            if place in self.fillers:
                continue
            if not token.digits or place in self.in_names or place in self.shapes:
                is_open = False
                continue
            if not is_open or self.begins_statement(pieces[-1], place):
                pieces.append(Piece(self.index, [], []))
            self.append_number(pieces[-1], place)
            is_open = True
        return pieces

    def begins_statement(self, piece: Piece, place: int) -> bool:
        """True for the "1757" of "Booking 85564268? It's 1757.": a new sentence says what it is."""
        last = piece.tokens[-1]
        if place == last + 1 or (self.has_stops and self.sentences[place] == self.sentences[last]):
            return False
        return not STATING.isdisjoint(self.words_between(last + 1, place))

    def append_number(self, piece: Piece, place: int) -> None:
        token = self.tokens[place]
        if piece.tokens:
            before = piece.tokens[-1]
            if self.sentences[place] != self.sentences[before]:
                piece.breaks.append(len(piece.tokens))
            if place - 1 != before or self.tokens[before].end + 1 < token.start:
                piece.pauses.append(len(piece.tokens))
                if not AND.isdisjoint(self.words_between(before + 1, place)):
                    piece.joints.append(len(piece.tokens))
        piece.tokens.append(place)
        piece.groups.append(token.digits)

    def words_between(self, first: int, end: int) -> list[str]:
        return [token.word for token in self.tokens[first:end]]

    def begins(self, place: int) -> bool:
        """True if a sentence begins with the token."""
        return place == 0 or self.sentences[place - 1] != self.sentences[place]

    def find_questions(self) -> set[int]:
        """Return the sentences with a word of asking, and those as short as "And your address, please"."""
        lengths = Counter(self.sentences)
        of_secrets = {name.end - 1 for name in self.names if name.kind in SECRETS}
        asking: set[int] = set()
        for place, (token, sentence) in enumerate(zip(self.tokens, self.sentences, strict=True)):
            ends = place + 1 == len(self.tokens) or self.begins(place + 1)
            is_elliptical = self.begins(place) and (
                place in self.in_names or token.word in ELLIPSIS_BEGINNINGS
            )
            if (
                token.word in QUESTION_WORDS
                or (ends and place in of_secrets and lengths[sentence] <= NAMED_SENTENCE)
                or (is_elliptical and lengths[sentence] <= SHORT_SENTENCE)
            ):
                asking.add(sentence)
        return asking if self.segment["speaker"] == "customer" else asking | self.find_lists()

    def find_lists(self) -> set[int]:
        """Return the sentences that only list names: "The number, and then the PIN."."""
        return set(self.sentences) - {
            sentence
            for place, (token, sentence) in enumerate(zip(self.tokens, self.sentences, strict=True))
            if token.digits or not (place in self.in_names or token.word in LISTING)
        }

    def find_plain_questions(self) -> set[int]:
        """Return the sentences that ask by their mark or their first word."""
        return {
            self.sentences[place]
            for place, token in enumerate(self.tokens)
            if self.text[token.end : token.end + 1] == "?"
            or (self.begins(place) and token.word in QUESTION_BEGINNINGS)
        }
