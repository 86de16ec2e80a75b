"""A process may die while it migrates: what it leaves can be brought on."""

import os
import secrets
import shutil
import subprocess
import sys

import pytest
from django.db import connection, migrations, models
from django.db.migrations.recorder import MigrationRecorder
from django.db.migrations.state import ProjectState

from callscope.db.migrating import ChangedModels, WholeMigrations
from tests import prepared

TABLE = "calls_madebyatest"


class Killed(BaseException):
    """In place of the end of the process."""


@pytest.fixture
def migration():
    """A migration with SQL that Django leaves for its end: an index and a foreign key."""

    class Migration(migrations.Migration):
        operations = [
            migrations.CreateModel(
                "MadeByATest",
                [
                    ("id", models.BigAutoField(primary_key=True)),
                    ("name", models.CharField(max_length=9, db_index=True)),
                    ("other", models.ForeignKey("calls.MadeByATest", models.CASCADE)),
                ],
            )
        ]

    return Migration("0999_made_by_a_test", "calls")


@pytest.fixture
def record(migration):
    yield lambda: MigrationRecorder.Migration.objects.using("default").filter(name=migration.name)
    with connection.cursor() as cursor:
        cursor.execute(f"DROP TABLE IF EXISTS {TABLE}")
    MigrationRecorder.Migration.objects.filter(name=migration.name).delete()


@pytest.mark.django_db(transaction=True)
class TestMigration:
    def test_that_dies_before_its_record_has_left_nothing(self, migration, record, monkeypatch):
        executor = WholeMigrations(connection)

        def die(*_):
            raise Killed

        with monkeypatch.context() as dying:
            dying.setattr(executor.recorder, "record_applied", die)
            with pytest.raises(Killed):
                executor.apply_migration(ProjectState(), migration)

        assert TABLE not in connection.introspection.table_names()
        assert not record().exists()

        executor.apply_migration(ProjectState(), migration)  # the next process

        assert TABLE in connection.introspection.table_names()
        assert record().exists()
        with connection.cursor() as cursor:
            found = connection.introspection.get_constraints(cursor, TABLE)
        assert any(each["index"] and each["columns"] == ["name"] for each in found.values())
        assert any(each["foreign_key"] for each in found.values())


def steps():
    """Return one operation of each kind, those included that change what other models refer to."""
    parent, part = "MadeByATest", "PartByATest"
    key = models.BigAutoField(primary_key=True)
    to_parent = models.ForeignKey(f"calls.{parent}", models.CASCADE, related_name="parts")
    has_size = models.CheckConstraint(condition=models.Q(size__gte=0), name="size_of_a_test")
    return [
        [
            migrations.CreateModel(parent, [("id", key), ("name", models.CharField(max_length=9))]),
            migrations.CreateModel(part, [("id", key), ("parent", to_parent)]),
            migrations.AddField(parent, "size", models.IntegerField(default=0)),
            migrations.AddField(
                parent, "first", models.ForeignKey(f"calls.{part}", models.SET_NULL, null=True)
            ),
            migrations.AddIndex(parent, models.Index(fields=["size", "name"], name="of_a_test")),
            migrations.AddConstraint(parent, has_size),
            migrations.AddConstraint(part, models.UniqueConstraint(fields=["parent"], name="one_of_a_test")),
        ],
        [migrations.RunPython(keep_a_part)],
        [
            migrations.RenameField(parent, "first", "top"),
            migrations.AlterField(parent, "name", models.CharField(max_length=20, db_index=True)),
            migrations.AlterField(parent, "id", models.IntegerField(primary_key=True)),
            migrations.RemoveConstraint(part, "one_of_a_test"),
        ],
        [
            migrations.RenameModel(parent, "Renamed" + parent),
            migrations.AddField("Renamed" + parent, "weight", models.FloatField(null=True)),
        ],
        [migrations.RunPython(find_the_part)],
    ]


def keep_a_part(apps, editor):
    """Use models by relations of both directions, and let a deletion follow them."""
    parent, part = (apps.get_model("calls", name) for name in ("MadeByATest", "PartByATest"))
    kept, gone = parent.objects.create(name="kept"), parent.objects.create(name="gone")
    for each in (kept, gone):
        part.objects.create(parent=each)
    assert parent.objects.get(parts__parent__size=0, name="gone").parts.count() == 1
    gone.delete()
    assert part.objects.get().parent == kept


def find_the_part(apps, editor):
    found = apps.get_model("calls", "PartByATest").objects.get(parent__name="kept", parent__top=None)
    assert found.parent.weight is None
    assert [each.pk for each in found.parent.parts.all()] == [found.pk]
    found.parent.delete()


def migrate_and_drop(state):
    """Apply the operations, and return the tables, columns and constraints that are there in the end."""
    for number, operations in enumerate(steps()):
        migration = migrations.Migration(f"0999_made_by_a_test_{number}", "calls")
        migration.operations = operations
        state = WholeMigrations(connection).apply_migration(state, migration)
    found = {}
    with connection.cursor() as cursor:
        for table in [name for name in connection.introspection.table_names(cursor) if "byatest" in name]:
            columns = connection.introspection.get_table_description(cursor, table)
            found[table] = (columns, connection.introspection.get_constraints(cursor, table))
        connection.check_constraints()
        cascade = " CASCADE" if connection.vendor == "postgresql" else ""
        for table in found:
            cursor.execute(f"DROP TABLE {table}{cascade}")
    MigrationRecorder.Migration.objects.filter(name__startswith="0999_made_by_a_test").delete()
    return found


@pytest.mark.django_db(transaction=True)
class TestChangedModels:
    def test_give_the_tables_that_django_gives(self):
        expected = migrate_and_drop(ProjectState())

        assert migrate_and_drop(ChangedModels()) == expected
        assert len(expected) == 2

    def test_are_those_of_an_executor(self):
        assert type(WholeMigrations(connection)._create_project_state(True)) is ChangedModels


DUMP = """
import django
django.setup()
from django.core.management import call_command
from django.db import connection
from callscope.db.migrating import apply_migrations
{make}
with connection.cursor() as cursor:
    for query in {queries}:
        cursor.execute(query)
        print(*sorted(map(repr, cursor.fetchall())), sep="\\n")
"""
QUERIES = {
    "sqlite": ["SELECT type, name, tbl_name, sql FROM sqlite_master"],
    "postgresql": [
        "SELECT table_name, column_name, ordinal_position, column_default, is_nullable, data_type,"
        " character_maximum_length FROM information_schema.columns WHERE table_schema = 'public'",
        "SELECT indexdef FROM pg_indexes WHERE schemaname = 'public'",
        "SELECT conrelid::regclass::text, conname, pg_get_constraintdef(oid) FROM pg_constraint"
        " WHERE connamespace = 'public'::regnamespace",
        "SELECT event_object_table, trigger_name, action_statement FROM information_schema.triggers",
    ],
}


def tables_after(make, url):
    """Return all that a new database holds once it was migrated."""
    code = DUMP.format(make=make, queries=QUERIES[connection.vendor])
    kept = {name: value for name, value in os.environ.items() if not name.startswith("CALLSCOPE_")}
    environment = {**kept, "DJANGO_SETTINGS_MODULE": "callscope.settings", "CALLSCOPE_DATABASE_URL": url}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, timeout=600
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@pytest.fixture
def new_database(tmp_path):
    """Return a function that returns the address of a new database."""
    names = []

    def create():
        name = f"callscope_migrating_{secrets.token_hex(4)}"
        if connection.vendor == "sqlite":
            return f"sqlite:///{tmp_path / name}.sqlite3"
        with connection.cursor() as cursor:
            cursor.execute(f"CREATE DATABASE {name}")
        names.append(name)
        return f"{os.environ['CALLSCOPE_TEST_DATABASE_URL'].rpartition('/')[0]}/{name}"

    yield create
    with connection.cursor() as cursor:
        for name in names:
            cursor.execute(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.mark.django_db(transaction=True)
class TestAllMigrations:
    @pytest.mark.one_database
    def test_give_the_tables_that_django_gives(self, new_database, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        expected = tables_after("call_command('migrate', verbosity=0)", new_database())
        # What apply_migrations() made of an empty database for all tests of this run.
        ours = shutil.copy(prepared.sqlite_database(), tmp_path / "ours.sqlite3")

        assert tables_after("", f"sqlite:///{ours}") == expected
        assert len(expected) > 300

    @pytest.mark.slow
    def test_give_the_tables_that_django_gives_on_each_database(self, new_database, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        expected = tables_after("call_command('migrate', verbosity=0)", new_database())

        assert tables_after("apply_migrations()", new_database()) == expected
        assert len(expected) > 300
