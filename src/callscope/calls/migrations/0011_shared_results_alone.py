from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("calls", "0010_reviewed_agents")]

    operations = [
        migrations.AddField(
            model_name="sharelink", name="results_only", field=models.BooleanField(default=False)
        ),
    ]
