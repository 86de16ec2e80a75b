"""Versions of a configuration: what each changed, and the way back."""

import pytest

from callscope.accounts.models import AuditEvent
from callscope.projects import versions
from callscope.projects.models import ConfigVersion, Project, ProjectShare
from callscope.projects.services import configure_project, create_project

pytestmark = pytest.mark.django_db


def rubric(points=5, **more):
    criteria = [{"id": "g", "name": "Greets", "max_points": points, **more}]
    return {"rubric": {"sections": [{"name": "Opening", "criteria": criteria}]}}


@pytest.fixture
def made(alice):
    project = create_project(alice, "P", document=rubric(5), by=alice)
    configure_project(project, {**rubric(10), "language": "es"}, by=alice)
    return project


class TestVersions:
    def test_say_who_changed_what(self, made, alice):
        second, first = versions.list_versions(made)

        assert (second.row.number, second.row.created_by, second.is_current) == (2, alice, True)
        assert (first.row.number, first.is_current, first.changes) == (1, False, [])
        assert [(c.path, c.change, c.former, c.new) for c in second.changes] == [
            ("language", "changed", "en", "es"),
            ("rubric.criteria.g.max_points", "changed", 5, 10),
        ]

    def test_name_criteria_that_the_rubric_has_no_more_by_their_last_name(self, made):
        configure_project(made, rubric(10, id="g", name="Says hello"))
        configure_project(made, rubric(10, id="h", name="Helps"))

        assert versions.name_former_criteria(made.pk, ["g", "unheard"]) == {"g": "Says hello"}
        assert versions.name_former_criteria(made.pk, []) == {}

    def test_name_criteria_that_come_and_go(self, made):
        configure_project(made, {**rubric(10, id="h", name="Helps"), "language": "es"})

        [third, *_] = versions.list_versions(made, count=1)

        assert [(c.path, c.change, c.former, c.new) for c in third.changes] == [
            ("rubric.criteria.h", "added", None, "Helps"),
            ("rubric.criteria.g", "removed", "Greets", None),
        ]

    def test_begin_with_what_was_never_stored(self, alice):
        project = Project.objects.create(name="Old", owner=alice)

        assert [v.row.number for v in versions.list_versions(project)] == [1]
        configure_project(project, rubric())

        assert [v.row.number for v in versions.list_versions(project)] == [2, 1]
        stored = ConfigVersion.objects.get(project=project, number=1)
        assert stored.created_at == project.created_at

    def test_come_in_pages(self, made):
        for points in range(1, 6):
            configure_project(made, rubric(points))

        page = versions.list_versions(made, first=2, count=2)

        assert versions.count_versions(made) == 7
        assert [v.row.number for v in page] == [5, 4]
        assert [c.new for c in page[1].changes] == [2]


class TestSameVersions:
    def test_are_the_earliest_with_every_setting_alike(self, made):
        for number in (1, 2, 1):
            versions.restore_version(made, number)

        assert versions.find_same(made, range(1, 6)) == {
            3: versions.SameVersion(1, is_whole=True),
            4: versions.SameVersion(2, is_whole=True),
            5: versions.SameVersion(1, is_whole=True),
        }
        assert versions.find_same(made, [4]) == {4: versions.SameVersion(2, is_whole=True)}
        assert versions.find_same(made, []) == {}

    def test_may_differ_in_what_protects_people(self, made, alice):
        private = {**rubric(5), "redact": [], "retention": {"recordings_days": 30}}
        configure_project(made, private, by=alice)
        configure_project(made, rubric(7), by=alice)
        configure_project(made, private, by=alice)

        assert versions.find_same(made, range(1, 6)) == {
            3: versions.SameVersion(1, is_whole=False),
            5: versions.SameVersion(3, is_whole=True),
        }

    def test_know_settings_that_came_later_by_their_defaults(self, made):
        versions.restore_version(made, 1)
        first = ConfigVersion.objects.get(project=made, number=1)
        first.document = {"rubric": first.document["rubric"]}
        first.save()

        assert versions.find_same(made, [3]) == {3: versions.SameVersion(1, is_whole=True)}

    def test_are_looked_for_among_the_last_ones(self, made, monkeypatch):
        for points in (3, 4):
            configure_project(made, rubric(points))
        versions.restore_version(made, 1)

        monkeypatch.setattr(versions, "MOST_READ", 3)
        assert versions.find_same(made, [5]) == {}
        monkeypatch.setattr(versions, "MOST_READ", 4)
        assert versions.find_same(made, [5]) == {5: versions.SameVersion(1, is_whole=True)}

    def test_of_other_projects_are_no_concern(self, made, alice):
        create_project(alice, "Other", document=rubric(5))

        assert versions.find_same(made, [1, 2]) == {}

    def test_are_read_at_once(self, made, django_assert_num_queries):
        for points in range(1, 9):
            configure_project(made, rubric(points))

        with django_assert_num_queries(1):
            versions.find_same(made, range(1, 11))


class TestRestoring:
    def test_makes_a_new_version(self, made, alice):
        assert versions.restore_version(made, 1, by=alice)

        made.refresh_from_db()
        assert made.config_version == 3
        assert made.config["rubric"]["sections"][0]["criteria"][0]["max_points"] == 5
        assert ConfigVersion.objects.filter(project=made).count() == 3
        event = AuditEvent.objects.filter(action="project.configured").latest("number")
        assert (event.detail["restored"], event.detail["version"]) == (1, 3)

    def test_of_the_current_one_changes_nothing(self, made):
        assert not versions.restore_version(made, 2)
        assert versions.count_versions(made) == 2

    def test_leaves_what_protects_people(self, made, alice, bob):
        guarded = {**made.config, "redact": ["emails"], "retention": {"recordings_days": 9}}
        configure_project(made, guarded, by=alice)
        ProjectShare.objects.create(project=made, user=bob, role="editor")

        assert versions.restore_version(made, 1, by=bob)

        made.refresh_from_db()
        assert (made.config["redact"], made.config["language"]) == (["emails"], "en")
        assert made.config["retention"]["recordings_days"] == 9

    @pytest.mark.parametrize("number", [0, 99, 10**30])
    def test_of_an_unknown_one_is_refused(self, made, number):
        with pytest.raises(versions.NoSuchVersion):
            versions.restore_version(made, number)
