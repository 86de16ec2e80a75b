"""The last calls of a project that have a transcript, as the lint reads them."""

import time
from dataclasses import dataclass
from typing import cast

from callscope.analysis.conversation.turns import Conversation, build_conversation
from callscope.projects.configuration import Configuration
from callscope.projects.models import Project
from callscope.transcription.models import Transcript
from callscope.transcription.schema import Quality, Segment

MOST_CALLS = 200
READING_S = 3.0  # of processor time: somebody waits for the findings


@dataclass(frozen=True, slots=True)
class RecentCall:
    """One call and what was said in it."""

    call_id: int
    conversation: Conversation


def read_recent_calls(project: Project, config: Configuration) -> list[RecentCall]:
    """Return the newest calls of this project that were understood, as many as READING_S allows."""
    began = time.thread_time()
    newest = Transcript.objects.filter(project=project, file__newest_of__isnull=False)
    rows = newest.order_by("-file__newest_of").values_list(
        "file__newest_of", "segments", "language", "quality"
    )
    calls: list[RecentCall] = []
    for call_id, segments, language, quality in rows[:MOST_CALLS].iterator(chunk_size=20):
        conversation = build_conversation(
            cast(list[Segment], segments or []),
            language=config.language,
            spoken_language=language,
            quality=quality or Quality(ok=True, reasons=[]),
        )
        if conversation.has_words and not conversation.is_half_heard:
            calls.append(RecentCall(call_id, conversation))
        if time.thread_time() - began > READING_S:
            break
    return calls
