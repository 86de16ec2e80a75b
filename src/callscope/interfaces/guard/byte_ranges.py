"""Return the bytes of a stored file: whole, or the range that a player asks for.

RFC 9110, sections 13 and 14: one range a request, If-Range, If-None-Match, 206
and 416. Several ranges at once are answered with the whole file, as the RFC allows.
"""

import datetime as dt
import re
from collections.abc import Mapping
from pathlib import Path

from django.http import FileResponse, HttpResponse, HttpResponseNotModified
from django.http.response import HttpResponseBase
from django.utils.http import content_disposition_header, http_date, parse_http_date_safe

from callscope.calls import storage

_RANGE = re.compile(r"bytes=(?P<first>\d{0,18})-(?P<last>\d{0,18})", re.ASCII)

# By the extension, and only from this list: an upload that names its own type could be a page with scripts.
MEDIA_TYPES = {
    ".wav": "audio/wav", ".mp3": "audio/mpeg", ".m4a": "audio/mp4", ".mp4": "audio/mp4", ".aac": "audio/aac",
    ".ogg": "audio/ogg", ".oga": "audio/ogg", ".opus": "audio/ogg", ".flac": "audio/flac",
    ".webm": "audio/webm", ".amr": "audio/amr", ".3gp": "audio/3gpp", ".aif": "audio/aiff",
    ".aiff": "audio/aiff", ".wma": "audio/x-ms-wma",
    ".srt": "application/x-subrip", ".vtt": "text/vtt; charset=utf-8",
}  # fmt: skip


class _UnsatisfiableRange(Exception):
    """The range begins after the end of the file."""


def range_response(
    key: str, *, method: str, headers: Mapping[str, str], name: str, etag: str, modified: dt.datetime
) -> HttpResponseBase:
    """Return the response to a GET or HEAD for the bytes stored under `key`, as a file called `name`.

    `headers` are the request's; `etag` changes with the bytes. Raises
    FileNotFoundError when the bytes are gone.
    """
    # Bytes in a bucket pass through here as well: a signed address of the bucket
    # would be another host for the pages, and open to everybody who has it.
    size = storage.size_of(key)
    quoted = f'"{etag}"'
    media_type = MEDIA_TYPES.get(Path(key).suffix.lower(), "application/octet-stream")
    # Players need the sound in place. Nothing else of a stranger's is shown by a browser.
    is_attachment = not media_type.startswith("audio/")
    common = {
        "Accept-Ranges": "bytes",
        "ETag": quoted,
        "Last-Modified": http_date(modified.timestamp()),
        "Content-Disposition": content_disposition_header(is_attachment, name) or "inline",
    }
    known_tags = [tag.strip().removeprefix("W/") for tag in headers.get("If-None-Match", "").split(",")]
    if quoted in known_tags or "*" in known_tags:
        return HttpResponseNotModified(headers=common)
    try:
        span = _parse_range(headers, size, quoted, modified)
    except _UnsatisfiableRange:
        return HttpResponse(
            status=416, headers={"Content-Range": f"bytes */{size}", "Accept-Ranges": "bytes"}
        )
    first, last = span or (0, size - 1)
    common["Content-Length"] = str(last - first + 1)
    common["Content-Type"] = media_type
    status = 200
    if span:
        status, common["Content-Range"] = 206, f"bytes {first}-{last}/{size}"
    if method == "HEAD":
        return HttpResponse(status=status, headers=common)
    response = FileResponse(storage.open_slice(key, first, last), status=status)
    for header, value in common.items():
        response[header] = value
    return response


def _parse_range(
    headers: Mapping[str, str], size: int, quoted: str, modified: dt.datetime
) -> tuple[int, int] | None:
    """Return (first, last), None for the whole file. Raises _UnsatisfiableRange."""
    match = _RANGE.fullmatch(headers.get("Range", "").replace(" ", ""))
    if not match or not (match["first"] or match["last"]):
        return None
    condition = headers.get("If-Range", "").strip()
    if condition not in ("", quoted) and parse_http_date_safe(condition) != int(modified.timestamp()):
        return None
    if not match["first"]:  # the last n bytes
        length = min(int(match["last"]), size)
        if not length:
            raise _UnsatisfiableRange
        return (size - length, size - 1)
    first = int(match["first"])
    last = min(int(match["last"]), size - 1) if match["last"] else size - 1
    if match["last"] and int(match["last"]) < first:
        return None  # The RFC says to ignore a range that ends before it begins.
    if first >= size:
        raise _UnsatisfiableRange
    return (first, last)
