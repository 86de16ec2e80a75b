"""Numbers that are card numbers by themselves: their length, issuer and check digit (Luhn) are right.

A card may be read out at a stretch, in parts over several turns, or in parts by
both sides ("I have 4539 1488" – "then 0343 6467").
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby, pairwise

from callscope.transcription.redaction.number_runs import NumberRun, Place
from callscope.transcription.redaction.vocabulary.kinds import CARD_BEGINNINGS, CARD_LENGTH, is_expiry

MAX_TAKEN_BACK = 6  # digits that a speaker corrects at once
MAX_PARTS = 8
STRAY_NUMBERS = 2  # that may stand before a card number without a pause: "one 4539 ..."
MAX_DETAILS = 12  # digits of a date, a code and a zip code
USUAL_LENGTHS = (15, 16)
EXPIRY_DIGITS = 4
LONGEST_ACCOUNT = 22  # digits, of a Spanish IBAN
USUAL_PART = 4  # digits
READ_AS_CARD = ((4, 4, 4, 4), (4, 6, 5))  # digits between pauses
LEAST_PART = 2  # digits of a part of a number
LEAST_PART_OF_BOTH = 3  # where both sides say a part
LEAST_REPEATED = 3  # digits of a part that is said once more: "4896" – "You cut out." – "4896, and 5449"

# First digits → lengths of the numbers that issuers give out.
ISSUERS: tuple[tuple[range, int, frozenset[int]], ...] = (
    (range(4, 5), 1, frozenset((16, 19))),  # Visa
    (range(51, 56), 2, frozenset((16,))),  # Mastercard
    (range(2221, 2721), 4, frozenset((16,))),
    (range(34, 35), 2, frozenset((15,))),  # American Express
    (range(37, 38), 2, frozenset((15,))),
    (range(300, 306), 3, frozenset((14, 16))),  # Diners
    (range(36, 37), 2, frozenset((14, 16))),
    (range(38, 40), 2, frozenset((14, 16))),
    (range(6011, 6012), 4, frozenset((16, 19))),  # Discover
    (range(644, 660), 3, frozenset((16, 19))),
    (range(3528, 3590), 4, frozenset((16,))),  # JCB
    (range(62, 63), 2, frozenset((16, 19))),  # UnionPay
    (range(50, 51), 2, frozenset((16, 18, 19))),  # Maestro
    (range(56, 59), 2, frozenset((16, 18, 19))),
    (range(60, 68), 2, frozenset((16, 18, 19))),
)


def is_card_number(digits: str) -> bool:
    """True if an issuer gives out such numbers and the check digit is right."""
    return len(digits) in CARD_LENGTH and has_issuer(digits) and has_check_digit(digits)


def has_check_digit(digits: str) -> bool:
    """True if the last digit is the check digit of the others (Luhn)."""
    doubled = (int(digit) * (1 + place % 2) for place, digit in enumerate(reversed(digits)))
    return sum(value - 9 if value > 9 else value for value in doubled) % 10 == 0


def has_issuer(digits: str) -> bool:
    """True if an issuer gives out numbers of that length that begin so."""
    return any(
        len(digits) in lengths and int(digits[:prefix]) in numbers for numbers, prefix, lengths in ISSUERS
    )


def is_read_as_card(runs: Sequence[NumberRun], digits: str) -> bool:
    """True for four times four digits, or those of an American Express card, with the digits of an issuer."""
    return has_issuer(digits) and tuple(size for run in runs for _, size in run.chunks) in READ_AS_CARD


def find_read_as_card(run: NumberRun) -> list[Place]:
    """Return the places of a number that is read out as cards are, before its date and code."""
    sizes = tuple(size for _, size in run.chunks)
    starts = [first for first, _ in run.chunks] + [len(run.groups)]
    for shape in READ_AS_CARD:
        end = len(shape)
        is_shape = sizes[:end] == shape and starts[end] > starts[end - 1] and sum(sizes[end:]) <= MAX_DETAILS
        if is_shape and has_issuer("".join(run.groups[: starts[end]])):
            return run.places[: starts[end]]
    return []


def find_valid_cards(
    runs: Sequence[NumberRun], *, no_cards: set[Place], no_parts: set[Place], last_parts: set[Place]
) -> set[Place]:
    """Return the places of all numbers that belong to a valid card.

    `no_cards` are numbers that are plainly called something else, `no_parts` those that
    are called anything, and so are no part of a number that goes on elsewhere, `last_parts`
    those that are called the last digits, which only end what the same speaker reads out.
    """
    found: set[Place] = set()
    for run in runs:
        if run.is_answer and len(run.digits) > CARD_LENGTH.most:
            found.update(place for card in find_in_answer(run) if no_cards.isdisjoint(card) for place in card)
            continue
        if run.is_said_twice and len(run.digits) < 2 * CARD_LENGTH.least:
            continue  # as is one over a part and its repetition
        found.update(find_in_run(run, no_cards))
        read = find_read_as_card(run)
        found.update(read if no_cards.isdisjoint(read) else [])
    parts = [
        run
        for run in runs
        if not run.is_answer and found.isdisjoint(run.places) and no_parts.isdisjoint(run.places)
    ]
    taken_back = {run.places[0] for run in find_taken_back(runs, found)}
    parts = [run for run in parts if run.places[0] not in taken_back]
    of_speaker = sorted(parts, key=lambda run: run.speaker or "")
    for _, said in groupby(of_speaker, key=lambda run: run.speaker):
        found.update(find_in_parts(list(said), LEAST_PART, NumberRun.goes_on_from))
    both = [run for run in parts if last_parts.isdisjoint(run.places)]
    both = [run for at, run in enumerate(both) if not (at and is_echo(run, both[at - 1]))]
    found.update(find_in_parts(both, LEAST_PART_OF_BOTH, NumberRun.takes_up))
    return found


def find_taken_back(runs: Sequence[NumberRun], found: set[Place]) -> Iterator[NumberRun]:
    """Yield the runs that a card corrects: the 3426 of "3426, sorry, 3424 193364 14791" begins none."""
    last: dict[str | None, NumberRun] = {}
    for run in runs:
        before = last.get(run.speaker)
        if before and run.is_correction and not found.isdisjoint(run.places):
            yield before
        last[run.speaker] = run


def is_echo(run: NumberRun, before: NumberRun) -> bool:
    """True if the other side repeats what was just said, and the number goes on after it."""
    return run.speaker != before.speaker and run.digits == before.digits


def find_in_run(run: NumberRun, no_cards: set[Place]) -> Iterator[Place]:
    """Yield the places of the cards that are read out at a stretch, with what follows or precedes them."""
    start, end = 0, 0
    while start < len(run.groups):
        may_begin = (
            start in (*range(STRAY_NUMBERS + 1), end) or run.pauses[start] or len(run.groups[start]) > 1
        )
        end = find_card_end(run, start) if may_begin and run.groups[start][0] in CARD_BEGINNINGS else 0
        # A number that is as long as a card's is one, misheard, where only its end is right by chance.
        is_end = end == len(run.groups) and len(run.digits) in USUAL_LENGTHS and has_issuer(run.digits)
        if end and no_cards.isdisjoint(run.places[start:end]):
            yield from run.places[0 if is_end else start : end]
        start = end or start + 1


def find_in_answer(run: NumberRun) -> Iterator[list[Place]]:
    """Yield the places of each card that is no chance in a long number, though another one was asked for.

    Nothing but cards and their details is said (two cards or more, or one with its date), or the card stands
    by itself, or at one end of more digits than an account number has.
    """
    last = len(run.groups)
    ends = {*run.breaks, last}
    cards = list(list_cards(run))
    alone = [(start, find_card_end(run, start)) for start in (0, *run.breaks)]
    alone += [(at, at + 1) for at, group in enumerate(run.groups) if is_card_number(group)]
    alone = [(start, end) for start, end in alone if end in ends or end == start + 1]
    tail = range(max(0, last - CARD_LENGTH.most), last)
    at_end = [(start, last) for start in tail if is_card_number("".join(run.groups[start:]))][:1]
    if is_made_of_cards(run, cards):
        found = cards
    elif alone or len(run.digits) <= LONGEST_ACCOUNT:
        found = alone
    else:
        found = at_end or [card for card in cards if not card[0]]
    yield from (run.places[start:end] for start, end in found)


def list_cards(run: NumberRun) -> Iterator[tuple[int, int]]:
    """Yield where in a run a card begins and ends, each after the one before."""
    start = 0
    while start < len(run.groups):
        end = find_card_end(run, start)
        if end:
            yield start, end
        start = end or start + 1


def is_made_of_cards(run: NumberRun, cards: Sequence[tuple[int, int]]) -> bool:
    """True if nothing is said but cards and what follows each: two cards or more, or one with its date."""
    starts = [start for start, _ in cards] + [len(run.groups)]
    details = [
        "".join(run.groups[end:following]) for (_, end), following in zip(cards, starts[1:], strict=True)
    ]
    if starts[0] or any(len(rest) > MAX_DETAILS for rest in details):
        return False
    return len(cards) > 1 or (len(details[0]) >= EXPIRY_DIGITS and is_expiry(details[0][:EXPIRY_DIGITS]))


def find_card_end(run: NumberRun, start: int) -> int:
    """Return where the card ends that begins at `start`, of the usual length if it can; 0 where none does."""
    best, digits = 0, ""
    for place in range(start, min(len(run.groups), start + CARD_LENGTH.most)):
        digits += run.groups[place]
        if len(digits) > CARD_LENGTH.most:
            break
        if is_card_number(digits):
            best = place + 1
            if len(digits) in USUAL_LENGTHS:
                break
    return best


def find_in_parts(
    runs: list[NumberRun], least: int, goes_on: Callable[[NumberRun, NumberRun], bool]
) -> Iterator[Place]:
    """Yield the places of the cards that several whole runs make up together."""
    runs = [run for run in runs if len(run.digits) > 1]  # "The eight that are missing are 0343 6467."
    yield from find_in_said(runs, [run.digits for run in runs], least, goes_on)
    if any(run.begins_with_oh for run in runs):
        said = [run.digits[run.begins_with_oh :] for run in runs]
        yield from find_in_said(runs, said, least, goes_on)
    if any(run.is_said_twice for run in runs):
        said = [run.digits[len(run.digits) // 2 :] if run.is_said_twice else run.digits for run in runs]
        yield from find_in_said(runs, said, least, goes_on)
    once = list(leave_out_repeated(runs))
    if not all(once):
        yield from find_in_said(runs, once, least, goes_on)
    if any(run.is_correction for run in runs[1:]):
        for count in (0, USUAL_PART):
            yield from find_in_said(runs, list(take_back(runs, count)), least, goes_on)


def leave_out_repeated(runs: Sequence[NumberRun]) -> Iterator[str]:
    """Yield what each run says; nothing where the same speaker begins the next one with it once more."""
    for run, following in pairwise(runs):
        is_repeated = following.speaker == run.speaker and following.digits.startswith(run.digits)
        yield "" if is_repeated and len(run.digits) >= LEAST_REPEATED else run.digits
    yield from (run.digits for run in runs[-1:])


def take_back(runs: Sequence[NumberRun], count: int) -> Iterator[str]:
    """Yield what each run says without what the next one corrects: as many digits as it has, or `count`."""
    following: NumberRun | None
    for run, following in zip(runs, [*runs[1:], None], strict=True):
        wrong = 0
        if following and following.is_correction and following.speaker == run.speaker:
            wrong = count or len(following.digits)
        yield run.digits[: max(0, len(run.digits) - wrong)]


def find_in_said(
    runs: list[NumberRun], said: list[str], least: int, goes_on: Callable[[NumberRun, NumberRun], bool]
) -> Iterator[Place]:
    """Yield the places of the cards that the runs make up, with what was said in each."""
    for first in range(len(runs)):
        digits = ""
        for last in range(first, min(len(runs), first + MAX_PARTS)):
            run, part = runs[last], said[last]
            if (part and len(part) < least) or (last > first and not goes_on(run, runs[last - 1])):
                break
            if last > first:
                parts = runs[first : last + 1]
                if makes_card(parts, digits, part):
                    yield from (place for each in parts for place in each.places)
                elif run.digits == part:
                    end = find_end_of_card(run, digits)
                    yield from (place for each in parts[:-1] if end for place in each.places)
                    yield from end
            digits += part
            if len(digits) > CARD_LENGTH.most or len(part) >= CARD_LENGTH.most:
                break


def makes_card(parts: Sequence[NumberRun], before: str, last: str) -> bool:
    """True if the digits of several runs, those `before` and the `last` ones, are a card number."""
    if before == last or len(last) >= CARD_LENGTH.most:
        return False  # a shorter number said twice
    taken_back = range(MAX_TAKEN_BACK + 1 if parts[-1].is_correction else 1)
    kept = (before[: len(before) - count] for count in taken_back if count < len(before))
    if any(is_card_number(each + last) for each in kept):
        return True
    return is_read_as_card(parts, before + last) and all(run.is_near(at) for at, run in pairwise(parts))


def find_end_of_card(run: NumberRun, before: str) -> list[Place]:
    """Return the places of the digits that end the card begun `before`, ahead of its date and code."""
    digits = before
    for at, group in enumerate(run.groups):
        if len(digits) > CARD_LENGTH.most:
            break
        rest = len(run.digits) - (len(digits) - len(before))
        is_end = at > 0 and run.pauses[at] and len(digits) in USUAL_LENGTHS and rest <= MAX_DETAILS
        if is_end and is_card_number(digits):
            return run.places[:at]
        digits += group
    return []
