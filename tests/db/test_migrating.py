"""A process may die while it migrates: what it leaves can be brought on."""

import pytest
from django.db import connection, migrations, models
from django.db.migrations.recorder import MigrationRecorder
from django.db.migrations.state import ProjectState

from callscope.db.migrating import WholeMigrations

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
