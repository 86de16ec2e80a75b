"""Whether another attempt at a failed file can end better, by the sentence that says why it failed."""

from collections.abc import Iterable
from enum import StrEnum
from functools import lru_cache

from callscope.calls.models import UploadedFile
from callscope.messages.translation import recognize

# The same recording would fail in the same way again.
FINAL_REASONS = (
    UploadedFile.ErrorReason.AUDIO_TOO_SHORT,
    UploadedFile.ErrorReason.HALLUCINATED_TRANSCRIPT,
)
ABOUT_THE_FILE = frozenset({
    "broken_cue_time", "content_removed", "damaged_recording", "destroyed_recording",
    "file_gone", "large_transcript", "late_cue", "long_cue", "long_recording",
    "lost_cue_time", "many_cues", "many_words", "no_audio", "no_cues", "not_telephone",
    "short_recording", "transcript_removed", "undecodable", "undecodable_because",
})  # fmt: skip
REFUSED_BY_AN_ENGINE = frozenset({
    "analysis_too_long", "demo_language", "engine_refused_recording", "llm_declined", "llm_refused",
    "llm_refused_request", "private_unfit", "speech_model_english", "transcript_too_long",
})  # fmt: skip


class Prospect(StrEnum):
    """What another attempt would come to."""

    GOOD = "good"  # the cause may have passed
    AFTER_A_CHANGE = "after_a_change"  # of the engine or the settings: the same ones refuse the same content
    NONE = "none"  # nothing but another file helps


@lru_cache(maxsize=4096)
def judge_failure(reason: str, sentence: str) -> Prospect:
    """Return what another attempt comes to; `sentence` is what was stored for it."""
    if reason in FINAL_REASONS:
        return Prospect.NONE
    message = None if reason else recognize(sentence)
    if message is None:
        return Prospect.GOOD
    if message.code in ABOUT_THE_FILE:
        return Prospect.NONE
    return Prospect.AFTER_A_CHANGE if message.code in REFUSED_BY_AN_ENGINE else Prospect.GOOD


def judge_failures(causes: Iterable[str]) -> Prospect:
    """Return what another attempt at a file comes to whose analyses failed for these stored causes."""
    prospects = {judge_failure("", cause) for cause in causes}
    # One of them that may end better is reason enough to try.
    return next(iter(prospects)) if len(prospects) == 1 else Prospect.GOOD
