"""Apply migrations so that a process may die at any moment of it.

Django commits a migration that leaves SQL for its end (indexes, foreign keys) before it writes into
its table of migrations that it was applied. A process that dies in between leaves a database that
no later migration can bring on: "table … already exists".

Django renders a changed model together with everything that relations connect to it, which here is
nearly every model: four fifths of what it takes to make an empty database. ChangedModels renders
the one model.
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

    def _create_project_state(self, with_applied_migrations: bool = False) -> ProjectState:
        state = super()._create_project_state(with_applied_migrations)  # type: ignore[misc]
        return ChangedModels(state.models, state.real_apps)

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


class ChangedModels(ProjectState):
    """The models between two migrations, of which an operation renders the one that it changes.

    Other models then go on referring to the model as it was before, and do not have the new one
    among what refers to them. To write SQL Django needs neither; before it runs Python code, it
    renders all models of a state that says it is delayed.
    """

    def reload_model(self, app_label: str, model_name: str, delay: bool = False) -> None:
        """Render the model, or all of them where others refer to what changed."""
        if "apps" not in self.__dict__:
            return
        is_new = model_name not in self.apps.all_models[app_label]
        if not (delay or is_new):
            del self.__dict__["apps"]  # rendered at its next use
            return
        self.is_delayed = True
        self._reload({(app_label, model_name)})  # type: ignore[attr-defined]

    def add_field(
        self, app_label: str, model_name: str, name: str, field: Any, preserve_default: bool
    ) -> None:
        """Add the field and render its model: nothing refers to a field that is new."""
        apps = self.__dict__.pop("apps", None)
        super().add_field(app_label, model_name, name, field, preserve_default)
        if apps is not None:
            self.__dict__["apps"] = apps
            self.reload_model(app_label, model_name, delay=True)

    def rename_model(self, app_label: str, old_name: str, new_name: str) -> None:
        """Rename the model, and render all at their next use."""
        self.__dict__.pop("apps", None)
        super().rename_model(app_label, old_name, new_name)
