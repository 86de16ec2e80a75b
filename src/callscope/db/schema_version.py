"""Whether the tables are those of this version: an older database has to be migrated, a newer one refused.

A newer version may have changed what a column means, so this one must not write to its tables.
"""

import pkgutil
from collections.abc import Collection
from dataclasses import dataclass
from importlib import util

from django.apps import apps
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder

from callscope import __version__

# Apps of former versions, whose rows stay in the table of migrations.
FORMER_APPS = {"sessions", "admin", "axes"}
MAX_NAMED = 3
UTF8_ADVICE = "Make another one: `createdb --encoding UTF8 --template template0 NAME`."


class NewerDatabase(Exception):
    """A newer version of Callscope has written the database; str() is a line that says what to do."""


@dataclass(frozen=True, slots=True)
class SchemaState:
    """What the database's table of migrations says."""

    is_empty: bool  # no migration was ever applied
    missing: int  # migrations of this version that were not applied
    unknown: list[str]  # applied migrations that this version does not have, as app.name

    def explain_newer(self) -> str:
        """Return what is wrong with a newer database and what to do; "" if it is none."""
        if not self.unknown:
            return ""
        names = ", ".join(self.unknown[:MAX_NAMED])
        more = f" and {len(self.unknown) - MAX_NAMED} more" if len(self.unknown) > MAX_NAMED else ""
        return (
            f"was made by a newer version of Callscope: {__version__} does not know {names}{more}. "
            "Install the newer version again, or restore a backup that this version made."
        )


def find_wrong_encoding() -> str:
    """Return how PostgreSQL stores text where that is not UTF-8, which not every sign survives; else ""."""
    if connection.vendor != "postgresql":
        return ""
    with connection.cursor() as cursor:
        cursor.execute("SHOW server_encoding")
        [encoding] = cursor.fetchone()
    return "" if encoding == "UTF8" else str(encoding)


def read_schema_state() -> SchemaState:
    """Compare the applied migrations with those of this version. Raise Django's database errors.

    Nearly always they are the same by name. To load all of them takes a tenth of what a command computes.
    """
    if is_up_to_date(MigrationRecorder(connection).applied_migrations()):
        return SchemaState(is_empty=False, missing=0, unknown=[])
    from django.db.migrations.executor import MigrationExecutor

    executor = MigrationExecutor(connection)
    loader = executor.loader
    applied = set(loader.applied_migrations or {})
    known = set(loader.disk_migrations or {})
    for migration in (loader.replacements or {}).values():
        known.update(migration.replaces)
    unknown = sorted(f"{app}.{name}" for app, name in applied - known if app not in FORMER_APPS)
    missing = len(executor.migration_plan(loader.graph.leaf_nodes()))
    return SchemaState(is_empty=not applied, missing=missing, unknown=unknown)


def is_up_to_date(applied: Collection[tuple[str, str]]) -> bool:
    """Return whether exactly the migrations of this version, as (app, name), and former ones were applied."""
    known = list_migrations()
    return known.issubset(applied) and all(app in FORMER_APPS for app, _ in set(applied) - known)


def list_migrations() -> set[tuple[str, str]]:
    """Return the migrations of this version as (app, name), by the names of their modules alone."""
    found = set()
    for app in apps.get_app_configs():
        package = util.find_spec(f"{app.name}.migrations")
        for _, name, is_package in pkgutil.iter_modules(
            (package and package.submodule_search_locations) or []
        ):
            if not is_package and name[0] not in "_~":
                found.add((app.label, name))
    return found


def require_no_newer_schema(database: str) -> None:
    """Raise NewerDatabase, with the database's name, if a newer version has migrated it."""
    if explanation := read_schema_state().explain_newer():
        raise NewerDatabase(f"The database {database} {explanation}")
