"""Apply migrations so that a process may die at any moment of it.

Django commits a migration that leaves SQL for its end (indexes, foreign keys) before it writes into
its table of migrations that it was applied. A process that dies in between leaves a database that
no later migration can bring on: "table … already exists".
"""

from typing import Any

from django.core.management import call_command
from django.db import connection
from django.db.migrations import Migration
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.state import ProjectState


def apply_migrations() -> None:
    """Bring the tables to this version; each migration is there as a whole with its record, or not at all."""
    executor = WholeMigrations(connection)
    executor.migrate(executor.loader.graph.leaf_nodes())
    # Nothing is left to apply: this is for what Django and the applications do after all migrations.
    call_command("migrate", verbosity=0, interactive=False)


class WholeMigrations(MigrationExecutor):
    """Django's executor, but a migration and its record are one transaction."""

    def apply_migration(
        self, state: ProjectState, migration: Migration, fake: bool = False, fake_initial: bool = False
    ) -> Any:
        """Apply one migration and return the state after it."""
        if fake or fake_initial or not migration.atomic:
            return super().apply_migration(state, migration, fake, fake_initial)
        with self.connection.schema_editor(atomic=True) as editor:
            state = migration.apply(state, editor)
            for statement in editor.deferred_sql:
                editor.execute(statement, None)
            editor.deferred_sql.clear()
            # The stubs are of an older Django.
            self.record_migration(migration)  # type: ignore[call-arg,arg-type]
        return state
