"""The engines of a project, by its configuration and the settings of this process."""

from django.conf import settings

from callscope.engines.registry import Engines, engines_for
from callscope.projects.configuration import Configuration


def project_engines(*configurations: Configuration) -> Engines:
    """Return the engines for a project, or for several at once: private ones if any of them is private."""
    is_private = any(configuration.private_transcription for configuration in configurations)
    return engines_for(settings.ENVIRONMENT, private=is_private)
