"""The WSGI application that `callscope serve` runs."""

import os
import re
from collections.abc import Callable, Iterable
from typing import Any

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "callscope.settings")
_django = get_wsgi_application()

CHARSET = re.compile(r";\s*charset\s*=[^;]*", re.IGNORECASE)


def application(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
    """Serve under CALLSCOPE_URL_PREFIX whether the proxy takes the prefix off the path or leaves it on."""
    from django.conf import settings

    prefix = settings.ENVIRONMENT.url_prefix
    path = environ.get("PATH_INFO", "")
    if prefix and (path == prefix or path.startswith(f"{prefix}/")):
        environ["PATH_INFO"] = path[len(prefix) :] or "/"
    # Everything here is UTF-8. Django decodes by the charset that a client names, and fails before any
    # of our code runs when that is a codec but none for text, such as hex.
    environ["CONTENT_TYPE"] = CHARSET.sub("", environ.get("CONTENT_TYPE", ""))
    return _django(environ, start_response)
