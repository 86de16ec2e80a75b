"""What two numbers are, told after both: "The first is the order, the second one is your PIN"."""

from collections.abc import Iterator

from callscope.transcription.redaction.naming import Sentence
from callscope.transcription.redaction.pieces import Piece
from callscope.transcription.redaction.utterances import Utterance
from callscope.transcription.redaction.vocabulary.kinds import ASKED_CODES, Kind, usually_has
from callscope.transcription.redaction.vocabulary.word_classes import (
    FIRST_OF_TWO,
    LONGER_OF_TWO,
    SECOND_OF_TWO,
    SHORTER_OF_TWO,
)

TWO = 2
REACH = 4  # words between "the second" and what it is


def find_codes_of_two(
    utterance: Utterance, sentence: Sentence, said: Utterance
) -> Iterator[tuple[Piece, Kind]]:
    """Yield the numbers of the turn before that the sentence calls codes, with their kinds."""
    numbers = list_two(said)
    if not numbers or said.speaker == utterance.speaker:
        return
    shorter, longer = sorted(numbers, key=lambda piece: len(piece.digits))
    first, second = numbers
    places = (
        (FIRST_OF_TWO, first),
        (SECOND_OF_TWO, second),
        (SHORTER_OF_TWO, shorter),
        (LONGER_OF_TWO, longer),
    )
    for name in sentence.unused:
        words = utterance.words_between(max(0, name.first - REACH), name.first)
        near = (piece for word in reversed(words) for words_of, piece in places if word in words_of)
        piece = next(near, None)
        if piece and name.kind in ASKED_CODES and usually_has(name.kind, piece.digits):
            yield piece, name.kind


def list_two(said: Utterance) -> list[Piece]:
    """Return the numbers of a turn that says two; [] of any other."""
    if len(said.pieces) == TWO:
        return said.pieces
    if len(said.pieces) == 1 and len(said.pieces[0].joints) == 1:
        return said.pieces[0].cut(said.pieces[0].joints)
    return []
