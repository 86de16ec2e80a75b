from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('reviews', '0010_findings'),
    ]

    operations = [
        migrations.AddField(
            model_name='reviewsample',
            name='filters',
            field=models.JSONField(default=dict),
        ),
        migrations.AddField(
            model_name='samplingplan',
            name='filters',
            field=models.JSONField(default=dict),
        ),
    ]
