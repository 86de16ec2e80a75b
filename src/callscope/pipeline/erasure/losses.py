"""Count what would be lost with a project, for the question before it is deleted."""

import datetime as dt
from typing import NamedTuple

from callscope.calls.models import ShareLink, UploadedFile
from callscope.projects.models import Project
from callscope.reviews.models import Review


class Losses(NamedTuple):
    """What nobody can bring back, and what people outside would find gone."""

    files: int
    reviewed_calls: int
    share_links: int  # that are open


def count_losses(project: Project, now: dt.datetime) -> Losses:
    """Return how much would be lost; three queries."""
    reviews = Review.objects.filter(project=project, state=Review.State.SUBMITTED)
    return Losses(
        UploadedFile.objects.filter(project=project).count(),
        reviews.values("call").distinct().count(),
        ShareLink.objects.filter(project=project, expires_at__gt=now).count(),
    )
