"""Contact reasons of a project, and which one each call has."""

from django.db import models

from callscope.accounts.models import User
from callscope.calls.models import Call
from callscope.projects.models import Project


class ContactReason(models.Model):
    """A group of topics with a name that lasts over regroupings."""

    project = models.ForeignKey(Project, models.CASCADE, related_name="contact_reasons")
    name = models.CharField(max_length=255)
    description = models.TextField(blank=True, default="")
    parent = models.ForeignKey("self", models.SET_NULL, null=True, related_name="children")
    is_heading = models.BooleanField(default=False)  # over other reasons, without calls of its own
    is_placed = models.BooleanField(default=False)  # a person chose its parent, or that it has none
    is_set_aside = models.BooleanField(default=False)  # noise: its calls count for no reason
    is_pinned = models.BooleanField(default=False)  # lasts without calls, and keeps its name
    renamed = models.BooleanField(default=False)  # a person chose the name: a regrouping keeps it
    named_by_model = models.BooleanField(default=False)  # a language model worded the name from topics
    centroid = models.BinaryField(null=True)  # see centers.py: one or several, in the space of `embedder`
    embedder = models.CharField(max_length=128, blank=True, default="")
    retired_at = models.DateTimeField(null=True)
    # Until then a regrouping may rename and split it, as if it had not been there; null: it lasts.
    provisional_until = models.DateTimeField(null=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["project", "name"], name="one_reason_per_name")]

    def take_into_use(self) -> None:
        """Let it hold calls that are placed by its name, also where it waited for calls or was a heading."""
        if self.retired_at is not None or self.is_heading:
            self.retired_at, self.is_heading = None, False
            self.save(update_fields=["retired_at", "is_heading"])


class CallReason(models.Model):
    """The contact reason of one call. Narrow, so that a regrouping touches only what changes."""

    call = models.OneToOneField(Call, models.CASCADE, primary_key=True, related_name="reason")
    project = models.ForeignKey(Project, models.CASCADE, related_name="+")
    reason = models.ForeignKey(ContactReason, models.CASCADE, related_name="calls")
    is_fixed = models.BooleanField(default=False)  # a person placed the call here: it stays


class ReviewedReason(models.Model):
    """The place that a call has without the review that says another reason: see reviewed.py."""

    call = models.OneToOneField(Call, models.CASCADE, primary_key=True, related_name="+")
    reason = models.ForeignKey(ContactReason, models.SET_NULL, null=True, related_name="+")
    is_fixed = models.BooleanField(default=False)


class ReasonChange(models.Model):
    """One change of a project's reasons, by a person or by a regrouping, with what it takes to undo it."""

    class Kind(models.TextChoices):
        EDITED = "edited"
        MERGED = "merged"
        SPLIT = "split"
        MOVED = "moved"
        REGROUPED = "regrouped"
        CODED = "coded"  # reasons became the project's codes

    project = models.ForeignKey(Project, models.CASCADE, related_name="reason_changes")
    kind = models.CharField(max_length=16, choices=Kind)
    made_at = models.DateTimeField()
    made_by = models.ForeignKey(User, models.SET_NULL, null=True, related_name="+")
    # {"reasons": [{"id", "before", "after"}], "moves": [{"from", "to", "calls"}]}: what people read. One that
    # changed the settings, too, has "settings" (settings_change).
    summary = models.JSONField()
    rows_before = models.BinaryField(
        null=True
    )  # packed rows of the reasons; null: it cannot be undone any more
    calls_before = models.BinaryField(null=True)  # packed places of the calls
    undone_at = models.DateTimeField(null=True)
    undone_by = models.ForeignKey(User, models.SET_NULL, null=True, related_name="+")

    class Meta:
        indexes = [models.Index(fields=["project", "-id"], name="reason_changes_newest")]


class Regrouping(models.Model):
    """The one regrouping of a project that is requested or under way; absent if there is none."""

    project = models.OneToOneField(Project, models.CASCADE, primary_key=True, related_name="regrouping")
    requested_at = models.DateTimeField()
