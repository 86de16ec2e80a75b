"""A number that is asked for or announced, and what may be its answer."""

from dataclasses import dataclass, field

from callscope.transcription.redaction.pieces import Piece
from callscope.transcription.redaction.questions.requests import Request
from callscope.transcription.redaction.utterances import Utterance
from callscope.transcription.redaction.vocabulary.kinds import (
    ASKED_CODES,
    CARD_BEGINNINGS,
    LENGTHS,
    Kind,
    can_have,
    usually_has,
)

CODE_LENGTHS = (3, 4, 6)  # of codes that are said as a list
PART_OF_CARD = 4
WHOLE_CODE = 4  # digits of a code that needs no more
SOFT = frozenset((Kind.AMOUNT, Kind.QUANTITY, Kind.TIME))  # asked for in passing: "To see the balance ..."
OWN_QUESTION = 4  # words: "¿El de la cuenta? 8079"
LEAST_WEAK_CARD = 11  # digits that answer "And the card?"


@dataclass(slots=True)
class Question:
    """A request for a number, or its announcement, that has no answer yet."""

    request: Request
    asked_by: str | None
    turn: int
    segment: int
    at_s: float
    sentence: int  # of the segment
    is_partial: bool  # asks for single digits: "the second and fourth digit of your passcode"
    is_begun: bool = False  # a part was said
    is_again: bool = False  # it was answered, and doubted
    held: list[Piece] = field(default_factory=list)  # too few digits to be the answer yet

    @property
    def kind(self) -> Kind:
        return self.request.kind

    @property
    def rank(self) -> tuple[int, bool, int]:
        """The order in which questions are tried: what is asked for goes before what is mentioned."""
        request = self.request
        is_announced = request.is_sent and not request.is_plain_question  # "The code's been sent."
        levels = (
            request.is_question and not request.is_thing and not is_announced,
            request.is_question,
            request.is_sent,
        )
        return -self.turn, request.kind in SOFT, levels.index(True) if any(levels) else len(levels)

    def is_own(self, utterance: Utterance, piece: Piece) -> bool:
        """True for "Order number? 44722687.": who repeats a question answers it."""
        first = piece.tokens[0]
        return (
            self.request.is_plain_question
            and self.segment == utterance.index
            and utterance.sentences[first] - self.sentence == 1
            and (first == 0 or utterance.sentences[first - 1] == self.sentence)
            and len(utterance.words_of(self.sentence)) <= OWN_QUESTION
        )

    def is_usual_answer(self, piece: Piece) -> bool:
        lengths = [length for length in CODE_LENGTHS if length in LENGTHS[self.kind][1]]
        is_list = self.kind in ASKED_CODES and any(map(piece.is_list, lengths))
        return is_list or usually_has(self.kind, self.join_held(piece))

    def is_part_of_answer(self, piece: Piece) -> bool:
        """True for a part of a code that is asked for in parts, and for one of a card number."""
        return self.is_partial or (self.kind is Kind.CARD and can_have(Kind.CARD, piece.digits))

    def is_possible_answer(self, piece: Piece) -> bool:
        digits = self.join_held(piece)
        if self.kind is Kind.WEAK_CARD and len(digits) < LEAST_WEAK_CARD:
            return False
        return can_have(Kind.SOME_CODE if self.request.is_vague else self.kind, digits)

    def may_have_part(self, utterance: Utterance, piece: Piece) -> bool:
        """True unless what could be a part of a card number is said of something else."""
        if self.kind is not Kind.CARD or usually_has(Kind.CARD, piece.digits):
            return True
        begins = len(piece.digits) >= PART_OF_CARD and piece.digits[0] in CARD_BEGINNINGS
        return self.is_begun or begins or utterance.is_bare(piece) or utterance.is_bare_nearby(piece)

    def join_held(self, piece: Piece) -> str:
        return "".join([*(held.digits for held in self.list_held(piece)), piece.said_once])

    def list_held(self, piece: Piece) -> list[Piece]:
        """Return what was held, but not the count of "I have two." before "4843", a whole answer."""
        is_count = len(self.held) == 1 and len(self.held[0].digits) == 1
        is_whole = len(piece.said_once) >= WHOLE_CODE and usually_has(self.kind, piece.said_once)
        return [] if is_count and is_whole and not self.is_partial else self.held
