"""Share links: one call, or the report of a project's days, opened without an account for some days.

Who may change a project may make one. A link shows what its maker may see when it is opened, and opens
no longer once the maker may not make it any more. Links into private projects are never made, and a
project or call that becomes private closes those that there are; CALLSCOPE_SHARE_LINKS=off closes all.
Rules: docs/security.md, "Share links".
"""

import datetime as dt
import hashlib
import secrets
from typing import NamedTuple

from django.conf import settings
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from callscope.accounts import audit
from callscope.accounts.models import User
from callscope.calls.models import Call, ShareLink
from callscope.db import raw_sql
from callscope.projects import permissions
from callscope.projects.models import Project

DAYS = (1, 7, 30)  # how long a link may open; the longest is the limit
PRIVATE = "SELECT 1 FROM calls_uploadedfile WHERE call_id = %s AND is_private LIMIT 1"
MAX_LINKS = 100  # open ones of a person, so that nobody loses sight of them


class NoSuchLink(Exception):
    """The link is not there: revoked, too old, or its maker lost the right to it."""


class TooManyLinks(Exception):
    """The person has so many open links that some should end first."""


class SharedDays(NamedTuple):
    """The days of a shared report; None leaves that side open."""

    start: dt.date | None = None
    end: dt.date | None = None


def may_share(user: User, project: Project, call: Call | None = None) -> bool:
    """True if the user may open the project's report, or this call of it, to people without an account."""
    if not settings.ENVIRONMENT.share_links or not user.is_active or not permissions.can_write(user, project):
        return False
    if project.type != Project.Type.CALL or project.configuration.private_transcription:
        return False
    return call is None or (call.project_id == project.pk and not raw_sql.fetch_prepared(PRIVATE, [call.pk]))


@transaction.atomic
def create_link(
    user: User,
    project: Project,
    *,
    days: int,
    call: Call | None = None,
    window: SharedDays | None = None,
    results_only: bool = False,
) -> tuple[ShareLink, str]:
    """Return (link, token of its address) for somebody who may share. Raises TooManyLinks."""
    now = timezone.now()
    if ShareLink.objects.filter(created_by=user, expires_at__gt=now).count() >= MAX_LINKS:
        raise TooManyLinks
    token = secrets.token_urlsafe(32)
    start, end = window or SharedDays()
    link = ShareLink.objects.create(
        project=project,
        call=call,
        start_date=start,
        end_date=end,
        results_only=results_only,
        created_by=user,
        token_digest=digest(token),
        created_at=now,
        expires_at=now + dt.timedelta(days=min(days, max(DAYS))),
    )
    audit.record(user, "share_link.created", name_subject(link), project=project.pk, link=link.pk, days=days)
    return link, token


def find_link(token: str, *, now: dt.datetime) -> ShareLink:
    """Return the link that opens by this token. Raises NoSuchLink."""
    links = ShareLink.objects.select_related("project", "call", "created_by")
    link = links.filter(token_digest=digest(token), expires_at__gt=now).first()
    if link is None or not may_share(link.created_by, link.project, link.call):
        raise NoSuchLink
    return link


def list_links(user: User, *, now: dt.datetime) -> list[ShareLink]:
    """Return the user's links and those into projects that the user manages, the newest first."""
    # Of a project that the user sees no longer, not even the names of calls.
    mine = Q(created_by=user, project__in=permissions.visible_to(user))
    managed = Q(project__in=permissions.list_managed(user))
    links = ShareLink.objects.filter(mine | managed, expires_at__gt=now).select_related(
        "project", "call", "created_by"
    )
    return list(links.order_by("-created_at", "-pk"))


@transaction.atomic
def revoke_link(link_id: int, user: User) -> bool:
    """End a link of the user, or one into a project that the user manages; False where there is none."""
    mine = Q(created_by=user) | Q(project__in=permissions.list_managed(user))
    link = ShareLink.objects.filter(mine, pk=link_id).first()
    if link is None or not ShareLink.objects.filter(pk=link_id).delete()[0]:
        return False
    audit.record(user, "share_link.revoked", name_subject(link), project=link.project_id, link=link_id)
    return True


def forget_expired_links(*, now: dt.datetime) -> int:
    """Delete the links that no longer open; return how many."""
    return ShareLink.objects.filter(expires_at__lte=now).delete()[0]


def name_subject(link: ShareLink) -> str:
    """Return what the link opens, as the audit trail names it."""
    return f"call {link.call_id}" if link.call_id is not None else f"project {link.project_id}"


def digest(token: str) -> str:
    """Return what is stored of a token: 256 random bits need no salt and no slow hash."""
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()
