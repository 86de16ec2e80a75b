"""Numbers that are what another number next to them is: "8359, or 5960"."""

from collections.abc import Callable, Iterator

from callscope.transcription.redaction.memory import Memory, Secret
from callscope.transcription.redaction.names.naming import Sentence
from callscope.transcription.redaction.pieces import Piece
from callscope.transcription.redaction.utterances import Utterance
from callscope.transcription.redaction.vocabulary.kinds import (
    CVV_DIGITS,
    SECRET_CODES,
    SECRETS,
    Kind,
    usually_has,
)
from callscope.transcription.redaction.vocabulary.word_classes import (
    ADJUNCTS,
    ALTERING,
    BEFORE_ONE,
    NEXT_ONE,
    SAYING,
)

NEAR_TURNS = 2  # from a code to another one that takes its place
LEAST_PARALLEL = 4  # digits of a number that is known by one that is said like it


def find_alternative(memory: Memory, utterance: Utterance, piece: Piece) -> Secret | None:
    """Return the code next to which another one stands: "8359, or 5960"; "try 7255"."""
    code = memory.find_last(piece.segment, SECRET_CODES)
    if utterance.is_address(piece) or has_heading(utterance, piece):
        return None  # "We'll send a new one to 43 Park Lane.", "Points: 5038"
    is_said = not SAYING.isdisjoint(utterance.words_before(piece.tokens[0])[-1:])
    if code and code.segment == piece.segment and is_said and usually_has(code.kind, piece.digits):
        return code  # "It's from 22395. It says 482913."
    before = utterance.words_before(piece.tokens[0])[-1:]
    digits = len(piece.digits) - (piece.groups[0] == "1" and not BEFORE_ONE.isdisjoint(before))  # "new one"
    if code is None or digits not in (len(code.digits), CVV_DIGITS * (code.kind is Kind.CODE)):
        return None
    if code.segment == piece.segment:
        return code
    is_altered = is_said or not ALTERING.isdisjoint(utterance.words_before(piece.tokens[0]))
    distance = piece.segment - code.segment
    is_next = distance == 1 and utterance.speaker != code.speaker
    if is_altered and distance <= NEAR_TURNS and not utterance.goes_on(piece.tokens[-1] + 1):
        return code  # "2981 ... nope." "Try 3738.", "The letter says 3738."
    return code if is_next and utterance.is_bare_nearby(piece) else None


def has_heading(utterance: Utterance, piece: Piece) -> bool:
    """True for "Points: 5038": a word of its own says what the number is."""
    at = piece.tokens[0] - 1
    if at < 0 or utterance.plain[at]:
        return False
    return ":" in utterance.text[utterance.tokens[at].end : utterance.tokens[at + 1].start]


def list_parallel(
    utterance: Utterance, sentence: Sentence, list_kinds: Callable[[Piece], set[Kind]]
) -> Iterator[Piece]:
    """Yield the numbers of a sentence that are said as a code is: "2672 for the bank, 9030 for the phone".

    They have as many digits, the same word right behind them, and no name before them; `list_kinds` tells
    what a number is taken for.
    """
    codes = {
        (len(piece.digits), word_behind(utterance, piece))
        for piece, _ in sentence.pieces
        if list_kinds(piece) & SECRET_CODES and len(piece.digits) >= LEAST_PARALLEL
    }
    for piece, naming in sentence.pieces:
        word, first = word_behind(utterance, piece), piece.tokens[0]
        is_named = (naming is not None and naming.letters > 0) or first - 1 in utterance.in_names
        is_known = is_named or not SECRETS.isdisjoint(list_kinds(piece))
        if word in ADJUNCTS and (len(piece.digits), word) in codes and not is_known:
            yield piece


def word_behind(utterance: Utterance, piece: Piece) -> str:
    """Return the word of the same sentence right behind a number, "" without one."""
    end = piece.tokens[-1] + 1
    is_next = end < len(utterance.tokens) and utterance.are_in_one_sentence(end - 1, end)
    return utterance.tokens[end].word if is_next else ""


def is_one_before(said: tuple[Utterance, Piece] | None, asking: Utterance, piece: Piece) -> bool:
    """True if what was said last is the one before: "690977" – "The next, when it changes?" – "638504"."""
    if said is None or NEXT_ONE.isdisjoint(token.word for token in asking.tokens) or asking.pieces:
        return False
    before, number = said
    is_reply = before.index == asking.index - 1 and piece.segment == asking.index + 1
    is_alike = len(number.digits) == len(piece.digits) and number.digits != piece.digits
    return is_reply and is_alike and before.speaker not in (asking.speaker, None) and before.is_bare(number)
