"""Jobs (the truth about what is left to do) and the usage ledger."""

import uuid

from django.db import models
from django.db.models import Q

from callscope.accounts.models import User
from callscope.calls.models import UploadedFile
from callscope.projects.models import Project


class Job(models.Model):
    """One stage of work on one subject. A queue library is only its doorbell."""

    class Kind(models.TextChoices):
        TRANSCRIBE = "transcribe"  # subject: file
        ANALYZE = "analyze"  # subject: file
        REGROUP = "regroup"  # subject: project

    class State(models.TextChoices):
        QUEUED = "queued"
        RUNNING = "running"
        DONE = "done"
        FAILED = "failed"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)  # the interface's task_id
    kind = models.CharField(max_length=16, choices=Kind)
    queue = models.CharField(max_length=16, default="default")  # asr, llm, default
    project = models.ForeignKey(Project, models.CASCADE, related_name="jobs")
    subject_id = models.BigIntegerField()
    state = models.CharField(max_length=16, choices=State, default=State.QUEUED)
    attempts = models.PositiveIntegerField(default=0)
    interruptions = models.PositiveIntegerField(default=0)  # claims that ended because their worker did
    # The place in the fair order: lowest first, kept over retries, handed on to the next stage of the file.
    turn = models.BigIntegerField(default=0)
    run_after = models.DateTimeField()
    token = models.UUIDField(null=True)  # fences the finishing update of one claim
    worker = models.CharField(max_length=128, blank=True, default="")  # see worker_identity.py
    claimed_at = models.DateTimeField(null=True)
    lease_until = models.DateTimeField(null=True)
    deadline_at = models.DateTimeField(null=True)  # a handler that hangs while it beats ends here
    error = models.TextField(blank=True, default="")
    created_at = models.DateTimeField(auto_now_add=True)
    finished_at = models.DateTimeField(null=True)

    class Meta:
        indexes = [
            models.Index(
                fields=["run_after"], condition=Q(state__in=["queued", "running"]), name="open_jobs_by_time"
            ),
            models.Index(fields=["state", "turn"], name="job_by_state_and_turn"),
            models.Index(fields=["project", "state", "turn"], name="job_by_project_and_state"),
            models.Index(fields=["kind", "subject_id"], name="job_by_subject"),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["kind", "subject_id"],
                condition=Q(state__in=["queued", "running"]),
                name="one_open_job_per_kind_and_subject",
            ),
        ]


class UsageEntry(models.Model):
    """One transcription or language-model call that was made, and what it cost."""

    class Kind(models.TextChoices):
        TRANSCRIPTION = "transcription"
        ANALYSIS = "analysis"
        NARRATIVE = "narrative"

    at = models.DateTimeField(auto_now_add=True)
    project = models.ForeignKey(Project, models.CASCADE, null=True, related_name="usage")
    file = models.ForeignKey(UploadedFile, models.SET_NULL, null=True, related_name="usage")
    user = models.ForeignKey(User, models.SET_NULL, null=True)
    kind = models.CharField(max_length=16, choices=Kind)
    engine = models.CharField(max_length=128)
    model = models.CharField(max_length=255, blank=True, default="")
    audio_us = models.BigIntegerField(default=0)  # microseconds of audio sent or transcribed
    input_tokens = models.BigIntegerField(default=0)
    output_tokens = models.BigIntegerField(default=0)
    cost_micros = models.BigIntegerField(null=True)  # millionths of the currency unit; null: not priced

    class Meta:
        indexes = [models.Index(fields=["project", "at"], name="usage_by_project_and_time")]
