"""Keep the request counts of PostgreSQL out of its log: each request waited for the disk to count itself.

They are empty after a crash of the server, which costs a minute's counts.
"""

from django.db import migrations


def set_logged(schema_editor, kind):
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute(f"ALTER TABLE api_requestcount SET {kind}")


class Migration(migrations.Migration):
    dependencies = [("api", "0001_initial")]
    operations = [
        migrations.RunPython(
            lambda _apps, editor: set_logged(editor, "UNLOGGED"), lambda _apps, editor: set_logged(editor, "LOGGED")
        )
    ]
