"""Bulk inserts write what Django's own inserts would have written."""

import datetime as dt
from zoneinfo import ZoneInfo

import pytest
from django.apps import apps
from django.db import IntegrityError, connection, transaction
from hypothesis import given
from hypothesis import strategies as st

from callscope.accounts.models import User
from callscope.calls.models import Call
from callscope.db import bulk_insert
from callscope.projects.models import Project
from callscope.reports.models import JournalEntry

pytestmark = pytest.mark.django_db

WHEN = dt.datetime(2026, 3, 4, 5, 6, 7, 80, tzinfo=dt.timezone(dt.timedelta(hours=-3)))


@pytest.fixture
def project():
    return Project.objects.create(name="Bulk", owner=User.objects.create(email="bulk@example.com"))


def columns_of(project, names):
    return {
        "project_id": project.pk,
        "file_name": names,
        "name_stem": [name.casefold() for name in names],
        "call_datetime": [WHEN + dt.timedelta(seconds=n) for n in range(len(names))],
        "uploaded_at": WHEN,
    }


def stored(**filters):
    fields = [field.attname for field in Call._meta.concrete_fields if field.attname != "id"]
    return list(Call.objects.filter(**filters).order_by("pk").values(*fields))


class TestInsertColumns:
    def test_stores_the_same_as_saving_each_object(self, project):
        names = ["A.wav", "ß é.wav"]
        columns = columns_of(project, names)
        for n, name in enumerate(names):
            Call.objects.create(
                project=project,
                file_name=name,
                name_stem=columns["name_stem"][n],
                call_datetime=columns["call_datetime"][n],
                uploaded_at=WHEN,
            )
        saved = stored()
        Call.objects.all().delete()

        bulk_insert.insert_columns(Call, 2, columns)

        assert stored() == saved

    def test_gives_a_single_value_to_every_row(self, project):
        bulk_insert.insert_columns(Call, 2, columns_of(project, ["a", "b"]) | {"campaign": "Spring"})

        assert [row["campaign"] for row in stored()] == ["Spring", "Spring"]

    def test_writes_json_as_the_field_does(self):
        owner = User.objects.create(email="json@example.com")
        config = {"language": "es", "vocabulary": ["señal"]}

        bulk_insert.insert_columns(
            Project, 1, {"name": "J", "owner_id": owner.pk, "config": config, "created_at": WHEN}
        )

        assert Project.objects.get(name="J").config == config

    def test_knows_how_postgresql_receives_every_column_of_every_model(self):
        if connection.vendor != "postgresql":
            pytest.skip("only PostgreSQL receives rows in binary form")
        fields = [field for model in apps.get_models() for field in model._meta.concrete_fields]

        assert {bulk_insert._column_type(field) for field in fields} <= bulk_insert.BINARY.keys()

    def test_writes_what_each_type_of_column_can_hold(self):
        owner = User.objects.create(email="types@example.com")
        project = Project.objects.create(name="Types", owner=owner)
        extremes = {"calls": -(2**31), "rows": 2**31 - 1, "first_day": 1, "last_day": 3652059}
        blobs = {"heads": bytes(range(256)), "entries": b"\\x00\n\t\\N"}

        bulk_insert.insert_columns(JournalEntry, 1, {"project_id": project.pk, **extremes, **blobs})

        [row] = JournalEntry.objects.values(*extremes, *blobs)
        assert {name: bytes(row.pop(name)) for name in blobs} == blobs
        assert row == extremes

    def test_refuses_a_column_that_the_model_lacks(self, project):
        with pytest.raises(ValueError, match="Call has no colour"):
            bulk_insert.insert_columns(Call, 1, columns_of(project, ["a"]) | {"colour": "red"})

    def test_raises_integrity_error_for_a_conflict(self, project):
        bulk_insert.insert_columns(Call, 1, columns_of(project, ["a"]))

        with pytest.raises(IntegrityError), transaction.atomic():
            bulk_insert.insert_columns(Call, 1, columns_of(project, ["a"]))

    def test_writes_nothing_for_no_rows(self, django_assert_num_queries):
        with django_assert_num_queries(0):
            bulk_insert.insert_columns(Call, 0, {"file_name": []})


class TestNewIds:
    def test_are_free_and_in_the_sequence_that_later_objects_follow(self, project):
        former = Call.objects.create(
            project=project, file_name="x", name_stem="x", call_datetime=WHEN, uploaded_at=WHEN
        )

        ids = bulk_insert.new_ids(Call, 3)
        bulk_insert.insert_columns(Call, 3, columns_of(project, ["a", "b", "c"]) | {"id": ids})
        later = Call.objects.create(
            project=project, file_name="y", name_stem="y", call_datetime=WHEN, uploaded_at=WHEN
        )

        assert len(set(ids)) == 3
        assert former.pk < min(ids)
        assert max(ids) < later.pk

    def test_of_none_ask_nothing(self, django_assert_num_queries):
        with django_assert_num_queries(0):
            assert bulk_insert.new_ids(Call, 0) == []


@pytest.mark.django_db(transaction=True)
class TestRoomForMany:
    def test_is_given_back_at_the_end(self):
        show, _, wanted = bulk_insert.ROOM[connection.vendor]

        def settings():
            with connection.cursor() as cursor:
                return [float(cursor.execute(show.format(name)).fetchone()[0]) for name in wanted]

        before = settings()
        with bulk_insert.room_for_many():
            during = settings()

        assert during == list(wanted.values())
        assert settings() == before != during

    def test_hides_no_error_of_a_connection_that_broke(self):
        with pytest.raises(ValueError, match="why it broke"), bulk_insert.room_for_many():
            connection.connection.close()
            raise ValueError("why it broke")
        connection.close()


class TestMomentTexts:
    @given(
        st.lists(
            st.none()
            | st.datetimes(
                min_value=dt.datetime(1, 1, 3),
                max_value=dt.datetime(9999, 12, 28),
                timezones=st.sampled_from(
                    [dt.UTC, ZoneInfo("Asia/Kathmandu"), dt.timezone(dt.timedelta(hours=-9))]
                ),
            )
        )
    )
    def test_are_what_django_would_store(self, moments):
        expected = [
            None if each is None else str(each.astimezone(dt.UTC).replace(tzinfo=None)) for each in moments
        ]

        assert bulk_insert._moment_texts(moments) == expected
