"""What is read out together with a card number: the date until which it is valid, its code, a zip code."""

from collections.abc import Iterator
from itertools import accumulate, permutations

from callscope.transcription.redaction.memory import Secret
from callscope.transcription.redaction.pieces import Piece
from callscope.transcription.redaction.vocabulary.kinds import CVV_DIGITS, Kind, usually_has

AMEX_CODE, ZIP_DIGITS = 4, 5
NEAR_CARD = 3  # segments from a card number to its code that nobody names
PHONE_DIGITS, PHONE_BEGINNINGS = 9, "6789"
AMERICAN_DIGITS = 10  # of a phone number in America
MAX_TOKENS = 40  # a longer piece is no date and code


def find_card_details(piece: Piece, card: Secret | None) -> list[tuple[Piece, Kind | None]]:
    """Return the parts of a number that follows a card, with what they are; [] where that is not plain.

    "0927, 457, 90210" is date, code and zip code, in any order; the kind of what else follows is None.
    """
    if len(piece.tokens) > MAX_TOKENS:
        return []
    layouts = [layout for layout in list_layouts(card) if sum(n for _, n in layout) == len(piece.digits)]
    fitting = [parts for layout in layouts if (parts := lay_out(piece, layout))]
    if fitting:
        # The most pauses between the parts, then the usual order.
        return max(fitting, key=lambda parts: count_pauses(piece, parts))
    if is_read_as_phone(piece):
        return []
    return [(piece, Kind.CODE)] if piece.is_list(CVV_DIGITS) else find_first_code(piece)


def is_read_as_phone(piece: Piece) -> bool:
    """True for "624, 594, 809" and "415 - 555 - 2590", as phone numbers are read out."""
    ends = list(accumulate(map(len, piece.groups)))
    if not {CVV_DIGITS, 2 * CVV_DIGITS} <= {ends[at - 1] for at in piece.pauses}:
        return False
    is_long = len(piece.digits) == AMERICAN_DIGITS
    is_short = len(piece.digits) == PHONE_DIGITS and piece.digits[0] in PHONE_BEGINNINGS
    return is_long or (is_short and piece.digits != 3 * piece.digits[:CVV_DIGITS])


def list_layouts(card: Secret | None) -> Iterator[list[tuple[Kind, int]]]:
    """Yield what may be said together, the most usual first: kinds and how many digits they have."""
    dates = [] if card and card.has_expiry else [(Kind.EXPIRY, 4), (Kind.EXPIRY, 3)]
    codes = (
        [(Kind.CODE, AMEX_CODE), (Kind.CODE, CVV_DIGITS)]
        if card and card.is_amex
        else [(Kind.CODE, CVV_DIGITS)]
    )
    for code in codes:
        yield [code]
        yield from map(list, permutations([code, (Kind.PLACE, ZIP_DIGITS)]))
        for date in dates:
            yield [date, code]
            yield [code, date]
            yield from map(list, permutations([date, code, (Kind.PLACE, ZIP_DIGITS)]))
    # Four digits alone are the date, unless the card is an American Express, whose code they may be.
    yield from ([date] for date in dates[:1])
    if not dates or card is None:
        yield [(Kind.CODE, AMEX_CODE)]
    yield [(Kind.CODE, AMEX_CODE)]


def lay_out(piece: Piece, layout: list[tuple[Kind, int]]) -> list[tuple[Piece, Kind | None]]:
    ends = list(accumulate(map(len, piece.groups)))
    cuts = list(accumulate(length for _, length in layout))
    if not set(cuts) <= set(ends):
        return []
    parts = piece.cut([ends.index(cut) + 1 for cut in cuts[:-1]])
    named: list[tuple[Piece, Kind | None]] = [
        (part, kind) for part, (kind, _) in zip(parts, layout, strict=True)
    ]
    is_right = all(kind is not Kind.EXPIRY or usually_has(kind, part.digits) for part, kind in named)
    return named if is_right else []


def count_pauses(piece: Piece, parts: list[tuple[Piece, Kind | None]]) -> int:
    starts = {part.tokens[0] for part, _ in parts}
    return sum(piece.tokens[at] in starts for at in piece.pauses)


def find_first_code(piece: Piece) -> list[tuple[Piece, Kind | None]]:
    """Return "457" of "457, 8 of them", with the rest."""
    for at in piece.pauses:
        if len(piece.join(0, at)) == CVV_DIGITS:
            first, rest = piece.cut([at])
            return [(first, Kind.CODE), (rest, None)]
    return []


def is_next_to_card(piece: Piece, card: Secret) -> bool:
    """True for three digits that follow a card number within a few turns, also with its date."""
    if piece.segment - card.segment > NEAR_CARD:
        return False
    if len(piece.digits) == CVV_DIGITS:
        return True
    return {Kind.CODE, Kind.EXPIRY} <= {kind for _, kind in find_card_details(piece, card)}
