"""Numbers that are plainly called something, by a name right next to them."""

from collections.abc import Container, Sequence

from callscope.transcription.redaction.memory import LEAST_SURE
from callscope.transcription.redaction.names.naming import Sentence
from callscope.transcription.redaction.number_runs import NumberRun, Place
from callscope.transcription.redaction.vocabulary.kinds import ASKED_CODES, Kind, usually_has


def find_named(utterances: Sequence[list[Sentence]], kinds: Container[Kind]) -> set[Place]:
    """Return the places of numbers that are called one of the kinds in their own sentence."""
    return {
        (piece.segment, token)
        for sentences in utterances
        for sentence in sentences
        for piece, naming in sentence.pieces
        if naming and (naming.is_linked or naming.letters) and naming.kind in kinds
        for token in piece.tokens
    }


def find_repeated(runs: Sequence[NumberRun], named: set[Place]) -> set[Place]:
    """Return the places of whole numbers that are said again, of which one is in `named`."""
    digits = {run.digits for run in runs if not named.isdisjoint(run.places)}
    return {
        place
        for run in runs
        if run.digits in digits and len(run.digits) >= LEAST_SURE
        for place in run.places
    }


def find_named_codes(sentences: Sequence[Sentence]) -> list[tuple[int, Kind]]:
    """Return the first tokens of the numbers that a name next to them calls codes, and which codes."""
    return [
        (piece.tokens[0], naming.kind)
        for sentence in sentences
        for piece, naming in sentence.pieces
        if naming
        and naming.is_linked
        and naming.kind in ASKED_CODES
        and usually_has(naming.kind, piece.digits)
    ]
