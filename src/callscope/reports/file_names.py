"""The names of the files that a report is taken along as: what is in them, of which projects and days."""

import re
import unicodedata
from collections.abc import Sequence

from callscope.projects.models import Project
from callscope.reports.window import Window

MAX_NAME = 80  # characters of a project's name


def build_file_name(projects: Sequence[Project], window: Window, ending: str, content: str = "") -> str:
    """Return a name such as "callscope-scorecard-service-line-2026-01-01-to-2026-01-31.csv".

    It holds ASCII letters, digits, "-", "_" and "." only. Without `content` it is the report itself.
    """
    named = projects[0].name if len(projects) == 1 else f"{len(projects)} projects"
    ascii_name = unicodedata.normalize("NFKD", named).encode("ascii", "ignore").decode("ascii").lower()
    slug = re.sub(r"[^a-z0-9]+", "-", ascii_name).strip("-")[:MAX_NAME].strip("-")
    if window.start and window.end:
        days = f"{window.start}-to-{window.end}"
    elif window.start:
        days = f"from-{window.start}"
    elif window.end:
        days = f"until-{window.end}"
    else:
        days = "whole-history"
    return "-".join(part for part in ("callscope", content, slug, days) if part) + f".{ending}"
