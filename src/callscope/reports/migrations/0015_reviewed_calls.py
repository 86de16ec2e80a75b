"""What the reviews that stand say of their calls, so that the report reads one narrow table."""

import django.db.models.deletion
from django.db import migrations, models

FILL = """
INSERT INTO reports_reviewedcall
(call_id, project_id, at_us, agent_id, is_corrected, compared, agreed, score_bp)
SELECT f.call_id, f.project_id, f.at_us, f.agent_id, r.is_corrected, r.compared, r.agreed, r.score_bp
FROM reviews_review r JOIN reports_callfact f ON f.call_id = r.call_id
WHERE r.is_current AND NOT r.is_outdated"""


class Migration(migrations.Migration):
    dependencies = [
        ("reports", "0014_spoken_calls"),
        ("calls", "0009_share_links"),
        ("projects", "0002_invitation"),
        ("reviews", "0012_blind_reviews_index"),
    ]
    operations = [
        migrations.CreateModel(
            name="ReviewedCall",
            fields=[
                (
                    "call",
                    models.OneToOneField(
                        db_constraint=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        primary_key=True,
                        related_name="+",
                        serialize=False,
                        to="calls.call",
                    ),
                ),
                ("at_us", models.BigIntegerField()),
                ("agent_id", models.BigIntegerField(null=True)),
                ("is_corrected", models.BooleanField()),
                ("compared", models.IntegerField()),
                ("agreed", models.IntegerField()),
                ("score_bp", models.IntegerField(null=True)),
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
            options={
                "indexes": [
                    models.Index(
                        fields=["project", "at_us", "agent_id", "is_corrected", "compared", "agreed"],
                        name="reviewed_by_time",
                    )
                ],
            },
        ),
        migrations.RunSQL(FILL, migrations.RunSQL.noop),
    ]
