"""`GET /healthz`: the web process lives. `GET /readyz`: what it needs answers."""

from collections.abc import Callable

from django.http import HttpRequest, JsonResponse
from django.http.response import HttpResponseBase
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from callscope.interfaces.api.views.metrics import get_metrics
from callscope.pipeline.operation import readiness


@require_safe
@never_cache
def healthz(_request: HttpRequest) -> JsonResponse:
    """Answer 200 as long as this process can answer at all; touches nothing else."""
    return JsonResponse({"status": "ok"})


@require_safe
@never_cache
def readyz(_request: HttpRequest) -> JsonResponse:
    """Answer 200 when database, storage and queue can be used, else 503; each with its state."""
    results = readiness.readiness.get_results()
    document = {
        "status": "ok" if all(r.is_ok for r in results) else "unavailable",
        "checks": {r.name: "ok" if r.is_ok else "unavailable" for r in results},
    }
    if document["status"] == "ok":
        return JsonResponse(document)
    again_s = str(round(readiness.REMEMBERED_S))  # no answer is another one any earlier
    return JsonResponse(document, status=503, headers={"Retry-After": again_s})


PROBES: dict[str, Callable[[HttpRequest], HttpResponseBase]] = {
    "/healthz": healthz,
    "/readyz": readyz,
    "/metrics": get_metrics,
}


class HealthProbes:
    """Middleware, placed before all that looks at the host.

    Load balancers ask each machine by its address, which nobody lists in CALLSCOPE_ALLOWED_HOSTS.
    The answers of the probes hold no address and no data, so every host may have them; the metrics have
    a door of their own.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        probe = PROBES.get(request.path_info)
        return probe(request) if probe else self.get_response(request)
