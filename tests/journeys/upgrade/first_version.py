"""Make the database of a first version in a process of its own: its tables, and a small installation.

The rows (first_version.json) were written by the version of 20 November 2026: calls that were imported,
and transcripts that went through its pipeline, with the report that it answered. The tables are made by
the migrations that it had; those of packages that are gone since are only recorded, with one table.
"""

import json
from base64 import b64decode
from pathlib import Path

FIRST = Path(__file__).with_suffix(".json")
OF_A_PACKAGE_THAT_IS_GONE = "axes_accesslog"


def load() -> None:
    """Fill the empty database of the settings."""
    import django

    django.setup()
    from django.core.management.color import no_style
    from django.db import connection, transaction

    from callscope.db.migrating import WholeMigrations

    document = json.loads(FIRST.read_text("utf-8"))
    executor = WholeMigrations(connection)
    applied = [tuple(each) for each in document["migrations"]]
    known = [each for each in applied if each in executor.loader.disk_migrations]
    executor.migrate(known)
    for app, name in set(applied) - set(known):
        executor.recorder.record_applied(app, name)
    apps = executor.loader.project_state(known).apps
    models = [apps.get_model(label) for label in document["rows"]]
    with transaction.atomic(), connection.cursor() as cursor:
        for model, rows in zip(models, document["rows"].values(), strict=True):
            model._base_manager.bulk_create([read_row(model, row) for row in rows])
        for statement in connection.ops.sequence_reset_sql(no_style(), models):
            cursor.execute(statement)
        cursor.execute(f"CREATE TABLE {OF_A_PACKAGE_THAT_IS_GONE} (id integer)")


def read_row(model, row):
    """Return a row of the file as an object of the model of that time."""
    values = {}
    for field in model._meta.concrete_fields:
        value = row[field.attname]
        if isinstance(value, dict) and value.keys() == {"base64"}:
            value = b64decode(value["base64"])
        elif isinstance(value, str):
            value = field.target_field.to_python(value) if field.is_relation else field.to_python(value)
        values[field.attname] = value
    return model(**values)


if __name__ == "__main__":
    load()
