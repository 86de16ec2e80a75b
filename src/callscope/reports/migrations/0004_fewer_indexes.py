"""Drop an index that others begin with.

The indexes are dropped by name: Django would copy the whole table on SQLite.
"""

from django.db import migrations, models
import django.db.models.deletion


DROPPED = [
    "reports_callfact_project_id_b2a8d944",
]


class Migration(migrations.Migration):

    dependencies = [
        ('projects', '0001_initial'),
        ('reports', '0003_layout_of_the_store'),
    ]

    operations = [
        migrations.SeparateDatabaseAndState(
            database_operations=[
                migrations.RunSQL(f"DROP INDEX IF EXISTS {name}", migrations.RunSQL.noop) for name in DROPPED
            ],
            state_operations=[
                migrations.AlterField(
                    model_name='callfact',
                    name='project',
                    field=models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='projects.project'),
                ),
            ],
        ),
    ]
