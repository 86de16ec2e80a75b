"""Bring the sample calls into an instance, for one user, through the same door as every upload."""

import io

from django.conf import settings
from django.utils import timezone

from callscope.accounts.models import User
from callscope.engines.asr import selection
from callscope.pipeline import intake
from callscope.projects import administration, configuration
from callscope.projects.models import Project
from callscope.samples.catalogue import COMPANIES, SampleProject, load_catalogue, manifest_csv

TRANSCRIPTS = frozenset({".srt", ".vtt"})


def names() -> list[str]:
    """Return the names of the sample projects."""
    return list(COMPANIES.values())


def load(owner: User) -> list[Project]:
    """Make the sample projects and queue their calls; recordings only where an engine can hear them."""
    with_recordings = _recordings_can_be_heard()
    return [_bring_in(sample, owner, with_recordings) for sample in load_catalogue()]


def _bring_in(sample: SampleProject, owner: User, with_recordings: bool) -> Project:
    document = configuration.parse_yaml(sample.config_path.read_bytes()).as_document()
    project = administration.create_project(owner, sample.name, document=document, by=owner)
    manifest = manifest_csv(sample, timezone.localdate()).encode()
    intake.apply_manifest(project, io.BytesIO(manifest), owner)
    for path in sample.files:
        if with_recordings or path.suffix in TRANSCRIPTS:
            intake.receive(intake.copy_in(path), project=project, user=owner)
    return project


def _recordings_can_be_heard() -> bool:
    chosen = settings.ENVIRONMENT.transcriber
    return selection.transcriber(chosen.address, api_key=chosen.api_key, model=chosen.model).check().ok
