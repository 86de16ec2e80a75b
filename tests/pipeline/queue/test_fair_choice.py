"""No project and no engine takes all workers."""

import datetime as dt

import pytest
from django.db import transaction
from django.utils import timezone

from callscope.pipeline.models import Job
from callscope.pipeline.queue import fair_choice, jobs
from callscope.projects.models import Project

pytestmark = pytest.mark.django_db


@pytest.fixture
def other(alice):
    return Project.objects.create(name="Other line", owner=alice)


def queue_up(project, *subjects, kind=Job.Kind.ANALYZE):
    return [jobs.enqueue(kind, project, subject) for subject in subjects]


def claim(**options):
    with transaction.atomic():
        return jobs.claim_next(**options)


def ran_for(seconds):
    Job.objects.filter(state=Job.State.RUNNING).update(
        claimed_at=timezone.now() - dt.timedelta(seconds=seconds)
    )


def wait_a_second():
    Job.objects.filter(state=Job.State.QUEUED).update(run_after=timezone.now() - dt.timedelta(seconds=1))


class TestProject:
    def test_with_fewer_running_jobs_comes_first_whatever_its_position(self, project, other):
        queue_up(project, *range(1, 9))
        hanging = [claim() for _ in range(4)]
        queue_up(other, *range(101, 109))
        Job.objects.filter(project=other).update(turn=1000)

        claimed = [claim() for _ in range(4)]

        assert {job.project_id for job in hanging} == {project.pk}
        assert {job.project_id for job in claimed} == {other.pk}

    def test_alone_gets_every_worker(self, project):
        queue_up(project, *range(1, 9))

        assert len([claim() for _ in range(8)]) == 8


class TestEngine:
    def test_that_holds_half_of_the_workers_with_slow_jobs_leaves_the_next_to_others(self, project):
        queue_up(project, *range(1, 5))
        queue_up(project, 11, kind=Job.Kind.TRANSCRIBE)
        claim()
        ran_for(fair_choice.SLOW_S + 1)

        assert claim().kind == Job.Kind.TRANSCRIBE

    def test_that_is_quick_keeps_the_order(self, project):
        queue_up(project, *range(1, 5))
        queue_up(project, 11, kind=Job.Kind.TRANSCRIBE)
        claim()

        assert claim().kind == Job.Kind.ANALYZE

    def test_alone_gets_every_worker(self, project):
        queue_up(project, *range(1, 5))
        claim()
        ran_for(fair_choice.SLOW_S + 1)

        assert claim() is not None


class TestBesideAJobThatWaits:
    def test_runs_a_job_of_another_project(self, project, other):
        queue_up(project, 1, 2, 3)
        first, _ = claim(), claim()
        queue_up(other, 101, 102)
        wait_a_second()

        assert claim(waiting=first).subject_id == 101
        assert claim(waiting=first) is None  # half of what the waiting project has

    def test_runs_a_job_for_another_engine(self, project):
        queue_up(project, 1, 2)
        queue_up(project, 3, kind=Job.Kind.TRANSCRIBE)
        first = claim()
        wait_a_second()

        assert claim(waiting=first).subject_id == 3
        assert claim(waiting=first) is None

    def test_runs_nothing_that_an_idle_worker_will_take(self, project, other):
        queue_up(project, 1)
        first = claim()
        queue_up(other, 101)

        assert claim(waiting=first) is None
