"""The page of versions asks the database as often for many versions and replays as for few."""

import copy

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from callscope.pipeline.models import Replay
from callscope.projects.configuration import parse
from callscope.projects.services import configure_project

pytestmark = pytest.mark.django_db


def add_version_and_replay(project, points):
    project.refresh_from_db()
    document = copy.deepcopy(parse(project.config).as_document())
    document["rubric"]["sections"][0]["criteria"][0]["max_points"] = points
    configure_project(project, document)
    Replay.objects.create(project=project, config=document, config_version=project.config_version)


def count_queries(client, project):
    with CaptureQueriesContext(
        connection,
    ) as queries:
        assert client.get(f"/projects/{project.pk}/versions/").status_code == 200
    return len(queries)


def test_reads_all_documents_at_once(as_alice, project):
    add_version_and_replay(project, 3)
    as_alice.get(f"/projects/{project.pk}/versions/")
    few = count_queries(as_alice, project)

    for points in range(4, 12):
        add_version_and_replay(project, points)

    assert count_queries(as_alice, project) == few
