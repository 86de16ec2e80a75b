"""Start Django for a command, or say in one line why it cannot start.

Django and the settings are imported here and not before, so that `callscope --help` is quick.
"""

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from callscope.interfaces.cli.runtime.errors import Failure, NotInitialized
from callscope.processes.loading import rest_collector

if TYPE_CHECKING:
    from callscope.environment import Environment

_is_started = False


def start_django(*, database: bool = True, secret_key: bool = True) -> "Environment":
    """Read the settings, warn about unknown ones and set Django up; return the settings.

    Raise BadSetting, and Failure where a setting needs a package that is not installed. With
    `database`, also raise NotInitialized unless `callscope init` has made the tables, and Failure
    if they are those of another version. Workers sign nothing, so they need no secret key.
    """
    global _is_started
    from callscope.environment import Environment

    environment = Environment.read()
    # What is written here and by the processes that start from here is for this user alone.
    os.umask(0o077)
    if not _is_started:
        for name in environment.unknown:
            print(f"Warning: {name} is set, but Callscope has no such setting.", file=sys.stderr)
        require_extras(environment, all_of_them=database)
        os.environ.setdefault("DJANGO_SETTINGS_MODULE", "callscope.settings")
        with rest_collector():
            import django

            django.setup()
        _is_started = True
    if database:
        require_database()
        if secret_key:
            require_secret_key(environment)
    return environment


def require_extras(environment: "Environment", *, all_of_them: bool = True) -> None:
    """Raise a Failure for the packages that the settings need and that are not installed.

    Without `all_of_them` only for the database's, without which nothing can be done.
    """
    from callscope.processes import extras

    missing = extras.find_missing(
        environment.database_url,
        environment.storage_url if all_of_them else "",
        environment.queue_url if all_of_them else "",
    )
    if missing:
        raise Failure(*missing)


def is_django_started() -> bool:
    """Return True if start_django() has been called."""
    return _is_started


def describe_database() -> str:
    """Return the database's URL without user and password."""
    from django.db import connection

    settings = connection.settings_dict
    if connection.vendor == "sqlite":
        return f"sqlite:///{settings['NAME']}"
    place = f"{settings['HOST'] or 'localhost'}" + (f":{settings['PORT']}" if settings["PORT"] else "")
    return f"postgres://{place}/{settings['NAME']}"


def require_database() -> None:
    """Raise a Failure unless the database has exactly the tables of this version."""
    from django.db import connection

    from callscope.db.schema_version import read_schema_state

    # Connecting would create the file.
    if connection.vendor == "sqlite" and not Path(connection.settings_dict["NAME"]).exists():
        raise NotInitialized(f"There is no database at {describe_database()}. Run `callscope init` first.")
    state = read_schema_state()
    if state.unknown:
        raise Failure(f"The database {describe_database()} {state.explain_newer()}")
    if state.missing and state.is_empty:
        raise NotInitialized(f"The database {describe_database()} is empty. Run `callscope init` first.")
    if state.missing:
        migrations = "1 migration" if state.missing == 1 else f"{state.missing} migrations"
        raise Failure(f"The database {describe_database()} lacks {migrations}. Run `callscope init`.")


def require_secret_key(environment: "Environment") -> None:
    """Raise NotInitialized unless this machine has the key that signs sessions and links."""
    if not environment.secret_key and not (environment.data_dir / "secret_key").exists():
        raise NotInitialized(f"There is no secret key in {environment.data_dir}. Run `callscope init` first.")
