"""The live call of each transcript, so that a search in transcripts looks at one narrow table."""

import django.db.models.deletion
from django.db import migrations, models

FILL = """
INSERT INTO reports_spokencall (transcript_id, call_id, project_id, at_us)
SELECT t.id, f.call_id, f.project_id, f.at_us FROM transcription_transcript t
JOIN analysis_callanalysis a ON a.file_id = t.file_id AND a.is_live
JOIN reports_callfact f ON f.call_id = a.call_id"""


class Migration(migrations.Migration):
    dependencies = [
        ("reports", "0013_mark_findings"),
        ("calls", "0009_share_links"),
        ("analysis", "0005_failed_rows"),
        ("projects", "0002_invitation"),
        ("transcription", "0002_transcript_waveform"),
    ]
    operations = [
        migrations.CreateModel(
            name="SpokenCall",
            fields=[
                ("transcript_id", models.BigAutoField(primary_key=True, serialize=False)),
                ("at_us", models.BigIntegerField()),
                (
                    "call",
                    models.OneToOneField(
                        db_constraint=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="calls.call",
                    ),
                ),
                (
                    "project",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="projects.project",
                    ),
                ),
            ],
        ),
        migrations.RunSQL(FILL, migrations.RunSQL.noop),
    ]
