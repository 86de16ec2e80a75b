"""Start Django for a command, and say in one line why it cannot start.

Django is imported here and not before, so that `callscope --help` is quick.
"""

import os
import sys
from pathlib import Path

from callscope.environment import Environment

_started = False


class Failure(Exception):
    """An error that ends the command; each message is one line."""

    def __init__(self, *messages: str) -> None:
        super().__init__("\n".join(messages))
        self.messages = list(messages)


class NotInitialised(Failure):
    """There is no instance at this place yet: `callscope init` makes one."""


def start(*, database: bool = True) -> Environment:
    """Read the settings, warn about unknown ones and set Django up; return the settings.

    Raises BadSetting. With `database`, also a Failure unless `callscope init`
    has made the data folder (NotInitialised) and brought the database to this version.
    """
    global _started
    environment = Environment.read()
    if not _started:
        warn_of_unknown(environment)
        os.environ.setdefault("DJANGO_SETTINGS_MODULE", "callscope.settings")
        import django

        django.setup()
        _started = True
    if database:
        require_database(environment)
    return environment


def is_started() -> bool:
    return _started


def warn_of_unknown(environment: Environment) -> None:
    for name in environment.unknown:
        print(f"Warning: {name} is set, but Callscope has no such setting.", file=sys.stderr)


def shown_database() -> str:
    """Return the database's address without its password."""
    from django.db import connection

    settings = connection.settings_dict
    if connection.vendor == "sqlite":
        return f"sqlite:///{settings['NAME']}"
    place = f"{settings['HOST'] or 'localhost'}" + (f":{settings['PORT']}" if settings["PORT"] else "")
    return f"postgres://{place}/{settings['NAME']}"


def require_database(environment: Environment) -> None:
    """Raise a Failure unless the database has all tables of this version, and the folder a secret key."""
    from django.db import connection
    from django.db.migrations.executor import MigrationExecutor

    if connection.vendor == "sqlite" and not Path(connection.settings_dict["NAME"]).exists():
        raise NotInitialised(f"There is no database at {shown_database()}. Run `callscope init` first.")
    executor = MigrationExecutor(connection)
    missing = len(executor.migration_plan(executor.loader.graph.leaf_nodes()))
    if missing and not executor.loader.applied_migrations:
        raise NotInitialised(f"The database {shown_database()} is empty. Run `callscope init` first.")
    if missing:
        raise Failure(
            f"The database {shown_database()} lacks {missing} of the migrations. Run `callscope init`."
        )
    if not environment.secret_key and not (environment.data_dir / "secret_key").exists():
        raise NotInitialised(f"There is no secret key in {environment.data_dir}. Run `callscope init` first.")
