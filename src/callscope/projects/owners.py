"""Which of several projects have a criterion, a mistake or a prompt: a report over all of them says so."""

from collections.abc import Sequence
from contextlib import suppress
from functools import cached_property

from django.utils.translation import gettext as _

from callscope.projects.configuration import InvalidConfiguration
from callscope.projects.models import Project

JOINT = " · "


def head_owner(owner: str) -> str:
    """Return the head above what a project owns, in the active language; of what none owns any more, too."""
    return owner or _("No longer in a rubric")


class Owners:
    """Names of projects, by what their settings hold; "" throughout where there is one project alone."""

    def __init__(self, projects: Sequence[Project]) -> None:
        self.projects = list(projects) if len(projects) > 1 else []

    def name_by_criterion(self, criterion_id: str, name: str) -> str:
        """Return whose rubrics have a criterion; "" for none of them."""
        return JOINT.join(self._criteria.get((criterion_id, name), ()))

    def name_by_finding(self, kind: str, finding_id: str, name: str) -> str:
        """Return who looks for a "mistake" or a "prompt"; "" for none of them."""
        return JOINT.join(self._findings.get((kind, finding_id, name), ()))

    def name_by_id(self, ids: Sequence[int]) -> str:
        """Return the names of these projects."""
        names = {project.pk: project.name for project in self.projects}
        return JOINT.join(names[pk] for pk in ids if pk in names)

    @cached_property
    def _criteria(self) -> dict[tuple[str, str], list[str]]:
        names: dict[tuple[str, str], list[str]] = {}
        for project in self.projects:
            with suppress(InvalidConfiguration):
                for _section, each in project.configuration.rubric.criteria():
                    names.setdefault((each.id, each.name), []).append(project.name)
        return names

    @cached_property
    def _findings(self) -> dict[tuple[str, str, str], list[str]]:
        names: dict[tuple[str, str, str], list[str]] = {}
        for project in self.projects:
            with suppress(InvalidConfiguration):
                looked_for = project.configuration.no_protocol
                for kind, listed in (("mistake", looked_for.mistakes), ("prompt", looked_for.prompts)):
                    for each in listed:
                        names.setdefault((kind, each.id, each.text), []).append(project.name)
        return names
