"""Mark the files of projects that are private, or were when a file came in or was transcribed."""

from django.db import migrations, models
from django.db.models import Q
from django.db.models.fields.json import KT


def mark_private_files(apps, _schema_editor):
    versions = apps.get_model("projects", "ConfigVersion").objects.order_by("project_id", "number")
    rows = versions.values_list("project_id", "created_at", KT("document__private_transcription"))
    began = None
    project_id = None
    for project, at, switch in rows.iterator():
        if project != project_id:
            _mark(apps, project_id, began, None)
            project_id, began = project, None
        is_private = str(switch).lower() in ("true", "1")
        if is_private and began is None:
            began = at
        elif not is_private and began is not None:
            _mark(apps, project_id, began, at)
            began = None
    _mark(apps, project_id, began, None)


def _mark(apps, project_id, began, ended):
    """Mark what came in or was transcribed from `began` until `ended`, None for today."""
    if began is None:
        return
    files = apps.get_model("calls", "UploadedFile").objects.filter(project_id=project_id)
    if ended is None:
        files.update(is_private=True)
        return
    heard = apps.get_model("transcription", "Transcript").objects.filter(
        project_id=project_id, created_at__gte=began, created_at__lt=ended
    )
    files.filter(
        Q(created_at__gte=began, created_at__lt=ended) | Q(pk__in=heard.values("file_id"))
    ).update(is_private=True)


class Migration(migrations.Migration):
    dependencies = [
        ("calls", "0006_retention"),
        ("projects", "0002_invitation"),
        ("transcription", "0002_transcript_waveform"),
    ]

    operations = [
        migrations.AddField(
            model_name="uploadedfile",
            name="is_private",
            field=models.BooleanField(default=False),
        ),
        migrations.RunPython(mark_private_files, migrations.RunPython.noop),
        migrations.AddIndex(
            model_name="uploadedfile",
            index=models.Index(condition=Q(("is_private", True)), fields=["project"], name="private_files"),
        ),
    ]
