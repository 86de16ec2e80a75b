"""A database of another version: an older one lacks migrations, a newer one has unknown ones."""

import json
import os
import secrets
import subprocess
import sys
from urllib.parse import urlsplit

import psycopg
import pytest
from django.db import connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

from callscope.db.schema_version import (
    NewerDatabase,
    find_wrong_encoding,
    list_migrations,
    read_schema_state,
    require_no_newer_schema,
)

pytestmark = pytest.mark.django_db


def record(app, name):
    MigrationRecorder(connection).record_applied(app, name)


class TestSchemaState:
    def test_is_clean_for_the_tables_of_this_version(self):
        state = read_schema_state()

        assert (state.is_empty, state.missing, state.unknown) == (False, 0, [])
        require_no_newer_schema("here")

    def test_loads_no_migration_where_all_were_applied(self, monkeypatch):
        assert list_migrations() == set(MigrationLoader(connection).disk_migrations)

        monkeypatch.setattr(
            MigrationLoader, "load_disk", lambda _loader: pytest.fail("migrations were loaded")
        )

        assert read_schema_state().missing == 0

    @pytest.mark.parametrize(("app", "name"), [("pipeline", "0999_future"), ("alarms", "0001_initial")])
    def test_names_what_a_newer_version_has_applied(self, app, name):
        record(app, name)

        assert read_schema_state().unknown == [f"{app}.{name}"]
        with pytest.raises(NewerDatabase, match=rf"here was made by a newer .*{name}.*Install the"):
            require_no_newer_schema("here")

    def test_names_a_few_of_many(self):
        for number in range(5):
            record("pipeline", f"099{number}_future")

        assert "0992_future and 2 more" in read_schema_state().explain_newer()

    @pytest.mark.parametrize("app", ["sessions", "axes"])
    def test_knows_the_apps_of_former_versions(self, app):
        record(app, "0001_initial")

        assert read_schema_state().unknown == []

    def test_counts_what_an_older_version_lacks(self):
        (last,) = MigrationLoader(connection).graph.leaf_nodes("reports")
        MigrationRecorder(connection).record_unapplied(*last)

        assert read_schema_state().missing == 1


class TestEncoding:
    def test_is_right_in_this_database(self):
        assert find_wrong_encoding() == ""

    def test_of_another_kind_is_named_by_doctor_and_refused_by_init(self, tmp_path):
        """As `createdb` makes it in a cluster that was set up without a locale."""
        if connection.vendor != "postgresql":
            pytest.skip("SQLite stores text as UTF-8.")
        name = f"callscope_encoding_{secrets.token_hex(4)}"
        server = os.environ["CALLSCOPE_TEST_DATABASE_URL"]
        url = urlsplit(server)._replace(path=f"/{name}").geturl()
        ours = ("CALLSCOPE_", "DJANGO_")
        environment = {each: value for each, value in os.environ.items() if not each.startswith(ours)}
        environment |= {"CALLSCOPE_DATA_DIR": str(tmp_path / "data"), "CALLSCOPE_DATABASE_URL": url}

        def run(*arguments):
            command = [sys.executable, "-m", "callscope", *arguments]
            return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)

        with psycopg.connect(server, autocommit=True) as administrator:
            administrator.execute(
                f"CREATE DATABASE {name} ENCODING 'SQL_ASCII' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0"
            )
            try:
                init, doctor = run("init"), run("doctor", "--json")
            finally:
                administrator.execute(f"DROP DATABASE {name} WITH (FORCE)")

        assert (init.returncode, doctor.returncode) == (1, 1)
        assert "stores text as SQL_ASCII, not as UTF8. Make another one: `createdb" in init.stderr
        assert init.stderr.count("\n") == 1
        checks = {check["name"]: check for check in json.loads(doctor.stdout)["checks"]}
        assert checks["database"]["detail"] == "it stores text as SQL_ASCII, not as UTF8"
