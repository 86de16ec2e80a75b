"""The WSGI application that `callscope serve` runs."""

import os
import re
from collections.abc import Callable, Iterable
from typing import Any

from django.conf import settings
from django.core.wsgi import get_wsgi_application
from django.utils.module_loading import import_string

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "callscope.settings")
_django = get_wsgi_application()  # sets Django up, which the gate needs
# The settings name the gate, as they name the middleware. One for all threads: it counts their bodies.
_gate: Callable[..., Iterable[bytes]] = import_string(settings.WSGI_GATE)(_django)

CHARSET = re.compile(r";\s*charset\s*=[^;]*", re.IGNORECASE)


def application(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
    """Serve under CALLSCOPE_URL_PREFIX, whether or not the proxy strips the prefix from the path."""
    prefix = settings.ENVIRONMENT.url_prefix
    path = environ.get("PATH_INFO", "")
    if prefix and (path == prefix or path.startswith(f"{prefix}/")):
        environ["PATH_INFO"] = path[len(prefix) :] or "/"
    # All text here is UTF-8. Django decodes with the charset that a client names, and fails before any
    # of our code runs if that is a codec that is not for text, such as hex.
    environ["CONTENT_TYPE"] = CHARSET.sub("", environ.get("CONTENT_TYPE", ""))
    return _gate(environ, start_response)
