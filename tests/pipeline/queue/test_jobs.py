"""Claims, leases, attempts and the fair order of the job table."""

import datetime as dt
import threading

import pytest
from django.db import connection, connections, transaction
from django.utils import timezone

from callscope.pipeline.models import Job
from callscope.pipeline.queue import jobs, worker_identity
from callscope.pipeline.workers import sweep
from callscope.projects.models import Project

pytestmark = pytest.mark.django_db


@pytest.fixture
def other(alice):
    return Project.objects.create(name="Other line", owner=alice)


@pytest.fixture
def pauses_in_full(settings):
    settings.RETRY_PAUSE = 1.0


def queue_up(project, *subjects, kind=Job.Kind.TRANSCRIBE):
    return [jobs.enqueue(kind, project, subject) for subject in subjects]


def claim(*queues):
    with transaction.atomic():
        return jobs.claim_next(queues or jobs.QUEUES)


class TestEnqueue:
    def test_keeps_one_open_job_per_kind_and_subject(self, project):
        first, second = queue_up(project, 7, 7)

        assert first.pk == second.pk
        assert Job.objects.count() == 1

    def test_makes_a_new_job_when_the_former_one_is_over(self, project):
        queue_up(project, 7)
        jobs.finish(claim())

        queue_up(project, 7)

        assert Job.objects.filter(state=Job.State.QUEUED).count() == 1

    def test_leaves_nothing_behind_when_its_cause_is_rolled_back(self, project):
        with pytest.raises(ZeroDivisionError), transaction.atomic():
            queue_up(project, 7)
            raise ZeroDivisionError

        assert not Job.objects.exists()


class TestClaim:
    def test_sets_token_lease_attempt_and_deadline(self, project):
        queue_up(project, 7)

        job = claim()

        stored = Job.objects.get()
        assert (stored.state, stored.attempts, stored.token) == (Job.State.RUNNING, 1, job.token)
        assert stored.lease_until > timezone.now()
        assert stored.deadline_at > stored.lease_until

    def test_finds_nothing_when_all_jobs_are_taken(self, project):
        queue_up(project, 7)
        claim()

        assert claim() is None

    def test_takes_only_jobs_of_its_queues(self, project):
        queue_up(project, 7)

        assert claim("llm", "default") is None
        assert claim("asr") is not None

    def test_leaves_a_job_in_a_pause_alone(self, project):
        jobs.enqueue(Job.Kind.TRANSCRIBE, project, 7, delay_s=60)

        assert claim() is None
        assert jobs.count_open() == 1


class TestFairOrder:
    def test_lets_a_small_project_through_a_long_row_of_another(self, project, other):
        queue_up(project, *range(1, 21))
        for _ in range(5):
            jobs.finish(claim())
        queue_up(other, 100)

        projects = [claim().project_id for _ in range(3)]

        assert other.pk in projects

    def test_alternates_between_two_long_rows(self, project, other):
        queue_up(project, *range(1, 11))
        queue_up(other, *range(101, 111))

        projects = [claim().project_id for _ in range(10)]

        assert projects.count(project.pk) == 5

    def test_keeps_the_order_of_uploads_within_a_project(self, project):
        queue_up(project, 5, 3, 9)

        assert [claim().subject_id for _ in range(3)] == [5, 3, 9]

    def test_runs_the_next_stage_of_a_file_before_the_files_behind_it(self, project):
        queue_up(project, 1, 2, 3)
        first = claim()
        with transaction.atomic():
            jobs.finish(first)
            jobs.enqueue(Job.Kind.ANALYZE, project, 1, fair_position=first.turn)

        following = claim()

        assert (following.kind, following.subject_id) == (Job.Kind.ANALYZE, 1)


class TestFence:
    def test_keeps_a_worker_that_lost_its_lease_from_writing(self, project):
        queue_up(project, 7)
        slow = claim()
        Job.objects.update(lease_until=timezone.now() - dt.timedelta(seconds=1), worker="elsewhere")
        sweep.requeue_abandoned()
        claim()

        with pytest.raises(jobs.LostLease), transaction.atomic():
            jobs.finish(slow)
            Project.objects.filter(pk=project.pk).update(name="written by the loser")

        project.refresh_from_db()
        assert project.name == "Service line"
        assert Job.objects.get().state == Job.State.RUNNING

    @pytest.mark.parametrize("write", [jobs.finish, jobs.release, jobs.requeue_interrupted])
    def test_holds_for_every_way_to_end_a_claim(self, project, write):
        queue_up(project, 7)
        job = claim()
        jobs.finish(job)

        with pytest.raises(jobs.LostLease):
            write(job)

    def test_tells_a_beating_worker_that_its_job_is_gone(self, project):
        queue_up(project, 7)
        job = claim()
        assert jobs.extend_lease(job)

        jobs.release(job)

        assert not jobs.extend_lease(job)


class TestTryAgain:
    def test_pauses_longer_after_each_attempt(self, project, pauses_in_full):
        queue_up(project, 7)
        pauses = []
        for _ in range(4):
            Job.objects.update(run_after=timezone.now() - dt.timedelta(seconds=1))
            job = claim()
            before = timezone.now()
            jobs.schedule_retry(job, "The engine is away.")
            pauses.append((Job.objects.get().run_after - before).total_seconds())

        for pause, expected in zip(pauses, (1, 4, 16, 60), strict=True):
            assert 0.7 * expected <= pause <= 1.3 * expected + 1


class TestRelease:
    def test_counts_no_attempt(self, project):
        queue_up(project, 7)

        jobs.release(claim())

        assert Job.objects.get().attempts == 0
        assert claim() is not None


class TestClaimThatIsOver:
    @pytest.mark.parametrize("end", [jobs.finish, jobs.release], ids=["finished", "released"])
    def test_was_ended_by_its_own_worker_which_may_go_on_to_tell(self, project, end):
        queue_up(project, 7)
        job = claim()
        assert not jobs.was_ended(job)

        end(job)

        assert jobs.was_ended(job)

    def test_was_not_if_another_worker_took_the_job_over(self, project):
        queue_up(project, 7)
        job = claim()
        jobs.requeue_interrupted(claim_again(job))
        claim()

        assert not jobs.was_ended(job)


def claim_again(job):
    return Job.objects.get(pk=job.pk)


class TestSweep:
    def test_returns_a_job_whose_lease_ran_out(self, project):
        queue_up(project, 7)
        claim()
        Job.objects.update(lease_until=timezone.now() - dt.timedelta(seconds=1), worker="another machine")

        assert sweep.requeue_abandoned() == 1

        job = Job.objects.get()
        assert (job.state, job.attempts, job.interruptions) == (Job.State.QUEUED, 0, 1)

    def test_returns_a_job_at_once_when_its_process_is_gone(self, project):
        queue_up(project, 7)
        claim()
        machine = worker_identity.current_identity().rpartition("/")[0].rpartition("/")[0]
        Job.objects.update(worker=f"{machine}/999999999/1")

        assert sweep.requeue_abandoned() == 1

    def test_leaves_a_living_worker_its_job(self, project):
        queue_up(project, 7)
        claim()

        assert sweep.requeue_abandoned() == 0

    @pytest.mark.parametrize("hours", [-1, 1])
    def test_goes_by_one_clock_where_those_of_the_machines_differ(self, project, monkeypatch, hours):
        queue_up(project, 7)
        Job.objects.update(run_after=timezone.now() - dt.timedelta(hours=2))
        there = timezone.now() + dt.timedelta(hours=hours)
        with monkeypatch.context() as elsewhere:
            elsewhere.setattr(timezone, "now", lambda: there)
            job = claim()
            Job.objects.update(worker="another machine")
            swept_there = sweep.requeue_abandoned()
            assert jobs.extend_lease(job)

        assert (swept_there, sweep.requeue_abandoned()) == (0, 0)
        Job.objects.update(lease_until=timezone.now() - dt.timedelta(seconds=1))
        assert sweep.requeue_abandoned() == 1

    def test_fails_a_job_that_takes_every_worker_with_it(self, project):
        queue_up(project, 7)
        Job.objects.update(interruptions=jobs.MAX_INTERRUPTIONS)
        claim()
        Job.objects.update(lease_until=timezone.now() - dt.timedelta(seconds=1), worker="")

        sweep.requeue_abandoned()

        job = Job.objects.get()
        assert job.state == Job.State.FAILED
        assert "interrupted" in job.error


class TestWorkerIdentity:
    def test_knows_itself_as_alive(self):
        assert not worker_identity.has_exited(worker_identity.current_identity())

    def test_does_not_judge_another_machine(self):
        assert not worker_identity.has_exited("other-boot/pid:[1]/999999999/1")

    def test_tells_a_reused_process_number_apart(self):
        assert worker_identity.has_exited(worker_identity.current_identity() + "0")

    @pytest.mark.parametrize("text", ["", "x", "a/b", "////"])
    def test_does_not_judge_what_it_cannot_read(self, text):
        assert not worker_identity.has_exited(text)


@pytest.mark.django_db(transaction=True)
class TestManyWorkers:
    def test_claim_every_job_exactly_once(self, project):
        queue_up(project, *range(40))
        claimed: list[int] = []
        errors: list[Exception] = []

        def work():
            try:
                while (job := claim()) is not None:
                    jobs.finish(job)
                    claimed.append(job.subject_id)
            except Exception as error:
                errors.append(error)
            finally:
                connections.close_all()

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

        assert errors == []
        assert sorted(claimed) == list(range(40))

    def test_write_one_job_when_two_ask_for_it_at_once(self, project):
        together = threading.Barrier(2)
        found: list[object] = []

        def ask():
            try:
                with transaction.atomic():
                    if connection.vendor == "postgresql":  # SQLite lets one transaction after the other in
                        together.wait(60)
                    found.append(jobs.enqueue(Job.Kind.ANALYZE, project, 5).pk)
            except Exception as error:
                found.append(error)
            finally:
                connections.close_all()

        threads = [threading.Thread(target=ask) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

        assert len(set(found)) == 1
        assert Job.objects.count() == 1


class TestContinueLater:
    def test_forgets_a_wait_of_a_portion_before(self, project):
        queue_up(project, 7)
        jobs.park(claim(), "busy")
        assert Job.objects.get().parked_at is not None

        jobs.continue_later(claim())

        assert Job.objects.get().parked_at is None
