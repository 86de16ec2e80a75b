"""Jobs, which are the truth about what is left to do, and the usage ledger."""

import uuid

from django.db import models
from django.db.models import Q

from callscope.accounts.models import User
from callscope.calls.models import Call, UploadedFile
from callscope.projects.models import Project


class Job(models.Model):
    """One stage of work on one subject."""

    class Kind(models.TextChoices):
        TRANSCRIBE = "transcribe"  # subject: file
        ANALYZE = "analyze"  # subject: file
        REGROUP = "regroup"  # subject: project
        RETENTION = "retention"  # subject: project
        REPLAY = "replay"  # subject: replay
        RESCORE = "rescore"  # subject: rescore
        PROBE = "probe"  # subject: probe
        MAIL = "mail"  # subject: report mail

    class State(models.TextChoices):
        QUEUED = "queued"
        RUNNING = "running"
        DONE = "done"
        FAILED = "failed"

    #: The task_id of the interface.
    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    #: Which stage to run; says what `subject_id` refers to.
    kind = models.CharField(max_length=16, choices=Kind)
    #: Which workers may claim it: asr, llm or default.
    queue = models.CharField(max_length=16, default="default")
    #: The project that the subject belongs to, for the fair order between projects.
    project = models.ForeignKey(Project, models.CASCADE, related_name="jobs")
    #: The id of what the kind says. No foreign key: a job may outlive its subject, and then does nothing.
    subject_id = models.BigIntegerField()
    #: Queued and running jobs are open; there is one open job per kind and subject.
    state = models.CharField(max_length=16, choices=State, default=State.QUEUED)
    #: How often the job was tried, the running attempt included.
    attempts = models.PositiveIntegerField(default=0)
    #: How many claims ended because their worker died; these do not count as attempts.
    interruptions = models.PositiveIntegerField(default=0)
    #: The position in the fair order: lowest first, kept over retries, passed to the file's next stage.
    turn = models.BigIntegerField(default=0)
    #: What its work asks, as breakers/needs.py names it; "" for none or not known yet.
    needs = models.CharField(max_length=16, blank=True, default="")
    #: Since when it waits for an engine or a bucket that is in trouble; null if it never did.
    parked_at = models.DateTimeField(null=True)
    #: Not claimed before this moment; later than now while a retry waits.
    run_after = models.DateTimeField()
    #: Identifies one claim and fences its writes; null unless running.
    token = models.UUIDField(null=True)
    #: The process that holds the claim, as worker_identity.py names it; "" unless running.
    worker = models.CharField(max_length=128, blank=True, default="")
    #: When it was claimed for the last time.
    claimed_at = models.DateTimeField(null=True)
    #: When the claim lapses unless its worker extends the lease; null unless running.
    lease_until = models.DateTimeField(null=True)
    #: When the attempt is ended even if its worker extends the lease; null unless running.
    deadline_at = models.DateTimeField(null=True)
    #: Why the latest attempt ended, as one sentence; "" after success.
    error = models.TextField(blank=True, default="")
    #: When the job was enqueued.
    created_at = models.DateTimeField(auto_now_add=True)
    #: When it was done or failed; null while it is open.
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


class EngineState(models.Model):
    """What all workers know of one engine or bucket that failed; no row means that it works."""

    class State(models.TextChoices):
        WORKING = "working"
        PAUSED = "paused"  # no job that needs it is claimed
        PROBING = "probing"  # one job tries it

    #: speech, language, embeddings or storage.
    kind = models.CharField(max_length=16)
    #: Its URL without credentials.
    address = models.CharField(max_length=255)
    state = models.CharField(max_length=16, choices=State, default=State.WORKING)
    #: What keeps it from working: a `Trouble`, or "failing" when it failed for several jobs; "" before.
    reason = models.CharField(max_length=16, blank=True, default="")
    #: The latest failure as a sentence.
    detail = models.TextField(blank=True, default="")
    #: When it failed for the first time since it last answered; null while it works.
    since = models.DateTimeField(null=True)
    #: How often it failed since it last answered.
    failures = models.PositiveIntegerField(default=0)
    #: How often another job than the one before failed since it last answered.
    failed_jobs = models.PositiveIntegerField(default=0)
    #: The job that failed last, or that tries it.
    latest_job = models.UUIDField(null=True)
    #: How many tries in a row failed since it was paused.
    failed_probes = models.PositiveIntegerField(default=0)
    #: When the next job may try it; while one does, when another one may. Null while it works.
    probe_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["kind", "address"], name="one_state_per_engine"),
            models.CheckConstraint(
                condition=Q(state="working") | Q(probe_at__isnull=False, since__isnull=False),
                name="paused_engine_has_next_probe",
            ),
        ]


class SiteProcess(models.Model):
    """A process of the web or of a worker, as it states every few seconds that it lives."""

    class Role(models.TextChoices):
        WEB = "web"
        WORKER = "worker"
        JOBS = "jobs"  # runs the stages for a worker
        PAST = "past"  # one row: what all processes have counted that are gone

    #: No other process ever has the same, see worker_identity.py.
    identity = models.CharField(max_length=160, unique=True)
    role = models.CharField(max_length=8, choices=Role)
    #: The name of its machine.
    host = models.CharField(max_length=255, blank=True, default="")
    #: By comma; "" for what is no worker.
    queues = models.CharField(max_length=64, blank=True, default="")
    version = models.CharField(max_length=32, blank=True, default="")
    #: The settings that processes have to share, without secrets.
    settings = models.JSONField(default=dict)
    #: What it has counted: samples of Prometheus and their values.
    counted = models.JSONField(default=dict)
    #: Bytes on the disk of its data folder.
    disk_free = models.BigIntegerField(null=True)
    disk_size = models.BigIntegerField(null=True)
    #: How far its clock is ahead of the database's, in milliseconds; null where both are on one machine.
    clock_ahead_ms = models.BigIntegerField(null=True)
    started_at = models.DateTimeField()
    seen_at = models.DateTimeField()

    class Meta:
        indexes = [models.Index(fields=["seen_at"], name="processes_by_time")]


class UsageEntry(models.Model):
    """One call of a speech or language engine, and what it cost."""

    class Kind(models.TextChoices):
        TRANSCRIPTION = "transcription"
        ANALYSIS = "analysis"
        NARRATIVE = "narrative"
        TRIAL = "trial"  # of candidate settings on one call
        NAMING = "naming"  # of new contact reasons

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


class CleaningDue(models.Model):
    """The database still holds bytes of rows that were erased; one row, absent when it is clean."""

    id = models.SmallIntegerField(primary_key=True, default=1)
    since = models.DateTimeField()  # of the latest erasure

    class Meta:
        constraints = [models.CheckConstraint(condition=Q(id=1), name="one_cleaning_due")]


class Replay(models.Model):
    """A draft of a configuration that is judged on past calls; no report reads it."""

    project = models.ForeignKey(Project, models.CASCADE, related_name="replays")
    config = models.JSONField()  # the draft, as projects.configuration.parse() gives it
    config_version = models.PositiveIntegerField()  # of the project when the replay began
    #: Which the draft was made from, where it was replayed again; null: config_version.
    draft_version = models.PositiveIntegerField(null=True)
    #: Of how many calls its own were drawn; null of replays of earlier releases.
    drawn_from = models.PositiveIntegerField(null=True)
    start_date = models.DateField(null=True)  # of a window whose calls were all taken; null: open
    end_date = models.DateField(null=True)  # both null: a random sample
    created_by = models.ForeignKey(User, models.SET_NULL, null=True)
    created_at = models.DateTimeField(auto_now_add=True)
    completed_at = models.DateTimeField(null=True)
    outcome = models.JSONField(null=True)  # replays.comparison.Outcome, once it is completed
    published_version = models.PositiveIntegerField(null=True)  # which the draft became

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(completed_at__isnull=True) | Q(outcome__isnull=False),
                name="completed_replay_has_outcome",
            )
        ]


class ReplayedCall(models.Model):
    """One call of a replay: ids and answers out of a closed set, no word of the call."""

    replay = models.ForeignKey(Replay, models.CASCADE, related_name="judged", db_index=False)
    call = models.ForeignKey(Call, models.CASCADE, related_name="replayed")
    answers = models.JSONField(null=True)  # replays.answers.ReplayedAnswers; null until judged

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["replay", "call"], name="one_judgment_per_replay_and_call")
        ]


class Rescore(models.Model):
    """Calls of a window that are judged again by the configuration of their project."""

    project = models.ForeignKey(Project, models.CASCADE, related_name="rescores")
    start_date = models.DateField(null=True)  # null: open
    end_date = models.DateField(null=True)
    call_ids = models.JSONField(null=True)  # these alone; null: all of the window
    calls = models.PositiveIntegerField()  # when it was asked for
    done = models.PositiveIntegerField(default=0)
    latest_call = models.BigIntegerField(default=0)  # by id: it goes on behind this one
    created_by = models.ForeignKey(User, models.SET_NULL, null=True)
    created_at = models.DateTimeField(auto_now_add=True)
    completed_at = models.DateTimeField(null=True)


class Probe(models.Model):
    """Past calls judged several times, as they are or as copies; no report reads it."""

    class Kind(models.TextChoices):
        STEADINESS = "steadiness"  # the same words again
        FAIRNESS = "fairness"  # copies that say the same as other people would

    kind = models.CharField(max_length=16, choices=Kind)
    project = models.ForeignKey(Project, models.CASCADE, related_name="probes")
    config = models.JSONField()  # by which the calls are judged
    config_version = models.PositiveIntegerField()  # of the project when the probe began
    engine = models.CharField(max_length=128, blank=True, default="")  # the language model; "": the rules
    variants = models.JSONField()  # what each call is judged as, in this order
    estimate = models.JSONField()  # estimates.Estimate, as it was stated beforehand
    created_by = models.ForeignKey(User, models.SET_NULL, null=True)
    created_at = models.DateTimeField(auto_now_add=True)
    completed_at = models.DateTimeField(null=True)
    outcome = models.JSONField(null=True)  # of its kind, once it is completed

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(completed_at__isnull=True) | Q(outcome__isnull=False),
                name="completed_probe_has_outcome",
            )
        ]


class ProbedCall(models.Model):
    """One call judged as one variant: ids and answers out of a closed set, no word of the call."""

    probe = models.ForeignKey(Probe, models.CASCADE, related_name="judged", db_index=False)
    call = models.ForeignKey(Call, models.CASCADE, related_name="probed")
    variant = models.CharField(max_length=40)
    judgment = models.JSONField(null=True)  # probes.judging.Judged; null until then

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["probe", "call", "variant"], name="one_judgment_per_probe_call_and_variant"
            )
        ]


class ReportMail(models.Model):
    """The report of a project that a person gets by mail; the person asked for it."""

    class Rhythm(models.TextChoices):
        WEEKLY = "weekly"
        MONTHLY = "monthly"

    class Problem(models.TextChoices):
        REFUSED = "refused"  # the mail server does not take the latest one
        UNSURE = "unsure"  # the latest one was handed over, and no answer came

    user = models.ForeignKey(User, models.CASCADE, related_name="report_mails", db_index=False)
    project = models.ForeignKey(Project, models.CASCADE, related_name="report_mails")
    rhythm = models.CharField(max_length=8, choices=Rhythm)
    language = models.CharField(max_length=5)
    due_date = models.DateField()  # of the next mail, in the server's time zone: a Monday or the first
    #: The date whose mail was handed to the mail server, until its answer is stored; with the problem
    #: "unsure" for the second time, after which there is no third.
    handed_over_for = models.DateField(null=True)
    sent_at = models.DateTimeField(null=True)  # the latest one
    problem = models.CharField(max_length=8, choices=Problem, blank=True, default="")

    class Meta:
        indexes = [models.Index(fields=["due_date"], name="report_mails_by_date")]
        constraints = [
            models.UniqueConstraint(
                fields=["user", "project"], name="one_report_mail_per_person_and_project"
            ),
            models.CheckConstraint(condition=Q(rhythm__in=["weekly", "monthly"]), name="known_mail_rhythm"),
        ]
