"""How a number is called in its own sentence: "my PIN is 1234", "1234 is my PIN", "order BK 4821"."""

from bisect import bisect_left, bisect_right
from collections.abc import Container
from typing import NamedTuple

from callscope.transcription.redaction.names.heads import (
    can_name,
    is_adjunct,
    is_denied,
    is_medium,
    is_modifier,
    is_sender,
    is_subject,
    is_topic,
    list_owner,
    names_people,
)
from callscope.transcription.redaction.names.letters import (
    LETTERS_OF_NO_CODE,
    count_letters,
    find_first_letter,
)
from callscope.transcription.redaction.number_runs import Place
from callscope.transcription.redaction.pieces import Piece
from callscope.transcription.redaction.placeholders import PLACEHOLDERS
from callscope.transcription.redaction.sharing import MAX_KINDS, share_out, split_expiry
from callscope.transcription.redaction.utterances import Utterance
from callscope.transcription.redaction.vocabulary.kinds import (
    ASKED_CODES,
    CARD_BEGINNINGS,
    CARD_LENGTH,
    CARDS,
    DETAILS,
    SECRET_CODES,
    THINGS,
    Kind,
    can_have,
    usually_has,
)
from callscope.transcription.redaction.vocabulary.number_names import CODES, Name, is_qualifier
from callscope.transcription.redaction.vocabulary.word_classes import (
    ALTERING,
    AND,
    AS,
    COPULAS,
    DETERMINERS,
    ENTERING,
    MESSAGES,
    OR,
    PLACING,
    PRONOUNS,
    SAYING,
    TELLING,
    TOWARD,
)

ANAPHORS = frozenset(("it's", "that's"))
REACH = 10  # words between a number and its name
LEAST_SUBJECT, MAX_NOUNS = 3, 3  # words: "the docket is"
NEAR_VERB = 2  # words from a verb of entering to the number
AROUND_REACH = 3  # for words that only surround numbers: "charged me 300"
LONGEST_CODE = 6
LONE_CARD = 8  # digits that are a card number though they are called so from afar
OF_PLACEHOLDER = {
    PLACEHOLDERS["cards"]: CARDS,
    PLACEHOLDERS["security_codes"]: ASKED_CODES,
    PLACEHOLDERS["phones"]: frozenset((Kind.PHONE,)),
}
PRICED = frozenset(("for",))


class Naming(NamedTuple):
    """What a piece is called; a linked name stands right next to it: "PIN is", not "PIN that I got says"."""

    kind: Kind
    is_linked: bool
    letters: int = 0  # that are spelled before the digits
    is_loose: bool = False  # a detail with no "is" between: "my birthday, 1952"
    is_weak: bool = False  # by where it stands: "the email says 4821", "my card 4540 4441"


class Sentence(NamedTuple):
    """The pieces that begin in a sentence and their names, in order."""

    number: int
    pieces: list[tuple[Piece, Naming | None]]
    unused: list[Name]  # names of no number of the sentence
    placeholders: list[str]  # what was taken out before
    shapes: list[tuple[int, Kind]]  # token → kind of numbers that their own writing explains


def name_sentences(utterance: Utterance, cards: Container[Place] = ()) -> list[Sentence]:
    """Return the sentences in order, each number with what it is called there.

    Pieces are cut where one of the `cards` begins or ends.
    """
    by_number: dict[int, Sentence] = {}

    def sentence_at(token: int) -> Sentence:
        number = utterance.sentences[token]
        return by_number.setdefault(number, Sentence(number, [], [], [], []))

    for place, token in enumerate(utterance.tokens):
        if token.word.startswith("["):
            sentence_at(place).placeholders.append(token.word)
    for place, kind in sorted(utterance.shapes.items()):
        sentence_at(place).shapes.append((place, kind))
    namer = _Namer(utterance)
    for place, token in enumerate(utterance.tokens):
        if token.word in OF_PLACEHOLDER:
            namer.name_placeholder(place, OF_PLACEHOLDER[token.word])
    for piece in utterance.pieces:
        for part in piece.cut_where([(piece.segment, token) in cards for token in piece.tokens]):
            sentence_at(part.tokens[0]).pieces.extend(namer.name_piece(part))
    for name in utterance.names:
        if name not in namer.used and not namer.names_shape(name):
            sentence_at(name.first).unused.append(name)
    return [by_number[number] for number in sorted(by_number)]


Found = tuple[Name | None, Naming]


class _Namer:
    """Gives the names of an utterance to its numbers, each name once."""

    def __init__(self, utterance: Utterance) -> None:
        self.utterance = utterance
        self.used: set[Name] = set()

    def name_placeholder(self, place: int, kinds: Container[Kind]) -> None:
        """Use up the name of a number that was taken out: "My PIN is [security code]" asks for nothing."""
        names, sentence = self.utterance.names, self.utterance.sentences[place]
        at = bisect_right(names, place, key=lambda n: n.first)
        near = [*names[max(0, at - MAX_KINDS) : at][::-1], *names[at : at + MAX_KINDS]]
        for name in near:
            is_of_sentence = self.utterance.sentences[name.first] == sentence
            if is_of_sentence and name.kind in kinds and name not in self.used:
                self.used.add(name)
                return

    def name_piece(self, piece: Piece) -> list[tuple[Piece, Naming | None]]:
        """Return the piece with its name, in parts where they have names of their own."""
        whole = self.find_naming(piece)
        is_linked = whole is not None and whole[1].is_linked and not is_too_long(whole[1].kind, piece)
        if piece.breaks and not is_linked and not (whole and whole[1].letters):
            parts, digits = piece.cut(piece.breaks), len(piece.digits)
            named = [self.find_naming(part, digits=digits) for part in parts]
            if any(found and found[1].is_linked for found in named):
                return [(part, self.use(found)) for part, found in zip(parts, named, strict=True)]
        if piece.pauses and not is_linked:
            first, second = piece.cut(piece.pauses[:1])
            found = self.find_naming(first)
            if found and found[1].is_linked and usually_has(found[1].kind, first.digits):
                return [(first, self.use(found)), (second, None)]  # "zip 90210, 457"
            rest, last = piece.cut(piece.pauses[-1:])
            found = self.find_behind(last)
            if found and found[1].is_linked and not is_said_with(found[1].kind, piece, last):
                return [*self.name_piece(rest), (last, self.use(found))]  # "0827, 402 on the back"
        return self.share(piece) or [(piece, self.use(whole))]

    def share(self, piece: Piece) -> list[tuple[Piece, Naming | None]]:
        """Return the piece in parts for several names around it: "account and PIN are ..."."""
        before = [name for name in self.names_before(piece) if not is_denied(self.utterance, name)]
        behind = self.find_behind(piece, is_part=True)
        kinds = [name.kind for name in before] + ([behind[1].kind] if behind else [])
        shares: list[tuple[Piece, Kind | None]] = [*share_out(piece, kinds[-MAX_KINDS:])]
        if not shares and kinds[-1:] == [Kind.EXPIRY]:
            shares = split_expiry(piece)
        if shares:
            self.used.update(before, [behind[0]] if behind else [])
        return [(part, Naming(kind, True) if kind else None) for part, kind in shares]

    def use(self, found: Found | None) -> Naming | None:
        if found and found[0]:
            self.used.add(found[0])
        return found[1] if found else None

    def find_naming(self, piece: Piece, *, digits: int = 0) -> Found | None:
        """Return what a piece is called; it may be a part of a number of so many digits."""
        ahead = self.find_ahead(piece, digits or len(piece.digits))
        letters = count_letters(self.utterance, piece)
        is_spelled = letters >= LETTERS_OF_NO_CODE  # "the code at the top is REF 482913": a public one
        if ahead and ahead[1].is_linked and not (is_spelled and ahead[1].kind is Kind.SOME_CODE):
            return ahead
        behind = self.find_behind(piece)
        if behind and behind[1].is_linked:
            return behind
        if letters:
            name = ahead[0] if ahead and ahead[1].kind is Kind.IDENTIFIER else None
            return name, Naming(Kind.IDENTIFIER, False, letters)
        if not behind and (is_sender(self.utterance, piece) or (not ahead and self.has_subject(piece))):
            return None, Naming(Kind.NAMED, True)
        return ahead or behind

    def has_subject(self, piece: Piece) -> bool:
        """True for "the docket is 593913": a noun that is on no list names the number."""
        words = self.utterance.words_before(piece.tokens[0])
        if len(words) < LEAST_SUBJECT or words[-1] not in COPULAS - ANAPHORS:
            return False
        at = next((at for at in range(len(words) - 2, -1, -1) if words[at] in DETERMINERS), len(words))
        nouns = words[at + 1 : -1]
        return 0 < len(nouns) <= MAX_NOUNS and MESSAGES.isdisjoint(nouns) and all(map(is_qualifier, nouns))

    def names_before(self, piece: Piece) -> list[Name]:
        """Return the names that reach the piece, the nearest last; few, however long the sentence is."""
        first, names = piece.tokens[0], self.utterance.names
        sentence = self.utterance.sentences[first]
        near: list[Name] = []
        for place in range(bisect_right(names, first, key=lambda n: n.end) - 1, -1, -1):
            name = names[place]
            if first - name.end > REACH or self.utterance.sentences[name.first] != sentence:
                break
            is_said = self.names_shape(name) or self.is_dated(name, first)
            if name not in self.used and can_name(name) and not is_said:
                near.append(name)
        return near[::-1]

    def names_shape(self, name: Name) -> bool:
        """True for "the membership is $373": what is named is said."""
        if name.kind in CODES or name.kind is Kind.CARD:
            return False
        tokens, end = self.utterance.tokens, name.end
        while end < min(len(tokens), name.end + REACH) and tokens[end].word in COPULAS:
            end += 1
        return end in self.utterance.shapes and self.utterance.are_in_one_sentence(name.first, end)

    def is_dated(self, name: Name, end: int) -> bool:
        """True for "expires September 2027, 457": the date stands between the name and the number."""
        places = range(name.end, min(end, name.end + REACH))
        is_date = any(self.utterance.shapes.get(at) is Kind.DATE for at in places)
        return is_date and name.kind in (Kind.EXPIRY, Kind.DATE)

    def find_ahead(self, piece: Piece, all_digits: int) -> tuple[Name, Naming] | None:
        """Return the nearest name before the piece, a part of a number of so many digits."""
        first = find_first_letter(self.utterance, piece.tokens[0])
        for name in reversed(self.names_before(piece)):
            words = self.utterance.words_between(name.end, first)
            is_plain = self.utterance.are_plain(name.end, first)
            is_plain = is_plain or is_subject([*list_owner(self.utterance, name), *words])
            is_linked = is_plain and not is_adjunct(self.utterance, name, words)
            if not can_have(name.kind, piece.digits) or any(word.startswith("[") for word in words):
                continue
            if words[-1:] != [] and words[-1] in OR and name.kind not in CODES:
                continue  # "It's my birthday or 5971"
            if not is_linked and is_topic(self.utterance, name):
                continue
            if name.kind in THINGS and not ENTERING.isdisjoint(words[-NEAR_VERB:]):
                continue  # "call the number on the sticker and key in 4821"
            if self.is_about_thing(name, words, piece, all_digits) or is_modifier(
                self.utterance, name, words
            ):
                continue
            if is_medium(self.utterance, name, words):
                continue
            is_far = not is_linked or len(words) > AROUND_REACH
            # "Your fee is 4821" tells no price; "the key safe is 4821" tells its code.
            is_far = is_far or not (name.kind in SECRET_CODES or COPULAS.isdisjoint(words))
            if name.use == "around" and (is_far or self.has_number(name.end, first)):
                continue
            if name.kind is Kind.CARD and len(piece.digits) < LONE_CARD and not PRICED.isdisjoint(words):
                continue  # "the card number for the 167.99"
            if name.kind in CARDS and not self.may_be_card(piece, is_linked=is_linked):
                continue
            is_it = words[-1:] != [] and words[-1] in ANAPHORS  # "the code into the box, it's 4821"
            if name.kind in CODES and not is_linked and not is_it and not self.may_be_far(name, first, piece):
                continue
            has_pause = any(map(self.utterance.pauses, range(name.end, first + 1)))
            has_pause = has_pause or not self.utterance.has_stops
            is_loose = name.kind in DETAILS and COPULAS.isdisjoint(words) and has_pause
            is_short_card = name.kind is Kind.WEAK_CARD and len(piece.digits) < CARD_LENGTH.least
            is_weak = name.use == "weak" or is_short_card
            return name, Naming(name.kind, is_linked, is_loose=is_loose, is_weak=is_weak)
        return None

    def is_about_thing(self, name: Name, words: list[str], piece: Piece, digits: int) -> bool:
        """True for "my phone says 482913", "we sent the code to 303 555 4262", "the PIN to 28 Elm Road"."""
        is_thing = name.kind in THINGS and name.end - name.first == 1
        is_thing = is_thing and self.utterance.tokens[name.first].word in MESSAGES
        is_sent = name.kind in SECRET_CODES and words[-1:] != [] and words[-1] in TOWARD
        is_place = is_sent and self.utterance.goes_on(piece.tokens[-1] + 1)
        return (is_thing and not SAYING.isdisjoint(words)) or is_place or (is_sent and digits > LONGEST_CODE)

    def may_be_card(self, piece: Piece, *, is_linked: bool) -> bool:
        digits = piece.digits
        if len(digits) < LONE_CARD:
            return is_linked
        return len(digits) >= CARD_LENGTH.least or digits[0] in CARD_BEGINNINGS

    def find_behind(self, piece: Piece, *, is_part: bool = False) -> tuple[Name, Naming] | None:
        """Return the name that follows the piece, or its last part: "1234 is my PIN", "491 on the back"."""
        end, names = piece.tokens[-1] + 1, self.utterance.names
        place = bisect_left(names, end, key=lambda n: n.first)
        is_asked = place < len(names) and names[place].use == "question"  # "4821 when it asks for the PIN"
        place += is_asked
        name = names[place] if place < len(names) else None
        if name is None or name.first - end > REACH or name in self.used or not can_name(name):
            return None
        if name.kind is Kind.WEAK_CARD or (name.use and name.kind not in CODES):
            return None
        if not self.utterance.are_in_one_sentence(end - 1, name.first):
            return None
        words = self.utterance.words_between(end, name.first)
        if not is_part and self.has_number(end, name.first):
            return None
        is_key = name.kind is Kind.PIN and name.use == "weak"  # "4821, and then the hash key"
        is_plain = self.utterance.are_plain(end, name.first) and (is_key or AND.isdisjoint(words))
        is_weak = name.use == "weak" and usually_has(name.kind, piece.digits) and not self.names_next(name)
        is_named = is_plain and not is_asked and (is_weak or self.is_said_of(piece, name, words))
        if (
            is_named
            and not names_people(self.utterance, name)
            and (is_part or can_have(name.kind, piece.digits))
        ):
            return name, Naming(name.kind, True)
        # "Enter 4821 when it asks for the PIN."
        is_code = name.kind in SECRET_CODES and not name.use and usually_has(name.kind, piece.digits)
        is_put = not (ENTERING | ALTERING).isdisjoint(self.utterance.words_before(piece.tokens[0])[-1:])
        is_far = is_put or self.may_be_far(name, piece.tokens[0], piece)
        is_far = is_far and is_code and not is_part
        is_far = is_far and not self.names_next(name) and not is_topic(self.utterance, name)
        is_far = is_far and not self.utterance.is_address(piece)
        return (name, Naming(name.kind, False)) if is_far and not self.stands_before_code(name) else None

    def has_number(self, first: int, end: int) -> bool:
        """True if a number stands between: what is behind it names that one."""
        return any(
            self.utterance.tokens[at].digits and at not in self.utterance.in_names for at in range(first, end)
        )

    def names_next(self, name: Name) -> bool:
        """True for "the PIN was 9402": the number after the name is meant."""
        at = name.end
        while at < len(self.utterance.tokens) and self.utterance.tokens[at].word in COPULAS:
            at += 1
        is_said = at > name.end or self.utterance.tokens[name.end - 1].word.endswith("'s")
        return is_said and at < len(self.utterance.tokens) and bool(self.utterance.tokens[at].digits)

    def stands_before_code(self, name: Name) -> bool:
        """True for the name of "5512, CVV 123": what follows it at once is what it names."""
        pieces = self.utterance.pieces
        at = bisect_left(pieces, name.end, key=lambda piece: piece.tokens[0])
        is_next = at < len(pieces) and pieces[at].tokens[0] == name.end
        return is_next and usually_has(name.kind, pieces[at].digits)

    def is_said_of(self, piece: Piece, name: Name, words: list[str]) -> bool:
        """True for "1234 is my PIN", "1234, that's my PIN", "Is 1234 the PIN?" and "1234, the PIN."."""
        if name.kind in THINGS and words[-1:] != [] and words[-1] in PLACING:
            return False  # "9844, that's all of it, on flight BA 96"
        has_pronoun = len(words) > 1 and words[0] in PRONOUNS
        if not COPULAS.isdisjoint(words[: 1 + has_pronoun]):
            return True
        if words[:1] != [] and words[0] in AS and name.kind in CODES and DETERMINERS.issuperset(words[1:]):
            return True  # "I typed 4821 as the password"
        if not words or not DETERMINERS.issuperset(words):
            return False
        before = self.utterance.words_before(piece.tokens[0])
        begins_question = len(before) == 1 and before[0] in COPULAS and not self.names_next(name)
        end = piece.tokens[-1] + 1
        ends_sentence = name.end == len(self.utterance.tokens) or not self.utterance.are_in_one_sentence(
            name.first, name.end
        )
        return begins_question or (self.utterance.pauses(end) and ends_sentence)

    def may_be_far(self, name: Name, first: int, piece: Piece) -> bool:
        """True if a number may be a code that is named far away: no noun stands before it."""
        before = max(0, first - 1)
        is_plain = first == 0 or self.utterance.plain[before] or self.utterance.pauses(first)
        is_last = not self.utterance.has_stops and not self.utterance.goes_on(piece.tokens[-1] + 1)
        is_plain = is_plain or is_last
        # "He asked my daughter for the code and she said 4821."
        is_disclosed = self.utterance.tokens[before].word in TELLING
        is_plain = is_disclosed or (is_plain and name.kind is not Kind.SOME_CODE)
        return is_plain and before not in self.utterance.in_names


def is_too_long(kind: Kind, piece: Piece) -> bool:
    """True for "0531. 334 on the back": a code that stands behind another number."""
    return kind is Kind.CODE and bool(piece.pauses) and not usually_has(kind, piece.digits)


def is_said_with(kind: Kind, piece: Piece, last: Piece) -> bool:
    """True unless only the last part of the piece has as many digits as numbers of the kind."""
    return usually_has(kind, piece.digits) or not usually_has(kind, last.digits)
