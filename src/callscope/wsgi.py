"""The WSGI application that `callscope serve` runs."""

import os
from collections.abc import Callable, Iterable
from typing import Any

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "callscope.settings")
_django = get_wsgi_application()


def application(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
    """Serve under CALLSCOPE_URL_PREFIX whether the proxy takes the prefix off the path or leaves it on."""
    from django.conf import settings

    prefix = settings.ENVIRONMENT.url_prefix
    path = environ.get("PATH_INFO", "")
    if prefix and (path == prefix or path.startswith(f"{prefix}/")):
        environ["PATH_INFO"] = path[len(prefix) :] or "/"
    return _django(environ, start_response)
