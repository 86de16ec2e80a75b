"""An index of the words in the searched texts, on SQLite: a number is rarer than each of its pieces.

It reads every text once: see docs/benchmarks.md for what that takes with many calls.
"""

from django.db import DatabaseError, migrations, transaction

PIECES_INDEX = "reports_callpieces"
DELETE = "INSERT INTO reports_callwords(reports_callwords, rowid, text) VALUES ('delete', old.call_id, old.text);"
STATEMENTS = [
    """CREATE VIRTUAL TABLE reports_callwords USING fts5(
        text, content='reports_calltext', content_rowid='call_id', tokenize='ascii', detail='none', columnsize=0)""",
    f"""CREATE TRIGGER reports_calltext_word_removed AFTER DELETE ON reports_calltext BEGIN
        {DELETE}
    END""",
    f"""CREATE TRIGGER reports_calltext_word_changed AFTER UPDATE ON reports_calltext BEGIN
        {DELETE}
        INSERT INTO reports_callwords(rowid, text) VALUES (new.call_id, new.text);
    END""",
    # Words of many texts are gathered before they are written: a few large parts are quicker to merge.
    "INSERT INTO reports_callwords(reports_callwords, rank) VALUES ('hashsize', 67108864)",
    "INSERT INTO reports_callwords(reports_callwords) VALUES ('rebuild')",
    "INSERT INTO reports_callwords(reports_callwords, rank) VALUES ('hashsize', 1048576)",
]
UNDO = [
    "DROP TRIGGER IF EXISTS reports_calltext_word_removed",
    "DROP TRIGGER IF EXISTS reports_calltext_word_changed",
    "DROP TABLE IF EXISTS reports_callwords",
]


def add_index(apps, schema_editor):
    connection = schema_editor.connection
    if connection.vendor != "sqlite" or PIECES_INDEX not in connection.introspection.table_names():
        return
    try:
        with transaction.atomic(using=connection.alias), connection.cursor() as cursor:
            for statement in STATEMENTS:
                cursor.execute(statement)
    except DatabaseError as error:
        print(f"  Search goes on without an index of words: {str(error).strip().splitlines()[0]}")


def remove_index(apps, schema_editor):
    if schema_editor.connection.vendor == "sqlite":
        with schema_editor.connection.cursor() as cursor:
            for statement in UNDO:
                cursor.execute(statement)


class Migration(migrations.Migration):
    dependencies = [("reports", "0018_erased_texts")]
    operations = [migrations.RunPython(add_index, remove_index)]
