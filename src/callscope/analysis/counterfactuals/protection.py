"""Where phrases of the settings stand in a call: what they decide by has to be the same in every copy."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from callscope.analysis.conversation.turns import Segment, join_turns
from callscope.language.patterns import PatternTooSlow, Span, find_pattern, fold_letters
from callscope.language.tokens import WORD
from callscope.projects.configuration import Configuration
from callscope.projects.configuration_rules import Pattern


class Word(NamedTuple):
    """One word of a segment, folded, with its characters."""

    segment: int
    span: Span
    text: str


class Protection:
    """The phrases of a configuration."""

    def __init__(self, config: Configuration) -> None:
        self.patterns: list[str] = []
        self.by_first_word: defaultdict[str, set[tuple[str, ...]]] = defaultdict(set)
        for phrase in list_phrases(config):
            if isinstance(phrase, Pattern):
                self.patterns.append(phrase.pattern)
            elif words := tuple(word.text for word in read_words(0, phrase)):
                self.by_first_word[words[0]].add(words)

    def find_spans(self, segments: Sequence[Segment]) -> dict[int, list[Span]]:
        """Return the characters of each segment that belong to a phrase, also to one that spans segments."""
        found: defaultdict[int, list[Span]] = defaultdict(list)
        for turn in join_turns(segments):
            words = [word for segment in turn.segments for word in read_words(segment.index, segment.text)]
            texts = [word.text for word in words]
            for at, text in enumerate(texts):
                for phrase in self.by_first_word.get(text, ()):
                    if tuple(texts[at : at + len(phrase)]) == phrase:
                        for word in words[at : at + len(phrase)]:
                            found[word.segment].append(word.span)
        for pattern in self.patterns:
            try:
                for number, span in find_pattern(pattern, [segment.text for segment in segments]):
                    found[segments[number].index].append(span)
            except PatternTooSlow:  # then no rule is decided by it either
                continue
        return found


def list_phrases(config: Configuration) -> Iterable[str | Pattern]:
    """Yield every phrase and pattern of the settings."""
    rules = [c.rule for _, c in config.rubric.criteria() if c.rule] + [t.rule for t in config.trackers]
    for rule in rules:
        for phrases in rule.phrase_lists():
            yield from phrases
    for prompt in config.no_protocol.prompts:
        yield from prompt.any_of
    for mistake in config.no_protocol.mistakes:
        yield from mistake.any_of
    yield from config.goal.phrases
    for code in config.contact_reasons.codes:
        yield from code.phrases


def read_words(segment: int, text: str) -> list[Word]:
    """Return the words of a text as phrases are compared; every character keeps its place."""
    folded = fold_letters(text).lower()
    return [Word(segment, Span(*match.span()), match.group()) for match in WORD.finditer(folded)]
