"""Drop indexes that others begin with, and keep what is mostly null in partial ones.

The indexes are dropped by name: Django would copy the whole table on SQLite.
"""

from django.conf import settings
from django.db import migrations, models
import django.db.models.deletion


DROPPED = [
    "analysis_callanalysis_project_id_6efb9042",
    "analysis_callanalysis_superseded_by_id_0d31a33f",
    "analysis_callanalysis_superseded_by_file_id_0edca618",
]


class Migration(migrations.Migration):

    dependencies = [
        ('analysis', '0002_status_indexes'),
        ('calls', '0003_bytes_to_erase'),
        ('projects', '0001_initial'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.SeparateDatabaseAndState(
            database_operations=[
                migrations.RunSQL(f"DROP INDEX IF EXISTS {name}", migrations.RunSQL.noop) for name in DROPPED
            ],
            state_operations=[
                migrations.AlterField(
                    model_name='callanalysis',
                    name='project',
                    field=models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='analyses', to='projects.project'),
                ),
                migrations.AlterField(
                    model_name='callanalysis',
                    name='superseded_by',
                    field=models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.SET_NULL, to=settings.AUTH_USER_MODEL),
                ),
                migrations.AlterField(
                    model_name='callanalysis',
                    name='superseded_by_file',
                    field=models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='supersedes', to='calls.uploadedfile'),
                ),
            ],
        ),
        migrations.AddIndex(
            model_name='callanalysis',
            index=models.Index(condition=models.Q(('superseded_by__isnull', False)), fields=['superseded_by'], name='superseded_by_user'),
        ),
        migrations.AddIndex(
            model_name='callanalysis',
            index=models.Index(condition=models.Q(('superseded_by_file__isnull', False)), fields=['superseded_by_file'], name='superseded_by_file'),
        ),
    ]
