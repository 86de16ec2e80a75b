"""Find what identifies somebody in a transcript: numbers and addresses, written or read out.

A number is what it is called or what was asked for (dialog.py), a card number also
one by its check digit. Any other number stays, unless its own kind is chosen.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, pairwise
from typing import NamedTuple

from callscope.engines.embeddings.protocol import Embedder
from callscope.transcription.redaction.dialog import Labels, label_numbers
from callscope.transcription.redaction.emails import find_emails
from callscope.transcription.redaction.number_runs import NumberRun, Place, collect_number_runs
from callscope.transcription.redaction.utterances import Utterance, read_utterances
from callscope.transcription.redaction.vocabulary.kinds import SECRET_CODES, Kind, Length
from callscope.transcription.schema import Segment

PHONE_DIGITS = Length(7, 15)
NAMED_PHONE_DIGITS = Length(5, 15)  # called a phone number
MIN_RUN_DIGITS = 4
END = -1
NO_IDENTIFIERS = frozenset((Kind.AMOUNT, Kind.DATE, Kind.TIME, Kind.QUANTITY, Kind.EXPIRY))


class Stretch(NamedTuple):
    """A stretch of the text of one segment."""

    segment: int
    start: int
    end: int


class Identifier(NamedTuple):
    """Something found, and the stretches of text that it takes."""

    kind: str  # a key of PLACEHOLDERS
    stretches: list[Stretch]


def find_identifiers(
    segments: list[Segment], kinds: Iterable[str], *, encoder: Embedder | None = None
) -> list[Identifier]:
    """Return everything of the wanted kinds; what is found may overlap. `encoder`: as in redaction.py."""
    wanted = set(kinds)
    utterances = list(read_utterances(segments))
    runs = collect_number_runs(utterances)
    labels = label_numbers(utterances, runs, encoder=encoder)
    found: list[Identifier] = []
    for kind, places in _find_numbers(wanted, runs, labels):
        found.append(Identifier(kind, list(_find_stretches(utterances, places))))
    if "emails" in wanted:
        for index, segment in enumerate(segments):
            found += [Identifier("emails", [Stretch(index, *ends)]) for ends in find_emails(segment["text"])]
    return found


def _find_numbers(
    wanted: set[str], runs: Sequence[NumberRun], labels: Labels
) -> Iterator[tuple[str, list[Place]]]:
    """Yield the wanted kind and the places of each number."""
    secrets: dict[tuple[str, int], list[Place]] = {}
    for place, label in labels.items():
        kind = "security_codes" if label.kind in SECRET_CODES else "cards"
        if label.kind in (Kind.CARD, *SECRET_CODES) and kind in wanted:
            secrets.setdefault((kind, label.number), []).append(place)
    for (kind, _), places in secrets.items():
        yield kind, sorted(places)
    if wanted.isdisjoint(("phones", "digit_runs")):
        return
    for run in runs:
        kinds = {labels[place].kind for place in run.places if place in labels}
        if "phones" in wanted and _is_phone(run, kinds):
            yield "phones", run.places
        if "digit_runs" in wanted and len(run.digits) >= MIN_RUN_DIGITS and not kinds & NO_IDENTIFIERS:
            yield "digit_runs", run.places


def _is_phone(run: NumberRun, kinds: set[Kind]) -> bool:
    if Kind.PHONE in kinds:
        return len(run.digits) in NAMED_PHONE_DIGITS
    return not kinds and len(run.digits) in PHONE_DIGITS


def _find_stretches(utterances: Sequence[Utterance], places: list[Place]) -> Iterator[Stretch]:
    """Yield the stretches to take out: fillers between numbers go with them, other words stay."""
    for segment, group in groupby(places, key=lambda place: place[0]):
        tokens, fillers = utterances[segment].tokens, utterances[segment].fillers
        numbers = [token for _, token in group]
        first = numbers[0]
        for number, following in pairwise([*numbers, END]):
            is_joined = following is not END and all(at in fillers for at in range(number + 1, following))
            if not is_joined:
                yield Stretch(segment, tokens[first].start, tokens[number].end)
                first = following
