"""Drop indexes that others begin with, and keep what is mostly null in partial ones.

The indexes are dropped by name: Django would copy the whole table on SQLite.
"""

from django.conf import settings
from django.db import migrations, models
import django.db.models.deletion


DROPPED = [
    "calls_call_project_id_deae655e",
    "calls_uploadedfile_project_id_2dd235fe",
    "calls_uploadedfile_uploaded_by_id_c542ecec",
]


class Migration(migrations.Migration):

    dependencies = [
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
                    model_name='call',
                    name='project',
                    field=models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='calls', to='projects.project'),
                ),
                migrations.AlterField(
                    model_name='uploadedfile',
                    name='project',
                    field=models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='files', to='projects.project'),
                ),
                migrations.AlterField(
                    model_name='uploadedfile',
                    name='uploaded_by',
                    field=models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.SET_NULL, to=settings.AUTH_USER_MODEL),
                ),
            ],
        ),
        migrations.RemoveIndex(
            model_name='uploadedfile',
            name='file_by_task',
        ),
        migrations.AddIndex(
            model_name='uploadedfile',
            index=models.Index(condition=models.Q(('task_id__isnull', False)), fields=['task_id'], name='file_with_task'),
        ),
        migrations.AddIndex(
            model_name='uploadedfile',
            index=models.Index(condition=models.Q(('uploaded_by__isnull', False)), fields=['uploaded_by'], name='file_by_uploader'),
        ),
    ]
