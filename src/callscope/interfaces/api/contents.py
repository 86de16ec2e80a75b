"""Answer with the bytes of a stored file: whole, or the range that a player asks for.

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

from callscope.calls import recordings

_RANGE = re.compile(r"bytes=(?P<first>\d{0,18})-(?P<last>\d{0,18})", re.ASCII)

# Told by the extension and only from this list: what people upload is not trusted to name its own type.
KINDS = {
    ".wav": "audio/wav", ".mp3": "audio/mpeg", ".m4a": "audio/mp4", ".mp4": "audio/mp4", ".aac": "audio/aac",
    ".ogg": "audio/ogg", ".oga": "audio/ogg", ".opus": "audio/ogg", ".flac": "audio/flac",
    ".webm": "audio/webm", ".amr": "audio/amr", ".3gp": "audio/3gpp", ".aif": "audio/aiff",
    ".aiff": "audio/aiff", ".wma": "audio/x-ms-wma",
    ".srt": "application/x-subrip", ".vtt": "text/vtt; charset=utf-8",
}  # fmt: skip


class _Unsatisfiable(Exception):
    """The range begins where the file has ended."""


def respond(
    key: str, *, method: str, headers: Mapping[str, str], name: str, etag: str, modified: dt.datetime
) -> HttpResponseBase:
    """Return the answer to a GET or HEAD for the bytes stored under `key`, shown to the client as `name`.

    `headers` are the request's, `etag` names these very bytes. Bytes in a bucket pass through
    here too: its own address would be another host for the pages, and open to whoever has it.
    Raises FileNotFoundError when the bytes are gone.
    """
    size = recordings.size_of(key)
    quoted = f'"{etag}"'
    common = {
        "Accept-Ranges": "bytes",
        "ETag": quoted,
        "Last-Modified": http_date(modified.timestamp()),
        "Cache-Control": "private, no-cache",
        "Content-Disposition": content_disposition_header(False, name) or "inline",
    }
    if _any_matches(headers.get("If-None-Match", ""), quoted):
        return HttpResponseNotModified(headers=common)
    try:
        span = _span(headers, size, quoted, modified)
    except _Unsatisfiable:
        return HttpResponse(
            status=416, headers={"Content-Range": f"bytes */{size}", "Accept-Ranges": "bytes"}
        )
    first, last = span or (0, size - 1)
    common["Content-Length"] = str(last - first + 1)
    common["Content-Type"] = KINDS.get(Path(key).suffix.lower(), "application/octet-stream")
    status = 200
    if span:
        status, common["Content-Range"] = 206, f"bytes {first}-{last}/{size}"
    if method == "HEAD":
        return HttpResponse(status=status, headers=common)
    response = FileResponse(recordings.open_slice(key, first, last), status=status)
    for header, value in common.items():
        response[header] = value
    return response


def _any_matches(header: str, quoted: str) -> bool:
    tags = [tag.strip().removeprefix("W/") for tag in header.split(",")]
    return quoted in tags or "*" in tags


def _span(
    headers: Mapping[str, str], size: int, quoted: str, modified: dt.datetime
) -> tuple[int, int] | None:
    """Return (first, last), None for the whole file. Raises _Unsatisfiable."""
    match = _RANGE.fullmatch(headers.get("Range", "").replace(" ", ""))
    if not match or not (match["first"] or match["last"]) or not _is_unchanged(headers, quoted, modified):
        return None
    if not match["first"]:  # the last n bytes
        length = min(int(match["last"]), size)
        if not length:
            raise _Unsatisfiable
        return (size - length, size - 1)
    first = int(match["first"])
    last = min(int(match["last"]), size - 1) if match["last"] else size - 1
    if match["last"] and int(match["last"]) < first:
        return None  # no range at all, says the RFC: ignored
    if first >= size:
        raise _Unsatisfiable
    return (first, last)


def _is_unchanged(headers: Mapping[str, str], quoted: str, modified: dt.datetime) -> bool:
    condition = headers.get("If-Range", "").strip()
    if not condition or condition == quoted:
        return True
    return parse_http_date_safe(condition) == int(modified.timestamp())
