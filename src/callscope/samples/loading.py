"""Bring the sample calls into an instance, for one user, through the same door as every upload."""

import io

from django.utils import timezone

from callscope.accounts.models import User
from callscope.pipeline.files import intake
from callscope.projects import configuration, services
from callscope.projects.engines import project_engines
from callscope.projects.models import Project
from callscope.samples.catalog import COMPANIES, SampleProject, build_manifest_csv, load_catalog

TRANSCRIPTS = frozenset({".srt", ".vtt"})


def list_project_names() -> list[str]:
    """Return the names of the sample projects."""
    return list(COMPANIES.values())


def load_samples(owner: User) -> list[Project]:
    """Create the sample projects and queue their calls; recordings only where an engine can hear them."""
    with_recordings = project_engines().transcriber.check().ok
    return [load_sample(sample, owner, with_recordings=with_recordings) for sample in load_catalog()]


def load_sample(
    sample: SampleProject, owner: User, *, viewer: User | None = None, with_recordings: bool = True
) -> Project:
    """Create one sample project, share it with the viewer, and queue its calls."""
    document = configuration.parse_yaml(sample.config_path.read_bytes()).as_document()
    project = services.create_project(owner, sample.name, document=document, by=owner)
    if viewer:
        services.share_project(project, viewer, by=owner)
    # The manifest first, so that every call has its agent and time when it arrives.
    manifest = build_manifest_csv(sample, timezone.localdate()).encode()
    intake.apply_manifest(project, io.BytesIO(manifest), owner)
    for path in sample.files:
        if with_recordings or path.suffix in TRANSCRIPTS:
            intake.accept_upload(intake.copy_to_incoming(path), project=project, user=owner)
    return project
