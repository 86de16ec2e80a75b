"""Which engines may get the words of a call: what was private when it came in stays private.

Rules: docs/engines.md, "Private projects", and ADR 9. A file keeps the mark after its project's
switch is turned off. Who wants the common engines to have such a call uploads its file again.
"""

from collections.abc import Collection

from callscope.calls.models import UploadedFile
from callscope.engines.registry import Engines
from callscope.projects.configuration import Configuration
from callscope.projects.engines import project_engines
from callscope.projects.models import Project


def engines_for_file(file: UploadedFile, *configurations: Configuration) -> Engines:
    """Return the engines that may hear or read a file: private ones if it or any configuration is private."""
    return project_engines(*configurations, holds_private=file.is_private)


def engines_for_projects(*projects: Project) -> Engines:
    """Return the engines for what concerns whole projects: private ones if any holds a private file."""
    configurations = [project.configuration for project in projects]
    return project_engines(*configurations, holds_private=hold_private([p.pk for p in projects]))


def hold_private(project_ids: Collection[int]) -> bool:
    """Return whether a file of these projects came in, or was transcribed, while its project was private."""
    return UploadedFile.objects.filter(project__in=project_ids, is_private=True).exists()
