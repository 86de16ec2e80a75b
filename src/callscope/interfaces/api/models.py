"""How many requests each user has made in the current period."""

from django.db import models


class RequestCount(models.Model):
    """One user's requests since `started_at`; read and written in one statement by guard/rate_limit.py.

    No foreign key: the row is worth nothing after its period, and an insert must never fail.
    """

    user_id = models.BigIntegerField(primary_key=True)
    started_at = models.FloatField()  # seconds since 1970
    requests = models.BigIntegerField()
