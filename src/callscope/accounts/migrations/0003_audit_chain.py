"""Chain the audit trail: numbers, digests, a head, and an actor that stays when the user goes."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("accounts", "0002_sign_in_counter")]

    operations = [
        migrations.CreateModel(
            name="AuditHead",
            fields=[
                ("id", models.SmallIntegerField(default=1, primary_key=True, serialize=False)),
                ("number", models.BigIntegerField(default=0)),
                ("digest", models.CharField(blank=True, default="", max_length=64)),
            ],
            options={
                "constraints": [models.CheckConstraint(condition=models.Q(("id", 1)), name="one_audit_head")],
            },
        ),
        migrations.AddField("auditevent", "number", models.BigIntegerField(null=True, unique=True)),
        migrations.AddField("auditevent", "digest", models.CharField(blank=True, default="", max_length=64)),
        migrations.AlterField("auditevent", "at", models.DateTimeField(db_index=True)),
        migrations.AlterField(
            "auditevent",
            "actor",
            models.ForeignKey(
                db_constraint=False,
                null=True,
                on_delete=django.db.models.deletion.DO_NOTHING,
                to=settings.AUTH_USER_MODEL,
            ),
        ),
    ]
