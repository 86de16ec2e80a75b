"""Index the files whose results retention removed: every report counts them."""

from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    dependencies = [("calls", "0012_results_removed")]

    operations = [
        migrations.AddIndex(
            model_name="uploadedfile",
            index=models.Index(
                fields=["project", "call"],
                name="emptied_files",
                condition=Q(results_removed_at__isnull=False),
            ),
        ),
    ]
