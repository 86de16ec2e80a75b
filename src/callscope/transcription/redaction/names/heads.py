"""Which word of a sentence names its number: the head "code" of "the code for the new phone is 4821"."""

from bisect import bisect_left

from callscope.transcription.redaction.pieces import Piece
from callscope.transcription.redaction.utterances import Utterance
from callscope.transcription.redaction.vocabulary.kinds import SECRETS, THINGS, Kind, Length, is_year
from callscope.transcription.redaction.vocabulary.number_names import CODES, Name
from callscope.transcription.redaction.vocabulary.word_classes import (
    ABOUT,
    ADJUNCTS,
    ASKING_FOR,
    COPULAS,
    DETERMINERS,
    FIRST_OF_TWO,
    FROM,
    MESSAGES,
    NEGATION,
    OF,
    OPENING,
    PRONOUNS,
    SAYING,
    SECOND_OF_TWO,
    SENT_FROM,
    TELLING,
    TEXTING,
    TYPING,
    WITH,
)

LONGEST_MODIFIER = 4  # words: "for the new phone"
LONGEST_SUBJECT = 8  # words: "for the portal of the clinic is"
SENDER_REACH = 5  # words
DENIAL_REACH = 4  # words between a negation and what it denies
OPENING_REACH = 4  # words: "opens it with"
NEXT_NAME = 4  # words from a number to a name of it
ENTERED_DIGITS = Length(4, 6)  # longer ones may be accounts: "Enter 77629323 and tell me the response"
NAMELESS = frozenset((Kind.NUMBER, Kind.OTHER))


def list_owner(utterance: Utterance, name: Name) -> list[str]:
    """Return the end of a name that says whose code it is: "for the parking"."""
    words = utterance.words_between(name.first, name.end)
    at = next((at for at, word in enumerate(words) if at and word in OF), len(words))
    return words[at:] if name.kind in CODES else []


def is_medium(utterance: Utterance, name: Name, words: list[str]) -> bool:
    """True for "they asked over the phone and I said 4821": that is how it was said."""
    if name.kind not in THINGS or name.end - name.first > 1 or not COPULAS.isdisjoint(words):
        return False
    is_thing = utterance.tokens[name.first].word in MESSAGES
    before = utterance.words_between(max(0, name.first - 2), name.first)
    return is_thing and not ADJUNCTS.isdisjoint(before) and not TELLING.isdisjoint(words)


def is_modifier(utterance: Utterance, name: Name, after: list[str]) -> bool:
    """True for the phone of "the code for the new phone is 4821": another name is the head.

    `after` are the words between the name and the number.
    """
    is_code = name.kind in CODES
    if is_code and not after:
        return False
    if not is_code and (name.kind not in THINGS | {Kind.PLACE} or name.end - name.first > 1):
        return False
    at = bisect_left(utterance.names, name.first, key=lambda n: n.first) - 1
    head = utterance.names[at] if at >= 0 else None
    if head is None or not utterance.are_in_one_sentence(head.first, name.first):
        return False
    words = list_owner(utterance, head) + utterance.words_between(head.end, name.first)
    # "Transfer of $39 done, reference 4821": a number between them, each has its own.
    is_parted = any(token.digits for token in utterance.tokens[head.end : name.first])
    if not words or len(words) > LONGEST_MODIFIER or is_parted or not can_name(head):
        return False
    if is_code:
        is_thing = head.kind in THINGS and MESSAGES.isdisjoint(utterance.words_between(head.first, head.end))
        # "Your claim about the PIN has the number 48213", "your ticket for the password reset is 48213".
        is_followed = after[0] not in COPULAS and not utterance.pauses(name.end)
        is_about = words[0] in ABOUT or (words[0] in OF and is_followed)
        return is_thing and is_about and DETERMINERS.issuperset(words[1:])
    if name.kind is Kind.PLACE:  # "el PIN para el portal es 4821", "the code for the main door is 4821"
        return head.kind in CODES and words[0] in ADJUNCTS and COPULAS.isdisjoint(words[1:])
    return words[0] in OF


def names_people(utterance: Utterance, name: Name) -> bool:
    """True for "8019 for the security team", "la 587 para seguridad": the word says whom it is for."""
    if name.use != "weak" or name.end - name.first > 1 or name.kind is not Kind.CODE:
        return False
    before = utterance.words_before(name.first)
    is_for = not ADJUNCTS.isdisjoint(before[-2:])
    return is_for and (before[-1] == "para" or utterance.goes_on(name.end))


def is_topic(utterance: Utterance, name: Name) -> bool:
    """True for the code of "Quote 453686 when you call about the password": a call is about it."""
    before = [word for word in utterance.words_before(name.first) if word not in DETERMINERS]
    return (
        name.kind in CODES
        and before[-1:] != []
        and before[-1] in ABOUT
        and not ASKING_FOR.intersection(before)
    )


def is_sender(utterance: Utterance, piece: Piece) -> bool:
    """True for "the text came from 66716": a message's sender is no code."""
    words = utterance.words_before(piece.tokens[0])
    return words[-1:] != [] and words[-1] in FROM and not SENT_FROM.isdisjoint(words[-SENDER_REACH:-1])


def is_entered(utterance: Utterance, piece: Piece) -> bool:
    """True for "you type 563298", "it opens with 740726": what one enters, where nothing else is named."""
    first, end = piece.tokens[0], piece.tokens[-1] + 1
    before = utterance.words_before(first)
    if before[-1:] != [] and before[-1] in WITH:
        is_used = not OPENING.isdisjoint(before[-OPENING_REACH:])
    elif before[-1:] != [] and before[-1] in SAYING:  # "I got two texts, one says 347271"
        is_used = not TEXTING.isdisjoint(before) and is_one_of_two(before)
    else:
        verbs = before[-2:] if before[-1:] == ["in"] else before[-1:]
        is_used = not TYPING.isdisjoint(verbs)
    if not is_used or len(piece.digits) not in ENTERED_DIGITS or is_year(piece.digits):
        return False
    names = utterance.names_of(utterance.sentences[first])
    names = [name for name in names if name.first < end + NEXT_NAME]
    is_of_code = all(name.kind in CODES | NAMELESS | SECRETS for name in names)
    return is_of_code and not utterance.goes_on(end)


def is_one_of_two(words: list[str]) -> bool:
    """True for "one says", "el primero dice": the word of a number is empty."""
    return len(words) > 1 and (not words[-2] or words[-2] in FIRST_OF_TWO | SECOND_OF_TWO)


def is_denied(utterance: Utterance, name: Name) -> bool:
    """True for the name of "I don't have the code", "No, it's not a year"."""
    start = max(0, name.first - DENIAL_REACH)
    words = utterance.words_between(start, name.first)
    return any(word in NEGATION and not utterance.pauses(start + at + 1) for at, word in enumerate(words))


def is_adjunct(utterance: Utterance, name: Name, words: list[str]) -> bool:
    """True for "for my account it is 1234": the number is something else's."""
    begins = utterance.words_between(max(0, name.first - 2), name.first)
    return not ADJUNCTS.isdisjoint(begins) and not PRONOUNS.isdisjoint(words)


def is_subject(words: list[str]) -> bool:
    """True for the words after "code" in "the code for my locker is 4821"."""
    return 1 < len(words) <= LONGEST_SUBJECT and words[0] in ADJUNCTS and words[-1] in COPULAS


def can_name(name: Name) -> bool:
    """True unless the name only asks, says a length, or is public: "your class code"."""
    is_length_of_card = name.use == "length" and name.kind is Kind.CARD
    return name.kind not in NAMELESS and name.use != "question" and not is_length_of_card
