from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("reviews", "0018_results_read")]

    operations = [
        migrations.RemoveConstraint(model_name="appeal", name="appeal_state_is_known"),
        migrations.AlterField(
            model_name="appeal",
            name="state",
            field=models.CharField(
                choices=[
                    ("open", "Open"),
                    ("accepted", "Accepted"),
                    ("refused", "Refused"),
                    ("withdrawn", "Withdrawn"),
                ],
                default="open",
                max_length=16,
            ),
        ),
        migrations.AddConstraint(
            model_name="appeal",
            constraint=models.CheckConstraint(
                condition=models.Q(state__in=["open", "accepted", "refused", "withdrawn"]),
                name="appeal_state_is_known",
            ),
        ),
    ]
