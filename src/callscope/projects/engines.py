"""The engines of a project, by its configuration and the settings of this process."""

from django.conf import settings

from callscope.engines.registry import Engines, engines_for
from callscope.projects.configuration import Configuration


def project_engines(*configurations: Configuration, holds_private: bool = False) -> Engines:
    """Return the engines for a project, or for several at once: private ones if any of them is private.

    `holds_private` says that something of them is private whatever the switch says today:
    calls.private_words knows.
    """
    is_private = holds_private or any(configuration.private_transcription for configuration in configurations)
    return engines_for(settings.ENVIRONMENT, private=is_private)
