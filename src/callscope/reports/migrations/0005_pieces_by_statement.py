"""Let facts.py, which alone writes the searched texts, add them to the index of pieces on SQLite.

A trigger did: but around each row of a trigger SQLite sets a savepoint, at which FTS5 writes what
it has gathered, and that took five times as long as the index itself.
"""

from django.db import migrations

ADDED = """CREATE TRIGGER reports_calltext_added AFTER INSERT ON reports_calltext BEGIN
    INSERT INTO reports_callpieces(rowid, text) VALUES (new.call_id, new.text);
END"""


def drop_trigger(apps, schema_editor):
    if schema_editor.connection.vendor == "sqlite":
        schema_editor.execute("DROP TRIGGER IF EXISTS reports_calltext_added")


def create_trigger(apps, schema_editor):
    connection = schema_editor.connection
    if connection.vendor == "sqlite" and "reports_callpieces" in connection.introspection.table_names():
        schema_editor.execute(ADDED)


class Migration(migrations.Migration):
    dependencies = [("reports", "0004_fewer_indexes")]
    operations = [migrations.RunPython(drop_trigger, create_trigger)]
