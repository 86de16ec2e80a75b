"""Keep when retention removed the results of a file; the audit trail says when it did before."""

import datetime as dt

from django.db import migrations, models

STATES = ("copc_state", "no_protocol_state", "custom_questions_state", "insights_state")


def date_earlier_removals(apps, _schema_editor):
    """A sweep took the results of the files that were older then than its days; their rows are empty since."""
    files = apps.get_model("calls", "UploadedFile").objects
    emptied = apps.get_model("analysis", "CallAnalysis").objects.filter(
        completed_at=None, **{f"{state}__isnull": True for state in STATES}
    )
    sweeps = apps.get_model("accounts", "AuditEvent").objects.filter(action="retention.applied")
    for at, detail in sweeps.order_by("pk").values_list("at", "detail").iterator():
        days = (detail.get("days") or {}).get("results_days")
        if not days or not (detail.get("erased") or {}).get("analyses"):
            continue
        files.filter(
            project_id=detail.get("project"),
            created_at__lt=at - dt.timedelta(days=days),
            results_removed_at=None,
            pk__in=emptied.values("file"),
        ).update(results_removed_at=at)


class Migration(migrations.Migration):
    dependencies = [
        ("calls", "0011_shared_results_alone"),
        ("accounts", "0010_organization"),
        ("analysis", "0007_machine_findings"),
    ]

    operations = [
        migrations.AddField(
            model_name="uploadedfile",
            name="results_removed_at",
            field=models.DateTimeField(null=True),
        ),
        migrations.RunPython(date_earlier_removals, migrations.RunPython.noop),
    ]
