"""How a turn goes on with the one before: it repeats a question, asks on, takes back or names a number."""

from collections.abc import Container, Iterator

from callscope.transcription.redaction.names.naming import Sentence
from callscope.transcription.redaction.number_runs import Place
from callscope.transcription.redaction.pieces import Piece
from callscope.transcription.redaction.utterances import Utterance
from callscope.transcription.redaction.vocabulary.kinds import (
    ASKED_CODES,
    CARDS,
    SECRET_CODES,
    THINGS,
    VAGUE,
    Kind,
    usually_has,
)
from callscope.transcription.redaction.vocabulary.number_names import Name
from callscope.transcription.redaction.vocabulary.word_classes import (
    ANSWER_WORDS,
    CORRECTIONS,
    DETERMINERS,
    FIRST_OF_TWO,
    JOINING,
    LONGER_OF_TWO,
    NEGATION,
    OR,
    ORDINALS,
    PREDICATES,
    SECOND_OF_TWO,
    SHORTER_OF_TWO,
    is_settled,
)

CODE_NOUNS = frozenset(("code", "codes", "codigo", "codigos"))
ECHOED_WORDS, ECHOED_NAMES = 12, 6  # of a turn that asks, the last ones
MAX_CORRECTION_WORDS = 6
MAX_ASKED_ON_WORDS = 3  # "Go on, please."
TWO = 2
MEANT_REACH = 4  # words between "the second" and what it is
ACCEPTED_REACH = 3  # words between a code and "accepted"
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


def is_public_code(utterance: Utterance, name: Name) -> bool:
    """True for "the booking code"."""
    words = utterance.words_between(name.first, name.end)
    return name.kind is Kind.IDENTIFIER and not CODE_NOUNS.isdisjoint(words)


def lists_places(utterance: Utterance) -> bool:
    """True for "Second and fifth.": a turn of nothing but places of digits."""
    words = [token.word for token in utterance.tokens]
    places = sum(word in ORDINALS for word in words)
    return places > 1 and ORDINALS.union(JOINING, DETERMINERS, ANSWER_WORDS).issuperset(words)


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


def begins_answer(kind: Kind, utterance: Utterance, piece: Piece) -> bool:
    """True for the 457 of "457, PIN 4821 and CVV 458": a whole answer, before all that has a name."""
    first, end = piece.tokens[0], piece.tokens[-1] + 1
    is_first = first == utterance.pieces[0].tokens[0] and utterance.are_plain(0, first)
    is_by_itself = utterance.names[:1] == [] or utterance.names[0].first >= end
    is_parted = utterance.pauses(end) or not utterance.has_stops
    return is_first and is_by_itself and is_parted and usually_has(kind, piece.digits)


def corrects(utterance: Utterance, piece: Piece, said: tuple[Utterance, Piece]) -> bool:
    """True if the piece takes back the one that was said before: "457, no, sorry, 475"."""
    before = said[1]
    if said[0].speaker != utterance.speaker or before.segment < piece.segment - 1:
        return False
    end = before.tokens[-1] + 1 if before.segment == piece.segment else 0
    if piece.tokens[0] - end > MAX_CORRECTION_WORDS:
        return False
    return not CORRECTIONS.isdisjoint(utterance.words_between(end, piece.tokens[0]))


def is_predicate(utterance: Utterance, name: Name) -> bool:
    """True for the name of "That's the account", but not for that of "I don't need that, your account?"."""
    words = utterance.words_before(name.first)
    at = max((at for at, word in enumerate(words) if word in PREDICATES), default=None)
    if at is None or not utterance.ends_sentence(name.end):
        return False
    return name.kind not in THINGS or NEGATION.isdisjoint(words[at:])


def is_accepted(utterance: Utterance, name: Name, said: Utterance, piece: Piece) -> bool:
    """True for the clave of "Clave aceptada.", after a number that the other side said."""
    is_first = name.first == 0 and name.kind in SECRET_CODES
    is_of_other = utterance.speaker != said.speaker and said.is_bare_nearby(piece)
    after = utterance.words_between(name.end, name.end + ACCEPTED_REACH)
    return is_first and is_of_other and NEGATION.isdisjoint(after) and is_settled(after)


def find_codes_of_two(
    utterance: Utterance, sentence: Sentence, said: Utterance
) -> Iterator[tuple[Piece, Kind]]:
    """Yield the codes of "The first is the order, the second one is your PIN", after two numbers."""
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
        words = utterance.words_between(max(0, name.first - MEANT_REACH), name.first)
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
