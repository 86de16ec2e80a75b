"""The numbers that were said so far, to know them again when they are read back, go on or are corrected."""

from bisect import bisect_left
from collections.abc import Container
from dataclasses import dataclass
from itertools import accumulate, combinations

from callscope.transcription.redaction.cards import has_issuer, is_card_number
from callscope.transcription.redaction.pieces import Piece
from callscope.transcription.redaction.vocabulary.kinds import CARD_LENGTH, SECRETS, Kind

REPEAT_SEGMENTS = 24  # how far a number reaches to its repetition
FOLLOW_SEGMENTS = 12  # how far to what follows it
ECHO_SEGMENTS = 3  # for a repetition of a part, or one that differs
PART_OF_CARD = 4  # digits that are known again as a part of a card number
LEAST_ECHO = 2  # digits of a part that is repeated at once
LEAST_BEGUN = 4  # digits of a number that is known by what is said later
LEAST_SURE = 7  # digits of a part of a card number that are no chance
LEAST_KNOWN = 3  # digits of a whole number that is known again
LONGEST_READ_BACK = 60  # numbers of a piece in which a card number is looked for
MAX_KNOWN = 8  # secrets that are remembered
MAX_NEAR = 32  # secrets of which a number may be a part
CARD_DIGITS, HALF_CARD = 16, 8
AMEX_DIGITS, AMEX = 15, ("34", "37")
COMPLETE = {Kind.CODE: 3, Kind.PIN: 4, Kind.ONE_TIME: 6}
LONGEST_CODE, PART_OF_CODE = 8, 4


@dataclass(slots=True)
class Secret:
    """A card number or code, as far as it was said."""

    kind: Kind
    digits: str
    speaker: str | None
    first_segment: int
    segment: int  # the last one
    number: int  # counts the secrets of a call
    parts: list[str]  # as it was said
    has_expiry: bool = False  # the date until which the card is valid was said since

    @property
    def is_complete(self) -> bool:
        if self.kind is not Kind.CARD:
            return len(self.digits) >= COMPLETE[self.kind]
        return self.is_amex or len(self.digits) >= CARD_DIGITS or is_card_number(self.digits)

    @property
    def is_amex(self) -> bool:
        return len(self.digits) == AMEX_DIGITS and self.digits.startswith(AMEX)

    def has_part(self, digits: str) -> bool:
        """True for a part; the last four digits of a card may stay, unless they were said as a part."""
        is_last = len(digits) == PART_OF_CARD and self.digits.endswith(digits) and digits not in self.parts
        return digits in self.digits and not (is_last and self.kind is Kind.CARD)

    def is_repeated_by(self, digits: str) -> bool:
        """True for the whole number, also said twice, or a part of a card number."""
        if self.kind is Kind.CARD:
            return len(digits) >= PART_OF_CARD and self.has_part(digits)
        return len(digits) >= LEAST_KNOWN and digits in (self.digits, 2 * self.digits)

    def is_echoed_by(self, digits: str, speaker: str | None) -> bool:
        """True for a part that is repeated at once, or a number as long that was misheard."""
        is_part = len(digits) >= LEAST_ECHO and self.has_part(digits)
        if self.kind is Kind.CARD:
            if speaker != self.speaker and digits == str(len(self.digits)):
                return False  # "Sixteen, yes": how many there are
            # What reads a number back in parts, part by part, ends with its last four digits.
            is_end = len(self.parts) > 1 and speaker != self.speaker and self.parts[-1].endswith(digits)
            return is_part or len(digits) in CARD_LENGTH or (is_end and len(digits) >= PART_OF_CARD)
        return speaker != self.speaker and (is_part or len(digits) == len(self.digits))


class Memory:
    """The secrets of a call, the latest last, and the other numbers that were called something."""

    def __init__(self) -> None:
        self.all: list[Secret] = []  # by their first segment
        self.secrets: list[Secret] = []  # the latest of them
        self.others: dict[str, tuple[Kind, int]] = {}  # digits → kind and segment

    def add(self, kind: Kind, piece: Piece, speaker: str | None) -> Secret | None:
        """Remember a number, or what continues the last one; return it if it is a secret."""
        digits, segment = piece.digits, piece.segment
        if kind not in SECRETS:
            self.note(digits, kind, segment)
            return None
        last = self.find_last(segment, (kind,))
        is_again = last is not None and kind is Kind.CARD and digits == last.parts[-1]
        if last and not last.is_complete and last.speaker == speaker and not is_again:
            last.digits += digits
            last.parts.append(digits)
            last.segment = segment
            return last
        if last and is_again:
            last.segment = segment  # either side repeats the part; the card goes on
            return last
        again = next((s for s in self.secrets if s.kind is kind and s.digits == digits), None)
        if again:  # who read it back does not matter: the one who said it first goes on
            again.segment = segment
            self.secrets.remove(again)
            self.secrets.append(again)
            return again
        secret = Secret(kind, digits, speaker, segment, segment, len(self.all) + 1, [digits])
        self.secrets = [*self.secrets[1 - MAX_KNOWN :], secret]
        self.all.append(secret)
        return secret

    def note(self, digits: str, kind: Kind, segment: int) -> None:
        """Remember a number that is no secret: what repeats it is none."""
        if len(digits) >= LEAST_KNOWN:
            self.others[digits] = (kind, segment)

    def is_card_open(self, segment: int) -> bool:
        """True if more than half of a card number was said, and not all of it."""
        card = self.find_last(segment, (Kind.CARD,))
        return card is not None and not card.is_complete and len(card.digits) >= HALF_CARD

    def forget(self, digits: str) -> None:
        """Forget a number that was taken for a secret."""
        self.all, self.secrets = (
            [secret for secret in secrets if secret.digits != digits] for secrets in (self.all, self.secrets)
        )

    def forget_other(self, piece: Piece) -> None:
        """Forget that a number was called something else."""
        self.others.pop(piece.digits, None)

    def find_latest(self, kinds: Container[Kind]) -> Secret | None:
        """Return the secret of one of the kinds that was said last, however far away."""
        return next((secret for secret in reversed(self.secrets) if secret.kind in kinds), None)

    def find_last(self, segment: int, kinds: Container[Kind]) -> Secret | None:
        """Return the secret that was said last, if it is near and of one of the kinds."""
        last = self.secrets[-1] if self.secrets else None
        is_near = last and segment - last.segment <= FOLLOW_SEGMENTS
        return last if last and is_near and last.kind in kinds else None

    def has_whole_card(self) -> bool:
        return any(secret.kind is Kind.CARD and secret.is_complete for secret in self.secrets[-1:])

    def find_other(self, piece: Piece) -> Kind | None:
        """Return what a number was called before, where it is no secret."""
        kind, segment = self.others.get(piece.digits, (None, 0))
        return kind if kind and piece.segment - segment <= REPEAT_SEGMENTS else None

    def find_cards(self, piece: Piece) -> set[int]:
        """Return the tokens of a piece that repeat a whole card number, with other digits around it."""
        if len(piece.tokens) > LONGEST_READ_BACK or len(piece.digits) <= CARD_LENGTH.least:
            return set()
        ends = [0, *accumulate(map(len, piece.groups))]
        for card in (s for s in self.secrets if s.kind is Kind.CARD and len(s.digits) in CARD_LENGTH):
            start = piece.digits.find(card.digits)
            if start in ends and start + len(card.digits) in ends:
                first, last = ends.index(start), ends.index(start + len(card.digits))
                return set(piece.tokens[first:last])
        return set()

    def find_card_of(self, piece: Piece) -> Secret | None:
        """Return the card of which a number is a part too long for chance."""
        if not LEAST_SURE <= len(piece.digits) < CARD_LENGTH.least:
            return None
        cards = (secret for secret in reversed(self.secrets) if secret.kind is Kind.CARD)
        return next((card for card in cards if piece.digits in card.digits), None)

    def find_known(self, piece: Piece) -> set[int]:
        """Return the tokens of a part between two pauses that repeats a whole number: "4821, and it's 30"."""
        if not piece.pauses or len(piece.tokens) > LONGEST_READ_BACK or self.find_other(piece):
            return set()
        codes = {secret.digits for secret in self.secrets if secret.kind is not Kind.CARD}
        ends = [0, *piece.pauses[:MAX_KNOWN], len(piece.tokens)]
        for start, end in combinations(ends, 2):
            digits = piece.join(start, end)
            is_known = digits in codes or digits in self.others
            if LEAST_BEGUN <= len(digits) < len(piece.digits) and is_known:
                return set(piece.tokens[start:end])
        return set()

    def goes_on(self, piece: Piece, speaker: str | None, *, is_asked_on: bool) -> Secret | None:
        """Return the code that the piece may go on with: "482" – "913", "8341" – "Yes?" – "76"."""
        last = self.find_last(piece.segment, COMPLETE)
        if last is None or last.speaker != speaker:
            return None
        is_short = len(piece.digits) <= PART_OF_CODE and len(last.digits) != COMPLETE[Kind.CODE]
        if last.is_complete and not (is_asked_on and is_short):
            return None
        is_short = len(last.digits) + len(piece.digits) <= LONGEST_CODE
        return last if is_short and piece.segment - last.segment <= ECHO_SEGMENTS else None

    def repeats_code(self, piece: Piece) -> bool:
        """True for a whole code that was said a moment ago."""
        return len(piece.digits) >= LEAST_BEGUN and any(
            secret.digits == piece.digits and piece.segment - secret.segment <= ECHO_SEGMENTS
            for secret in self.secrets
            if secret.kind is not Kind.CARD
        )

    def recognize(self, piece: Piece, *, speaker: str | None, is_bare: bool) -> Secret | None:
        """Return the secret that a number repeats, in whole or in part."""
        digits = piece.digits
        if len(piece.groups) > 1 and piece.groups[0] == "1":  # "new one, 5640"
            digits = next((s.digits for s in self.secrets if "1" + s.digits == digits), digits)
        for secret in reversed(self.secrets):
            distance = piece.segment - secret.segment
            if distance > REPEAT_SEGMENTS:
                continue
            if secret.is_repeated_by(digits):
                return secret
            if is_bare and distance <= ECHO_SEGMENTS and secret.is_echoed_by(digits, speaker):
                return secret
        return None

    def recognize_begun(self, piece: Piece, *, is_bare: bool) -> Secret | None:
        """Return the secret of which a piece is a part that was said before it was known."""
        start = bisect_left(self.all, piece.segment - FOLLOW_SEGMENTS, key=lambda s: s.first_segment)
        for secret in self.all[start : start + MAX_NEAR]:
            if not secret.first_segment - ECHO_SEGMENTS <= piece.segment <= secret.segment:
                continue
            is_card = secret.kind is Kind.CARD
            least = PART_OF_CARD if is_card else LEAST_ECHO
            begins = is_card and secret.digits.startswith(piece.digits)  # "the one that starts with 4539"
            if len(piece.digits) >= LEAST_BEGUN and (piece.digits == secret.digits or begins):
                return secret
            if is_bare and len(piece.digits) >= least and piece.digits in secret.digits:
                return secret
            if secret.kind is Kind.CARD and has_issuer(piece.digits):
                return secret  # as long as a card number, and corrected since
        return None
