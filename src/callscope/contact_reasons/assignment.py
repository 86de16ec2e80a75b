"""Give a call its contact reason when its analysis arrives, without a regrouping."""

import logging
from collections.abc import Mapping

from callscope.analysis.results.schema import Insights
from callscope.calls.models import Call
from callscope.calls.private_words import engines_for_projects
from callscope.contact_reasons.clusters import centers
from callscope.contact_reasons.models import CallReason, ContactReason
from callscope.engines.errors import EngineUnavailable
from callscope.language.detect import guess_language
from callscope.projects.configuration import Configuration
from callscope.projects.models import Project

logger = logging.getLogger(__name__)

# What predefined codes leave over; a code of this name takes it.
OTHER = {"en": "Other", "es": "Otros"}


def assign_reason(call: Call, insights: Insights | None, config: Configuration) -> None:
    """Set, move or remove the reason of one call, inside the caller's transaction.

    Predefined: the code that the analysis chose, and OTHER where it fits none. Open-ended: the
    reason with a center near enough, else none until the next regrouping. A call that a
    person placed stays there.
    """
    if CallReason.objects.filter(call_id=call.pk, is_fixed=True).exists():
        return
    stored: Mapping[str, object] = insights or {}
    reason_id: int | None = None
    if config.contact_reasons.mode == "predefined":
        code = choose_code(stored, config)
        if code:
            reason, _ = ContactReason.objects.get_or_create(project_id=call.project_id, name=code)
            reason.take_into_use()
            reason_id = int(reason.pk)
    else:
        topic = str(stored.get("topic") or "")
        reason_id = _find_nearest_reason(call.project, topic) if topic else None
    if reason_id is None:
        CallReason.objects.filter(call_id=call.pk).delete()
    else:
        CallReason.objects.update_or_create(
            call_id=call.pk, defaults={"project_id": call.project_id, "reason_id": reason_id}
        )


def choose_code(stored: Mapping[str, object], config: Configuration) -> str:
    """Return the code under which a call counts in a predefined project, "" where nobody knows its topic."""
    codes = [each.code for each in config.contact_reasons.codes]
    code = str(stored.get("contact_reason_code") or "")
    # The list may have changed since the analysis: a code that is gone makes no reason again.
    if code in codes:
        return code
    if not (code or stored.get("topic")):
        return ""
    return find_other(config)


def list_codes(config: Configuration) -> list[str] | None:
    """Return the names under which new calls count, that of the rest last; None where topics are grouped."""
    if config.contact_reasons.mode != "predefined":
        return None
    codes = [each.code for each in config.contact_reasons.codes]
    other = find_other(config)
    return codes if other in codes else [*codes, other]


def find_other(config: Configuration) -> str:
    """Return the name under which calls count that fit no code: of a code, if one has that name.

    It is in the language of the calls, or of the codes where calls differ.
    """
    codes = config.contact_reasons.codes
    language: str = config.language
    if language == "auto":
        language = guess_language(" ".join(f"{each.code} {each.description}" for each in codes))
    other = OTHER.get(language, OTHER["en"])
    return next((each.code for each in codes if each.code.casefold() == other.casefold()), other)


def _find_nearest_reason(project: Project, topic: str) -> int | None:
    """Return the id of the reason with the center nearest to the topic, None if none is near enough."""
    rows = ContactReason.objects.filter(project=project, retired_at=None, centroid__isnull=False).order_by(
        "id"
    )
    candidates = list(rows.values_list("id", "centroid", "embedder"))
    if not candidates:
        return None
    try:
        embedder = engines_for_projects(project).embedder
        # Centers of another embedder are in another space: they wait for the next regrouping.
        usable = {pk: bytes(stored) for pk, stored, used in candidates if stored and used == embedder.id}
        if not usable:
            return None
        vectors = embedder.encode([topic])
    except EngineUnavailable as error:
        # The analysis is done and paid for: the next regrouping, which waits for the engine, decides.
        logger.warning("A call waits for its contact reason: %s", error)
        return None
    return centers.find_nearest(vectors, usable, centers.min_likeness(embedder))[0]
