"""Cut numbers that are said at a stretch into one part for each of several kinds: "853718920 and 1234"."""

from typing import NamedTuple

from callscope.transcription.redaction.pieces import Piece
from callscope.transcription.redaction.vocabulary.kinds import CVV_DIGITS, Kind, usually_has

AMEX_CODE = 4
LAST_DIGITS = 4  # of a card, printed before its code
MAX_TOKENS = 40  # a longer piece is not shared out
MAX_KINDS = 4


def share_out(piece: Piece, kinds: list[Kind]) -> list[tuple[Piece, Kind]]:
    """Return the piece cut into one part for each kind, in order; [] where the lengths do not fit."""
    if not 1 < len(kinds) <= len(piece.tokens) <= MAX_TOKENS or len(kinds) > MAX_KINDS:
        return []
    found = find_cuts(piece, kinds)
    is_whole = usually_has(kinds[-1], piece.digits) or usually_has(kinds[0], piece.digits)
    if not found or (is_whole and not set(found.cuts) <= list_plain_pauses(piece)):
        return []
    return list(zip(piece.cut(found.cuts), kinds, strict=True))


def list_plain_pauses(piece: Piece) -> set[int]:
    """Return where a number may end: at no comma of "three, six, oh, two", but at a new sentence."""
    is_paused_throughout = len(piece.groups) == len(piece.digits) == len(piece.pauses) + 1 > CVV_DIGITS
    return {*piece.breaks, *piece.joints} if is_paused_throughout else set(piece.pauses)


def split_code(piece: Piece) -> list[tuple[Piece, Kind]]:
    """Return "8918 and then 756", as both stand by the signature: a card's end and its code; [] else."""
    if not piece.pauses or len(piece.digits) != LAST_DIGITS + CVV_DIGITS or len(piece.tokens) > MAX_TOKENS:
        return []
    cut = next((at for at in piece.pauses if len(piece.join(0, at)) == LAST_DIGITS), 0)
    if not cut or any(at < cut for at in piece.breaks):
        return []
    end, code = piece.cut([cut])
    return [(end, Kind.LAST_FOUR), (code, Kind.CODE)]


class Cuts(NamedTuple):
    """Where to cut a piece, and how plainly its speaker pauses there."""

    plainness: int
    cuts: list[int]


def find_cuts(piece: Piece, kinds: list[Kind]) -> Cuts | None:
    """Return where to cut so that every part has as many digits as its kind usually has, at pauses first."""
    end = len(piece.tokens)
    # From the last kind to the first: the best cuts of what begins at each number.
    best = {start: Cuts(0, []) for start in range(end) if usually_has(kinds[-1], piece.join(start, end))}
    for kind in reversed(kinds[:-1]):
        before: dict[int, Cuts] = {}
        for start in range(end):
            for cut in range(start + 1, end):
                if cut not in best or not usually_has(kind, piece.join(start, cut)):
                    continue
                found = Cuts(best[cut].plainness + rate_pause(piece, cut), [cut, *best[cut].cuts])
                if start not in before or found.plainness > before[start].plainness:
                    before[start] = found
        best = before
    return best.get(0)


def rate_pause(piece: Piece, place: int) -> int:
    """Return how plainly a number ends before a place: 2 for a new sentence or "and", 1 for a comma."""
    is_plain = place in piece.breaks or place in piece.joints
    return 2 if is_plain else int(place in piece.pauses)


def split_expiry(piece: Piece) -> list[tuple[Piece, Kind | None]]:
    """Return "0927 457" after "expires" as the date and what follows it; [] for anything else."""
    if usually_has(Kind.EXPIRY, piece.digits):
        return []
    for cut in range(1, min(len(piece.tokens), MAX_TOKENS)):
        rest = len(piece.digits) - len(piece.join(0, cut))
        if usually_has(Kind.EXPIRY, piece.join(0, cut)) and rest in (CVV_DIGITS, AMEX_CODE):
            first, second = piece.cut([cut])
            return [(first, Kind.EXPIRY), (second, None)]
    return []
