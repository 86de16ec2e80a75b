"""Notes that coach an agent: at a second of a call, private to who may write the project, or shared."""

from django.db import models
from django.db.models import Q

from callscope.accounts.models import User
from callscope.calls.models import Call
from callscope.projects.models import Project


class CoachingNote(models.Model):
    """What somebody noted at one second of a call; an open one is still to be talked about."""

    call = models.ForeignKey(Call, models.CASCADE, related_name="coaching_notes")
    project = models.ForeignKey(Project, models.CASCADE, related_name="+", db_index=False)
    at_s = models.FloatField()  # seconds from the start of the call
    text = models.TextField()
    is_shared = models.BooleanField(default=False)  # with the agent of the call
    author = models.ForeignKey(User, models.SET_NULL, null=True, related_name="+")
    created_at = models.DateTimeField()
    changed_at = models.DateTimeField()
    closed_at = models.DateTimeField(null=True)

    class Meta:
        app_label = "reviews"
        constraints = [models.CheckConstraint(condition=Q(at_s__gte=0), name="note_is_within_the_call")]
        indexes = [models.Index(fields=["project", "-id"], name="notes_of_a_project")]
