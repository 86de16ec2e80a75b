"""Send style sheets, scripts and drawings compressed: they are two thirds of what a page weighs at first.

No collecting step writes compressed files next to them, so each process compresses a file when it is first
asked for and keeps it in memory. Pages are never compressed: they contain secrets next to what a request
says (BREACH).
"""

import gzip
import re
from functools import lru_cache
from pathlib import Path
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from whitenoise.middleware import WhiteNoiseMiddleware

LEAST, MOST = 1000, 2_000_000  # bytes: less is not worth it, more is nothing of ours
MOST_FILES = 100  # that a process keeps
COMPRESSED = re.compile(r"text/(?:css|javascript)|application/javascript|image/svg\+xml")
TAKES_GZIP = re.compile(r"\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))")


class StaticFilesMiddleware(WhiteNoiseMiddleware):
    """WhiteNoise, with the files of pages compressed for browsers that take it."""

    @staticmethod
    def serve(static_file: Any, request: HttpRequest) -> HttpResponseBase:
        """Return a file, compressed where that helps and nothing speaks against it."""
        answer: HttpResponseBase = WhiteNoiseMiddleware.serve(static_file, request)
        path = static_file.alternatives[-1][1]  # of the file itself; others are compressed already
        if not COMPRESSED.match(answer.headers.get("Content-Type", "")) or answer.headers.get(
            "Content-Encoding"
        ):
            return answer
        answer["Vary"] = "Accept-Encoding"
        size = int(answer.headers.get("Content-Length", 0))
        takes_it = TAKES_GZIP.search(request.headers.get("Accept-Encoding", ""))
        if request.method != "GET" or answer.status_code != 200 or not takes_it or not LEAST <= size <= MOST:
            return answer
        compressed = HttpResponse(compress_file(path, answer.headers.get("Last-Modified", "")))
        for name, value in answer.items():
            if name not in ("Content-Length", "ETag"):
                compressed[name] = value
        compressed["Content-Encoding"] = "gzip"
        compressed["Content-Length"] = str(len(compressed.content))
        answer.close()
        return compressed


@lru_cache(maxsize=MOST_FILES)
def compress_file(path: str, modified: str) -> bytes:  # noqa: ARG001
    """Return a file compressed; `modified` is when it last changed."""
    return gzip.compress(Path(path).read_bytes(), mtime=0)
