"""Who saw the results of a call on a page."""

from django.db import models

from callscope.accounts.models import User
from callscope.calls.models import Call


class ResultsRead(models.Model):
    """The first time that a person who may review a call saw its results."""

    call = models.ForeignKey(Call, models.CASCADE, related_name="+", db_index=False)
    user = models.ForeignKey(User, models.CASCADE, related_name="+")
    read_at = models.DateTimeField()

    class Meta:
        app_label = "reviews"
        constraints = [models.UniqueConstraint(fields=["call", "user"], name="one_reading_per_call_and_user")]
