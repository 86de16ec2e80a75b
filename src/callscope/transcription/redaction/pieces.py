"""Numbers that are said at a stretch in one segment, and how they are cut into parts."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import accumulate

from callscope.transcription.redaction.vocabulary.kinds import CVV_DIGITS

MAX_LIST = 40  # numbers of a piece that may be a list


@dataclass(slots=True)
class Piece:
    """Numbers of one segment with nothing but fillers between them, also over the end of a sentence."""

    segment: int
    tokens: list[int]  # places of the numbers among the segment's tokens
    groups: list[str]  # the digits of each
    breaks: list[int] = field(default_factory=list)  # where in `tokens` a new sentence begins
    pauses: list[int] = field(default_factory=list)  # where in `tokens` a comma or a filler stands before
    joints: list[int] = field(default_factory=list)  # those of the pauses that say "and"

    @property
    def digits(self) -> str:
        return "".join(self.groups)

    @property
    def said_once(self) -> str:
        """The digits, once where the same are said twice: "482 913, 482 913"."""
        digits = self.digits
        half = len(digits) // 2
        return digits[:half] if half >= CVV_DIGITS and digits == 2 * digits[:half] else digits

    def join(self, start: int, end: int) -> str:
        """Return the digits of some of the numbers."""
        return "".join(self.groups[start:end])

    def is_list(self, length: int) -> bool:
        """True for several numbers of so many digits with pauses between them: "457, 231 and 908"."""
        if not 1 < len(self.groups) <= MAX_LIST:
            return False
        ends = list(accumulate(map(len, self.groups)))
        starts = {ends[at - 1] for at in self.pauses}
        return (
            ends[-1] % length == 0
            and ends[-1] > length
            and starts.issuperset(range(length, ends[-1], length))
        )

    def part(self, start: int, end: int) -> "Piece":
        """Return the numbers from `start` to before `end` as a piece."""
        breaks, pauses, joints = (
            [at - start for at in places[bisect_right(places, start) : bisect_left(places, end)]]
            for places in (self.breaks, self.pauses, self.joints)
        )
        return Piece(self.segment, self.tokens[start:end], self.groups[start:end], breaks, pauses, joints)

    def cut(self, cuts: Sequence[int]) -> list["Piece"]:
        """Return the parts between the cuts, places in `tokens` in order."""
        ends = [*cuts, len(self.tokens)]
        return [self.part(start, end) for start, end in zip([0, *cuts], ends, strict=True)]

    def cut_where(self, flags: Sequence[bool]) -> list["Piece"]:
        """Return the parts in which the flags of the numbers are the same."""
        return self.cut([at for at in range(1, len(flags)) if flags[at] != flags[at - 1]])
