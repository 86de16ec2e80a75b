"""The clock of the database: a moment that was read from it is past for every later query."""

import pytest
from django.db.models.functions import Now
from django.utils import timezone

from callscope.db import clock
from callscope.pipeline.models import Job
from callscope.pipeline.queue import jobs

pytestmark = pytest.mark.django_db

TIMES = 200  # within a millisecond of each other, which is what SQLite's clock counts


@pytest.fixture
def job(project):
    return jobs.enqueue(Job.Kind.ANALYZE, project, 7)


class TestMoments:
    def test_that_were_read_are_due_at_once(self, job):
        mine = Job.objects.filter(pk=job.pk)
        for _ in range(TIMES):
            mine.update(run_after=clock.read_now())
            assert mine.filter(run_after__lte=Now()).exists()

    def test_without_a_pause_are_due_at_once(self, job):
        mine = Job.objects.filter(pk=job.pk)
        for _ in range(TIMES):
            mine.update(run_after=clock.in_seconds(0))
            assert mine.filter(run_after__lte=Now()).exists()

    def test_after_a_pause_are_not(self, job):
        mine = Job.objects.filter(pk=job.pk)
        mine.update(run_after=clock.in_seconds(60))

        assert not mine.filter(run_after__lte=Now()).exists()
        assert 55 < (mine.get().run_after - timezone.now()).total_seconds() < 61
