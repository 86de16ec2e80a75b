"""Calls that lost their results to retention: which are counted, in one query, on both databases."""

import datetime as dt

import pytest
from django.db import connection

from callscope.reports.overview.missing_calls import count_removed_results
from callscope.reports.window import Window
from tests.web.conftest import bring, give_transcript, line, remove_results

pytestmark = pytest.mark.django_db
SECOND, FOURTH = dt.date(2026, 3, 2), dt.date(2026, 3, 4)


@pytest.fixture
def calls(project):
    """A call of each of the first four days of March 2026, the second by Ben; the first three are emptied."""
    made = bring(project, line(1), line(2, agent_name="Ben Okafor"), line(3), line(4))
    for call in made:
        give_transcript(call)
    remove_results(project, spares=made[3:])
    return made


def test_are_those_of_the_days_and_of_the_agent(project, calls):
    assert count_removed_results([project.pk]) == 3
    assert count_removed_results([project.pk], Window(start=SECOND)) == 2
    assert count_removed_results([project.pk], Window(SECOND, SECOND)) == 1
    assert count_removed_results([project.pk], Window(start=FOURTH)) == 0
    assert count_removed_results([project.pk], agent_id=calls[0].agent_id) == 2
    assert count_removed_results([project.pk], Window(end=SECOND), calls[1].agent_id) == 1
    assert count_removed_results([project.pk + 1, project.pk]) == 3
    assert count_removed_results([]) == 0


def test_are_not_those_that_were_analyzed_again(project, calls):
    calls[0].analyses.update(is_live=True)

    assert count_removed_results([project.pk]) == 2


def test_are_counted_once_each(project, calls):
    file = calls[0].files.get()
    file.pk = None
    file.save()

    assert calls[0].files.exclude(results_removed_at=None).count() == 2
    assert count_removed_results([project.pk]) == 3


def test_are_found_in_one_query_by_their_index(project, calls, django_assert_num_queries):
    with django_assert_num_queries(1) as asked:
        count_removed_results([project.pk])

    explain = "EXPLAIN QUERY PLAN" if connection.vendor == "sqlite" else "EXPLAIN"
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":  # which reads a table of three rows whole
            cursor.execute("SET LOCAL enable_seqscan = off")
        cursor.execute(f"{explain} {asked.captured_queries[0]['sql']}")
        plan = str(cursor.fetchall())
    assert "emptied_files" in plan, plan
