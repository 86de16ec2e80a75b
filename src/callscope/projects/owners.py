"""Which of several projects have a criterion, a mistake or a prompt: a report over all of them says so."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cached_property

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from callscope.projects.configuration import InvalidConfiguration
from callscope.projects.models import Project

JOINT = " · "
MOST_NAMED = 2  # projects in a sentence


def head_owner(owner: str) -> str:
    """Return the head above what a project owns, in the active language; of what none owns any more, too."""
    return owner or _("No longer in a rubric")


class Owners:
    """Names of projects, by what their settings hold; "" throughout where there is one project alone.

    `agents` are those of each agent, by their calls.
    """

    def __init__(self, projects: Sequence[Project], agents: Mapping[int, str] | None = None) -> None:
        self.projects = list(projects) if len(projects) > 1 else []
        self._agents = agents or {}

    def name_by_criterion(self, criterion_id: str, name: str) -> str:
        """Return whose rubrics have a criterion; "" for none of them."""
        return JOINT.join(self.list_by_criterion(criterion_id, name))

    def list_by_criterion(self, criterion_id: str, name: str) -> list[str]:
        """Return the projects whose rubrics have a criterion."""
        return self._criteria.get((criterion_id, name), [])

    def name_by_agent(self, agent_id: int) -> str:
        """Return in whose calls an agent speaks."""
        return self._agents.get(agent_id, "")

    def name_by_finding(self, kind: str, finding_id: str, name: str) -> str:
        """Return who looks for a "mistake" or a "prompt"; "" for none of them."""
        return JOINT.join(self._findings.get((kind, finding_id, name), ()))

    def name_by_id(self, ids: Sequence[int]) -> str:
        """Return the names of these projects."""
        return JOINT.join(self.list_by_id(ids))

    def list_by_id(self, ids: Sequence[int]) -> list[str]:
        """Return the names of these projects, one by one."""
        names = {project.pk: project.name for project in self.projects}
        return [names[pk] for pk in ids if pk in names]

    def quote(self, name: str, owned_by: Sequence[str], said: str = "") -> str:
        """Return “Greets” (Sales), in the quotation marks of the language: a name, and whose it is.

        Of more than MOST_NAMED projects their number; `said` follows in the same parentheses.
        """
        count = len(owned_by)
        owner = JOINT.join(owned_by)
        if count > MOST_NAMED:
            owner = ngettext("%(count)s project", "%(count)s projects", count) % {"count": count}
        noted = ", ".join(filter(None, (owner, said)))
        return _("“%(words)s”") % {"words": name} + (f" ({noted})" if noted else "")

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
