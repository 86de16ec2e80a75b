"""How far an uploaded file is, in a word and a sentence, and whether another try can help."""

from dataclasses import dataclass

from django.db.models import Q
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy

from callscope.analysis.models import (
    ANY_FAILED,
    ANY_OPEN,
    OPEN_ANALYSES,
    STATE_FIELDS,
    AnalysisState,
    CallAnalysis,
    is_unfinished,
)
from callscope.calls.models import UploadedFile
from callscope.interfaces.web.engine_notices import describe_wait
from callscope.messages.translation import translate_stored
from callscope.pipeline.files import retry_failed
from callscope.pipeline.files.prospects import Prospect, judge_failure, judge_failures
from callscope.pipeline.queue.breakers.waits import EngineWait
from callscope.projects.models import Project

Reason = UploadedFile.ErrorReason
REASONS = {
    Reason.AUDIO_TOO_SHORT: gettext_lazy(
        "The recording is shorter than 10 seconds. The same recording would fail again."
    ),
    Reason.HALLUCINATED_TRANSCRIPT: gettext_lazy(
        "The transcript has times far beyond the end of the recording. The same recording would fail again."
    ),
    Reason.PRIVATE_TRANSCRIPTION_UNAVAILABLE: gettext_lazy(
        "The private transcription service could not be reached. The recording was sent nowhere else."
    ),
}
PROSPECTS = {  # what is said of a failure where another attempt is not simply offered
    Prospect.NONE: gettext_lazy("The same file would fail again."),
    Prospect.AFTER_A_CHANGE: gettext_lazy("Another attempt helps only after a change of engine or settings."),
}
LABELS = {
    "waiting": gettext_lazy("Waiting"),
    "parked": gettext_lazy("Waiting for an engine"),
    "transcribing": gettext_lazy("Being transcribed"),
    "transcribed": gettext_lazy("Transcribed"),
    "analysing": gettext_lazy("Being analyzed"),
    "done": pgettext_lazy("file", "Analyzed"),
    "failed": gettext_lazy("Failed"),
    "partly": gettext_lazy("Partly analyzed"),
    "removed": pgettext_lazy("file", "Results removed"),
}
ENDS = ("transcribed", "done", "failed", "partly", "removed")


def filter_by_state(project: Project, state: str) -> Q:
    """Return what the files of a project have in common whose label is this state, or whose status.

    "failed" is also one that was analyzed in part. Of replaced files only failed recordings are found.
    """
    if state == "failed":
        failed = retry_failed.failed_analyses(project)
        return Q(status=UploadedFile.Status.FAILED) | Q(pk__in=failed.values("file"))
    if state == "analysing":
        is_open = Q(ANY_OPEN, project=project, file__status=UploadedFile.Status.TRANSCRIBED)
        return Q(pk__in=CallAnalysis.objects.filter(is_open).values("file"))
    if state == "done":
        analyses = CallAnalysis.objects.filter(project=project, file__status=UploadedFile.Status.TRANSCRIBED)
        found = analyses.exclude(ANY_OPEN).exclude(ANY_FAILED)
        return Q(pk__in=found.values("file"), results_removed_at=None)
    if state == "removed":
        return Q(results_removed_at__isnull=False)
    if state == "transcribed":  # what is analyzed has another label
        return Q(status=state, analysis__isnull=True)
    return Q(status=state) if state in UploadedFile.Status.values else Q()


def list_state_choices(project: Project) -> list[tuple[str, str]]:
    """Return by which states files are found, as their labels say them; "" is all."""
    end = "done" if project.type == Project.Type.CALL else "transcribed"
    has_removed = UploadedFile.objects.filter(project=project, results_removed_at__isnull=False).exists()
    choices = ("failed", "uploaded", "transcribing", *(("analysing",) if end == "done" else ()), end)
    return [
        ("", _("All")),
        *((name, str(LABELS["waiting" if name == "uploaded" else name])) for name in choices),
        *([("removed", str(LABELS["removed"]))] if has_removed else []),
    ]


@dataclass(frozen=True, slots=True)
class FileState:
    """What a page shows of one file."""

    file: UploadedFile
    name: str  # a key of LABELS
    reason: str = ""
    may_retry: bool = False
    prospect: Prospect = Prospect.GOOD

    @classmethod
    def of(
        cls, file: UploadedFile, analysis: CallAnalysis | None, wait: EngineWait | None = None
    ) -> "FileState":
        """Return the state of the file; `analysis` is its own, None where its project has none.

        `wait` says for which engine in trouble its work waits.
        """
        if wait is not None and is_unfinished(file, analysis):
            return cls(file, "parked", describe_wait(wait))
        if file.status == UploadedFile.Status.FAILED:
            known = REASONS.get(file.error_reason)  # type: ignore[call-overload]
            reason = str(known or translate_stored(file.error_detail) or _("The cause is unknown."))
            prospect = judge_failure(file.error_reason, file.error_detail)
            if file.error_reason not in REASONS and prospect in PROSPECTS:
                reason = f"{reason} {PROSPECTS[prospect]}"
            return cls(file, "failed", reason, bool(file.task_id), prospect)
        if file.status == UploadedFile.Status.UPLOADED:
            return cls(file, "waiting")
        if file.status == UploadedFile.Status.TRANSCRIBING:
            return cls(file, "transcribing")
        if analysis is None:
            return cls(file, "transcribed")
        return cls._of_analysis(file, analysis)

    @classmethod
    def _of_analysis(cls, file: UploadedFile, analysis: CallAnalysis) -> "FileState":
        states = {getattr(analysis, column) for column in STATE_FIELDS.values()} - {None}
        if states & set(OPEN_ANALYSES):
            return cls(file, "analysing")
        if AnalysisState.FAILED not in states:
            return cls(file, "done" if file.results_removed_at is None else "removed")
        causes = list(dict.fromkeys((analysis.errors or {}).values()))
        reason = " ".join(map(translate_stored, causes)) or _("The analysis failed.")
        prospect = judge_failures(causes)
        if prospect in PROSPECTS:
            reason = f"{reason} {PROSPECTS[prospect]}"
        name = "partly" if AnalysisState.COMPLETED in states else "failed"
        return cls(file, name, reason, bool(file.task_id), prospect)

    @property
    def is_hopeful(self) -> bool:
        """Whether another attempt may end better although nothing is changed."""
        return self.may_retry and self.prospect is Prospect.GOOD

    @property
    def is_replaced(self) -> bool:
        """Whether a later upload of the same name took its place."""
        call = self.file.call
        return call is not None and call.newest_file_id != self.file.pk

    @property
    def label(self) -> str:
        if self.name == "transcribing" and self.file.file_type != UploadedFile.Type.AUDIO:
            return _("Being read")  # a transcript has its words
        return str(LABELS[self.name])

    @property
    def is_final(self) -> bool:
        return self.name in ENDS

    @property
    def css_class(self) -> str:
        return {"done": "good", "transcribed": "good", "failed": "bad", "partly": "warn"}.get(
            self.name, "dim"
        )

    @property
    def icon(self) -> str:
        icons = {"done": "check", "transcribed": "check", "failed": "warning", "partly": "warning"}
        return (icons | {"removed": "trash"}).get(self.name, "clock")

    @property
    def call_url(self) -> str:
        return reverse("web:call", args=[self.file.call_id]) if self.file.call_id else ""

    def as_json(self) -> dict[str, str | int | bool]:
        """Return it for the module of the upload page."""
        return {
            "id": self.file.pk,
            "state": self.name,
            "label": self.label,
            "kind": self.css_class,
            "final": self.is_final,
            "size": self.file.size,
            "reason": self.reason,
            "task": str(self.file.task_id) if self.is_hopeful else "",
            "url": self.call_url if self.name in ("done", "partly") else "",
        }
