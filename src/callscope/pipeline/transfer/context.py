"""What an import knows from its first line to its last."""

import datetime as dt
from collections.abc import Iterable

from django.db.models import Q

from callscope.accounts.models import User
from callscope.calls.agents import AgentResolver
from callscope.calls.fields import CallDetails
from callscope.calls.models import UploadedFile
from callscope.contact_reasons.models import ContactReason
from callscope.projects.models import Project

PROVENANCE = {"source": "import"}
PARTS = ("copc", "no_protocol", "custom_questions", "insights")  # of an analysis
AUDIO = UploadedFile.Type.AUDIO.value  # looked up once: an enumeration is slow to ask


class ImportContext:
    """One import into one project."""

    def __init__(self, project: Project, by: User | None, now: dt.datetime) -> None:
        self.project = project
        self.by = by
        self.now = now
        self.is_private = project.configuration.private_transcription  # so are the topics of its lines
        self.resolver = AgentResolver(project)
        self.reason_ids: dict[str, int] = {}
        self.written_reviews = 0
        self.written_appeals = 0
        self.unknown_users: set[str] = set()  # e-mails in decisions that no account here has
        self._users: dict[str, User | None] = {}
        self.set_aside: frozenset[str] = frozenset()  # names of reasons that are noise

    def load_reason_ids(self, names: Iterable[str | None]) -> None:
        """Load the ids of these contact reasons, adding rows that are missing.

        Read again for each batch: a regrouping in between may have cleared some away.
        """
        self.reason_ids = {}
        unique = {name for name in names if name}
        if not unique:
            return
        reasons = ContactReason.objects.filter(project=self.project, name__in=unique)
        found = reasons.values_list("name", "pk", "is_set_aside", "retired_at", "is_heading")
        rows = list(found)
        if missing := unique.difference(name for name, *_ in rows):
            # A regrouping or another import may add the same name at this moment: then its row is used.
            new = [ContactReason(project=self.project, name=name) for name in sorted(missing)]
            ContactReason.objects.bulk_create(new, ignore_conflicts=True)
            rows = list(found.all())
        if any(retired_at or is_heading for *_, retired_at, is_heading in rows):
            for reason in reasons.filter(Q(retired_at__isnull=False) | Q(is_heading=True)):
                reason.take_into_use()
        self.reason_ids = {name: pk for name, pk, *_ in rows}
        self.set_aside = frozenset(name for name, _, is_set_aside, *_ in rows if is_set_aside)

    def find_user(self, email: str) -> User | None:
        """Return the account with the e-mail; None without one, and the e-mail is noted."""
        if not email:
            return None
        if email not in self._users:
            self._users[email] = User.objects.filter(email=email).first()
        if self._users[email] is None:
            self.unknown_users.add(email)
        return self._users[email]

    def resolve_agent(self, details: CallDetails) -> int | None:
        """Return the id of the agent that a line names, created or renamed as needed; None without one."""
        if not details.agent_id and not details.agent_name:
            return None
        return self.resolver.resolve(details.agent_id, details.agent_name).pk


def guess_file_type(file_name: str) -> str:
    """Return the type of a file that is known by its name alone."""
    ending = file_name.rpartition(".")[2].lower()
    return ending if ending in ("srt", "vtt") else AUDIO
