"""Reviews of calls by people. A call has any number of revisions; submitted ones are never changed.

A review that a rater gives in a calibration is called a rating. `Review.objects` leaves ratings out, so that
nothing counts or shows one by oversight: calibration.visibility says who may see which.
"""

from django.db import models
from django.db.models import Q

from callscope.accounts.models import User
from callscope.calls.models import Call, UploadedFile
from callscope.db.fields import CompressedJSONField
from callscope.projects.models import Project


class ReviewManager(models.Manager["Review"]):
    """Reviews without the ratings of calibrations."""

    def get_queryset(self) -> models.QuerySet["Review"]:
        return super().get_queryset().filter(rater__isnull=True)


MAX_ENGINE = 255


class Review(models.Model):
    """One revision: the answers of one person to the criteria of one call."""

    class State(models.TextChoices):
        DRAFT = "draft"
        SUBMITTED = "submitted"
        WITHDRAWN = "withdrawn"

    call = models.ForeignKey(Call, models.CASCADE, related_name="reviews", db_index=False)
    project = models.ForeignKey(Project, models.CASCADE, related_name="+", db_index=False)
    file = models.ForeignKey(UploadedFile, models.CASCADE, related_name="+")  # that was listened to
    revision = models.PositiveIntegerField()  # from 1, within the call
    reviewer = models.ForeignKey(User, models.SET_NULL, null=True, related_name="+")
    state = models.CharField(max_length=16, choices=State, default=State.DRAFT)
    blind = models.BooleanField(default=False)  # the answers of the machine were hidden until submission
    comment = models.TextField(blank=True, default="")
    created_at = models.DateTimeField()
    changed_at = models.DateTimeField()
    submitted_at = models.DateTimeField(null=True)
    withdrawn_at = models.DateTimeField(null=True)
    withdrawn_by = models.ForeignKey(User, models.SET_NULL, null=True, related_name="+", db_index=False)
    # The criteria that the call carried when this was saved: see criteria.StoredCriterion.
    criteria = CompressedJSONField()
    config_version = models.PositiveIntegerField(null=True)  # of the results; null: imported ones
    engine = models.CharField(max_length=MAX_ENGINE, blank=True, default="")  # and model
    transcript_digest = models.CharField(max_length=64, blank=True, default="")  # "" without a transcript
    on_critical_error = models.CharField(max_length=16, default="flag")
    total_points = models.BigIntegerField(null=True)  # millionths; null: no criterion is answered
    max_points = models.BigIntegerField(null=True)  # millionths
    score_bp = models.IntegerField(null=True)  # hundredths of a percent, rounded half-even
    has_critical_error = models.BooleanField(default=False)
    # Criteria that the machine had answered as well, and those of them with the same answer.
    compared = models.PositiveIntegerField(default=0)
    agreed = models.PositiveIntegerField(default=0)
    # The last submission of its call that was not withdrawn, whether it fits the results or not.
    is_current = models.BooleanField(default=False)
    # Of a current review: criteria whose answers do not fit the live results any more; all of them, or
    # another transcript: the review is outdated, and the machine counts again.
    outdated_criteria = models.JSONField(default=list)
    is_outdated = models.BooleanField(default=False)
    is_corrected = models.BooleanField(default=False)  # the machine said otherwise, or nothing, somewhere
    # Of a rating: whose it is in which calibration. A rating never counts.
    rater = models.ForeignKey("CalibrationRater", models.CASCADE, null=True, related_name="ratings")
    # It corrects some answers alone, as an accepted appeal does: nobody answered the others for it.
    is_partial = models.BooleanField(default=False)

    objects = ReviewManager()
    all_objects = models.Manager["Review"]()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["call", "revision"], name="one_review_per_call_and_revision"),
            models.UniqueConstraint(
                fields=["call"], condition=Q(is_current=True), name="one_current_review_per_call"
            ),
            models.CheckConstraint(
                condition=Q(state__in=["draft", "submitted", "withdrawn"]), name="review_state_is_known"
            ),
            models.CheckConstraint(
                condition=~Q(state="submitted") | Q(submitted_at__isnull=False),
                name="submitted_review_has_a_moment",
            ),
            models.CheckConstraint(
                condition=Q(rater__isnull=True) | Q(is_current=False), name="rating_never_counts"
            ),
        ]
        indexes = [
            models.Index(fields=["project", "submitted_at"], name="reviews_by_submission"),
            # Holds all that tells one set of blind reviews from another: see agreement/blind_agreement.py.
            models.Index(
                fields=["project", "state", "blind", "rater", "reviewer", "revision", "changed_at"],
                name="blind_reviews",
            ),
            models.Index(fields=["project", "call"], condition=Q(is_current=True), name="current_reviews"),
        ]


class ReviewAnswer(models.Model):
    """The answer to one criterion, with the evidence for it and what the machine said then."""

    review = models.ForeignKey(Review, models.CASCADE, related_name="answers", db_index=False)
    position = models.PositiveSmallIntegerField()  # in the order of the criteria
    criterion_id = models.CharField(max_length=64)
    answer = models.CharField(max_length=16)  # of analysis.results.schema.Answer
    comment = models.TextField(blank=True, default="")
    quote = models.TextField(blank=True, default="")  # the transcript's own words
    quote_start = models.FloatField(null=True)  # seconds, of the segment
    speaker = models.CharField(max_length=16, blank=True, default="")  # agent, customer, "" where unknown
    points = models.BigIntegerField()  # millionths
    max_points = models.BigIntegerField()  # millionths
    machine_answer = models.CharField(max_length=16, blank=True, default="")  # "": not evaluated

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["review", "criterion_id"], name="one_answer_per_review_and_criterion"
            ),
            models.CheckConstraint(
                condition=Q(answer__in=["met", "partly", "not_met", "not_applicable"]),
                name="review_answer_is_known",
            ),
        ]


class ReviewFinding(models.Model):
    """What a person says about a mistake, a prompt, the goal or the sentiment."""

    class Kind(models.TextChoices):
        MISTAKE = "mistake"
        PROMPT = "prompt"
        GOAL = "goal"
        SENTIMENT = "sentiment"

    review = models.ForeignKey(Review, models.CASCADE, related_name="findings", db_index=False)
    position = models.PositiveSmallIntegerField()  # in the order of findings.list_questions()
    kind = models.CharField(max_length=16, choices=Kind)
    item_id = models.CharField(max_length=64, blank=True, default="")  # of a mistake or prompt
    description = models.TextField(blank=True, default="")  # what was asked, as the settings said it
    answer = models.CharField(max_length=16)  # of findings.ANSWERS
    comment = models.TextField(blank=True, default="")
    quote = models.TextField(blank=True, default="")  # the transcript's own words
    quote_start = models.FloatField(null=True)  # seconds, of the segment
    speaker = models.CharField(max_length=16, blank=True, default="")  # agent, customer, "" where unknown
    machine_answer = models.CharField(max_length=16)  # when this was saved; "": it could not tell
    is_outdated = models.BooleanField(default=False)  # of a current review: it fits the live results no more
    is_retired = models.BooleanField(default=False)  # it was outdated already when it was imported

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["review", "kind", "item_id"], name="one_finding_per_review_and_item"
            ),
            models.CheckConstraint(
                condition=Q(kind="mistake", answer__in=["made", "not_made"])
                | Q(kind="prompt", answer__in=["said", "missed"])
                | Q(kind="goal", answer__in=["reached", "not_reached", "unknown"])
                | Q(kind="sentiment", answer__in=["positive", "neutral", "negative", "unknown"]),
                name="review_finding_is_known",
            ),
        ]


class HeldCriteria(models.Model):
    """The criteria of a project whose answers of the machine wait for a person; no row where none does."""

    project = models.OneToOneField(Project, models.CASCADE, related_name="held_criteria")
    criteria = models.JSONField(default=list)  # of weak_criteria.holding.HeldCriterion
    measured_at = models.DateTimeField()
    measured_of = models.CharField(max_length=128)  # tells two sets of reviews apart
    # Results of the calls from this id on are still to be brought in line; null: all are.
    next_call = models.BigIntegerField(null=True)


class SamplingPlan(models.Model):
    """Draws calls to review every week, until somebody ends it; it is kept then, with its draws."""

    project = models.ForeignKey(Project, models.CASCADE, related_name="sampling_plans")
    per_agent = models.PositiveIntegerField(null=True)  # calls of each agent, or:
    share_pct = models.PositiveSmallIntegerField(null=True)  # of each agent's calls, rounded up
    uncertain_pct = models.PositiveSmallIntegerField()
    filters = models.JSONField(default=dict)  # of the call list: name → text; {}: all calls
    due_days = models.PositiveSmallIntegerField()  # after the draw
    seed = models.BigIntegerField()  # each week has its own, which follows from this one
    next_week = models.DateField()  # the Monday of the first week that is not drawn
    created_at = models.DateTimeField()
    created_by = models.ForeignKey(User, models.SET_NULL, null=True, related_name="+", db_index=False)
    ended_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(per_agent__isnull=False, share_pct__isnull=True)
                | Q(per_agent__isnull=True, share_pct__gte=1, share_pct__lte=100),
                name="plan_draws_a_number_or_a_share",
            ),
            models.CheckConstraint(
                condition=Q(uncertain_pct__lte=100), name="plan_uncertain_share_is_a_percentage"
            ),
        ]


class PlanReviewer(models.Model):
    """One person among whom the calls of a plan are split."""

    plan = models.ForeignKey(SamplingPlan, models.CASCADE, related_name="reviewers", db_index=False)
    position = models.PositiveSmallIntegerField()
    user = models.ForeignKey(User, models.CASCADE, related_name="+")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["plan", "user"], name="one_place_per_plan_and_user")]


class ReviewSample(models.Model):
    """One draw of calls to review. The seed and the names of the calls decide what is drawn."""

    project = models.ForeignKey(Project, models.CASCADE, related_name="review_samples")
    plan = models.ForeignKey(SamplingPlan, models.CASCADE, null=True, related_name="samples", db_index=False)
    seed = models.BigIntegerField()
    per_agent = models.PositiveIntegerField()  # 0 where a share was drawn
    share_pct = models.PositiveSmallIntegerField(null=True)
    uncertain_pct = models.PositiveSmallIntegerField()
    filters = models.JSONField(default=dict)  # as of a plan
    first_day = models.DateField(null=True)  # of the calls; null: open
    last_day = models.DateField(null=True)
    due = models.DateField(null=True)
    candidates = models.PositiveIntegerField()  # calls that it was drawn from
    withdrawn = models.PositiveIntegerField(default=0)  # calls taken back before anybody began
    left_out = models.PositiveIntegerField(null=True)  # calls drawn before; null: such calls stayed in
    created_at = models.DateTimeField()
    created_by = models.ForeignKey(User, models.SET_NULL, null=True, related_name="+", db_index=False)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(uncertain_pct__lte=100), name="sample_share_is_a_percentage"),
            models.UniqueConstraint(
                fields=["plan", "first_day"],
                condition=Q(plan__isnull=False),
                name="one_draw_per_plan_and_week",
            ),
        ]


class SampledCall(models.Model):
    """One call of a draw, with who reviews it and why it was drawn."""

    class Reason(models.TextChoices):
        RANDOM = "random"
        UNCERTAIN = "uncertain"
        CHOSEN = "chosen"  # by a person, so that it says nothing about calls at large

    sample = models.ForeignKey(ReviewSample, models.CASCADE, related_name="calls", db_index=False)
    call = models.ForeignKey(Call, models.CASCADE, related_name="+")
    position = models.PositiveIntegerField()  # in the order of the draw
    reviewer = models.ForeignKey(User, models.SET_NULL, null=True, related_name="+")
    reason = models.CharField(max_length=16, choices=Reason)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["sample", "call"], name="one_place_per_sample_and_call"),
            models.CheckConstraint(
                condition=Q(reason__in=["random", "uncertain", "chosen"]), name="sample_reason_is_known"
            ),
        ]


class Calibration(models.Model):
    """Some people rate the same calls, each blind, to agree how to judge."""

    class State(models.TextChoices):
        OPEN = "open"
        CLOSED = "closed"
        SETTLED = "settled"  # answers were agreed on and became the reviews of the calls

    project = models.ForeignKey(Project, models.CASCADE, related_name="calibrations")
    state = models.CharField(max_length=16, choices=State, default=State.OPEN)
    due = models.DateField(null=True)
    created_at = models.DateTimeField()
    created_by = models.ForeignKey(User, models.SET_NULL, null=True, related_name="+", db_index=False)
    closed_at = models.DateTimeField(null=True)
    settled_at = models.DateTimeField(null=True)
    settled_by = models.ForeignKey(User, models.SET_NULL, null=True, related_name="+", db_index=False)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(state__in=["open", "closed", "settled"]), name="calibration_state_is_known"
            ),
            models.CheckConstraint(
                condition=Q(state="open") | Q(closed_at__isnull=False), name="closed_calibration_has_a_moment"
            ),
        ]


class CalibrationRater(models.Model):
    """One person of a calibration; at most one is the expert, whose answers the others are compared with."""

    calibration = models.ForeignKey(Calibration, models.CASCADE, related_name="raters", db_index=False)
    position = models.PositiveSmallIntegerField()
    user = models.ForeignKey(User, models.SET_NULL, null=True, related_name="+")
    is_expert = models.BooleanField(default=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["calibration", "position"], name="one_place_per_calibration_and_rater"
            ),
            models.UniqueConstraint(
                fields=["calibration"], condition=Q(is_expert=True), name="one_expert_per_calibration"
            ),
        ]


class CalibratedCall(models.Model):
    """One call of a calibration."""

    calibration = models.ForeignKey(Calibration, models.CASCADE, related_name="calls", db_index=False)
    call = models.ForeignKey(Call, models.CASCADE, related_name="+")
    position = models.PositiveSmallIntegerField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["calibration", "call"], name="one_place_per_calibration_and_call")
        ]


# Django finds models by this module alone.
from callscope.reviews.appeal_records import Acknowledgement, Appeal  # noqa: E402, F401
from callscope.reviews.note_records import CoachingNote  # noqa: E402, F401
from callscope.reviews.placements.records import ReviewPlacement  # noqa: E402, F401
from callscope.reviews.reading_records import ResultsRead  # noqa: E402, F401
