"""Contact reasons of a project, and which one each call has."""

from django.db import models

from callscope.calls.models import Call
from callscope.projects.models import Project


class ContactReason(models.Model):
    """A group of topics with a name that lasts over regroupings."""

    project = models.ForeignKey(Project, models.CASCADE, related_name="contact_reasons")
    name = models.CharField(max_length=255)
    renamed = models.BooleanField(default=False)  # a person chose the name: a regrouping keeps it
    centroid = models.BinaryField(null=True)  # float32, unit length, in the space of `embedder`
    embedder = models.CharField(max_length=128, blank=True, default="")
    retired_at = models.DateTimeField(null=True)
    # Until then a regrouping may name and cut it anew, as if it had not been there; null: it lasts.
    provisional_until = models.DateTimeField(null=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["project", "name"], name="one_reason_per_name")]


class CallReason(models.Model):
    """The contact reason of one call. Narrow, so that a regrouping touches only what changes."""

    call = models.OneToOneField(Call, models.CASCADE, primary_key=True, related_name="reason")
    project = models.ForeignKey(Project, models.CASCADE, related_name="+")
    reason = models.ForeignKey(ContactReason, models.CASCADE, related_name="calls")


class Regrouping(models.Model):
    """The one regrouping of a project that is asked for or under way; absent when there is none."""

    project = models.OneToOneField(Project, models.CASCADE, primary_key=True, related_name="regrouping")
    requested_at = models.DateTimeField()
