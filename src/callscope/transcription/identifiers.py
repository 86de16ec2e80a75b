"""Find what identifies somebody: numbers and addresses, written or read out.

A number may be spoken in English or Spanish and go on over several segments of
the same speaker while the other one says "uh-huh". Where it is unsure it finds:
a lost order number is a nuisance, a kept card number a breach.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from callscope.transcription.spoken_numbers import Token, fold, tokens

Segment = dict[str, Any]
Piece = tuple[int, int, int]  # segment, start, end in its text

CARD_DIGITS = range(13, 20)
PARTIAL_CARD_DIGITS = 8  # enough in a stretch where a card is spoken of: the last four alone may stay
CODE_DIGITS = range(3, 5)
LONG_CODE_DIGITS = range(3, 9)  # PINs and one-time codes
PHONE_DIGITS = range(7, 16)
RUN_DIGITS = 4
LOOSE_WORDS = 8  # words that are no numbers inside a number read out with pauses
CONTEXT_WORDS = 10  # the same where a card or phone is spoken of
AFTER_CARD_WORDS = 6
NEAR_SEGMENTS = 8  # how far a question reaches to its answer, in segments ...
NEAR_S = 60.0  # ... and in seconds

# Said between the digits of one number.
FILLERS = {
    "and", "y", "then", "luego", "despues", "next", "siguiente", "uh", "um", "eh", "ah", "er", "hmm", "mm",
    "mhm", "dash", "guion", "hyphen", "space", "espacio", "comma", "coma", "dot", "punto", "point", "slash",
    "barra", "yes", "yeah", "si", "okay", "ok", "right", "vale", "bien", "so", "it's", "its", "is", "es",
    "the", "el", "la", "a", "that's", "to", "too", "for", "won", "ate", "tree", "number", "numero",
    "digits", "de",
}  # fmt: skip
MONEY_AFTER = {
    "dollar", "dollars", "euro", "euros", "pound", "pounds", "pence", "cents", "cent", "peso", "pesos",
    "bucks", "quid", "percent", "minutes", "minutos", "hours", "horas", "days", "dias", "weeks", "semanas",
    "months", "meses", "years", "anos",
}  # fmt: skip
LENGTHS_AFTER = {"digit", "digits", "digito", "digitos", "cifras", "numeros", "numbers"}  # "the three digits"
ONE_OF_MANY = {
    "more", "moment", "second", "sec", "minute", "thing", "of", "other", "last", "time", "way", "question",
    "momento", "segundo", "segundito", "momentito", "minutito", "cosa", "cosita", "vez", "pregunta", "mas",
}  # fmt: skip
MONEY_SIGNS = "$€£%"

_CARD = re.compile(
    r"\b(?:cards?|visa|master ?card|amex|american express|maestro|discover|debit|credit|long number|"
    r"(?:sixteen|16) digits?|tarjetas?|debito|credito|numero largo|(?:dieciseis|16) (?:digitos|numeros))\b"
)
_CODE = re.compile(
    r"\b(?:cvv2?|cvc2?|cv2|csc|cvn|(?:c|see) ?(?:v|vee) ?(?:v|vee|c|see|2|two)|"
    r"(?:ce|se) (?:uve|ve) (?:uve|ve|ce)|"
    r"(?:security|safety|secret) (?:code|number|digits?)|verification (?:value|digits?)|"
    r"(?:digits?|numbers?|code|ones) (?:\w+ ){0,5}(?:back|front|reverse|rear|signature)|"
    r"(?:codigos?|numeros?|digitos?|cifras?|clave) (?:\w+ ){0,2}(?:seguridad|secret[oa]|control)|"
    r"(?:codigo|numeros?|numeritos|digitos?|cifras?|tres|cuatro|[34]) (?:\w+ ){0,6}"
    r"(?:atras|reverso|detras|dorso|trasera|delante)|"
    r"(?:three|four|[34]) (?:\w+ ){0,3}(?:back|reverse|signature)|"
    r"(?:three|four|[34]) digit (?:code|number|security)|(?:on|at) the (?:back|reverse)|"
    r"(?:por|parte de|de) (?:detras|atras)|(?:al|del|en el) (?:dorso|reverso)|"
    r"codigo (?:\w+ ){0,2}(?:tres|cuatro|[34]) (?:cifras|digitos|numeros))\b"
)
_LONG_CODE = re.compile(
    r"\b(?:pin|verification (?:code|number)|one time (?:code|password|passcode|pin)|pass ?code|otp|"
    r"(?:codigo|clave|numero) (?:\w+ ){0,3}(?:verificacion|sms|mensaje|un solo uso|secret[oa]|personal)|"
    r"(?:code|number) (?:\w+ ){0,4}(?:texted|text message|sms))\b"
)
_PHONE = re.compile(
    r"\b(?:phone|telephone|mobile|cell|cellphone|call(?:ed)? (?:me|you|from)|reach (?:me|you)|contact number|"
    r"telefono|movil|celular|llam\w+|contacto)\b"
)
_EMAIL_WRITTEN = re.compile(r"[\w.+%-]{1,64}\s?@\s?[\w-]{1,63}(?:\s?\.\s?[\w-]{1,63}){1,4}")
_EMAIL_SPOKEN = re.compile(
    r"(?:\b[\w+-]{1,64}\s+(?:dot|punto|underscore|gui[oó]n bajo|dash|gui[oó]n|hyphen|plus)\s+|\b\w\s+){0,30}"
    r"\b[\w.+-]{1,64}\s+(?:at|arroba)\s+(?:[\w-]{1,63}\s*(?:\.|dot|punto)\s*){1,4}"
    r"(?:com|net|org|es|eu|uk|us|co|info|biz|edu|gov|io|mx|ar|cl|pe|cat|de|fr|it|pt)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class _Digits:
    """A number token and where it stands: segment, place in it, and words since the number before."""

    segment: int
    token: Token
    fillers_only: bool
    words_before: int

    @property
    def digits(self) -> str:
        return self.token.digits


def find(segments: list[Segment], kinds: Iterable[str]) -> list[tuple[str, list[Piece]]]:
    """Return (kind, pieces of text) for everything of the wanted kinds; finds may overlap."""
    wanted = set(kinds)
    finds: list[tuple[str, list[Piece]]] = []
    contexts = _Contexts(segments)
    spoken = [_runs(stream, segments) for stream in _streams(segments)]
    for kind in wanted & set(_FINDERS):
        found = [run for runs in spoken for run in _FINDERS[kind](runs, contexts)]
        if kind == "security_codes":
            found += _read_back(found, spoken, contexts)
        finds += [(kind, _pieces(run)) for run in found]
    if "emails" in wanted:
        finds += [("emails", [piece]) for piece in _emails(segments)]
    return finds


# Numbers as they are read out.


def _streams(segments: list[Segment]) -> list[list[int]]:
    """Return the segments of each speaker, in order: numbers go on over the other's "uh-huh"."""
    by_speaker: dict[str | None, list[int]] = {}
    for index, segment in enumerate(segments):
        by_speaker.setdefault(segment["speaker"], []).append(index)
    return list(by_speaker.values())


def _runs(stream: list[int], segments: list[Segment]) -> list[list[_Digits]]:
    """Return the numbers of one speaker in runs: nothing but fillers between the numbers of a run."""
    runs: list[list[_Digits]] = []
    words_before, fillers_only = 0, True
    last_end_s, former = float("-inf"), -1
    for index in stream:
        segment = segments[index]
        found = tokens(segment["text"])
        if segment["start"] - last_end_s > NEAR_S:
            words_before, fillers_only = 1000, False
        elif index - former > 1:  # somebody else spoke: a number may go on, but need not
            fillers_only = False
        former = index
        for place, token in enumerate(found):
            if not token.digits:
                words_before += 1
                fillers_only = fillers_only and token.word in FILLERS
                continue
            if _is_no_identifier(segment["text"], found, place):
                words_before, fillers_only = words_before + 1, False
                continue
            number = _Digits(index, token, fillers_only, words_before)
            if runs and fillers_only and words_before <= CONTEXT_WORDS:
                runs[-1].append(number)
            else:
                runs.append([number])
            words_before, fillers_only = 0, True
            last_end_s = segment["end"]
    return runs


def _is_no_identifier(text: str, found: list[Token], place: int) -> bool:
    """Tell a price, a length of time, "one moment" or a part of a name from a digit of an identifier."""
    token = found[place]
    if len(token.digits) > 6:
        return False
    before = text[max(0, token.start - 2) : token.start].strip()
    after = text[token.end : token.end + 2].strip()
    following = found[place + 1].word if place + 1 < len(found) else ""
    if text[max(0, token.start - 1) : token.start].isalpha() or text[token.end : token.end + 1].isalpha():
        return True
    if following in LENGTHS_AFTER or (token.digits == "1" and following in ONE_OF_MANY):
        return True
    return before[-1:] in set(MONEY_SIGNS) or after[:1] in set(MONEY_SIGNS) or following in MONEY_AFTER


def _digits_of(run: Iterable[_Digits]) -> str:
    return "".join(number.digits for number in run)


def _groups(runs: list[list[_Digits]], most_words: int) -> list[list[list[_Digits]]]:
    """Return runs that lie at most `most_words` other words apart, together."""
    groups: list[list[list[_Digits]]] = []
    for run in runs:
        if groups and run[0].words_before <= most_words:
            groups[-1].append(run)
        else:
            groups.append([run])
    return groups


def _pieces(numbers: list[_Digits]) -> list[Piece]:
    """Return the stretches to take out: fillers between numbers go with them, other words stay."""
    pieces: list[Piece] = []
    for number in numbers:
        token = number.token
        if pieces and number.fillers_only and pieces[-1][0] == number.segment:
            pieces[-1] = (number.segment, pieces[-1][1], token.end)
        else:
            pieces.append((number.segment, token.start, token.end))
    return pieces


# What is spoken of.


class _Contexts:
    """Where cards, codes and phones are spoken of."""

    def __init__(self, segments: list[Segment]) -> None:
        self.segments = segments
        said = [" ".join(re.findall(r"\w+", fold(segment["text"]))) for segment in segments]
        self.card = [i for i, text in enumerate(said) if _CARD.search(text)]
        self.code = [i for i, text in enumerate(said) if _CODE.search(text)]
        self.long_code = [i for i, text in enumerate(said) if _LONG_CODE.search(text)]
        self.phone = [i for i, text in enumerate(said) if _PHONE.search(text)]

    def near(self, places: list[int], run: list[_Digits]) -> bool:
        """Tell whether one of the places is in the run's segments, shortly before, or just after."""
        return bool(self._around(places, run))

    def answers(self, places: list[int], run: list[_Digits]) -> bool:
        """Tell whether the run may be what is spoken of at one of the places.

        An agent who asks does not answer: what the agent says later is a balance, not the code.
        """
        segment = run[0].segment
        speaker = self.segments[segment]["speaker"]
        return any(
            abs(segment - place) <= 1 or speaker != "agent" or self.segments[place]["speaker"] != "agent"
            for place in self._around(places, run)
        )

    def names_a_code(self, run: list[_Digits]) -> bool:
        """Tell whether the run is a short number where a code is spoken of."""
        segment = run[0].segment
        return len(_digits_of(run)) in CODE_DIGITS and any(
            segment in places[bisect_left(places, segment) : bisect_right(places, segment)]
            for places in (self.code, self.long_code)
        )

    def _around(self, places: list[int], run: list[_Digits]) -> list[int]:
        first, last = run[0].segment, run[-1].segment
        begin_s = self.segments[first]["start"]
        candidates = places[bisect_left(places, first - NEAR_SEGMENTS) : bisect_right(places, last + 1)]
        return [place for place in candidates if begin_s - self.segments[place]["end"] <= NEAR_S]


def _cards(runs: list[list[_Digits]], contexts: _Contexts) -> list[list[_Digits]]:
    found = [run for run in runs if len(_digits_of(run)) >= CARD_DIGITS.start]
    runs = [run for run in runs if not contexts.names_a_code(run)]
    for group in _groups(runs, LOOSE_WORDS):
        found += _with_valid_checksum([number for run in group for number in run])
        found += _in_fours(group)
    for group in _groups(runs, CONTEXT_WORDS):
        numbers = [number for run in group for number in run]
        if len(_digits_of(numbers)) >= PARTIAL_CARD_DIGITS and contexts.near(contexts.card, numbers):
            found.append(numbers)
    return found


def _with_valid_checksum(numbers: list[_Digits]) -> list[list[_Digits]]:
    """Return the stretches of 13 to 19 digits whose last digit is the check digit of a card."""
    found = []
    for first in range(len(numbers)):
        digits = ""
        for last in range(first, len(numbers)):
            digits += numbers[last].digits
            if len(digits) > CARD_DIGITS[-1]:
                break
            if len(digits) in CARD_DIGITS and digits[0] in "23456" and _luhn(digits):
                found.append(numbers[first : last + 1])
    return found


def _in_fours(group: list[list[_Digits]]) -> list[list[_Digits]]:
    """Return the group when it is read out as a card: three or more times four digits."""
    fours = [run for run in group if _count_of_fours(run)]
    if sum(map(_count_of_fours, fours)) < 3:
        return []
    first, last = group.index(fours[0]), group.index(fours[-1])
    return [[number for run in group[first : last + 1] for number in run]]


def _count_of_fours(run: list[_Digits]) -> int:
    """Return how many times four digits a run is: "1488 0343" or "one four eight eight"; 0 for any other."""
    if all(len(number.digits) == 4 for number in run):
        return len(run)
    return 1 if len(_digits_of(run)) == 4 else 0


def _luhn(digits: str) -> bool:
    total = 0
    for place, digit in enumerate(reversed(digits)):
        value = int(digit) * (1 + place % 2)
        total += value - 9 if value > 9 else value
    return total % 10 == 0


def _codes(runs: list[list[_Digits]], contexts: _Contexts) -> list[list[_Digits]]:
    """Return codes that are spoken of, and what is read out right after a card number without a word."""
    found = _after_cards(runs, contexts)
    for group in _groups(runs, 2):
        whole = [number for run in group for number in run]
        by_segment = [list(part) for _, part in groupby(whole, key=lambda number: number.segment)]
        for numbers in [*group, *by_segment, whole]:
            length = len(_digits_of(numbers))
            if (length in CODE_DIGITS and contexts.answers(contexts.code, numbers)) or (
                length in LONG_CODE_DIGITS and contexts.answers(contexts.long_code, numbers)
            ):
                found.append(numbers)
    return found


def _read_back(
    found: list[list[_Digits]], spoken: list[list[list[_Digits]]], contexts: _Contexts
) -> list[list[_Digits]]:
    """Return the codes that were found where anybody says them once more."""
    known = {_digits_of(run) for run in found}
    places = sorted({*contexts.code, *contexts.long_code})
    return [run for runs in spoken for run in runs if _digits_of(run) in known and contexts.near(places, run)]


def _after_cards(runs: list[list[_Digits]], contexts: _Contexts) -> list[list[_Digits]]:
    """Return the short numbers that follow a card: its date, its code, or both at a stretch."""
    cards = {id(number) for run in _cards(runs, contexts) for number in run}
    found: list[list[_Digits]] = []
    follows = False
    for run in runs:
        if id(run[-1]) in cards:
            follows = True
        elif follows and run[0].words_before <= AFTER_CARD_WORDS and len(_digits_of(run)) in LONG_CODE_DIGITS:
            found.append(run)
        else:
            follows = False
    return found


def _phones(runs: list[list[_Digits]], contexts: _Contexts) -> list[list[_Digits]]:
    found = [run for run in runs if len(_digits_of(run)) in PHONE_DIGITS]
    for group in _groups(runs, LOOSE_WORDS):
        numbers = [number for run in group for number in run]
        if len(_digits_of(numbers)) >= PHONE_DIGITS.start and contexts.near(contexts.phone, numbers):
            found.append(numbers)
    return found


def _digit_runs(runs: list[list[_Digits]], _contexts: _Contexts) -> list[list[_Digits]]:
    return [run for run in runs if len(_digits_of(run)) >= RUN_DIGITS]


_FINDERS = {"cards": _cards, "security_codes": _codes, "phones": _phones, "digit_runs": _digit_runs}


def _emails(segments: list[Segment]) -> list[Piece]:
    return [
        (index, match.start(), match.end())
        for index, segment in enumerate(segments)
        for pattern in (_EMAIL_WRITTEN, _EMAIL_SPOKEN)
        for match in pattern.finditer(segment["text"])
    ]
