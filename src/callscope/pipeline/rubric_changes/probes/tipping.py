"""What of a call and of its copy tipped an answer: the words on which it hangs, next to each other."""

import time
from collections.abc import Mapping
from typing import NamedTuple

from callscope.analysis.analyze import read_conversation
from callscope.analysis.rules.decisive import Decision, DecisiveWords, find_decisions
from callscope.calls.private_words import engines_for_file
from callscope.pipeline.rubric_changes.replays.answers import NOT_EVALUATED
from callscope.processes.time_limit import TimeLimitExceeded, limited
from callscope.projects.configuration import Configuration
from callscope.transcription.models import Transcript

LIMIT_S = 10.0  # of processor time; a page does without these words


class WordsPair(NamedTuple):
    """What is said of one thing that a rule asks for, in the call and in its copy."""

    before: DecisiveWords
    after: DecisiveWords

    @property
    def has_tipped(self) -> bool:
        """True if one counts and the other does not."""
        return self.before.certainty != self.after.certainty


def find_tipping_words(
    transcript: Transcript, copied: Transcript, config: Configuration, moved: Mapping[str, tuple[str, str]]
) -> dict[str, list[WordsPair]]:
    """Return by criterion what differs of that on which an answer of rules hangs.

    `moved` are both answers by criterion. A criterion to which the rules of today give others is left out,
    and all are where meanings are compared on another machine, which a page does not ask.
    """
    engines = engines_for_file(transcript.file, config, transcript.project.configuration)
    if engines.embedder.hosts:
        return {}
    try:
        with limited(LIMIT_S, time.thread_time):
            before, after = (
                find_decisions(read_conversation(each, config), config, engines.embedder, moved)
                for each in (transcript, copied)
            )
    except TimeLimitExceeded:
        return {}
    return {
        name: pair_words(before[name], after[name])
        for name, answers in moved.items()
        if name in before
        and name in after
        and answers == (before[name].answer or NOT_EVALUATED, after[name].answer or NOT_EVALUATED)
    }


def pair_words(before: Decision, after: Decision) -> list[WordsPair]:
    """Return what counts in one and not in the other; where there is nothing of that, all that differs."""
    theirs = {(words.role, words.part): words for words in after.words}
    pairs = [
        WordsPair(words, theirs[words.role, words.part])
        for words in before.words
        if (words.role, words.part) in theirs
    ]
    return [pair for pair in pairs if pair.has_tipped] or [p for p in pairs if p.before != p.after]
