"""What a review says about where its call belongs."""

from django.db import models
from django.db.models import Q

from callscope.calls.models import Agent


class ReviewPlacement(models.Model):
    """The agent or the contact reason that a person gives a call, with what it had without the review."""

    class Kind(models.TextChoices):
        AGENT = "agent"
        REASON = "contact_reason"

    review = models.ForeignKey("reviews.Review", models.CASCADE, related_name="placements", db_index=False)
    kind = models.CharField(max_length=16, choices=Kind)
    is_nobody = models.BooleanField(default=False)  # the call has no agent
    agent = models.ForeignKey(Agent, models.SET_NULL, null=True, related_name="+")  # null: nobody, or erased
    machine_agent = models.ForeignKey(Agent, models.SET_NULL, null=True, related_name="+")
    # Reasons come later on the flow, so they are known by number here; merged ones follow their calls.
    reason_id = models.BigIntegerField(null=True)  # null: a predefined code without a row, or an imported one
    chosen_reason_id = models.BigIntegerField(null=True)  # that was chosen, whatever it was merged into
    reason_name = models.CharField(
        max_length=255, blank=True, default=""
    )  # as it reads now; of a reason that is gone: as it last read
    machine_reason_name = models.CharField(max_length=255, blank=True, default="")  # "": the call had none
    is_outdated = models.BooleanField(default=False)  # of a current review: it fits the call no more
    is_retired = models.BooleanField(default=False)  # somebody placed the call elsewhere since, for good

    class Meta:
        app_label = "reviews"
        constraints = [
            models.UniqueConstraint(fields=["review", "kind"], name="one_placement_per_review_and_kind"),
            models.CheckConstraint(
                condition=Q(kind="agent", reason_name="") | Q(kind="contact_reason", agent__isnull=True),
                name="placement_is_of_one_kind",
            ),
            models.CheckConstraint(
                condition=Q(is_nobody=False) | Q(kind="agent", agent__isnull=True),
                name="nobody_is_no_agent",
            ),
        ]

    @property
    def has_place(self) -> bool:
        """Return whether nobody has placed the call elsewhere since, and the agent was not erased."""
        is_gone = self.is_agent and not self.is_nobody and self.agent_id is None
        return not self.is_retired and not is_gone

    @property
    def is_agent(self) -> bool:
        return self.kind == ReviewPlacement.Kind.AGENT
