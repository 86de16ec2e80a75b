"""What the report sums up of reviews, next to the facts: always the review that stands."""

import copy
import datetime as dt
import importlib

import pytest
from django.db import connection

from callscope.accounts.models import User
from callscope.projects.models import Project
from callscope.reports.models import CallFact, ReviewedCall
from callscope.reports.overview.report import build_report
from callscope.reports.window import Window
from callscope.reviews.models import Review
from tests.api.conftest import client_of
from tests.api.review_samples import judge_call, list_answers, review

pytestmark = pytest.mark.django_db

COLUMNS = [field.attname for field in ReviewedCall._meta.concrete_fields]


@pytest.fixture(scope="module")
def made(rows_of_module):
    """A judged call in a project of Alice's."""
    with rows_of_module():
        alice = User.objects.create_user("alice@example.com", "alice-password")
        project = Project.objects.create(name="Service line", owner=alice)
        return project, judge_call(client_of(alice), project)


@pytest.fixture
def project(made, db):
    return copy.deepcopy(made[0])


@pytest.fixture
def alice(project):
    return project.owner


@pytest.fixture
def call_id(made):
    return made[1]


def stored():
    return list(ReviewedCall.objects.order_by("pk").values_list(*COLUMNS))


class TestAReviewedCall:
    def test_is_as_its_fact_and_its_review_say(self, as_alice, call_id):
        review(as_alice, call_id, criteria=list_answers(greeting="not_met"))

        row, fact, standing = ReviewedCall.objects.get(), CallFact.objects.get(), Review.objects.get()

        assert row.pk == call_id
        for name in ("project_id", "at_us", "agent_id"):
            assert getattr(row, name) == getattr(fact, name), name
        for name in ("is_corrected", "compared", "agreed", "score_bp"):
            assert getattr(row, name) == getattr(standing, name), name
        assert row.is_corrected
        assert row.compared > 0

    def test_follows_the_time_and_agent_of_the_call(self, as_alice, call_id):
        review(as_alice, call_id)
        file = Review.objects.get().file_id

        given = {"call_datetime": "2026-05-04T10:00:00Z", "agent_name": "Ben Okafor"}
        assert as_alice.patch(f"/api/files/{file}/", given, format="json").status_code == 200

        row, fact = ReviewedCall.objects.get(), CallFact.objects.get()
        assert (row.at_us, row.agent_id) == (fact.at_us, fact.agent_id)
        assert row.agent_id is not None

    def test_ends_with_the_review(self, as_alice, call_id):
        made = review(as_alice, call_id).json()
        assert len(stored()) == 1

        assert as_alice.delete(f"/calls/api/reviews/{made['id']}/").status_code == 204

        assert stored() == []

    @pytest.mark.parametrize(("day", "calls"), [(1, 0), (2, 1), (3, 0)])
    def test_is_counted_on_its_day_alone(self, as_alice, project, call_id, day, calls):
        review(as_alice, call_id)
        window = Window(dt.date(2026, 3, day), dt.date(2026, 3, day))

        assert build_report([project], window).reviews.reviewed_calls == calls

    def test_of_an_older_version_is_filled_by_the_migration(self, as_alice, call_id):
        review(as_alice, call_id)
        expected = stored()
        ReviewedCall.objects.all().delete()
        migration = importlib.import_module("callscope.reports.migrations.0015_reviewed_calls")

        with connection.cursor() as cursor:
            cursor.execute(migration.FILL)

        assert stored() == expected != []
