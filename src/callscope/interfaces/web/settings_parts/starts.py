"""What the settings of a project can start from: a starter rubric, or the settings of another project."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from django.utils.translation import get_language
from django.utils.translation import gettext as _

from callscope.interfaces.web.project_access import tell_apart
from callscope.projects import configuration
from callscope.projects.models import Project

STARTERS = Path(__file__).parent.parent / "starters"
STARTER, COPY = "starter", "copy"


class Starts:
    """What there is to choose, by the value of each in a form."""

    def __init__(self, projects: Iterable[Project]) -> None:
        self.copies = {f"{COPY}-{project.pk}": project for project in projects}

    def list_copies(self) -> list[tuple[str, str]]:
        """Return the values of the projects, each with its words."""
        return [
            (f"{COPY}-{project.pk}", _("Settings of %(name)s") % {"name": project.name})
            for project in tell_apart(self.copies.values())
        ]

    def load(self, value: str, language: str | None = None) -> Mapping[str, Any] | None:
        """Return the settings behind a value; None for a value that is none of them."""
        if value == STARTER:
            return load_starter(language)
        return self.copies[value].config if value in self.copies else None


def name_starter() -> str:
    return _("A starter rubric for service calls")


def load_starter(language: str | None = None) -> Mapping[str, Any]:
    """Return the starter settings in the language of the page, English where there are none."""
    chosen = STARTERS / f"{(language or get_language() or 'en')[:2]}.yaml"
    path = chosen if chosen.is_file() else STARTERS / "en.yaml"
    return configuration.parse_yaml(path.read_bytes()).as_document()


def list_rubrics(projects: Iterable[Project]) -> Starts:
    """Return what the rubric of a project can start from: the projects that have criteria."""
    return Starts(project for project in projects if _has_criteria(project))


def _has_criteria(project: Project) -> bool:
    """Return whether its rubric has a criterion, as it is stored: there can be many projects."""
    rubric = project.config.get("rubric") or {}
    return any(section.get("criteria") for section in rubric.get("sections") or [])
