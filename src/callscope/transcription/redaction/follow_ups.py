"""How a turn goes on with the one before: it repeats the question, asks to go on, or takes back a number."""

from collections.abc import Container

from callscope.transcription.redaction.number_runs import Place
from callscope.transcription.redaction.pieces import Piece
from callscope.transcription.redaction.utterances import Utterance
from callscope.transcription.redaction.vocabulary.kinds import ASKED_CODES, CARDS, VAGUE
from callscope.transcription.redaction.vocabulary.word_classes import CORRECTIONS, OR

ECHOED_WORDS, ECHOED_NAMES = 12, 6  # of a turn that asks, the last ones
MAX_CORRECTION_WORDS = 6
MAX_ASKED_ON_WORDS = 3  # "Go on, please."
MAX_CHOICE_WORDS = 8  # "For the card or the phone?"


def echoes_question(utterance: Utterance, piece: Piece, asking: Utterance) -> bool:
    """True for "model 998" after "What's the model?": the word before the number says what was asked."""
    at = piece.tokens[0] - 1
    if at < 0 or utterance.plain[at] or utterance.pauses(at + 1):
        return False
    if None in (utterance.speaker, asking.speaker) or asking.speaker == utterance.speaker:
        return False
    end = len(asking.tokens)
    is_of_secret = any(name.kind in ASKED_CODES | CARDS | VAGUE for name in asking.names[-ECHOED_NAMES:])
    asks = end > 0 and asking.sentences[-1] in asking.questions
    echoed = asking.words_between(max(0, end - ECHOED_WORDS), end)
    return asks and not is_of_secret and utterance.tokens[at].word in echoed


def follows_at_once(piece: Piece, said: tuple[Utterance, Piece] | None, cards: Container[Place]) -> bool:
    """True for a number in the same breath as a card number with a right check digit."""
    before = said[1] if said else None
    return (
        before is not None
        and before.segment == piece.segment
        and (before.segment, before.tokens[-1]) in cards
    )


def asks_on(before: Utterance, utterance: Utterance) -> bool:
    """True if the other side only said "Yes?", "Go on": a number may not be at its end."""
    if not before.tokens or before.pieces or before.speaker in (utterance.speaker, None):
        return False
    return len(before.tokens) <= MAX_ASKED_ON_WORDS and before.are_plain(0, len(before.tokens))


def explains(utterance: Utterance, before: Utterance) -> bool:
    """True for "The phone one." after "For the card or the phone?": what was asked for stays asked for."""
    if utterance.speaker != "agent" or before.speaker != "customer" or before.pieces or not before.tokens:
        return False
    is_choice = len(before.tokens) <= MAX_CHOICE_WORDS and any(t.word in OR for t in before.tokens)
    asks = before.sentences[-1] in before.plain_questions or is_choice
    return asks and not utterance.plain_questions and len(utterance.tokens) <= MAX_CHOICE_WORDS


def corrects(utterance: Utterance, piece: Piece, said: tuple[Utterance, Piece]) -> bool:
    """True if the piece takes back the one that was said before: "457, no, sorry, 475"."""
    before = said[1]
    if said[0].speaker != utterance.speaker or before.segment < piece.segment - 1:
        return False
    end = before.tokens[-1] + 1 if before.segment == piece.segment else 0
    if piece.tokens[0] - end > MAX_CORRECTION_WORDS:
        return False
    return not CORRECTIONS.isdisjoint(utterance.words_between(end, piece.tokens[0]))
