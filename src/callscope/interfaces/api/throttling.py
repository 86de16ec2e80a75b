"""The rate limit at the REST door: see interfaces/guard/rate_limit.py."""

from typing import TYPE_CHECKING

from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

from callscope.interfaces.guard.rate_limit import find_wait

if TYPE_CHECKING:  # rest_framework.views imports this module
    from rest_framework.views import APIView


class UserThrottle(BaseThrottle):
    """CALLSCOPE_RATE_LIMIT for each user, over all keys and sessions together."""

    wait_s: float | None = None

    def allow_request(self, request: Request, view: "APIView") -> bool:
        """Count the request with the `request_weight` of its view; False once the period is used up."""
        if request.user.is_authenticated:
            self.wait_s = find_wait(request.user.pk, getattr(view, "request_weight", 1))
        return self.wait_s is None

    def wait(self) -> float | None:
        """Return the seconds until the period ends, for Retry-After."""
        return self.wait_s
