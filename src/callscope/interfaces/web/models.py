"""What people keep for themselves on the pages."""

from django.db import models

from callscope.accounts.models import User

MAX_NAME = 60
MAX_QUERY = 2000


class SavedView(models.Model):
    """Filters and order of the call list under a name; for one person, and gone with that person.

    Words that are searched for in names and numbers are left out: an erasure would not find them here.
    """

    user = models.ForeignKey(User, models.CASCADE, related_name="saved_views", db_index=False)
    name = models.CharField(max_length=MAX_NAME)
    query = models.CharField(max_length=MAX_QUERY)  # as it stands in an address

    class Meta:
        constraints = [models.UniqueConstraint(fields=["user", "name"], name="one_saved_view_per_name")]
