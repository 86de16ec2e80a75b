"""What a number is by its own writing and the words right next to it: a price, a date, "one moment"."""

import re
from collections.abc import Container

from callscope.transcription.redaction.vocabulary.kinds import Kind
from callscope.transcription.redaction.vocabulary.spoken_numbers import NumberToken
from callscope.transcription.redaction.vocabulary.word_classes import (
    BEFORE_COUNT,
    BEFORE_LAS,
    BEFORE_LONE_ONE,
    BEFORE_ONE,
    BEFORE_TIMES,
    BEFORE_YEARS,
    COPULAS,
    DETERMINERS,
    DIGIT_NOUNS,
    IN_DATES,
    LONGER_OF_TWO,
    MONEY,
    MONTHS,
    NUMBER_NOUNS,
    OF,
    ONE_OF_MANY,
    ORDINALS,
    PER,
    SAYING,
    SHORTER_OF_TWO,
    THEM,
    THERE_ARE,
    UNITS,
)

MAX_AMOUNT_DIGITS = 7  # a longer number is an identifier, whatever is said around it
MONEY_SIGNS = frozenset("$€£%")
PAUSE_SIGNS = frozenset(",.;?!")
SENTENCE_SIGNS = frozenset(";?!")
STOPS = frozenset(".;?!")
DATE_REACH = 4  # words between a month and a number of its date
HOURS, MINUTE_DIGITS, DAYS = 24, 2, 31
YEAR_DIGITS, CENTURIES, YEARS = 4, ("19", "20"), range(1900, 2100)
COUNTED = frozenset("23456789")
LEAST_COUNTED = 3  # digits of a number that is counted
SPREAD = 3  # spoken numbers that belong to the one with the unit
_TIME = re.compile(r"\d{1,2}:\d{2}(?:-\d{1,2}:\d{2})?")
_DATE = re.compile(
    r"\d{1,2}([-.])\d{1,2}\1\d{4}|\d{1,2}/\d{1,2}/\d{2,4}|\d{4}([-./])\d{1,2}\2\d{1,2}|\d{1,2}/\d{1,4}"
)
_AMOUNT = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d{1,2})?|\d{1,3}(?:\.\d{3})+(?:,\d{1,2})?|\d+[.,]\d{1,2}")


def find_shapes(text: str, tokens: list[NumberToken], taken: Container[int]) -> dict[int, Kind]:
    """Return token → kind for numbers that their own writing explains, apart from those that are taken."""
    finder = _ShapeFinder(text, tokens)
    for place, token in enumerate(tokens):
        if token.digits and place not in taken:
            finder.find(place)
    return finder.shapes


class _ShapeFinder:
    def __init__(self, text: str, tokens: list[NumberToken]) -> None:
        self.text = text
        self.tokens = tokens
        self.shapes: dict[int, Kind] = {}

    def find(self, place: int) -> None:
        """Note the kind of a number, and of spoken ones right before it: "nineteen ninety nine euros"."""
        if self.is_among_digits(place):
            return
        kind = self.find_by_unit(place) or self.find_by_date(place)
        if not kind:
            return
        self.shapes[place] = kind
        if kind not in (Kind.AMOUNT, Kind.QUANTITY):
            return
        if self.is_read_out(place) or self.word_at(place + 1) in DIGIT_NOUNS:
            return
        for at in range(place - 1, max(-1, place - 1 - SPREAD), -1):
            is_written = self.text[self.tokens[at].start].isdecimal()
            if not self.tokens[at].digits or at in self.shapes or is_written or self.gap_after(at).strip():
                return
            self.shapes[at] = kind

    def is_among_digits(self, place: int) -> bool:
        """True for digits with nothing but a space between them and other numbers: no sign, unit or month."""
        # Read before all else: a text of nothing but digits costs a third less.
        if not 0 < place < len(self.tokens) - 1 or place - 1 in self.shapes:
            return False
        before, token, after = self.tokens[place - 1 : place + 2]
        return bool(
            before.digits
            and after.digits
            and before.end + 1 == token.start
            and token.end + 1 == after.start
            and self.text[before.end] == self.text[token.end] == " "
            and self.text[token.start : token.end].isdecimal()
            and self.text[before.end - 1].isdecimal()
            and self.text[after.start].isdecimal()
        )

    def is_read_out(self, place: int) -> bool:
        """True for "zero six eight three zero one three times": only the last number is counted."""
        return all(len(self.digits_at(place - step)) == 1 for step in range(1, SPREAD + 1))

    def word_at(self, place: int) -> str:
        return self.tokens[place].word if 0 <= place < len(self.tokens) else ""

    def digits_at(self, place: int) -> str:
        return self.tokens[place].digits if 0 <= place < len(self.tokens) else ""

    def gap_after(self, place: int) -> str:
        """Return the text between a token and the next one."""
        end = self.tokens[place + 1].start if place + 1 < len(self.tokens) else None
        return self.text[self.tokens[place].end : end]

    def find_by_unit(self, place: int) -> Kind | None:
        """Return the kind by the number's own writing, its sign or its unit."""
        token, text = self.tokens[place], self.text
        written = text[token.start : token.end]
        if len(token.digits) <= MAX_AMOUNT_DIGITS + 1 and _DATE.fullmatch(written):
            return Kind.DATE
        if text[token.end : token.end + 1].isalpha():
            return Kind.IDENTIFIER
        if len(token.digits) > MAX_AMOUNT_DIGITS:
            return None
        if _TIME.fullmatch(written):
            return Kind.TIME
        signs = {
            text[max(0, token.start - 2) : token.start].strip()[-1:],
            text[token.end : token.end + 2].strip()[:1],
        }
        following = self.word_at(place + 1)
        is_priced = not MONEY_SIGNS.isdisjoint(signs) or following in MONEY or _AMOUNT.fullmatch(written)
        if is_priced or (following in PER and self.word_at(place + 2) in UNITS):
            return Kind.AMOUNT
        following = "" if self.pauses_after(place) else following
        is_counted = (
            (
                following in UNITS and (token.digits == "1" or following not in ORDINALS)
            )  # "nine, second one four"
            or self.has_heading(place)
            or self.is_of_them(place)
            or self.is_of_all(place)
            or self.is_count(place)
            or (token.digits == "1" and following in ONE_OF_MANY and not self.is_read_before(place))
        )
        return Kind.QUANTITY if is_counted or self.is_pronoun(place) else None

    def is_read_before(self, place: int) -> bool:
        """True for the "uno" of "tres cinco uno de momento": a digit among others."""
        return self.word_at(place + 1) == "de" and len(self.digits_at(place - 1)) == 1

    def pauses_after(self, place: int) -> bool:
        """True if a comma or the end of a sentence follows: "double one five, numbers ..."."""
        return not PAUSE_SIGNS.isdisjoint(self.gap_after(place))

    def has_heading(self, place: int) -> bool:
        """True for "Points: 5038", but not for "Just numbers: 304 772"."""
        word = self.word_at(place - 1)
        return word in UNITS and word not in DIGIT_NOUNS | NUMBER_NOUNS and ":" in self.gap_after(place - 1)

    def is_of_them(self, place: int) -> bool:
        """True for "four of them"."""
        return self.word_at(place + 1) in OF and self.word_at(place + 2) in THEM

    def is_of_all(self, place: int) -> bool:
        """True for "all three, please": a single number of things that were spoken of."""
        token = self.tokens[place]
        is_word = token.digits in COUNTED and self.text[token.start : token.end].isalpha()
        return is_word and self.word_at(place - 1) in BEFORE_COUNT and not self.digits_at(place + 1)

    def is_count(self, place: int) -> bool:
        """True for "there are two, 482913 and 552817": a count of numbers that follow."""
        token = self.tokens[place]
        is_word = token.digits in COUNTED and self.text[token.start : token.end].isalpha()
        before = f"{self.word_at(place - 2)} {self.word_at(place - 1)}"
        has_verb = self.word_at(place - 1) in THERE_ARE or before in THERE_ARE
        # "There's two, double eight, nine" reads out, "there are two" counts.
        is_read_out = self.word_at(place - 1) == "there's" and self.count_to_pause(place + 1) < LEAST_COUNTED
        return is_word and has_verb and self.pauses_after(place) and not is_read_out

    def count_to_pause(self, place: int) -> int:
        """Return how many digits are said from a token on without a pause, LEAST_COUNTED or more at most."""
        count = 0
        while count < LEAST_COUNTED and self.digits_at(place):
            count += len(self.digits_at(place))
            if self.pauses_after(place):
                break
            place += 1
        return count

    def is_pronoun(self, place: int) -> bool:
        """True for "the other one", "una tarjeta"."""
        token = self.tokens[place]
        goes_on = bool(self.digits_at(place + 1))
        written = self.text[token.start : token.end].casefold()
        if written in ("un", "una"):
            return bool(self.word_at(place + 1)) or (goes_on and self.is_before_written(place, least=2))
        if written in ("one", "uno") and not goes_on and self.word_at(place + 1) in SAYING:
            return not self.digits_at(place - 1)  # "Uno dice 7993, otro 8250"
        before = self.word_at(place - 1)
        is_one = (
            token.digits == "1"
            and written.isalpha()
            and (before in BEFORE_ONE | SHORTER_OF_TWO | LONGER_OF_TWO or before in ORDINALS)
        )
        is_one = is_one and not (before == "that" and self.word_at(place - 2) == "after")  # "after that, one"
        if token.digits == "1" and written.isalpha() and self.is_described(place):
            return True
        # "I have got one: 4821", "I've got one 5030-4604".
        is_lone = not goes_on or ":" in self.gap_after(place) or self.is_before_written(place)
        if token.digits == "1" and written.isalpha() and before in BEFORE_LONE_ONE and is_lone:
            return True
        return is_one and not (goes_on and "," not in self.gap_after(place))

    def is_described(self, place: int) -> bool:
        """True for "The business one. 5424 ...": it ends a sentence and has an article."""
        article = next((step for step in (2, 3) if self.word_at(place - step) in DETERMINERS), 0)
        nouns = [self.word_at(place - step) for step in range(1, article)]
        is_said = any(not noun or noun in COPULAS or noun in NUMBER_NOUNS for noun in nouns)
        return bool(nouns) and not is_said and not STOPS.isdisjoint(self.gap_after(place))

    def is_before_written(self, place: int, least: int = 3) -> bool:
        """True if a written number follows: nobody writes "one" for its first digit."""
        after = self.tokens[place + 1]
        return len(after.digits) >= least and self.text[after.start].isdecimal()

    def find_by_date(self, place: int) -> Kind | None:
        """Return the kind of a number that belongs to a date or is a time of day."""
        digits = self.tokens[place].digits
        if len(digits) > YEAR_DIGITS:
            return None
        for step in (-1, 1):
            at = place + step
            for _ in range(DATE_REACH):
                if step < 0 and at < place - 1 and self.is_after_day(place):
                    break
                if self.is_month(at) and not (step < 0 and self.ends_sentence(at, place)):
                    return Kind.DATE if step < 0 or self.is_day(place, at) else None
                if step < 0 and self.shapes.get(at) is Kind.DATE and not self.ends_sentence(at, place):
                    return Kind.DATE if self.is_year_of(place, at) else None
                if self.word_at(at) not in IN_DATES and self.word_at(at) not in ORDINALS:
                    break
                at += step
        if self.is_time(place):
            return Kind.TIME
        return Kind.DATE if self.is_year(place) else None

    def ends_sentence(self, first: int, last: int) -> bool:
        """True if a sentence ends between two tokens: "The nineteenth of July? 9449."."""
        return not SENTENCE_SIGNS.isdisjoint(self.text[self.tokens[first].end : self.tokens[last].start])

    def is_after_day(self, place: int) -> bool:
        """True for the "five" of "April eighteenth, five nine oh five": a single digit is no year."""
        has_pause = not PAUSE_SIGNS.isdisjoint(self.gap_after(place - 1))
        return len(self.tokens[place].digits) == 1 and has_pause and self.word_at(place - 1) in ORDINALS

    def is_month(self, place: int) -> bool:
        """True for a month, but not for the verb "may"."""
        word, following = self.word_at(place), self.word_at(place + 1)
        return word in MONTHS and (word != "may" or not following or following in IN_DATES | ORDINALS)

    def is_day(self, place: int, month: int) -> bool:
        """True for "14 March"; "1907, March 2027" is a number and a date."""
        has_pause = not PAUSE_SIGNS.isdisjoint(self.gap_after(place))
        is_digit = bool(self.digits_at(place - 1))  # of a longer number
        day = self.digits_at(month + 1)
        has_day = 0 < len(day) < YEAR_DIGITS and day not in CENTURIES  # "March 4"
        has_day = has_day and not self.ends_sentence(month, month + 1)
        return int(self.tokens[place].digits) <= DAYS and not has_pause and not is_digit and not has_day

    def is_year_of(self, place: int, date: int) -> bool:
        """True for the year after "March 14", or its second half: "nineteen eighty"."""
        digits = self.tokens[place].digits
        is_year = len(digits) == YEAR_DIGITS or digits in CENTURIES
        is_half = len(digits) == len(CENTURIES[0]) and "," not in self.gap_after(date)
        said = [self.tokens[at].digits for at in range(max(0, date - 1), date + 1) if at in self.shapes]
        has_year = len(said[-1]) >= YEAR_DIGITS or (len(said) > 1 and said[0] in CENTURIES)
        return (is_year or is_half) and not has_year

    def is_year(self, place: int) -> bool:
        """True for "in 2019", "since nineteen ninety-eight"."""
        digits, before = self.tokens[place].digits, self.word_at(place - 1)
        is_dated = before in BEFORE_YEARS or (
            before in DETERMINERS and self.word_at(place - 2) in BEFORE_YEARS
        )
        is_whole = len(digits) == YEAR_DIGITS and int(digits) in YEARS
        is_half = digits in CENTURIES and len(self.digits_at(place + 1)) == len(CENTURIES[0])
        return is_dated and (is_whole or is_half)

    def is_time(self, place: int) -> bool:
        """True for "at eleven twenty", "sobre las once y cuarenta"."""
        digits = self.tokens[place].digits
        hour = place - 1 - (self.word_at(place - 1) == "y")
        if self.shapes.get(hour) is Kind.TIME and len(digits) <= MINUTE_DIGITS:
            return STOPS.isdisjoint(self.gap_after(place - 1)) and not self.has_minutes(hour)
        before = self.word_at(place - 1)
        is_said = before in BEFORE_TIMES and (before != "las" or self.word_at(place - 2) in BEFORE_LAS)
        return is_said and int(digits) <= HOURS and self.count_minutes(place) <= MINUTE_DIGITS

    def count_minutes(self, hour: int) -> int:
        """Return how many digits are said after an hour in its sentence, of the next three words."""
        count = 0
        for at in range(hour + 1, min(hour + 4, len(self.tokens))):
            if not STOPS.isdisjoint(self.gap_after(at - 1)):
                break  # "At eleven twenty. Four five three nine ..."
            count += len(self.digits_at(at))
        return count

    def has_minutes(self, place: int) -> bool:
        """True if the time that ends with a token is whole: "4:40", "four thirty", "four oh five"."""
        token = self.tokens[place]
        said = [
            self.digits_at(at) for at in range(max(0, place - 2), place) if self.shapes.get(at) is Kind.TIME
        ]
        is_written = ":" in self.text[token.start : token.end]
        return is_written or (bool(said) and len("".join([*said[1:], token.digits])) >= MINUTE_DIGITS)
