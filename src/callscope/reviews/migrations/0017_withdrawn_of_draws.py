from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("reviews", "0016_left_out_of_draws")]

    operations = [
        migrations.AddField(
            model_name="reviewsample", name="withdrawn", field=models.PositiveIntegerField(default=0)
        ),
    ]
