"""Objects by SQL that Django writes once are those that Django reads."""

import pytest

from callscope.accounts.models import Team, User
from callscope.db.compiled import stand_ins
from callscope.db.compiled_models import compile_models
from callscope.projects.models import Project
from callscope.projects.services import create_project


@pytest.fixture
def project(db):
    return create_project(User.objects.create(email="alice@example.com"), "Service line")


def values_of(row):
    return {field.attname: getattr(row, field.attname) for field in row._meta.concrete_fields}


def compile_projects():
    [pk] = stand_ins(1)
    return compile_models(Project.objects.filter(pk=pk), "owner", "team")


class TestCompiledModels:
    def test_have_the_values_and_relations_that_django_reads(self, project, django_assert_num_queries):
        read = Project.objects.select_related("owner").get(pk=project.pk)
        compiled = compile_projects()

        with django_assert_num_queries(1):
            found = compiled.first([project.pk])
            assert values_of(found) == values_of(read)
            assert values_of(found.owner) == values_of(read.owner)

    def test_are_objects_of_the_database(self, project):
        found = compile_projects().first([project.pk])

        found.name = "Renamed"
        found.save()

        assert found == project
        assert Project.objects.get().name == "Renamed"

    def test_have_none_where_a_relation_is_empty(self, project, django_assert_num_queries):
        with django_assert_num_queries(1):
            assert compile_projects().first([project.pk]).team is None

        Project.objects.update(team=Team.objects.create(name="North"))
        assert compile_projects().first([project.pk]).team.name == "North"

    def test_are_none_where_there_is_no_row(self, project):
        assert compile_projects().first([project.pk + 1000]) is None
