from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('contact_reasons', '0006_reviewed_reasons'),
    ]

    operations = [
        migrations.AlterField(
            model_name='reasonchange',
            name='kind',
            field=models.CharField(choices=[('edited', 'Edited'), ('merged', 'Merged'), ('split', 'Split'), ('moved', 'Moved'), ('regrouped', 'Regrouped'), ('coded', 'Coded')], max_length=16),
        ),
    ]
