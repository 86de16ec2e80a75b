from django.db import migrations, models


def mark_accepted_appeals(apps, schema_editor):
    """Mark the reviews that accepted appeals made: they hold one new answer, with those given before."""
    appeals = apps.get_model("reviews", "Appeal")
    reviews = apps.get_model("reviews", "Review")
    made = appeals.objects.filter(new_review__isnull=False)
    reviews.objects.filter(pk__in=made.values("new_review")).update(is_partial=True)


class Migration(migrations.Migration):
    dependencies = [("reviews", "0014_engine_of_a_review")]

    operations = [
        migrations.AddField(model_name="review", name="is_partial", field=models.BooleanField(default=False)),
        migrations.RunPython(mark_accepted_appeals, migrations.RunPython.noop),
    ]
