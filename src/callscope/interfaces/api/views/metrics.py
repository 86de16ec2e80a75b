"""`GET /metrics`: the figures of the installation, for Prometheus.

Who has CALLSCOPE_METRICS_TOKEN may read them; without a token, programs on the same machine. They hold no
data of calls, but names of machines and engines, and how busy a site is: nothing for the world.
"""

import hmac
import ipaddress

from django.conf import settings
from django.core.exceptions import DisallowedHost
from django.db import Error
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from callscope.pipeline.operation import metrics

# A proxy on the same machine comes from a loopback address too; one of these tells it.
FORWARDED = ("HTTP_FORWARDED", "HTTP_X_FORWARDED_FOR", "HTTP_X_FORWARDED_PROTO", "HTTP_X_REAL_IP", "HTTP_VIA")
SCHEME = "Bearer "


@require_safe
@never_cache
def get_metrics(request: HttpRequest) -> HttpResponseBase:
    """Answer 200 with the text format, 401 or 403 to others, 503 while the database does not answer."""
    token = settings.ENVIRONMENT.metrics_token
    if token and not has_token(request, token):
        answer = HttpResponse("Send CALLSCOPE_METRICS_TOKEN as a bearer token.\n", "text/plain", 401)
        answer["WWW-Authenticate"] = "Bearer"
        return answer
    if not token and not is_local(request):
        text = "Set CALLSCOPE_METRICS_TOKEN to read the metrics from another machine or through a proxy.\n"
        return HttpResponse(text, "text/plain", 403)
    try:
        text = metrics.format_metrics(metrics.collect_metrics())
    except Error:
        return HttpResponse(
            "The database does not answer.\n", "text/plain", 503, headers={"Retry-After": "5"}
        )
    return HttpResponse(text, content_type=metrics.CONTENT_TYPE)


def has_token(request: HttpRequest, token: str) -> bool:
    """Return whether the request carries the token."""
    given = request.headers.get("Authorization", "")
    return given.startswith(SCHEME) and hmac.compare_digest(
        given.removeprefix(SCHEME).encode(), token.encode()
    )


def is_local(request: HttpRequest) -> bool:
    """Return whether a program on this machine asks, by a name of this machine, and no proxy for another."""
    try:
        request.get_host()  # a page in a browser here could ask by a name of its own
        address = ipaddress.ip_address(request.META.get("REMOTE_ADDR", ""))
    except (DisallowedHost, ValueError):
        return False
    return address.is_loopback and not any(name in request.META for name in FORWARDED)
