"""What an import knows from its first line to its last."""

import datetime as dt
from collections.abc import Iterable

from callscope.accounts.models import User
from callscope.calls.agents import Directory
from callscope.calls.models import UploadedFile
from callscope.contact_reasons.models import ContactReason
from callscope.projects.models import Project

PROVENANCE = {"source": "import"}
PARTS = ("copc", "no_protocol", "custom_questions", "insights")  # of an analysis


class ImportRun:
    """One import into one project."""

    def __init__(self, project: Project, by: User | None, now: dt.datetime) -> None:
        self.project = project
        self.by = by
        self.now = now
        self.directory = Directory(project)
        self.reasons: dict[str, int] = {}

    def learn_reasons(self, names: Iterable[str | None]) -> None:
        """Learn the ids of these contact reasons, adding rows that are missing.

        Learnt anew for each batch: a regrouping in between may have cleared some away.
        """
        self.reasons = {}
        wanted = {name for name in names if name}
        if not wanted:
            return
        rows = [ContactReason(project=self.project, name=name) for name in sorted(wanted)]
        ContactReason.objects.bulk_create(rows, ignore_conflicts=True)
        found = ContactReason.objects.filter(project=self.project, name__in=wanted)
        found.filter(retired_at__isnull=False).update(retired_at=None)
        self.reasons.update(found.values_list("name", "pk"))


def file_type(file_name: str) -> str:
    """Return the type of a file that is known by its name alone."""
    ending = file_name.rpartition(".")[2].lower()
    return ending if ending in ("srt", "vtt") else UploadedFile.Type.AUDIO.value
