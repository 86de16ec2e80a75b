"""Appeals and acknowledgements. A row changes once: it waits for a decision, or is withdrawn."""

from django.db import models
from django.db.models import Q

from callscope.accounts.models import User
from callscope.calls.models import Call
from callscope.projects.models import Project


class Appeal(models.Model):
    """An agent says that one criterion of a call was judged wrongly."""

    class State(models.TextChoices):
        OPEN = "open"
        ACCEPTED = "accepted"
        REFUSED = "refused"
        WITHDRAWN = "withdrawn"  # by the agent, before a decision

    call = models.ForeignKey(Call, models.CASCADE, related_name="appeals", db_index=False)
    project = models.ForeignKey(Project, models.CASCADE, related_name="+", db_index=False)
    criterion_id = models.CharField(max_length=64)
    criterion_name = models.CharField(max_length=255)
    # What is appealed: the review that counted, or, without one, the machine's result of that moment.
    review = models.ForeignKey("reviews.Review", models.SET_NULL, null=True, related_name="+")
    judged_at = models.DateTimeField()  # when that result came about
    answer = models.CharField(max_length=16, blank=True, default="")  # that stood; "": not evaluated
    appellant = models.ForeignKey(User, models.SET_NULL, null=True, related_name="+")
    reason = models.TextField(blank=True)
    state = models.CharField(max_length=16, choices=State, default=State.OPEN)
    created_at = models.DateTimeField()
    decided_at = models.DateTimeField(null=True)  # or withdrawn
    decided_by = models.ForeignKey(User, models.SET_NULL, null=True, related_name="+")
    decision_reason = models.TextField(blank=True, default="")
    new_answer = models.CharField(max_length=16, blank=True, default="")  # of an accepted one
    new_review = models.ForeignKey("reviews.Review", models.SET_NULL, null=True, related_name="+")

    class Meta:
        app_label = "reviews"
        constraints = [
            models.UniqueConstraint(
                fields=["call", "criterion_id"],
                condition=Q(state="open"),
                name="one_open_appeal_of_a_criterion",
            ),
            models.CheckConstraint(
                condition=Q(state__in=["open", "accepted", "refused", "withdrawn"]),
                name="appeal_state_is_known",
            ),
            models.CheckConstraint(
                condition=Q(state="open", decided_at__isnull=True)
                | (~Q(state="open") & Q(decided_at__isnull=False)),
                name="decided_appeal_has_a_moment",
            ),
        ]
        indexes = [
            models.Index(fields=["project", "state", "-id"], name="appeals_by_state"),
            models.Index(fields=["call", "criterion_id"], name="appeals_of_a_call"),
        ]


class Acknowledgement(models.Model):
    """The agent of a call has read its review."""

    review = models.ForeignKey(
        "reviews.Review", models.CASCADE, related_name="acknowledgements", db_index=False
    )
    user = models.ForeignKey(User, models.CASCADE, related_name="+")
    at = models.DateTimeField()

    class Meta:
        app_label = "reviews"
        constraints = [
            models.UniqueConstraint(fields=["review", "user"], name="one_acknowledgement_per_review_and_user")
        ]
