"""What a number in a call can be, and how many digits it then has."""

from enum import StrEnum
from typing import NamedTuple


class Kind(StrEnum):
    """What a number is; the values are the section names of lists/number_names.*.txt."""

    CARD = "card"
    WEAK_CARD = "weak_card"  # "my Visa": names a card, not necessarily its number
    CODE = "code"  # CVV, CVC, the three digits on the back
    PIN = "pin"
    ONE_TIME = "one_time"
    LAST_FOUR = "last_four"  # the last digits of something, which may stay
    EXPIRY = "expiry"
    ACCOUNT = "account"
    IDENTIFIER = "identifier"  # order, customer, policy ...
    NAMED = "named"  # "the meter number": called by a word that is on no list
    PHONE = "phone"
    PLACE = "place"
    DATE = "date"
    TIME = "time"
    AMOUNT = "amount"
    QUANTITY = "quantity"
    OTHER = "other"  # no number: a name, an e-mail address
    SOME_CODE = "some_code"  # "the code": the one that is spoken of
    NUMBER = "number"  # "the number": the one that is spoken of


class Length(NamedTuple):
    """How many digits a number of a kind has, at least and at most."""

    least: int
    most: int

    def __contains__(self, digits: object) -> bool:
        return isinstance(digits, int) and self.least <= digits <= self.most


SECRET_CODES = frozenset((Kind.CODE, Kind.PIN, Kind.ONE_TIME))
CVV_DIGITS = 3
CARD_BEGINNINGS = "23456"  # first digits of card numbers
# A single word for these may be about the thing and not its number: "the order", "the phone".
THINGS = frozenset((Kind.ACCOUNT, Kind.IDENTIFIER, Kind.NAMED, Kind.PHONE))
DETAILS = frozenset((Kind.DATE, Kind.TIME, Kind.AMOUNT, Kind.QUANTITY, Kind.PLACE))
SECRETS = SECRET_CODES | {Kind.CARD}
ASKED_CODES = SECRET_CODES | {Kind.SOME_CODE}
CARDS = frozenset((Kind.CARD, Kind.WEAK_CARD))
VAGUE = frozenset((Kind.NUMBER, Kind.SOME_CODE, Kind.OTHER))  # what is spoken of tells which
# Kinds that are called by their name: naming them opens a question even in passing.
NUMBER_KINDS = SECRETS | THINGS | {Kind.LAST_FOUR, Kind.EXPIRY}
CARD_LENGTH = Length(13, 19)
NEVER, ANY = Length(1, 0), Length(1, 40)

# Kind → what its numbers can have at all, and what they usually have.
LENGTHS: dict[Kind, tuple[Length, Length]] = {
    Kind.CARD: (Length(3, 160), CARD_LENGTH),  # it may come in parts, or with others
    Kind.WEAK_CARD: (Length(8, 160), CARD_LENGTH),
    Kind.CODE: (Length(3, 8), Length(3, 4)),
    Kind.PIN: (Length(3, 8), Length(4, 6)),
    Kind.ONE_TIME: (Length(3, 9), Length(4, 8)),
    Kind.LAST_FOUR: (Length(1, 6), Length(4, 4)),
    Kind.EXPIRY: (Length(2, 8), Length(3, 6)),
    Kind.ACCOUNT: (ANY, Length(6, 24)),
    Kind.IDENTIFIER: (ANY, Length(4, 24)),
    Kind.NAMED: (ANY, Length(4, 24)),
    Kind.PHONE: (Length(2, 15), Length(7, 12)),
    Kind.PLACE: (Length(1, 6), Length(1, 5)),
    Kind.DATE: (Length(1, 8), Length(2, 8)),
    Kind.TIME: (Length(1, 6), Length(1, 4)),
    Kind.AMOUNT: (Length(1, 9), Length(1, 6)),
    Kind.QUANTITY: (Length(1, 9), Length(1, 3)),
    Kind.OTHER: (NEVER, NEVER),
    Kind.SOME_CODE: (Length(3, 8), Length(3, 8)),
    Kind.NUMBER: (NEVER, NEVER),
}


DAYS, MONTHS, YEARS, CENTURIES = range(1, 32), range(1, 13), range(20, 50), range(1900, 2100)
LONGEST_DAY, YEAR_DIGITS = 2, 4


def can_have(kind: Kind, digits: str) -> bool:
    """True if numbers of the kind can have so many digits."""
    return len(digits) in LENGTHS[kind][0]


def usually_has(kind: Kind, digits: str) -> bool:
    """True if numbers of the kind usually have so many digits, and mean what they should."""
    if len(digits) not in LENGTHS[kind][1]:
        return False
    return is_expiry(digits) if kind is Kind.EXPIRY else kind is not Kind.DATE or is_date(digits)


def is_year(digits: str) -> bool:
    return len(digits) == YEAR_DIGITS and int(digits) in CENTURIES


def is_date(digits: str) -> bool:
    """True for a day, a year, or day and month in either order, with or without a year."""
    if len(digits) <= LONGEST_DAY:
        return int(digits) in DAYS
    if is_year(digits):
        return True
    cuts = [(at, end) for at in (1, 2) for end in (at + 1, at + 2)]
    pairs = [(int(digits[:at]), int(digits[at:end]), digits[end:]) for at, end in cuts if end <= len(digits)]
    return any(
        ((a in DAYS and b in MONTHS) or (a in MONTHS and b in DAYS))
        and (len(year) in (0, 2) or (len(year) == YEAR_DIGITS and int(year) in CENTURIES))
        for a, b, year in pairs
    )


def is_expiry(digits: str) -> bool:
    """True for a month and a year in which a card may end: "432", "0432", "042032"."""
    month = digits[:-4] if len(digits) > len("0432") and digits[-4:-2] == "20" else digits[:-2]
    return month.isdecimal() and int(month) in MONTHS and int(digits[-2:]) in YEARS
