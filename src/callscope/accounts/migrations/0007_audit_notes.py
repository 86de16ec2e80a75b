"""Notes that wait for the chain, and which projects an event is about, also for the existing events."""

import django.db.models.deletion
from django.db import migrations, models


def find_projects(apps, schema_editor):
    AuditEvent = apps.get_model("accounts", "AuditEvent")
    AuditEventProject = apps.get_model("accounts", "AuditEventProject")
    rows = []
    for event in AuditEvent.objects.order_by("pk").iterator(chunk_size=2000):
        kind, _, number = event.subject.partition(" ")
        named = [event.detail.get("project"), *event.detail.get("projects", [])]
        if kind == "project" and number.isdigit():
            named.append(int(number))
        rows += [
            AuditEventProject(event_id=event.pk, project_id=each)
            for each in sorted({each for each in named if isinstance(each, int)})
        ]
        if len(rows) >= 1000:
            AuditEventProject.objects.bulk_create(rows)
            rows = []
    AuditEventProject.objects.bulk_create(rows)


class Migration(migrations.Migration):
    dependencies = [("accounts", "0006_key_scope")]

    operations = [
        migrations.AddField("audithead", "spool_file", models.CharField(blank=True, default="", max_length=32)),
        migrations.AddField("audithead", "spool_place", models.BigIntegerField(default=0)),
        migrations.CreateModel(
            name="AuditQueue",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("event", models.TextField()),
            ],
        ),
        migrations.CreateModel(
            name="AuditFold",
            fields=[
                ("key", models.CharField(max_length=400, primary_key=True, serialize=False)),
                ("until", models.FloatField(db_index=True)),
                ("count", models.BigIntegerField()),
                ("event", models.TextField()),
            ],
        ),
        migrations.CreateModel(
            name="AuditEventProject",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("project_id", models.BigIntegerField()),
                (
                    "event",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="projects",
                        to="accounts.auditevent",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("project_id", "event"), name="one_row_per_project_and_event"
                    )
                ],
            },
        ),
        migrations.RunPython(find_projects, migrations.RunPython.noop),
    ]
