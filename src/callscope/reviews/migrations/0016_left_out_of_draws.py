from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("reviews", "0015_partial_reviews")]

    operations = [
        migrations.AddField(
            model_name="reviewsample", name="left_out", field=models.PositiveIntegerField(null=True)
        ),
    ]
