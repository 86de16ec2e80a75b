"""Which parts of a call a link would show, so that nobody is promised what is not there."""

from typing import NamedTuple

from callscope.calls.models import Call, UploadedFile
from callscope.interfaces.web.page_context import TemplateContext
from callscope.interfaces.web.views.call import build_recording
from callscope.reports.call_list.call_detail import CallDetail, find_call


class SharedParts(NamedTuple):
    """What a call has that people without an account may see."""

    recording: bool = False
    transcript: bool = False
    results: bool = False
    results_alone: bool = False  # what is left of the results without words of the call
    is_unjudged: bool = False  # there are results, and no answer among them
    is_corrected: bool = False  # a person's review counts in the results

    @property
    def is_nothing(self) -> bool:
        return not (self.recording or self.transcript or self.results)


def find_parts(call: Call) -> SharedParts:
    """Return what the call has by now."""
    detail = find_call([call.project], call.pk)
    if detail is None:
        return SharedParts()
    recording = build_recording(detail)
    transcript = detail.transcript
    has_words = bool(transcript and transcript.segments and not transcript.file.transcript_removed_at)
    results_alone = any(detail.completed(part) for part in ("copc", "no_protocol", "insights"))
    is_unjudged = lacks_answers(detail)
    return SharedParts(
        recording=find_playable(recording) is not None,
        transcript=has_words,
        results=results_alone or bool(detail.completed("custom_questions")),
        results_alone=results_alone and not is_unjudged,
        is_unjudged=is_unjudged,
        is_corrected=detail.review is not None,
    )


def lacks_answers(detail: CallDetail) -> bool:
    """Return whether no criterion could be evaluated, and nothing else is known of the call either."""
    copc, found = detail.completed("copc") or {}, detail.completed("no_protocol") or {}
    insights = detail.completed("insights") or {}
    if not copc.get("not_evaluated") or copc.get("criterion_scores"):
        return False
    if any(found.get(kind) for kind in ("mistakes", "missing_prompts", "prompts")):
        return False
    return insights.get("sentiment") is None and insights.get("goal_reached") is None


def find_playable(recording: TemplateContext) -> UploadedFile | None:
    """Return the file of build_recording() if people without an account may hear it."""
    file = recording["file"]
    if not isinstance(file, UploadedFile) or file.file_type != UploadedFile.Type.AUDIO:
        return None
    has_sound = not file.content_removed_at and (file.playback_key or file.storage_key)
    return file if has_sound and file.status == UploadedFile.Status.TRANSCRIBED else None
