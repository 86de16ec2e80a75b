"""What a change of the reasons did to the settings of their project, recorded and undone with it.

The versions of the settings keep both documents, so that the change holds two numbers and what people read.
"""

from collections.abc import Mapping
from typing import Any, TypedDict

from callscope.accounts.models import User
from callscope.projects import versions
from callscope.projects.configuration import ContactReasons
from callscope.projects.models import ConfigVersion, Project
from callscope.projects.services import configure_project


class SettingsChange(TypedDict):
    """The versions before and after, the modes, and the names of codes that came and went."""

    version_before: int
    version_after: int
    mode_before: str
    mode_after: str
    added: list[str]
    removed: list[str]


def change_reasons(project: Project, reasons: Mapping[str, Any], by: User | None) -> SettingsChange | None:
    """Put these contact reasons into the settings as a new version; return None if nothing differs.

    Raises InvalidConfiguration.
    """
    config, number = project.configuration, project.config_version
    former = config.contact_reasons
    if not configure_project(project, {**config.as_document(), "contact_reasons": reasons}, by):
        return None
    new = project.configuration.contact_reasons
    before, after = _names(former), _names(new)
    return SettingsChange(
        version_before=number,
        version_after=project.config_version,
        mode_before=former.mode,
        mode_after=new.mode,
        added=[name for name in after if name not in before],
        removed=[name for name in before if name not in after],
    )


def is_standing(project: Project, change: SettingsChange) -> bool:
    """Return whether the contact reasons in the settings are those that the change left."""
    today = project.configuration.as_document()["contact_reasons"]
    left, former = (
        _read_reasons(project, number) for number in (change["version_after"], change["version_before"])
    )
    return left == today and former is not None


def undo_settings(project: Project, change: SettingsChange, by: User | None) -> None:
    """Put the contact reasons back into the settings, as a new version."""
    former = _read_reasons(project, change["version_before"])
    document = {**project.configuration.as_document(), "contact_reasons": former}
    configure_project(project, document, by, restored=change["version_before"])


def _read_reasons(project: Project, number: int) -> Any:
    row = ConfigVersion.objects.filter(project=project, number=number).first()
    return versions.read_document(project, row).get("contact_reasons") if row else None


def _names(reasons: ContactReasons) -> list[str]:
    return [each.code for each in reasons.codes]
