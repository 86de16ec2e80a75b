"""Note when searched texts were last erased, so that every process forgets what it keeps of them."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("reports", "0017_maps_in_rollups")]
    operations = [
        migrations.CreateModel(
            name="ErasedTexts",
            fields=[
                ("id", models.SmallIntegerField(default=1, primary_key=True, serialize=False)),
                ("at", models.DateTimeField()),
            ],
            options={
                "constraints": [models.CheckConstraint(condition=models.Q(("id", 1)), name="one_erased_texts")],
            },
        ),
    ]
