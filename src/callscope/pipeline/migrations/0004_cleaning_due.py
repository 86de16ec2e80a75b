from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("pipeline", "0003_trial_usage")]

    operations = [
        migrations.CreateModel(
            name="CleaningDue",
            fields=[
                ("id", models.SmallIntegerField(default=1, primary_key=True, serialize=False)),
                ("since", models.DateTimeField()),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(condition=models.Q(("id", 1)), name="one_cleaning_due")
                ],
            },
        ),
    ]
