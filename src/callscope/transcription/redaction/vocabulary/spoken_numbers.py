"""Find the digits in what is said: "4532", "double five", "twenty-three", "cuatro mil quinientos".

English and Spanish together, because calls switch. Digits come out as one would
write them down while listening; composed numbers are composed ("forty five" is
45, "mil doscientos" 1200).
"""

import re
from dataclasses import dataclass

from callscope.language.detect import SMALL_WORDS
from callscope.language.fold import fold_text
from callscope.language.wordlists import read_phrase_list
from callscope.transcription.redaction.placeholders import PLACEHOLDER

# One pass without a choice between readings: the time is linear in the text, whatever it holds.
TOKEN = re.compile(
    rf"{PLACEHOLDER.pattern}|(?i:\bcvv?2|\bcvc2)(?!\d)|\d+(?:[-.,:/]\d+)*|[^\W\d_]+(?:['’][^\W\d_]+)*"
)

LETTERS_FOR_ZERO = {"o", "oh"}  # zero only next to another number
HOMOPHONES = {"to": "2", "too": "2", "for": "4", "fore": "4", "ate": "8", "won": "1", "tree": "3"}
LEAST_HEARD = 3  # words of a number with homophones
LEAST_OF_CARD = 13  # digits of a number with homophones in the midst of other words
CARD_DIGITS, AMEX_DIGITS, AMEX = 16, 15, "3"
PAUSE = re.compile(r"[.,:;?!]")
SENTENCE_ENDS = re.compile(r"[.?!;\n]")
SPOKEN_DASHES = {"then", "dash", "uh", "um", "er"}
HUNDRED, THOUSAND, AND = {"hundred"}, {"thousand", "mil"}, {"and", "y"}
AMBIGUOUS = {"once"}  # eleven in Spanish; in English no number
BREATH = re.compile(r"[ \t\xa0]*|-")  # between two words of one composed number


def _read_number_words(language: str) -> dict[str, dict[str, int]]:
    """Return section → word → value of a language's words for numbers."""
    sections: dict[str, dict[str, int]] = {}
    section: dict[str, int] = {}
    for line in read_phrase_list(__package__, f"number_words.{language}"):
        if line.startswith("["):
            section = sections.setdefault(line.strip("[]"), {})
        else:
            value, *words = line.split()
            section.update(dict.fromkeys(words, int(value)))
    return sections


_ENGLISH, _SPANISH = _read_number_words("en"), _read_number_words("es")
UNITS = _ENGLISH["units"] | _SPANISH["units"]
TEENS = _ENGLISH["below_hundred"] | _SPANISH["below_hundred"]
TENS = _ENGLISH["tens"] | _SPANISH["tens"]
HUNDREDS = _SPANISH["hundreds"]
PLURALS = _ENGLISH["plurals"] | _SPANISH["plurals"]
REPEATS = _ENGLISH["repeats"] | _SPANISH["repeats"]
NUMBER_WORDS = frozenset().union(UNITS, TEENS, TENS, HUNDREDS, REPEATS)
_SPANISH_NUMBERS = (
    frozenset().union(_SPANISH["units"], _SPANISH["below_hundred"], _SPANISH["tens"], HUNDREDS) - AMBIGUOUS
)


@dataclass(frozen=True, slots=True)
class NumberToken:
    """One word or written number; `digits` is "" for a word that is no number."""

    start: int
    end: int
    word: str  # case-folded, without accents; "" for a number
    digits: str


def tokenize_numbers(text: str) -> list[NumberToken]:
    """Return words and numbers in order, composed numbers as one token, placeholders as a word."""
    matches = list(TOKEN.finditer(text))
    words = [fold_text(match[0]).replace("’", "'") for match in matches]
    # English says "me" and "no", too.
    spanish, english = (sum(word in SMALL_WORDS[language] for word in words) for language in ("es", "en"))
    is_spanish = spanish > english or not _SPANISH_NUMBERS.isdisjoint(words)
    tokens: list[NumberToken] = []
    begin = 0
    for end in range(1, len(matches) + 1):
        if end < len(matches) and BREATH.fullmatch(text, matches[end - 1].end(), matches[end].start()):
            continue
        read_breath(words[begin:end], matches[begin:end], tokens, is_spanish=is_spanish)
        begin = end
    return read_homophones(text, read_spoken_zeros(tokens))


def read_homophones(text: str, tokens: list[NumberToken]) -> list[NumberToken]:
    """Take "to won eight" for digits, where a sentence is nothing but digits and words that sound so."""
    begin = 0
    for end in range(1, len(tokens) + 1):
        if end < len(tokens) and not SENTENCE_ENDS.search(text, tokens[end - 1].end, tokens[end].start):
            continue
        said = tokens[begin:end]
        heard = [token.word in HOMOPHONES for token in said]
        is_read_out = all(is_heard or len(t.digits) == 1 for t, is_heard in zip(said, heard, strict=True))
        if is_read_out and any(heard) and len(said) >= LEAST_HEARD and sum(heard) < len(said):
            tokens[begin:end] = [
                NumberToken(t.start, t.end, "", HOMOPHONES[t.word]) if is_heard else t
                for t, is_heard in zip(said, heard, strict=True)
            ]
        else:
            tokens[begin:end] = read_homophones_within(text, said)
        begin = end
    return tokens


def read_homophones_within(text: str, said: list[NumberToken]) -> list[NumberToken]:
    """Take the homophones of a sentence for digits where as many digits as a card has stand around them."""
    read = list(said)
    start = 0
    for at, token in enumerate([*said, NumberToken(0, 0, "", "")]):
        if token.word in HOMOPHONES or (token.digits and len(set(token.digits)) == 1):
            continue
        first, end = find_read_out(text, said, start, at)
        heard = [place for place in range(first, end) if said[place].word in HOMOPHONES]
        digits = sum(len(said[place].digits) for place in range(first, end)) + len(heard)
        if digits >= LEAST_OF_CARD and 2 * len(heard) < end - first:
            for place in heard:
                word = said[place]
                read[place] = NumberToken(word.start, word.end, "", HOMOPHONES[word.word])
        start = at + 1
    return read


def find_read_out(text: str, said: list[NumberToken], first: int, end: int) -> tuple[int, int]:
    """Return where digits and homophones begin and end, without words that only stand next to them."""

    def is_next(place: int) -> bool:
        return not PAUSE.search(text, said[place - 1].end, said[place].start)

    while first < end < len(said) and said[end - 1].word and is_next(end):
        end -= 1  # "to for the account": what a word follows at once belongs to it
    count = sum(len(token.digits) or 1 for token in said[first + 1 : end])
    is_whole = count == CARD_DIGITS or (count == AMEX_DIGITS and said[first + 1].digits[:1] == AMEX)
    if 0 < first < end and said[first].word and is_whole and is_next(first):
        first += 1  # "charge it to 4 5 3 9 ..."
    return first, end


def read_spoken_zeros(tokens: list[NumberToken]) -> list[NumberToken]:
    """Take "oh, eight, two" for digits: an "oh" with a comma before a number of several digits."""
    for place in range(len(tokens) - 3, -1, -1):
        token = tokens[place]
        first = place + 1 + (tokens[place + 1].word in SPOKEN_DASHES)
        is_read_out = all(len(other.digits) == 1 for other in tokens[first : first + 2])
        follows = place > 0 and bool(tokens[place - 1].digits)
        if token.word == "oh" and (is_read_out or (follows and tokens[place + 1].digits)):
            tokens[place] = NumberToken(token.start, token.end, "", "0")
    return tokens


def read_breath(
    words: list[str], matches: list[re.Match[str]], tokens: list[NumberToken], *, is_spanish: bool
) -> None:
    """Append the tokens of words without a comma or stop between them."""
    position = 0
    follows_number = bool(tokens) and bool(tokens[-1].digits)
    while position < len(words):
        is_spelled = words[position] == "o" and position > 0 and not follows_number
        if is_spelled and len(words[position - 1]) == 1 and words[position - 1].isalpha():
            digits, used = "", 0  # "H O three six four"
        else:
            # "Twelve fifteen. Oh, wait" goes on with words.
            goes_on = follows_number and (position > 0 or len(words) == 1)
            digits, used = _number_at(words, position, follows_number=goes_on, is_spanish=is_spanish)
        last = position + max(used, 1) - 1
        word = "" if used else words[position]
        tokens.append(NumberToken(matches[position].start(), matches[last].end(), word, digits))
        position, follows_number = last + 1, used > 0


def _number_at(words: list[str], position: int, *, follows_number: bool, is_spanish: bool) -> tuple[str, int]:
    """Return (digits, words used) of the number that begins here; ("", 0) where none does."""
    word = words[position]
    following = words[position + 1] if position + 1 < len(words) else ""
    if word[:1].isdecimal():
        return "".join(str(int(character)) for character in word if character.isdecimal()), 1
    if word in REPEATS and following and following not in REPEATS:
        digits, used = _number_at(words, position + 1, follows_number=True, is_spanish=is_spanish)
        repeated = digits[:1] if len(digits) != 2 else digits  # "double five six" doubles the five alone
        return (repeated * REPEATS[word] + digits[len(repeated) :], used + 1) if digits else ("", 0)
    if UNITS.get(word, 0) > 1 and following in PLURALS:  # "three sevens"
        return str(PLURALS[following]) * UNITS[word], 2
    if word in LETTERS_FOR_ZERO:
        # "uno o dos" is "one or two", "uno cero dos" is read out.
        is_or = word == "o" and is_spanish
        precedes_number = (
            following in NUMBER_WORDS or following in LETTERS_FOR_ZERO or following[:1].isdecimal()
        )
        is_zero = not is_or and (follows_number or precedes_number)
        return ("0", 1) if is_zero else ("", 0)
    if word in AMBIGUOUS and not is_spanish:
        return "", 0
    return compose_number(words, position)


def compose_number(words: list[str], position: int) -> tuple[str, int]:
    """Return (digits, words used) of a number below a million, as speakers of both languages compose it."""
    value, used = _below_thousand(words, position)
    after = position + used
    if after < len(words) and words[after] in THOUSAND and (used == 0 or value > 0):
        if used == 0 and words[after] != "mil":  # "thousand" needs a number before it, "mil" does not
            return "", 0
        joined = words[after + 1 : after + 2] == ["and"]
        rest, more = _below_thousand(words, after + 1 + joined)
        end = after + 1 + joined + more
        if more and end < len(words) and words[end] in THOUSAND and words[end - 1] in UNITS:
            rest, more = rest - UNITS[words[end - 1]], more - 1  # "one thousand forty | five thousand ten"
        return str((value or 1) * 1000 + rest), used + 1 + (joined + more if more else 0)
    return (str(value), used) if used else ("", 0)


def _below_thousand(words: list[str], position: int) -> tuple[int, int]:
    """Return (value, words used); (0, 0) where no number begins."""
    word = words[position] if position < len(words) else ""
    if word in HUNDREDS:
        rest, used = _below_hundred(words, position + 1)
        return HUNDREDS[word] + rest, 1 + used
    value, used = _below_hundred(words, position)
    following = position + used
    # Also "forty-five hundred".
    if used and 1 <= value <= 99 and following < len(words) and words[following] in HUNDRED:
        joined = following + 1 < len(words) and words[following + 1] in AND
        rest, more = _below_hundred(words, following + 1 + joined)
        return value * 100 + rest, used + 1 + (joined + more if more else 0)
    return value, used


def _below_hundred(words: list[str], position: int) -> tuple[int, int]:
    """Return (value, words used); (0, 0) where no number begins."""
    word = words[position] if position < len(words) else ""
    if word in TENS:
        joined = word in _SPANISH["tens"]  # "cuarenta y dos", "forty two"
        at = position + 1 + joined
        is_joined = not joined or words[position + 1 : at] == ["y"]
        unit = UNITS.get(words[at], 0) if is_joined and at < len(words) else 0
        return (TENS[word] + unit, 2 + joined) if unit else (TENS[word], 1)
    if word in TEENS:
        return TEENS[word], 1
    return (UNITS[word], 1) if word in UNITS else (0, 0)
