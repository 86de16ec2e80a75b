"""The query parameters that pages share, and addresses with a query."""

from collections.abc import Mapping
from urllib.parse import urlencode

from django.http import HttpRequest

# What a link to another page takes along, so that it shows the same projects and days.
SCOPE_PARAMETERS = ("project_id", "team")
WINDOW_PARAMETERS = ("date_range", "start_date", "end_date")
# A bare address of the report, the calls or the questions opens the last project: blank, as a form without
# scripts sends it, this one asks for all projects and all time.
EVERYTHING = "project_id"


def pick_params(request: HttpRequest, names: tuple[str, ...]) -> dict[str, str]:
    """Return those of the named query parameters that are not blank."""
    return {name: request.GET[name] for name in names if request.GET.get(name)}


def with_query(url: str, query: Mapping[str, object], *, blank: str = "") -> str:
    """Return the address with its query; parameters that are None or "" are left out.

    `blank` is written where all others are left out: for an address that means something else bare.
    """
    filled = {name: value for name, value in query.items() if value not in (None, "")}
    if blank and not filled:
        filled[blank] = ""
    return f"{url}?{urlencode(filled)}" if filled else url
