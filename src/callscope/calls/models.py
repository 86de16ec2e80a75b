"""Uploaded files, the calls they record, agents, and manifest rows that wait for a file.

A call is (project, file name): uploading the name again makes a second file of
the same call. Source: docs/api.md, "What counts".
"""

from django.db import models
from django.db.models import Q

from callscope.accounts.models import Team, User
from callscope.projects.models import Project


class Agent(models.Model):
    """A person who answers calls. Belongs to a team, or to a user without one."""

    team = models.ForeignKey(Team, models.CASCADE, null=True, related_name="agents")
    owner = models.ForeignKey(User, models.CASCADE, null=True, related_name="agents")
    external_id = models.CharField(max_length=64, blank=True, default="")  # the client's own agent_id
    name = models.CharField(max_length=255)
    name_key = models.CharField(
        max_length=512
    )  # case-folded, spaces collapsed: finds and sorts alike everywhere

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(team__isnull=False, owner__isnull=True)
                | Q(team__isnull=True, owner__isnull=False),
                name="agent_belongs_to_team_or_owner",
            ),
            models.UniqueConstraint(
                fields=["team", "external_id"],
                condition=Q(team__isnull=False) & ~Q(external_id=""),
                name="one_agent_per_external_id_in_team",
            ),
            models.UniqueConstraint(
                fields=["owner", "external_id"],
                condition=Q(owner__isnull=False) & ~Q(external_id=""),
                name="one_agent_per_external_id_of_owner",
            ),
            models.UniqueConstraint(
                fields=["team", "name_key"],
                condition=Q(team__isnull=False, external_id=""),
                name="one_agent_without_id_per_name_in_team",
            ),
            models.UniqueConstraint(
                fields=["owner", "name_key"],
                condition=Q(owner__isnull=False, external_id=""),
                name="one_agent_without_id_per_name_of_owner",
            ),
        ]
        indexes = [
            models.Index(fields=["team", "name_key"], name="agent_by_team_and_name"),
            models.Index(fields=["owner", "name_key"], name="agent_by_owner_and_name"),
        ]

    def __str__(self) -> str:
        return self.name


class Call(models.Model):
    """One customer call, and what clients say about it: see fields.py."""

    class DatetimeSource(models.TextChoices):
        API = "api"
        MANIFEST = "manifest"
        UPLOAD_TIME = "upload_time"

    class AgentSource(models.TextChoices):
        API = "api"
        MANIFEST = "manifest"
        LLM = "llm"

    # No index of its own here or below: others that begin with the project serve.
    project = models.ForeignKey(Project, models.CASCADE, related_name="calls", db_index=False)
    file_name = models.CharField(max_length=255)
    name_stem = models.CharField(
        max_length=512
    )  # case-folded, without extension: the manifest's second match
    newest_file = models.OneToOneField(
        "UploadedFile", models.SET_NULL, null=True, related_name="newest_of", db_constraint=True
    )
    call_datetime = models.DateTimeField()
    call_datetime_source = models.CharField(
        max_length=16, choices=DatetimeSource, default=DatetimeSource.UPLOAD_TIME
    )
    agent = models.ForeignKey(Agent, models.SET_NULL, null=True, related_name="calls")
    agent_source = models.CharField(max_length=16, choices=AgentSource, blank=True, default="")
    agent_unlinked = models.BooleanField(default=False)  # a client said "no agent": the analysis links none
    direction = models.CharField(max_length=16, blank=True, default="")
    caller_number = models.CharField(max_length=64, blank=True, default="")
    campaign = models.CharField(max_length=255, blank=True, default="")
    uploaded_at = models.DateTimeField()  # of the newest file

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["project", "file_name"], name="one_call_per_project_and_file_name"
            ),
            models.CheckConstraint(
                condition=Q(direction__in=["", "inbound", "outbound"]), name="call_direction_is_known"
            ),
            models.CheckConstraint(
                condition=Q(call_datetime_source__in=["api", "manifest", "upload_time"]),
                name="call_datetime_source_is_known",
            ),
            models.CheckConstraint(
                condition=Q(agent__isnull=True) | ~Q(agent_source=""), name="linked_agent_has_a_source"
            ),
        ]
        indexes = [models.Index(fields=["project", "name_stem"], name="call_by_name_stem")]


class ReviewedAgent(models.Model):
    """What a call says about its agent without the review that says another: see reviewed_agents.py."""

    call = models.OneToOneField(Call, models.CASCADE, primary_key=True, related_name="+")
    agent = models.ForeignKey(Agent, models.SET_NULL, null=True, related_name="reviewed_away")
    agent_source = models.CharField(max_length=16, blank=True, default="")
    agent_unlinked = models.BooleanField(default=False)


class AgentUser(models.Model):
    """Whose calls a user sees in a project without a role in it: those of one agent. See own_calls.py.

    By e-mail, so that a link does not say whether somebody has an account; it works once there is one.
    """

    project = models.ForeignKey(Project, models.CASCADE, related_name="agent_users", db_index=False)
    agent = models.ForeignKey(Agent, models.CASCADE, related_name="users")
    email = models.EmailField(db_index=True)  # folded as in the accounts
    created_at = models.DateTimeField()
    created_by = models.ForeignKey(User, models.SET_NULL, null=True, related_name="+", db_index=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "email"], name="one_agent_per_project_and_email")
        ]


class UploadedFile(models.Model):
    """One upload: a recording or a transcript. Its bytes are in storage under `storage_key`."""

    class Type(models.TextChoices):
        AUDIO = "audio"
        SRT = "srt"
        VTT = "vtt"

    class Status(models.TextChoices):
        UPLOADED = "uploaded"
        TRANSCRIBING = "transcribing"
        TRANSCRIBED = "transcribed"
        FAILED = "failed"

    class ErrorReason(models.TextChoices):
        AUDIO_TOO_SHORT = "audio_too_short"
        HALLUCINATED_TRANSCRIPT = "hallucinated_transcript"
        PRIVATE_TRANSCRIPTION_UNAVAILABLE = "private_transcription_unavailable"

    project = models.ForeignKey(Project, models.CASCADE, related_name="files", db_index=False)
    call = models.ForeignKey(
        Call, models.CASCADE, null=True, related_name="files"
    )  # null in general projects
    uploaded_by = models.ForeignKey(User, models.SET_NULL, null=True, db_index=False)
    original_filename = models.CharField(max_length=255)
    file_type = models.CharField(max_length=8, choices=Type)
    storage_key = models.CharField(
        max_length=255, blank=True
    )  # "" for a call that was imported without its recording
    playback_key = models.CharField(
        max_length=255, blank=True, default=""
    )  # copy with redacted spans silenced
    size = models.BigIntegerField(default=0)  # bytes
    sha256 = models.CharField(max_length=64, blank=True, default="")
    duration_us = models.BigIntegerField(null=True)  # microseconds; null until measured
    status = models.CharField(max_length=16, choices=Status, default=Status.UPLOADED)
    error_reason = models.CharField(max_length=48, blank=True, default="")
    error_detail = models.TextField(blank=True, default="")
    content_removed_at = models.DateTimeField(null=True)  # by the project's retention; the keys are "" then
    transcript_removed_at = models.DateTimeField(null=True)  # with the quotes in the results
    results_removed_at = models.DateTimeField(null=True)  # with the reviews; those of another file may count
    is_private = models.BooleanField(default=False)  # came in, or was heard, while its project was private
    task_id = models.UUIDField(null=True)  # the job that transcribes it
    created_at = models.DateTimeField()

    class Meta:
        indexes = [
            models.Index(fields=["project", "-id"], name="file_by_project"),
            models.Index(fields=["task_id"], name="file_with_task", condition=Q(task_id__isnull=False)),
            models.Index(
                fields=["uploaded_by"], name="file_by_uploader", condition=Q(uploaded_by__isnull=False)
            ),
            # Few files fail: only those are in it.
            models.Index(fields=["project", "-id"], name="failed_files", condition=Q(status="failed")),
            models.Index(fields=["project"], name="private_files", condition=Q(is_private=True)),
            # Those whose calls are missing from a report, which says so.
            models.Index(
                fields=["project", "call"],
                name="emptied_files",
                condition=Q(results_removed_at__isnull=False),
            ),
        ]
        constraints = [
            models.CheckConstraint(
                condition=Q(error_reason="") | Q(status="failed"),
                name="only_a_failed_file_has_an_error_reason",
            ),
        ]


class BytesToErase(models.Model):
    """A storage key whose bytes no file has, or may not have: see erasure.py."""

    storage_key = models.CharField(max_length=255, primary_key=True)
    since = models.DateTimeField(db_index=True)


class ManifestRow(models.Model):
    """A manifest row whose file has not been uploaded yet."""

    project = models.ForeignKey(Project, models.CASCADE, related_name="manifest_rows")
    file_name = models.CharField(max_length=255)
    name_stem = models.CharField(max_length=512)
    values = models.JSONField()  # field name → text, only the non-blank cells; call_datetime as ISO 8601
    updated_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "file_name"], name="one_waiting_row_per_file_name"),
        ]
        indexes = [models.Index(fields=["project", "name_stem"], name="manifest_row_by_stem")]


class ShareLink(models.Model):
    """An address that shows one call, or a report of some days, without an account; see share_links.py."""

    project = models.ForeignKey(Project, models.CASCADE, related_name="share_links")
    call = models.ForeignKey(Call, models.CASCADE, null=True, related_name="share_links")  # null: the report
    start_date = models.DateField(null=True)  # of the report; null leaves that side open
    end_date = models.DateField(null=True)
    results_only = models.BooleanField(default=False)  # of a call: nothing that was said in it
    created_by = models.ForeignKey(User, models.CASCADE, related_name="share_links")
    token_digest = models.CharField(max_length=64, unique=True)
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField(db_index=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(call__isnull=True) | Q(start_date__isnull=True, end_date__isnull=True),
                name="shared_days_are_of_a_report",
            ),
        ]
