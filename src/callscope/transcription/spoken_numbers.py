"""Find the digits in what is said: "4532", "double five", "twenty-three", "cuatro mil quinientos".

English and Spanish together, because calls switch. Digits come out as one would
write them down while listening; composed numbers are composed ("forty five" is
45, "mil doscientos" 1200).
"""

import re
import unicodedata
from dataclasses import dataclass

TOKEN = re.compile(r"\d+|[^\W\d_]+(?:['’][^\W\d_]+)*")

UNITS = {
    "zero": 0, "nought": 0, "naught": 0, "nil": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5,
    "six": 6, "seven": 7, "eight": 8, "nine": 9, "niner": 9,
    "cero": 0, "un": 1, "uno": 1, "una": 1, "dos": 2, "tres": 3, "cuatro": 4, "cinco": 5, "seis": 6,
    "siete": 7, "ocho": 8, "nueve": 9,
}  # fmt: skip
TEENS = {
    "ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16,
    "seventeen": 17, "eighteen": 18, "nineteen": 19,
    "diez": 10, "once": 11, "doce": 12, "trece": 13, "catorce": 14, "quince": 15, "dieciseis": 16,
    "diecisiete": 17, "dieciocho": 18, "diecinueve": 19, "veintiun": 21, "veintiuno": 21, "veintiuna": 21,
    "veintidos": 22, "veintitres": 23, "veinticuatro": 24, "veinticinco": 25, "veintiseis": 26,
    "veintisiete": 27, "veintiocho": 28, "veintinueve": 29,
}  # fmt: skip
TENS = {
    "twenty": 20, "thirty": 30, "forty": 40, "fourty": 40, "fifty": 50, "sixty": 60, "seventy": 70,
    "eighty": 80, "ninety": 90,
    "veinte": 20, "treinta": 30, "cuarenta": 40, "cincuenta": 50, "sesenta": 60, "setenta": 70,
    "ochenta": 80, "noventa": 90,
}  # fmt: skip
HUNDREDS = {
    "cien": 100, "ciento": 100, "doscientos": 200, "doscientas": 200, "trescientos": 300, "trescientas": 300,
    "cuatrocientos": 400, "cuatrocientas": 400, "quinientos": 500, "quinientas": 500, "seiscientos": 600,
    "seiscientas": 600, "setecientos": 700, "setecientas": 700, "ochocientos": 800, "ochocientas": 800,
    "novecientos": 900, "novecientas": 900,
}  # fmt: skip
PLURALS = {
    "zeros": 0, "zeroes": 0, "ohs": 0, "ones": 1, "twos": 2, "threes": 3, "fours": 4, "fives": 5, "sixes": 6,
    "sevens": 7, "eights": 8, "nines": 9,
    "ceros": 0, "unos": 1, "doses": 2, "treses": 3, "cuatros": 4, "cincos": 5, "seises": 6, "sietes": 7,
    "ochos": 8, "nueves": 9,
}  # fmt: skip
REPEATS = {"double": 2, "doble": 2, "triple": 3, "treble": 3, "quadruple": 4, "cuadruple": 4}
LETTERS_FOR_ZERO = {"o", "oh"}  # zero only beside another number
HUNDRED, THOUSAND, AND = {"hundred"}, {"thousand", "mil"}, {"and", "y"}


@dataclass(frozen=True, slots=True)
class Token:
    """One word or written number; `digits` is "" for a word that is no number."""

    start: int
    end: int
    word: str  # case-folded, without accents
    digits: str


def tokens(text: str) -> list[Token]:
    """Return words and numbers in order, composed numbers as one token."""
    plain = [(m.start(), m.end(), fold(m[0])) for m in TOKEN.finditer(text)]
    words = [word for _, _, word in plain]
    found: list[Token] = []
    place = 0
    while place < len(plain):
        digits, used = _number_at(words, place)
        last = place + max(used, 1) - 1
        found.append(Token(plain[place][0], plain[last][1], words[place] if not used else "", digits))
        place = last + 1
    return found


def fold(text: str) -> str:
    """Return the text case-folded and without accents."""
    if text.isascii():
        return text.casefold()
    apart = unicodedata.normalize("NFD", text.casefold())
    return "".join(character for character in apart if not unicodedata.combining(character))


def _number_at(words: list[str], place: int) -> tuple[str, int]:
    """Return (digits, words used) of the number that begins here; ("", 0) where none does."""
    word = words[place]
    if word[0].isdecimal():
        return "".join(str(int(character)) for character in word if character.isdecimal()), 1
    if word in REPEATS and place + 1 < len(words) and words[place + 1] not in REPEATS:
        digits, used = _number_at(words, place + 1)
        repeated = digits[:1] if len(digits) != 2 else digits  # "double five six" doubles the five alone
        return (repeated * REPEATS[word] + digits[len(repeated) :], used + 1) if digits else ("", 0)
    if UNITS.get(word, 0) > 1 and place + 1 < len(words) and words[place + 1] in PLURALS:  # "three sevens"
        return str(PLURALS[words[place + 1]]) * UNITS[word], 2
    if word in LETTERS_FOR_ZERO:
        beside = words[max(0, place - 1) : place] + words[place + 1 : place + 2]
        return ("0", 1) if any(o in LETTERS_FOR_ZERO or _is_number_word(o) for o in beside) else ("", 0)
    return _cardinal(words, place)


def _is_number_word(word: str) -> bool:
    return word[0].isdecimal() or any(word in table for table in (UNITS, TEENS, TENS, HUNDREDS, REPEATS))


def _cardinal(words: list[str], place: int) -> tuple[str, int]:
    """Read a number below a million as speakers of both languages compose it."""
    value, used = _below_thousand(words, place)
    following = place + used
    if following < len(words) and words[following] in THOUSAND and (used == 0 or value > 0):
        if used == 0 and words[following] != "mil":  # "thousand" needs a number before it, "mil" does not
            return "", 0
        rest, more = _below_thousand(words, following + 1)
        return str((value or 1) * 1000 + rest), used + 1 + more
    return (str(value), used) if used else ("", 0)


def _below_thousand(words: list[str], place: int) -> tuple[int, int]:
    """Return (value, words used); (0, 0) where no number begins."""
    word = words[place] if place < len(words) else ""
    if word in HUNDREDS:
        rest, used = _below_hundred(words, place + 1)
        return HUNDREDS[word] + rest, 1 + used
    value, used = _below_hundred(words, place)
    following = place + used
    if used == 1 and 1 <= value <= 9 and following < len(words) and words[following] in HUNDRED:
        joined = following + 1 < len(words) and words[following + 1] in AND
        rest, more = _below_hundred(words, following + 1 + joined)
        return value * 100 + rest, used + 1 + (joined + more if more else 0)
    return value, used


def _below_hundred(words: list[str], place: int) -> tuple[int, int]:
    word = words[place] if place < len(words) else ""
    if word in TENS:
        joined = place + 1 < len(words) and words[place + 1] in AND
        unit = UNITS.get(words[place + 1 + joined], 0) if place + 1 + joined < len(words) else 0
        return (TENS[word] + unit, 2 + joined) if unit else (TENS[word], 1)
    if word in TEENS:
        return TEENS[word], 1
    return (UNITS[word], 1) if word in UNITS else (0, 0)
