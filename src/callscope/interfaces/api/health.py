"""`GET /healthz`: the web process lives. `GET /readyz`: what it needs answers."""

from django.http import HttpRequest, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from callscope.pipeline import checks


@require_safe
@never_cache
def healthz(_request: HttpRequest) -> JsonResponse:
    """Answer 200 as long as this process can answer at all; touches nothing else."""
    return JsonResponse({"status": "ok"})


@require_safe
@never_cache
def readyz(_request: HttpRequest) -> JsonResponse:
    """Answer 200 when database, storage and queue can be used, else 503; each with its state."""
    results = [checks.database(), checks.storage(), checks.queue()]
    document = {
        "status": "ok" if all(r.is_ok for r in results) else "unavailable",
        "checks": {r.name: "ok" if r.is_ok else "unavailable" for r in results},
    }
    return JsonResponse(document, status=200 if document["status"] == "ok" else 503)
