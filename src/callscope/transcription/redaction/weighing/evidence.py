"""What stands around a number and says whether it is a secret: words, names of numbers, what was asked.

Each piece of evidence is a short text, for which likelihood.py has a weight. Only what is
near counts, so that the time is linear in the words of a call.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from callscope.transcription.redaction.pieces import Piece
from callscope.transcription.redaction.utterances import Utterance
from callscope.transcription.redaction.vocabulary.kinds import Kind
from callscope.transcription.redaction.vocabulary.word_classes import ENTERING

NEXT_WORDS = 4  # of which the place counts
OWN_WORDS = 8  # on either side of the number
TURN_WORDS = 20  # of a turn before, the last ones; of the turn after, the first ones
TURNS_BEFORE = 3
WORDED_TURNS = 2  # turns before of which the words count, and not only the names of numbers
MOST_NAMES = 6  # of a turn
MOST_PIECES = 3
LONG, FAR = 9, 9
NEAR_NAME = 3  # words


class Heard(NamedTuple):
    """What the rules know of the call before a number."""

    card_distance: int  # segments since a card number was said, FAR if none was
    code_distance: int
    is_as_long: bool  # as the code that was said last
    asked: Sequence[Kind]  # what is asked for
    is_spoken_of: bool  # a code or a card, a little before


def list_evidence(utterances: Sequence[Utterance], piece: Piece, heard: Heard) -> Iterator[str]:
    """Yield what speaks for or against a number being a secret."""
    utterance = utterances[piece.segment]
    length = min(len(piece.digits), LONG)
    yield f"digits {length}"
    yield f"numbers {min(len(piece.groups), LONG)}"
    yield from list_own_words(utterance, piece)
    yield from list_own_names(utterance, piece, length)
    yield from list_nearest_name(utterances, piece, length)
    yield from list_place(utterance, piece)
    yield from list_heard(heard, length)
    for distance in range(1, TURNS_BEFORE + 1):
        if piece.segment >= distance:
            before = utterances[piece.segment - distance]
            whose = "same" if before.speaker == utterance.speaker else "other"
            yield from list_turn(before, f"{distance} {whose}", length, has_words=distance <= WORDED_TURNS)
    if piece.segment + 1 < len(utterances):
        after = utterances[piece.segment + 1]
        whose = "same" if after.speaker == utterance.speaker else "other"
        for token in after.tokens[:OWN_WORDS]:
            yield f"next {whose} {token.word or '#'}"


def list_own_words(utterance: Utterance, piece: Piece) -> Iterator[str]:
    """Yield the words next to a number, in its place and anywhere near."""
    tokens, first, end = utterance.tokens, piece.tokens[0], piece.tokens[-1] + 1
    before = [token.word or "#" for token in tokens[max(0, first - OWN_WORDS) : first]][::-1]
    after = [token.word or "#" for token in tokens[end : end + OWN_WORDS]]
    for side, words in (("before", before), ("after", after)):
        yield from (f"{side} {word}" for word in set(words))
        yield from (f"{side}{at} {word}" for at, word in enumerate(words[:NEXT_WORDS], 1))
        if not words:
            yield f"{side} nothing"
    if not ENTERING.isdisjoint(before[:NEAR_NAME]):
        yield "entering"
        yield f"entering {min(len(piece.digits), LONG)}"


def list_own_names(utterance: Utterance, piece: Piece, length: int) -> Iterator[str]:
    """Yield what the names of numbers in the same turn stand for."""
    first, end = piece.tokens[0], piece.tokens[-1] + 1
    start = bisect_left(utterance.names, first - OWN_WORDS, key=lambda name: name.end)
    stop = bisect_right(utterance.names, end + OWN_WORDS, key=lambda name: name.first)
    names = utterance.names[start:stop]
    for name in names[:MOST_NAMES]:
        is_before = name.end <= first
        distance = first - name.end if is_before else name.first - end
        where = f"{'before' if is_before else 'after'} {'near' if distance <= NEAR_NAME else 'far'}"
        yield f"name {where} {name.kind}"
    nearest = [name for name in names if name.end <= first][-1:]
    yield from (f"named {name.kind} {length}" for name in nearest)
    yield from (f"named {name.kind}" for name in nearest)


def list_nearest_name(utterances: Sequence[Utterance], piece: Piece, length: int) -> Iterator[str]:
    """Yield what the last name of a number before this one stands for, and how many turns ago it was said."""
    for distance in range(min(TURNS_BEFORE, piece.segment) + 1):
        names = utterances[piece.segment - distance].names
        end = bisect_right(names, piece.tokens[0], key=lambda name: name.end) if not distance else len(names)
        if end:
            kind = names[end - 1].kind
            yield f"nearest {distance} {kind}"
            yield f"nearest {kind} {length}"
            return


def list_place(utterance: Utterance, piece: Piece) -> Iterator[str]:
    """Yield how the number stands in its turn."""
    yield f"speaker {utterance.speaker}"
    start, end = utterance.tokens[piece.tokens[0]].start, utterance.tokens[piece.tokens[-1]].end
    yield f"sign before {name_sign(utterance.text[max(0, start - 1) : start])}"
    yield f"sign after {name_sign(utterance.text[end : end + 1])}"
    if utterance.is_bare(piece):
        yield "bare"
    if utterance.is_bare_nearby(piece):
        yield "bare nearby"
    if utterance.pieces[0].tokens[0] == piece.tokens[0]:
        yield "first number"
    if utterance.pieces[-1].tokens[-1] == piece.tokens[-1]:
        yield "last number"


def name_sign(sign: str) -> str:
    """Return a sign, or a word for what could not be seen in a list of weights."""
    return sign if sign.strip() else "space" if sign else "nothing"


def list_heard(heard: Heard, length: int) -> Iterator[str]:
    """Yield what was said and asked before."""
    yield f"card {heard.card_distance}"
    yield f"card {heard.card_distance} {length}"
    yield f"code {heard.code_distance}"
    yield f"spoken of {heard.is_spoken_of}"
    if heard.is_as_long:
        yield f"as long as code {heard.code_distance}"
    if heard.asked:
        yield "asked something"
    for kind in set(heard.asked):
        yield f"asked {kind}"
        yield f"asked {kind} {length}"


def list_turn(turn: Utterance, whose: str, length: int, *, has_words: bool) -> Iterator[str]:
    """Yield what a turn before says."""
    yield f"numbers {whose} {min(len(turn.pieces), MOST_PIECES)}"
    names = turn.names[-MOST_NAMES:]
    yield from {f"kind {whose} {name.kind}" for name in names}
    yield from {f"kind {whose} {name.kind} {length}" for name in names}
    if not has_words:
        return
    start = max(0, len(turn.tokens) - TURN_WORDS)
    words = [token.word or "#" for token in turn.tokens[start:]]
    yield from {f"said {whose} {word}" for word in words}
    last = [word for word, at in zip(words, turn.sentences[start:], strict=True) if at == turn.sentences[-1]]
    yield from {f"asks {whose} {word}" for word in last}
    yield from {f"asks {whose} {word} {following}" for word, following in pairwise(last)}
