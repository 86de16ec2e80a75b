"""When a rubric changed: which versions count, and which criteria they changed."""

import datetime as dt

import pytest

from callscope.projects.models import ConfigVersion
from callscope.projects.rubric_changes import list_rubric_changes, list_unused_changes
from callscope.projects.services import configure_project, create_project

pytestmark = pytest.mark.django_db

NEVER, ALWAYS = dt.datetime(1, 1, 1, tzinfo=dt.UTC), dt.datetime(9999, 1, 1, tzinfo=dt.UTC)


def document(*criteria, section="Opening", **rubric):
    rows = [{"id": name, "name": name.title(), "max_points": points} for name, points in criteria]
    return {"rubric": {"sections": [{"name": section, "criteria": rows}], **rubric}}


@pytest.fixture
def made(alice):
    return create_project(alice, "P", document=document(("greets", 5), ("helps", 5)), by=alice)


def changes_of(*projects, first_at=NEVER, after=ALWAYS):
    return list_rubric_changes(projects, first_at, after)


class TestRubricChanges:
    def test_of_one_version_are_none_and_cost_no_query(self, made, django_assert_num_queries):
        with django_assert_num_queries(0):
            assert changes_of(made) == []

    def test_name_what_each_version_did(self, made):
        configure_project(made, document(("greets", 10), ("asks", 5)))

        [change] = changes_of(made)

        assert (change.project_id, change.project_name, change.version) == (made.pk, "P", 2)
        assert change.criteria == {"asks": "added", "helps": "removed", "greets": "changed"}

    def test_are_read_once(self, made, django_assert_num_queries):
        configure_project(made, document(("greets", 10)))
        changes_of(made)

        with django_assert_num_queries(1):
            assert [change.version for change in changes_of(made)] == [2]

    @pytest.mark.parametrize(
        "harmless",
        [
            document(("helps", 5), ("greets", 5)),
            document(("greets", 5), ("helps", 5), name="Another name"),
            document(("greets", 5), ("helps", 5), section="Beginning"),
            document(("greets", 5), ("helps", 5)) | {"language": "es"},
        ],
    )
    def test_leave_out_what_moves_no_score(self, made, harmless):
        assert configure_project(made, harmless)

        assert changes_of(made) == []

    def test_hold_settings_of_the_whole_rubric(self, made):
        configure_project(made, document(("greets", 5), ("helps", 5), on_critical_error="zero_score"))

        [change] = changes_of(made)

        assert change.criteria == {}

    def test_lie_within_the_window(self, made):
        for number, points in ((2, 6), (3, 7), (4, 8)):
            configure_project(made, document(("greets", points)))
            day = dt.datetime(2026, 3, number, tzinfo=dt.UTC)
            ConfigVersion.objects.filter(project=made, number=number).update(created_at=day)

        days = [dt.datetime(2026, 3, day, tzinfo=dt.UTC) for day in (3, 4)]
        assert [c.version for c in changes_of(made, first_at=days[0], after=days[1])] == [3]
        assert [c.version for c in changes_of(made)] == [2, 3, 4]


class TestRestoredRubrics:
    """Version 1, another rubric as version 2, and the first one again as version 3."""

    @pytest.fixture
    def changes(self, made):
        configure_project(made, document(("greets", 10), ("helps", 5)))
        configure_project(made, document(("helps", 5), ("greets", 5), section="Beginning", name="Again"))
        return changes_of(made)

    def test_name_the_version_that_they_repeat(self, changes):
        assert [(change.version, change.repeats) for change in changes] == [(2, None), (3, 1)]

    def test_leave_nothing_unused_where_it_judged(self, changes):
        assert list_unused_changes(changes, []) == []

    def test_are_unused_where_another_judged_since(self, changes):
        assert list_unused_changes(changes, changes[:1]) == changes[1:]

    def test_of_a_change_after_them_are_unused(self, made, changes):
        configure_project(made, document(("greets", 7)))

        assert [change.version for change in list_unused_changes(changes_of(made), [])] == [2, 3, 4]
