"""What of a project's files is past its days of retention.

Days count from the moment of the upload, which the server sets: the time of a call is metadata, which
clients write. Each file has its own: a call that is uploaded again keeps its newer recording longer.
A file on which work is open, or whose call is being analyzed, waits for the next sweep.
"""

import datetime as dt
from dataclasses import astuple, dataclass

from django.db.models import Exists, OuterRef, Q, QuerySet

from callscope.analysis.models import ANY_OPEN, STATE_FIELDS, CallAnalysis
from callscope.calls.models import Call, UploadedFile
from callscope.pipeline.models import Job
from callscope.pipeline.queue.jobs import OPEN_STATES
from callscope.projects.configuration import Retention
from callscope.projects.models import Project
from callscope.reviews.appeal_records import Appeal
from callscope.reviews.models import Review
from callscope.reviews.note_records import CoachingNote
from callscope.transcription.models import Transcript

NEVER = Q(pk__in=[])
IS_AUDIO = Q(file_type=UploadedFile.Type.AUDIO)
HAS_BYTES = ~Q(storage_key="", playback_key="")
HAS_RECORDING = IS_AUDIO & HAS_BYTES


@dataclass(frozen=True, slots=True)
class Cutoffs:
    """The moments before which an upload is past its days; None where nothing ever is."""

    recordings: dt.datetime | None
    transcripts: dt.datetime | None
    results: dt.datetime | None

    @classmethod
    def of(cls, retention: Retention, now: dt.datetime) -> "Cutoffs":
        """Return the cutoffs of a project's settings."""
        days = (retention.recordings_days, retention.transcripts_days, retention.results_days)
        return cls(*(now - dt.timedelta(days=each) if each else None for each in days))


@dataclass(frozen=True, slots=True)
class Forecast:
    """How much a sweep removes."""

    recordings: int  # files whose recording goes
    transcripts: int  # files whose transcript goes, or what their results quote
    results: int  # calls that leave the reports
    calls: int  # erased as a whole, because nothing of them is left; in a general project files
    reviews: int = 0  # by people, which go with results
    notes: int = 0  # on calls, whose text goes with a transcript; the whole note with its call
    appeals: int = 0  # as the notes

    @property
    def is_empty(self) -> bool:
        return not any(astuple(self))

    def exceeds(self, other: "Forecast") -> bool:
        """Return whether of anything more is removed than in another forecast."""
        return any(here > there for here, there in zip(astuple(self), astuple(other), strict=True))


def find_due_recordings(cutoffs: Cutoffs) -> Q:
    """Return the condition for files whose recording is past its days."""
    return _before(cutoffs.recordings) & HAS_RECORDING


def find_due_transcripts(cutoffs: Cutoffs) -> Q:
    """Return the condition for files whose transcript is past its days, or whose results quote one.

    An uploaded SRT or VTT file is a transcript, and no recording.
    """
    quoting = Q(Exists(_analyses_of_file().filter(completed_at__isnull=False)))
    return _before(cutoffs.transcripts) & (_has_transcript() | (Q(transcript_removed_at=None) & quoting))


def find_due_results(cutoffs: Cutoffs) -> Q:
    """Return the condition for files whose results are past their days."""
    return _before(cutoffs.results) & _has_results()


def find_spent(project: Project, cutoffs: Cutoffs) -> Q:
    """Return the condition for files of which nothing is left, once all that is due has gone.

    Their calls are then erased as a whole, unless another file of the call keeps something.
    """
    is_alone = ~Exists(
        UploadedFile.objects.filter(call=OuterRef("call")).exclude(_is_used_up(project, cutoffs))
    )
    return _is_used_up(project, cutoffs) & Q(is_alone)


def list_idle_files(project: Project) -> QuerySet[UploadedFile]:
    """Return the project's files on which, and on whose call, no work is open."""
    kinds = (Job.Kind.TRANSCRIBE, Job.Kind.ANALYZE)
    working = Job.objects.filter(kind__in=kinds, state__in=OPEN_STATES, subject_id=OuterRef("pk"))
    analyzing = CallAnalysis.objects.filter(ANY_OPEN, call=OuterRef("call"))
    return UploadedFile.objects.filter(~Exists(working), ~Exists(analyzing), project=project)


def forecast_removal(project: Project, retention: Retention, now: dt.datetime) -> Forecast:
    """Return how much a sweep at this moment would remove of what is stored today; nothing is changed."""
    cutoffs, files = Cutoffs.of(retention, now), list_idle_files(project)
    spent = files.filter(find_spent(project, cutoffs))
    live = CallAnalysis.objects.filter(file=OuterRef("pk"), is_live=True)
    results = files.filter(find_due_results(cutoffs))
    words = files.filter(find_due_transcripts(cutoffs))
    silenced, erased = Q(call__in=words.values("call")), Q(call__in=spent.values("call"))
    has_reason = ~Q(reason="", decision_reason="")
    return Forecast(
        recordings=files.filter(find_due_recordings(cutoffs)).count(),
        transcripts=words.count(),
        results=results.filter(Exists(live)).count(),
        calls=spent.values("call").distinct().count() if project.type == Project.Type.CALL else spent.count(),
        reviews=Review.all_objects.filter(Q(file__in=results) | Q(file__in=spent)).count(),
        notes=CoachingNote.objects.filter(erased | (silenced & ~Q(text=""))).count(),
        appeals=Appeal.objects.filter(erased | (silenced & has_reason)).count(),
    )


def find_spent_calls(project: Project, cutoffs: Cutoffs, call_ids: list[int]) -> list[int]:
    """Return those of the calls of which nothing is left."""
    used = UploadedFile.objects.filter(call=OuterRef("pk")).exclude(_is_used_up(project, cutoffs))
    calls = Call.objects.filter(~Exists(used), project=project, pk__in=call_ids)
    return list(calls.order_by("pk").values_list("pk", flat=True))


def _is_used_up(project: Project, cutoffs: Cutoffs) -> Q:
    """Return the condition for files that keep nothing, and are past the days of what they are kept for."""
    keeps = (
        (HAS_RECORDING & ~_before(cutoffs.recordings))
        | (_has_transcript() & ~_before(cutoffs.transcripts))
        | (_has_results() & ~_before(cutoffs.results))
    )
    is_call = project.type == Project.Type.CALL
    return _before(cutoffs.results if is_call else cutoffs.transcripts) & ~keeps


def _before(moment: dt.datetime | None) -> Q:
    return NEVER if moment is None else Q(created_at__lt=moment)


def _has_transcript() -> Q:
    return Q(Exists(Transcript.objects.filter(file=OuterRef("pk")))) | (~IS_AUDIO & HAS_BYTES)


def _has_results() -> Q:
    has_state = Q()
    for field in STATE_FIELDS.values():
        has_state |= Q(**{f"{field}__isnull": False})
    return Q(Exists(_analyses_of_file().filter(has_state)))


def _analyses_of_file() -> QuerySet[CallAnalysis]:
    return CallAnalysis.objects.filter(file=OuterRef("pk"))
