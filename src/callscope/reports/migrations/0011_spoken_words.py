"""The stems of transcripts, and an index of them: FTS5 on SQLite, a GIN index of tsvectors on PostgreSQL.

An SQLite without FTS5 searches without the index, slower. Transcripts that are there already are
indexed by the workers, between their jobs: see reports/spoken_words.py, index_missing().
"""

import django.db.models.deletion
from django.db import DatabaseError, migrations, models, transaction

SQLITE = [
    """CREATE VIRTUAL TABLE reports_spokenindex USING fts5(
        text, content='reports_spokenwords', content_rowid='transcript_id',
        tokenize='ascii', detail='none', columnsize=0)""",
    """CREATE TRIGGER reports_spokenwords_removed AFTER DELETE ON reports_spokenwords BEGIN
        INSERT INTO reports_spokenindex(reports_spokenindex, rowid, text)
        VALUES ('delete', old.transcript_id, old.text);
    END""",
]
POSTGRESQL = [
    """CREATE INDEX reports_spokenindex ON reports_spokenwords
        USING gin (array_to_tsvector(string_to_array(btrim(text), ' ')))""",
]
UNDO = {
    "sqlite": ["DROP TRIGGER IF EXISTS reports_spokenwords_removed", "DROP TABLE IF EXISTS reports_spokenindex"],
    "postgresql": ["DROP INDEX IF EXISTS reports_spokenindex"],
}


def add_index(apps, schema_editor):
    connection = schema_editor.connection
    statements = SQLITE if connection.vendor == "sqlite" else POSTGRESQL
    try:
        with transaction.atomic(using=connection.alias), connection.cursor() as cursor:
            for statement in statements:
                cursor.execute(statement)
    except DatabaseError as error:
        print(f"  Search in transcripts goes on without an index: {str(error).strip().splitlines()[0]}")


def remove_index(apps, schema_editor):
    with schema_editor.connection.cursor() as cursor:
        for statement in UNDO[schema_editor.connection.vendor]:
            cursor.execute(statement)


class Migration(migrations.Migration):
    dependencies = [("reports", "0010_mark_existing_calls"), ("transcription", "0002_transcript_waveform")]
    operations = [
        migrations.CreateModel(
            name="SpokenWords",
            fields=[
                (
                    "transcript",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="spoken",
                        serialize=False,
                        to="transcription.transcript",
                    ),
                ),
                ("text", models.TextField()),
            ],
        ),
        migrations.RunPython(add_index, remove_index),
    ]
