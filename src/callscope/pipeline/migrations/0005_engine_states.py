from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('pipeline', '0004_cleaning_due'),
    ]

    operations = [
        migrations.AddField(
            model_name='job',
            name='needs',
            field=models.CharField(blank=True, default='', max_length=16),
        ),
        migrations.AddField(
            model_name='job',
            name='parked_at',
            field=models.DateTimeField(null=True),
        ),
        migrations.CreateModel(
            name='EngineState',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(max_length=16)),
                ('address', models.CharField(max_length=255)),
                ('state', models.CharField(choices=[('working', 'Working'), ('paused', 'Paused'), ('probing', 'Probing')], default='working', max_length=16)),
                ('reason', models.CharField(blank=True, default='', max_length=16)),
                ('detail', models.TextField(blank=True, default='')),
                ('since', models.DateTimeField(null=True)),
                ('failures', models.PositiveIntegerField(default=0)),
                ('failed_jobs', models.PositiveIntegerField(default=0)),
                ('latest_job', models.UUIDField(null=True)),
                ('failed_probes', models.PositiveIntegerField(default=0)),
                ('probe_at', models.DateTimeField(null=True)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('kind', 'address'), name='one_state_per_engine'), models.CheckConstraint(condition=models.Q(('state', 'working'), models.Q(('probe_at__isnull', False), ('since__isnull', False)), _connector='OR'), name='paused_engine_has_next_probe')],
            },
        ),
    ]
