"""Analyses of calls: their states and their results.

One row carries all analyses of one file, because they complete together and
are replaced together. A call has at most one live row (in the reports) and one
newest row (of its newest file); the two differ while a re-upload is on its way.

Database triggers on this table, installed by reports/migrations/0006_counted_states,
count rows by state for reports.store.status_counts. Renaming a state column, `call`,
`project` or `is_newest` means to replace them.
"""

from collections.abc import Mapping
from typing import Any

from django.db import models
from django.db.models import Exists, OuterRef, Q

from callscope.accounts.models import User
from callscope.calls.models import Call, UploadedFile
from callscope.db.fields import CompressedJSONField
from callscope.messages.message import Message
from callscope.projects.models import Project


class AnalysisState(models.IntegerChoices):
    QUEUED = 1, "queued"
    PROCESSING = 2, "processing"
    COMPLETED = 3, "completed"
    FAILED = 4, "failed"


# The analysis types of the interface → the column that holds their state.
STATE_FIELDS = {
    "calls_analysis_copc": "copc_state",
    "calls_analysis_no_protocol": "no_protocol_state",
    "calls_analysis_custom_questions": "custom_questions_state",
    "calls_analysis_insights": "insights_state",
}


# Rows of which some analysis failed. Spelled as the index below, which only then serves the query.
ANY_FAILED = (
    Q(copc_state=AnalysisState.FAILED)
    | Q(no_protocol_state=AnalysisState.FAILED)
    | Q(custom_questions_state=AnalysisState.FAILED)
    | Q(insights_state=AnalysisState.FAILED)
)
OPEN_ANALYSES = (AnalysisState.QUEUED, AnalysisState.PROCESSING)
# Rows of which some analysis is still to come, whatever became of the others.
ANY_OPEN = (
    Q(copc_state__in=OPEN_ANALYSES)
    | Q(no_protocol_state__in=OPEN_ANALYSES)
    | Q(custom_questions_state__in=OPEN_ANALYSES)
    | Q(insights_state__in=OPEN_ANALYSES)
)
# The analysis types → the column that holds their result.
RESULT_FIELDS = {name: name.removeprefix("calls_analysis_") for name in STATE_FIELDS}
# Large ones.
RESULT_COLUMNS = (
    *("copc", "no_protocol", "custom_questions", "insights", "provenance"),
    *("machine_copc", "machine_no_protocol", "machine_insights"),
)
# Results that a person may correct → the column that keeps the machine's own.
MACHINE_COLUMNS = {
    "copc": "machine_copc",
    "no_protocol": "machine_no_protocol",
    "insights": "machine_insights",
}
HAS_MACHINE_RESULTS = (
    Q(machine_copc__isnull=False) | Q(machine_no_protocol__isnull=False) | Q(machine_insights__isnull=False)
)


class CallAnalysis(models.Model):
    """The analyses of one file of a call. A state is null where that analysis is not enabled."""

    file = models.OneToOneField(UploadedFile, models.CASCADE, related_name="analysis")
    call = models.ForeignKey(Call, models.CASCADE, related_name="analyses")
    project = models.ForeignKey(Project, models.CASCADE, related_name="analyses", db_index=False)
    is_newest = models.BooleanField(default=True)
    is_live = models.BooleanField(default=False)
    copc_state = models.PositiveSmallIntegerField(null=True, choices=AnalysisState)
    no_protocol_state = models.PositiveSmallIntegerField(null=True, choices=AnalysisState)
    custom_questions_state = models.PositiveSmallIntegerField(null=True, choices=AnalysisState)
    insights_state = models.PositiveSmallIntegerField(null=True, choices=AnalysisState)
    completed_at = models.DateTimeField(null=True)
    config_version = models.PositiveIntegerField(null=True)  # null for imported results
    copc = CompressedJSONField(null=True)  # the result that counts
    machine_copc = CompressedJSONField(null=True)  # the machine's own, where a person's counts; else null
    no_protocol = CompressedJSONField(null=True)
    machine_no_protocol = CompressedJSONField(null=True)  # as machine_copc
    custom_questions = CompressedJSONField(null=True)
    insights = CompressedJSONField(null=True)  # {"sentiment", "topic", "goal_reached", "agent_name", …}
    machine_insights = CompressedJSONField(null=True)  # as machine_copc
    provenance = models.JSONField(null=True)
    errors = models.JSONField(default=dict)  # analysis type → sentence, for those that failed
    superseded_at = models.DateTimeField(null=True)
    superseded_by = models.ForeignKey(User, models.SET_NULL, null=True, db_index=False)
    superseded_by_file = models.ForeignKey(
        UploadedFile, models.SET_NULL, null=True, related_name="supersedes", db_index=False
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["call"], condition=Q(is_live=True), name="one_live_analysis_per_call"
            ),
            models.UniqueConstraint(
                fields=["call"], condition=Q(is_newest=True), name="one_newest_analysis_per_call"
            ),
        ]
        indexes = [
            # Few rows are superseded: only those are in these indexes.
            models.Index(
                fields=["superseded_by"],
                name="superseded_by_user",
                condition=Q(superseded_by__isnull=False),
            ),
            models.Index(
                fields=["superseded_by_file"],
                name="superseded_by_file",
                condition=Q(superseded_by_file__isnull=False),
            ),
            # What analysis-status asks beyond the counts that the report store keeps.
            models.Index(fields=["project", "is_live", "completed_at"], name="analysis_completion"),
            models.Index(fields=["project"], condition=Q(is_newest=False), name="analyses_of_older_files"),
            models.Index(
                fields=["project"],
                condition=Q(is_newest=True)
                & (
                    Q(copc_state__in=[1, 2])
                    | Q(no_protocol_state__in=[1, 2])
                    | Q(custom_questions_state__in=[1, 2])
                    | Q(insights_state__in=[1, 2])
                ),
                name="open_analyses",
            ),
            models.Index(
                fields=["project"], condition=Q(is_newest=True) & ANY_FAILED, name="failed_analyses"
            ),
        ]

    def describe_engine(self) -> str:
        """Return the engine that judged, with its model; "" where nobody knows."""
        provenance: Mapping[str, Any] = self.provenance or {}
        return " ".join(filter(None, (provenance.get("engine"), provenance.get("model"))))

    def read_machine_copc(self) -> Any:
        """Return the machine's own scores, also where a person's count; None if there are none."""
        return self.read_machine("copc")

    def read_machine(self, part: str) -> Any:
        """Return the machine's own copc, no_protocol or insights, also where a person's count."""
        kept = getattr(self, MACHINE_COLUMNS[part])
        return getattr(self, part) if kept is None else kept

    def restore_machine_results(self) -> None:
        """Let the machine's own results count again; unsaved."""
        for part, column in MACHINE_COLUMNS.items():
            setattr(self, part, self.read_machine(part))
            setattr(self, column, None)

    def put_over(self, combined: Mapping[str, Any]) -> list[str]:
        """Let these results count, unsaved, the machine's own where one is None; return what changed."""
        changed = []
        for part, column in MACHINE_COLUMNS.items():
            machine = self.read_machine(part)
            counts, kept = (machine, None) if combined[part] is None else (combined[part], machine)
            if (counts, kept) != (getattr(self, part), getattr(self, column)):
                setattr(self, part, counts)
                setattr(self, column, kept)
                changed += [part, column]
        return changed

    def list_states(self) -> dict[str, str]:
        """Return analysis type → queued, processing, completed or failed, for the enabled ones."""
        states = {name: getattr(self, column) for name, column in STATE_FIELDS.items()}
        return {name: AnalysisState(state).label for name, state in states.items() if state is not None}

    def list_errors(self) -> dict[str, str]:
        """Return analysis type → why it failed, an English sentence, for those that failed."""
        unknown = str(Message("analysis_failed"))
        return {
            name: str((self.errors or {}).get(name) or unknown)
            for name, column in STATE_FIELDS.items()
            if getattr(self, column) == AnalysisState.FAILED
        }


def results_removed(call: str = "call") -> Q:
    """Return the condition for rows whose call lost its results to retention and has none since.

    `call` names the column that holds the call.
    """
    emptied = UploadedFile.objects.filter(call=OuterRef(call), results_removed_at__isnull=False)
    live = CallAnalysis.objects.filter(call=OuterRef(call), is_live=True)
    return Q(Exists(emptied)) & ~Q(Exists(live))


def is_unfinished(file: UploadedFile, analysis: CallAnalysis | None) -> bool:
    """Return whether a file is still to be transcribed or analyzed; `analysis` is its own, if it has one."""
    if file.status in (UploadedFile.Status.UPLOADED, UploadedFile.Status.TRANSCRIBING):
        return True
    states = [getattr(analysis, column) for column in STATE_FIELDS.values()] if analysis else []
    return file.status == UploadedFile.Status.TRANSCRIBED and bool({*states} & {*OPEN_ANALYSES})
