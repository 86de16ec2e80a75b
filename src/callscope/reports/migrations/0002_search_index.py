"""An index of three-character pieces over the searched text: FTS5 on SQLite, pg_trgm on PostgreSQL.

Search works without it, slower: a database whose role may not create the
extension, or an SQLite without FTS5, simply has none.
"""

from django.db import DatabaseError, migrations, transaction

SQLITE = [
    """CREATE VIRTUAL TABLE reports_callpieces USING fts5(
        text, content='reports_calltext', content_rowid='call_id',
        tokenize='trigram case_sensitive 1', detail='none', columnsize=0)""",
    """CREATE TRIGGER reports_calltext_added AFTER INSERT ON reports_calltext BEGIN
        INSERT INTO reports_callpieces(rowid, text) VALUES (new.call_id, new.text);
    END""",
    """CREATE TRIGGER reports_calltext_removed AFTER DELETE ON reports_calltext BEGIN
        INSERT INTO reports_callpieces(reports_callpieces, rowid, text) VALUES ('delete', old.call_id, old.text);
    END""",
    """CREATE TRIGGER reports_calltext_changed AFTER UPDATE ON reports_calltext BEGIN
        INSERT INTO reports_callpieces(reports_callpieces, rowid, text) VALUES ('delete', old.call_id, old.text);
        INSERT INTO reports_callpieces(rowid, text) VALUES (new.call_id, new.text);
    END""",
    "INSERT INTO reports_callpieces(reports_callpieces) VALUES ('rebuild')",
]
POSTGRESQL = [
    "CREATE EXTENSION IF NOT EXISTS pg_trgm",
    "CREATE INDEX reports_callpieces ON reports_calltext USING gin (text gin_trgm_ops)",
]
UNDO_SQLITE = [
    "DROP TRIGGER IF EXISTS reports_calltext_added",
    "DROP TRIGGER IF EXISTS reports_calltext_removed",
    "DROP TRIGGER IF EXISTS reports_calltext_changed",
    "DROP TABLE IF EXISTS reports_callpieces",
]


def add_index(apps, schema_editor):
    connection = schema_editor.connection
    statements = SQLITE if connection.vendor == "sqlite" else POSTGRESQL
    try:
        with transaction.atomic(using=connection.alias), connection.cursor() as cursor:
            for statement in statements:
                cursor.execute(statement)
    except DatabaseError as error:
        print(f"  Search goes on without an index: {str(error).strip().splitlines()[0]}")


def remove_index(apps, schema_editor):
    connection = schema_editor.connection
    with connection.cursor() as cursor:
        for statement in UNDO_SQLITE if connection.vendor == "sqlite" else ["DROP INDEX IF EXISTS reports_callpieces"]:
            cursor.execute(statement)


class Migration(migrations.Migration):
    dependencies = [("reports", "0001_initial")]
    operations = [migrations.RunPython(add_index, remove_index)]
