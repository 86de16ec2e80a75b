"""Give a call its contact reason when its analysis arrives, without a regrouping."""

from typing import Any

import numpy as np
from django.conf import settings

from callscope.calls.models import Call
from callscope.contact_reasons.models import CallReason, ContactReason
from callscope.engines.embeddings.choose import choose_embedder
from callscope.projects.configuration import Configuration

# Likeness (cosine) to a group's middle from which a new topic belongs to it; below, it waits as new.
MEANING_BAR = 0.6
WORDING_BAR = 0.5  # letters and words alone come out lower for the same meaning


def classify_arrival(call: Call, insights: dict[str, Any] | None, config: Configuration) -> None:
    """Set, move or remove the reason of one call, inside the caller's transaction.

    Predefined: the code that the analysis chose. Open-ended: the group whose
    middle is near enough, else none until the next regrouping.
    """
    found = insights or {}
    if config.contact_reasons.mode == "predefined":
        reason = _of_code(call.project_id, str(found.get("contact_reason_code") or ""), config)
    else:
        reason = _nearest(
            call.project_id, str(found.get("topic") or ""), private=config.private_transcription
        )
    if reason is None:
        CallReason.objects.filter(call_id=call.pk).delete()
    else:
        CallReason.objects.update_or_create(
            call_id=call.pk, defaults={"project_id": call.project_id, "reason_id": reason}
        )


def _of_code(project_id: int, code: str, config: Configuration) -> int | None:
    if not code or code not in {c.code for c in config.contact_reasons.codes}:
        return None
    reason, _ = ContactReason.objects.get_or_create(project_id=project_id, name=code)
    return int(reason.pk)


def _nearest(project_id: int, topic: str, *, private: bool) -> int | None:
    if not topic:
        return None
    rows = ContactReason.objects.filter(
        project_id=project_id, retired_at=None, centroid__isnull=False
    ).order_by("id")
    candidates = list(rows.values_list("id", "centroid", "embedder"))
    if not candidates:
        return None
    embedder = choose_embedder(settings.ENVIRONMENT, private=private)
    usable = [(pk, bytes(centroid)) for pk, centroid, used in candidates if centroid and used == embedder.id]
    if not usable:
        return None
    middles = np.stack([np.frombuffer(centroid, dtype=np.float32) for _, centroid in usable])
    likeness = middles @ embedder.encode([topic])[0]
    best = int(likeness.argmax())
    bar = MEANING_BAR if embedder.knows_meaning else WORDING_BAR
    return int(usable[best][0]) if likeness[best] >= bar else None
