"""Every time that phrases are said, where the first one is not enough: to count, to order, to list.

A time is a sentence of a cue: two phrases in one sentence are one time.
"""

from collections.abc import Iterator, Sequence

from callscope.analysis.conversation.turns import Place, Segment, cut_after, cut_before, join_turns
from callscope.analysis.matching import phrases as phrase_matches
from callscope.analysis.matching.phrases import PhraseMatch
from callscope.language.sentences import split_sentences
from callscope.language.tokens import tokenize
from callscope.projects.configuration_rules import Pattern

MAX_TIMES = 50  # listed of one call; what is counted is counted as far as it matters


def find_times(
    wanted: Sequence[str | Pattern], segments: Sequence[Segment], language: str, *, most: int = MAX_TIMES
) -> list[PhraseMatch]:
    """Return the first times that a phrase is said, by its words, in their order; `most` of them."""
    found: list[PhraseMatch] = []
    for match in _walk(wanted, segments, language):
        found.append(match)
        if len(found) >= most:
            break
    return found


def find_earliest(
    wanted: Sequence[str | Pattern], segments: Sequence[Segment], language: str
) -> PhraseMatch | None:
    """Return the first time that a phrase is said, by its words."""
    return next(_walk(wanted, segments, language), None)


def _walk(
    wanted: Sequence[str | Pattern], segments: Sequence[Segment], language: str
) -> Iterator[PhraseMatch]:
    """Yield the times in order: of what was found, what stands before it is looked through first."""
    for turn in join_turns(segments):
        open_parts: list[list[Segment] | PhraseMatch] = [turn.segments]
        while open_parts:
            part = open_parts.pop()
            if isinstance(part, PhraseMatch):
                yield part
                continue
            match = phrase_matches.find_phrase(wanted, list(join_turns(part)), language)
            if match:
                first, after = _find_sentence(turn.segments, match)
                open_parts += [cut_after(part, after), match, cut_before(part, first)]


def _find_sentence(segments: Sequence[Segment], match: PhraseMatch) -> tuple[Place, Place]:
    """Return where the sentence begins that holds the start of a match, and where that of its end ends."""
    by_index = {s.index: s for s in segments}
    starts = _list_starts(by_index[match.start.segment])
    ends = _list_starts(by_index[match.end.segment])
    begin = max(word for word in starts if word <= match.start.word)
    end = next((word for word in ends if word >= match.end.word), len(by_index[match.end.segment].words))
    after = Place(match.end.segment, max(end, match.end.word))
    return Place(match.start.segment, begin), after


def _list_starts(segment: Segment) -> list[int]:
    """Return the number of the word with which each sentence of a cue begins, the first 0."""
    starts = [0]
    for sentence in split_sentences(segment.spoken, keep_titles=True):
        starts.append(starts[-1] + len(tokenize(sentence)))
    return starts[:-1]
