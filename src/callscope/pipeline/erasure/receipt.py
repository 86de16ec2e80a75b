"""The receipt of an erasure: what, how much and when. It names nobody."""

import datetime as dt
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypedDict

from django.utils import timezone

from callscope.accounts.models import AuditEvent

COUNTED = (
    "projects",
    "calls",
    "files",
    "recordings",
    "transcripts",
    "analyses",
    "reviews",
    "topics",
    "contact_reasons",
    "agents",
    "agent_users",
    "manifest_rows",
    "users",
    "sessions",
    "api_keys",
    "shares",
    "memberships",
)


@dataclass(slots=True)
class Receipt:
    """What one erasure took away, over all its transactions."""

    what: str  # file, call, caller, agent, project, user or retention
    counts: Counter[str] = field(default_factory=Counter)  # by the names in COUNTED
    at: str = ""  # the moment in ISO 8601; "" while nothing was erased
    audit_events: list[int] = field(default_factory=list)  # their numbers in the audit trail
    chain_hash: str = ""  # the digest of the last of them
    is_cleaned: bool = False  # no byte of it is left in the database; else a worker sees to that soon

    def add(self, event: AuditEvent, counts: Mapping[str, int]) -> None:
        """Add what one transaction erased."""
        self.counts.update(counts)
        self.at = event.at.isoformat()
        self.audit_events.append(event.number or 0)
        self.chain_hash = event.digest

    def merge(self, other: "Receipt") -> None:
        """Add what another receipt says."""
        self.counts.update(other.counts)
        self.audit_events += other.audit_events
        self.at, self.chain_hash = other.at or self.at, other.chain_hash or self.chain_hash

    def to_json(self) -> dict[str, Any]:
        """Return the receipt as `callscope erase --json` prints it."""
        return {
            "what": self.what,
            "erased": {name: self.counts[name] for name in COUNTED},
            "at": self.at or None,
            "audit_events": self.audit_events,
            "chain_hash": self.chain_hash or None,
            "is_cleaned": self.is_cleaned,
            "backups": list_backups(self.at) if self.at else [],
        }


class BackupJson(TypedDict):
    """A backup that was made before an erasure, and may still hold what was erased."""

    audit_event: int | None  # its number in the audit trail
    at: str
    name: str  # of the file; "" for backups of earlier versions
    kept_until: str | None  # a date; null: nobody said


def list_backups(before: str) -> list[BackupJson]:
    """Return the backups made before this moment that may still be kept, oldest first."""
    made = AuditEvent.objects.filter(action="backup.created", at__lt=dt.datetime.fromisoformat(before))
    today = timezone.localdate().isoformat()
    return [
        {
            "audit_event": event.number,
            "at": event.at.isoformat(),
            "name": str(event.detail.get("name", "")),
            "kept_until": event.detail.get("kept_until"),
        }
        for event in made.order_by("number")
        if (event.detail.get("kept_until") or today) >= today
    ]
