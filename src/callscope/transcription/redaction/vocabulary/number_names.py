"""Which words name a number: "security code", "the long number on the front", "número de cuenta".

English and Spanish together, because calls switch. A name is looked up by its
first word and a gap is short, so that the time is linear in the words.
"""

from collections.abc import Container, Sequence
from itertools import takewhile
from typing import NamedTuple

from callscope.transcription.redaction.vocabulary.kinds import SECRET_CODES, SECRETS, Kind
from callscope.transcription.redaction.vocabulary.name_patterns import GAP, Pattern, find_nouns, find_patterns
from callscope.transcription.redaction.vocabulary.spoken_numbers import NumberToken
from callscope.transcription.redaction.vocabulary.word_classes import (
    ANSWER_WORDS,
    ANY,
    CARD_NOUNS,
    NUMBER_NOUNS,
    OF,
    OF_CARD_CODES,
    OF_OWN_CODES,
    OF_SENT_CODES,
    OF_SOMETHING,
    ORDINALS,
    PAYMENT,
    TEXTING,
)

MAX_QUALIFIERS = 2  # words before a head noun: "patient reference number"
PUBLIC = frozenset((Kind.IDENTIFIER, Kind.ACCOUNT))
OF_COUNTS = frozenset(("first", "next", "following", "remaining"))
LONGEST_COUNT = 12  # digits that a name counts: "the first twelve"
MAX_GAP = 5  # words for which "…" may stand
COUNTS = frozenset("34")  # digits of a code: "the three on the back"
CODES = SECRET_CODES | {Kind.SOME_CODE}


# What tells which number it is, however it is put: "the signature panel digits".
TELLING: dict[Kind, frozenset[str]] = {
    Kind.CODE: OF_CARD_CODES,
    Kind.ONE_TIME: OF_SENT_CODES,
    Kind.PIN: OF_OWN_CODES,
}


class Name(NamedTuple):
    """A name in a text: the tokens from `first` to before `end`.

    `use` says where it counts: "" anywhere; "around" only right next to its number;
    "question" only where somebody asks; "weak" only where a card or a code is spoken
    of; "length" says how many digits another name has; "qualified" is "the gate code".
    """

    kind: Kind
    first: int
    end: int
    use: str


def find_names(tokens: Sequence[NumberToken], sentences: Sequence[int]) -> list[Name]:
    """Return the names in order, none inside another; `sentences` numbers the sentence of each token."""
    words = [token.digits or token.word.removesuffix("'s") for token in tokens]
    # "4532, four on the front": after a pause a number may begin a name.
    inside_numbers = {
        place
        for place in range(1, len(tokens))
        if tokens[place].digits and tokens[place - 1].digits
        if tokens[place].start - tokens[place - 1].end <= 1
    }
    inside_numbers |= {place for place in range(2, len(tokens)) if ends_short_number(tokens, place)}
    paused = {at for at in range(1, len(tokens)) if tokens[at].start - tokens[at - 1].end > 1}
    return _NameFinder(words, sentences, inside_numbers, paused).find_names()


def ends_short_number(tokens: Sequence[NumberToken], place: int) -> bool:
    """True for the "three" of "one, nine, three on the back": as many digits as it says end with it."""
    if tokens[place].digits not in COUNTS:
        return False
    before = tokens[max(0, place - len(COUNTS) - 2) : place][::-1]
    said = takewhile(lambda token: len(token.digits) == 1, before)
    return sum(1 for _ in said) == int(tokens[place].digits) - 1


class _NameFinder:
    def __init__(
        self,
        words: list[str],
        sentences: Sequence[int],
        inside_numbers: Container[int],
        paused: Container[int],
    ) -> None:
        self.words = words
        self.inside_numbers = inside_numbers  # tokens
        self.paused = paused  # tokens after a comma
        self.sentences = sentences
        self.index = find_patterns(words)
        self.end_of_last = 0  # where the name before ends

    def find_names(self) -> list[Name]:
        names: list[Name] = []
        position = 0
        while position < len(self.words):
            is_inside_number = position in self.inside_numbers
            name = None if is_inside_number else self.find_at(position)
            if name:
                before = names[-1] if names and self.is_next(names[-1], position) else None
                self.end_of_last = names[-1].end if names else 0
                name = self.qualify(name, before)
                if before and (before.kind, before.use) == (name.kind, name.use) == (Kind.IDENTIFIER, ""):
                    name = names.pop()._replace(end=name.end)  # "booking reference"
                is_modified = name.kind in CODES and not name.use and before is not None
                if before and is_modified and before.kind not in CODES and not before.use:
                    names.pop()  # "gate code", "gift card PIN"
                    if name.kind is Kind.SOME_CODE and before.kind in PUBLIC:  # "confirmation code"
                        name = before._replace(end=name.end)
                names.append(name)
            position = name.end if name else position + 1
        return names

    def is_next(self, name: Name, position: int) -> bool:
        """True if a name ends right before a token of its sentence: "Any order? Code 804" names two."""
        return name.end == position and self.sentences[name.end - 1] == self.sentences[position]

    def find_at(self, first: int) -> Name | None:
        """Return the longest name that begins at a token, of equally long ones the most literal."""
        best: Name | None = None
        best_literal = 0  # words that are not a gap
        for pattern in self.index.get(self.words[first], ()):
            end = self.match(pattern, first)
            if end and pattern.kind is Kind.CODE and self.cuts_number(end):
                end = 0  # "C V 2 4 5"
            if end and pattern.kind in (Kind.LAST_FOUR, Kind.NUMBER) and self.is_read_on(end):
                end = 0  # "And last, six four double eight"
            literal = sum(place is not GAP for place in pattern.words)
            if end and (best is None or (end, literal) > (best.end, best_literal)):
                best, best_literal = Name(pattern.kind, first, end, pattern.use), literal
        return best

    def match(self, pattern: Pattern, first: int) -> int:
        """Return where the pattern ends that begins at a token; 0 where it does not fit."""
        words, sentence = self.words, self.sentences[first]
        at, gap = first, 0
        for place in pattern.words:
            if place is GAP:
                gap = MAX_GAP
                continue
            while not (at < len(words) and self.sentences[at] == sentence and words[at] in place):
                if not gap or at >= len(words) or self.is_number(at) or words[at] in find_nouns():
                    return 0
                at, gap = at + 1, gap - 1
            at, gap = at + 1, 0
        return at

    def is_number(self, place: int) -> bool:
        return self.words[place].isdecimal()

    def cuts_number(self, end: int) -> bool:
        return end < len(self.words) and self.is_number(end - 1) and self.is_number(end)

    def is_read_on(self, end: int) -> bool:
        """True for the "six" of "last six four double eight": fewer than six digits follow it."""
        if not self.is_number(end - 1):
            return False
        count = min(int(self.words[end - 1]), LONGEST_COUNT)
        after = list(takewhile(str.isdecimal, self.words[end : end + max(MAX_GAP, count + 1)]))
        if self.words[end - 2] in OF_COUNTS and len("".join(after)) > count:
            return True  # "And first four six one seven nine"
        return end - 1 in self.paused or 0 < len("".join(after)) < int(self.words[end - 1])

    def qualify(self, name: Name, before: Name | None) -> Name:
        """Return the name as the words next to it qualify it: "meter number", "código de la oferta"."""
        words = self.words
        if name.kind in (Kind.CARD, Kind.WEAK_CARD) and not CARD_NOUNS.isdisjoint(
            words[name.first : name.end]
        ):
            return self.qualify_card(name)
        if (
            name.kind in (Kind.IDENTIFIER, Kind.NUMBER, Kind.SOME_CODE)
            and words[name.end - 1] in NUMBER_NOUNS
        ):
            sent = self.find_at(name.end - 1)
            if sent and sent.kind is Kind.ONE_TIME and not TEXTING.isdisjoint(words[sent.first : sent.end]):
                return sent._replace(first=name.first)  # "the confirmation number we texted you"
        if name.kind in SECRET_CODES and not name.use and before is None:
            return name._replace(first=self.find_qualifiers(name.first))  # "your Acme verification code"
        if name.kind not in (Kind.NUMBER, Kind.SOME_CODE) or name.use:
            return name
        after = self.skip_of(name.end)
        owner = self.find_at(after) if after else None
        if Kind.WEAK_CARD in (before and before.kind, owner and owner.kind):
            return name._replace(kind=Kind.CARD if name.kind is Kind.NUMBER else Kind.CODE)
        if after and name.kind is Kind.SOME_CODE and self.is_public(words[after], words[name.end - 1]):
            return name._replace(kind=Kind.IDENTIFIER, end=after + 1)  # "the code for the product"
        is_first = before or name.first == 0 or self.sentences[name.first - 1] != self.sentences[name.first]
        first = name.first if is_first else self.find_qualifiers(name.first)
        is_other = owner is None or owner.kind not in SECRETS
        end = after + 1 if after and is_other and is_qualifier(words[after]) else name.end
        if (first, end) == (name.first, name.end):
            return name
        name = name._replace(first=first, end=end)
        said = {*words[first:end], *words[end : end + 1]} if end > name.end else set(words[first:end])
        kind = next((kind for kind, telling in TELLING.items() if not telling.isdisjoint(said)), None)
        if kind:
            return name._replace(kind=kind)
        # "The gate code" is as secret as a PIN where somebody asks for it; public codes are on the lists.
        return name._replace(kind=Kind.NAMED) if name.kind is Kind.NUMBER else name._replace(use="qualified")

    def is_public(self, owner: str, noun: str) -> bool:
        """True if "product code" is the name of a number that is no secret."""
        return any(
            pattern.kind in PUBLIC and len(pattern.words) > 1 and noun in pattern.words[1]
            for pattern in self.index.get(owner, ())
        )

    def find_qualifiers(self, first: int) -> int:
        """Return where the words begin that say which number is meant: "frequent flyer number"."""
        sentence, start = self.sentences[first], first
        while start > max(0, first - MAX_QUALIFIERS) and self.sentences[start - 1] == sentence:
            if start <= self.end_of_last or not is_qualifier(self.words[start - 1]):
                break
            start -= 1
        return start

    def skip_of(self, end: int) -> int:
        """Return the place of "offer" in "code of the offer", given the end of "code"; 0 for none."""
        at = end
        if self.words[at : at + 1] and self.words[at] in OF:
            while at < min(len(self.words), end + MAX_GAP) and self.words[at] in OF_SOMETHING:
                at += 1
        is_of = end < at < len(self.words) and self.sentences[at] == self.sentences[end]
        return at if is_of else 0

    def qualify_card(self, name: Name) -> Name:
        """Return the name as it is, unless another card than one to pay with is named: "donor card"."""
        words = self.words
        noun = next(at for at in range(name.first, name.end) if words[at] in CARD_NOUNS)
        if words[noun].startswith("tarjeta"):
            is_of = words[noun + 1 : noun + 2] in (["de"], ["del"])
            other = "".join(words[noun + 2 : noun + 3]) if is_of else ""
        else:
            other = words[noun - 1] if noun and self.sentences[noun - 1] == self.sentences[noun] else ""
        is_to_pay = other in ANSWER_WORDS or other in PAYMENT or not other.isalpha() or len(other) == 1
        return name if is_to_pay else name._replace(kind=Kind.NAMED)


def is_qualifier(word: str) -> bool:
    """True for a word that may say which number is meant."""
    return word.isalpha() and len(word) > 1 and word not in ANSWER_WORDS | ORDINALS | ANY
