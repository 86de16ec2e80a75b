"""What a sentence asks for or announces, by the names that have no number in it."""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import pairwise
from math import inf
from typing import NamedTuple

from callscope.transcription.redaction.names.heads import is_topic
from callscope.transcription.redaction.names.naming import Sentence
from callscope.transcription.redaction.utterances import Utterance
from callscope.transcription.redaction.vocabulary.kinds import (
    ASKED_CODES,
    CARDS,
    NUMBER_KINDS,
    SECRET_CODES,
    SECRETS,
    THINGS,
    Kind,
)
from callscope.transcription.redaction.vocabulary.number_names import Name
from callscope.transcription.redaction.vocabulary.word_classes import (
    ADJUNCTS,
    CARD_NOUNS,
    DETERMINERS,
    DIGIT_NOUNS,
    GIFTS,
    JOINING,
    LATER,
    NEGATION,
    NUMBER_NOUNS,
    OF_SOMETHING,
    ORDINALS,
    PLACES_OF_DIGITS,
    PREDICATES,
    PURPOSES,
    QUESTION_WORDS,
    SENDING,
    is_lacked,
    is_negated,
    is_received,
    is_refused,
    is_settled,
    is_taken_back,
)

NUMBERED = frozenset((Kind.IDENTIFIER, Kind.ACCOUNT))
NUMBERS = frozenset(("number", "numbers", "numero", "numeros"))
WHOSE = 4  # words: "¿El de la cuenta?"
SETTLED_REACH = 4  # words between a code and "accepted"
ORDINAL_REACH = 5  # words between a code and "the first and last digit"
MAX_NOUNS = 2  # between a code and the head noun of its phrase
ADJUNCT_REACH, PREDICATE_REACH = 2, 2  # words before a name


class Request(NamedTuple):
    """A number that is asked for, or only spoken of."""

    kind: Kind
    is_asked: bool
    is_question: bool  # in a sentence that asks, not only mentioned
    is_plain_question: bool  # by its mark or its first word
    is_sent: bool  # "We texted you a code."
    is_thing: bool  # named by a word that may be about the thing: "your policy"
    is_vague: bool  # "the code"
    is_partial: bool  # for single digits of it
    is_number: bool = False  # "your house number": its name says that it is one


class Requests:
    """Reads the requests of one sentence.

    `near` are the kinds that are asked for already, `near_card` tells whether a
    card was spoken of.
    """

    def __init__(
        self, utterance: Utterance, sentence: Sentence, near: Sequence[Kind], *, near_card: bool
    ) -> None:
        self.utterance = utterance
        self.names = sentence.unused
        self.near = near
        self.near_card = near_card
        self.number = sentence.number
        self.words = utterance.words_of(sentence.number)
        self.speaks_of_sending = not SENDING.isdisjoint(self.words)
        is_customer = utterance.speaker == "customer"
        self.asks = utterance.asks(sentence.number)
        # A customer who mentions the order does not ask for its number.
        self.asks_detail = utterance.asks_plainly(sentence.number) if is_customer else self.asks

    def find(self) -> Iterator[Request]:
        """Yield what each name asks for, in order."""
        has_number = any(
            not name.use and name.kind in NUMBER_KINDS and not self.is_adjunct(name) for name in self.names
        )
        has_secret = any(name.kind in ASKED_CODES | CARDS for name in self.names)
        asks_for_number = bool(self.near) and self.near[-1] in THINGS
        for place, name in enumerate(self.names):
            # What is said of a length is said of the number that was asked for: "all sixteen digits".
            is_length = name.use == "length" and asks_for_number
            is_weak = (name.use in ("weak", "length") and has_number) or self.is_of_last_four(place)
            is_weak = is_weak or self.is_purpose(name) or self.is_said_of(place)
            kind = (
                None
                if is_length or is_weak or (has_secret and self.is_passed_by(place))
                else self.find_kind(name)
            )
            if kind:
                yield Request(
                    kind,
                    self.asks or (kind in SECRETS | ASKED_CODES and self.utterance.speaker == "agent"),
                    self.asks,
                    self.utterance.asks_plainly(self.number),
                    kind in ASKED_CODES and self.speaks_of_sending,
                    self.is_thing(name),
                    name.kind is Kind.SOME_CODE,
                    kind in ASKED_CODES
                    and (self.is_for_part(name) or (place > 0 and self.is_end_of_code(place - 1))),
                    not NUMBERS.isdisjoint(self.utterance.words_between(name.first, name.end)),
                )

    def is_of_last_four(self, place: int) -> bool:
        """True for the card of "the last four digits of your card"."""
        before, name = self.names[place - 1] if place else None, self.names[place]
        if not before or before.kind is not Kind.LAST_FOUR or name.kind not in CARDS:
            return False
        # "last four of" may be the name.
        words = self.utterance.words_between(before.end - 1, name.first)
        words = words[words[0] not in OF_SOMETHING :]
        return words[:1] != [] and words[0] in ADJUNCTS and OF_SOMETHING.issuperset(words[1:])

    def says_which_thing(self, place: int) -> bool:
        """True for the password of "Password reset ticket number?": the last noun is what is asked for."""
        name, head = self.names[place], self.names[place + 1] if place + 1 < len(self.names) else None
        if head is None or name.kind not in ASKED_CODES or head.kind not in THINGS or self.is_thing(head):
            return False
        between = range(name.end, head.first)
        is_phrase = not any(self.utterance.plain[at] or self.utterance.pauses(at) for at in between)
        words = self.utterance.words_between(name.end, head.first)
        is_phrase = is_phrase and not self.utterance.pauses(head.first) and JOINING.isdisjoint(words)
        return 0 < len(between) <= MAX_NOUNS and is_phrase and ADJUNCTS.isdisjoint(words)

    def is_purpose(self, name: Name) -> bool:
        """True for the PIN of "To text you the PIN I need the mobile": what is asked for follows."""
        return self.words[0] in PURPOSES and name.first < self.asked_at < self.names[-1].first

    @cached_property
    def asked_at(self) -> int:
        """The token of the first question word, 0 without one."""
        first = bisect_left(self.utterance.sentences, self.number)
        return next((first + at for at, word in enumerate(self.words) if word in QUESTION_WORDS), 0)

    def is_said_of(self, place: int) -> bool:
        """True for a name that only says more of the next one."""
        return self.is_end_of_code(place) or self.says_which_thing(place)

    def says_when(self) -> bool:
        """True for "the PIN once you've given me the account": what is named last is said first."""
        first, last = self.names[0], self.names[-1]
        return not LATER.isdisjoint(self.utterance.words_between(first.end, last.first))

    def is_end_of_code(self, place: int) -> bool:
        """True for the last two of "the last two of your PIN"."""
        if self.names[place].kind is not Kind.LAST_FOUR or place + 1 == len(self.names):
            return False
        code = self.names[place + 1]
        words = self.utterance.words_between(self.names[place].end, code.first)
        return code.kind in SECRET_CODES and OF_SOMETHING.issuperset(words)

    def says_which(self) -> bool:
        """True for "It's the model number." after "the code"."""
        return any(
            name.kind in THINGS and not name.use and self.is_predicate(name) and not self.is_thing(name)
            for name in self.names
        )

    def is_predicate(self, name: Name) -> bool:
        before = self.utterance.words_before(name.first)
        return not PREDICATES.isdisjoint(before[-PREDICATE_REACH:])

    def ask_for_part(self) -> bool:
        """True for "Just the second and the last number." after a question."""
        return any(
            name.kind in (Kind.NUMBER, Kind.LAST_FOUR) and self.is_for_part(name) for name in self.names
        )

    def find_kind(self, name: Name) -> Kind | None:
        """Return what a name asks for; None for one in passing, or of what is not to be said."""
        # "The card, the date and the code."
        is_bare_date = name.kind is Kind.DATE and name.end - name.first == 1 and not name.use
        kind: Kind = Kind.EXPIRY if is_bare_date and self.near_card else name.kind
        before = self.utterance.words_before(name.first)
        is_far_code = name.use == "weak" and kind is Kind.CODE and not self.near_card
        # "Don't you need the code?" asks.
        is_denied = is_negated(before) and not (kind is Kind.SOME_CODE and self.asks_detail)
        is_denied = is_denied or (self.utterance.speaker == "customer" and is_lacked(before))
        after = self.utterance.words_between(name.end, name.end + SETTLED_REACH)
        is_denied = is_denied or is_refused(after) or self.is_set_aside(name, before)
        if self.utterance.speaker == "agent":
            is_denied = is_denied or is_taken_back(self.utterance.words_after(name.end))
        is_sent = self.utterance.tokens[name.first].word in SENDING  # "I have sent you a code" has none
        is_here = (is_received(before) and not is_sent) or is_settled(after)
        is_topic_only = is_topic(self.utterance, name) and not self.speaks_of_sending
        is_topic_only = is_topic_only and not self.utterance.asks_plainly(self.number)
        is_over = kind in SECRETS | ASKED_CODES and (is_denied or is_here or is_topic_only)
        if is_far_code or is_over:
            return None
        if kind in (Kind.NUMBER, Kind.SOME_CODE):
            return self.find_spoken_of(kind)
        is_number = kind in NUMBER_KINDS or kind is Kind.WEAK_CARD
        if is_number and not self.is_thing(name):
            return None if kind not in SECRETS | CARDS and self.is_predicate(name) else kind
        if not ADJUNCTS.isdisjoint(before[-ADJUNCT_REACH:]):
            is_meant = self.has_number_on(name) or self.says_whose(name)
            return kind if is_meant else None  # "sent to your phone"
        asks = self.asks_detail or name.use == "question"
        return kind if asks and name.use != "around" else None

    def is_set_aside(self, name: Name, before: list[str]) -> bool:
        """True for "Not the password, the account number" and "La contraseña no, la cuenta"."""
        tokens, end = self.utterance.tokens, name.end
        if end < len(tokens) and tokens[end].word in NEGATION and self.utterance.pauses(end + 1):
            return True
        said = [word for word in before if word not in DETERMINERS]
        return said[-1:] != [] and said[-1] in NEGATION and not self.asks_before(name)

    def asks_before(self, name: Name) -> bool:
        """True for "Did you not get the code?"."""
        return not QUESTION_WORDS.isdisjoint(self.utterance.words_before(name.first))

    def is_adjunct(self, name: Name) -> bool:
        """True for the phone of "sent to your phone"."""
        before = self.utterance.words_before(name.first)[-ADJUNCT_REACH:]
        return self.is_thing(name) and not ADJUNCTS.isdisjoint(before)

    def says_whose(self, name: Name) -> bool:
        """True for "Of the account?", "¿El de la cuenta?": a question of nothing but what is meant."""
        is_all = len(self.words) <= WHOSE and self.utterance.asks_plainly(self.number)
        return is_all and self.words[-1] == self.utterance.tokens[name.end - 1].word

    def has_number_on(self, name: Name) -> bool:
        """True for the ticket of "What number is on the ticket?"."""
        is_asked = name.kind in NUMBERED and self.utterance.asks_plainly(self.number)
        return is_asked and self.number_at < name.first

    @cached_property
    def number_at(self) -> float:
        """The token of the first "number" that no name says more of, infinity without one."""
        return next((name.first for name in self.names if name.kind is Kind.NUMBER), inf)

    def find_spoken_of(self, kind: Kind) -> Kind | None:
        """Return which number "the number" or "the code" is."""
        last = self.near[-1] if self.near else None
        if kind is Kind.SOME_CODE:
            if last in SECRET_CODES:
                return last
            return Kind.CODE if self.near_card else Kind.SOME_CODE
        if last:
            return last if last in ASKED_CODES | CARDS else None
        return Kind.WEAK_CARD if self.asks_detail and self.near_card else None

    def is_thing(self, name: Name) -> bool:
        """True for "the order", which need not be about its number."""
        words = self.utterance.words_between(name.first, name.end)
        is_card = not CARD_NOUNS.isdisjoint(words) and GIFTS.isdisjoint(words)
        if is_card and self.utterance.asks_plainly(self.number):
            return False  # "Which loyalty card is it?" asks for what is printed on it
        return name.kind in THINGS and NUMBER_NOUNS.isdisjoint(words)

    def is_passed_by(self, place: int) -> bool:
        """True where a secret is asked for because of the thing: "To see the order, what's your PIN?"."""
        thing = self.names[place]
        if not self.is_thing(thing):
            return False
        if not place and self.asks_before(thing):
            return False  # "What's the reference and which password did you set?"
        for at in (place - 1, place + 1):
            if 0 <= at < len(self.names) and self.names[at].kind in ASKED_CODES | CARDS:
                first, last = sorted((thing, self.names[at]), key=lambda name: name.first)
                words = self.utterance.words_between(first.end, last.first)
                if ADJUNCTS.isdisjoint(words) and QUESTION_WORDS.isdisjoint(words):
                    return False
        return True

    def is_for_part(self, name: Name) -> bool:
        """True for "the second and fourth digit of" a code, "your PIN, first and last position"."""
        before = self.utterance.words_before(name.first)
        words = before + self.utterance.words_between(name.first, name.end + ORDINAL_REACH)
        # "digits three and four of your passcode": the word of a number is empty.
        is_counted_off = any(word in DIGIT_NOUNS and not after for word, after in pairwise(before))
        return is_counted_off or not (ORDINALS | PLACES_OF_DIGITS).isdisjoint(words)
