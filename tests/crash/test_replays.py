"""A process dies while it writes what a replay or a probe judged: another one goes on, and reports stay."""

import json
import os

import pytest

from callscope.pipeline.models import Job, ProbedCall, ReplayedCall
from callscope.pipeline.rubric_changes.probes import progress as probe_progress
from callscope.pipeline.rubric_changes.probes import requests
from callscope.pipeline.rubric_changes.replays import drafts, portions, progress
from callscope.reports.overview.report import build_report, report_json
from callscope.reports.window import ALL_TIME
from callscope.testing import run_due_jobs
from tests.crash.forked_run import ForkedRun
from tests.pipeline.conftest import RUBRIC, accept, configure
from tests.pipeline.rubric_changes.replays.test_replays import read_tables

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs processes that fork")
CALLS = 3
#: What reports are counted from; workers compact the rest of the store whenever they like.
COUNTED = {"Call", "CallAnalysis", "CallFact", "Transcript"}


@pytest.fixture
def run(transactional_db, project, monkeypatch):
    """A project with analyzed calls, and portions of two judgments."""
    monkeypatch.setattr(portions, "CALLS_AT_ONCE", 2)
    configure(project, RUBRIC)
    for number in range(CALLS):
        accept(project, name=f"call-{number}.srt")
    run_due_jobs()
    Job.objects.filter(kind=Job.Kind.REGROUP, state=Job.State.QUEUED).delete()  # it changes reports
    return ForkedRun(project, "", None)


def read_report(project) -> str:
    return json.dumps(report_json(build_report([project], ALL_TIME)))


def read_counted() -> dict[str, list[dict]]:
    """Return the rows of the tables that reports are counted from."""
    return {name: rows for name, rows in read_tables().items() if name in COUNTED}


class TestKilledInAPortion:
    def test_of_a_replay_loses_that_portion_alone(self, run, alice):
        tables, report = read_counted(), read_report(run.project)
        replay = drafts.request_replay(run.project, run.project.config, by=alice)

        run._fork(run_due_jobs, die_at="result_commit")
        assert not ReplayedCall.objects.filter(answers__isnull=False).exists()
        run.work()

        replay.refresh_from_db()
        found = progress.read_progress(replay)
        assert (found.state, found.done, run.deaths) == ("completed", CALLS, 1)
        assert (read_counted(), read_report(run.project)) == (tables, report)

    def test_of_a_probe_loses_that_portion_alone(self, run, alice):
        tables, report = read_counted(), read_report(run.project)
        plan = requests.plan_steadiness(run.project, repetitions=2)
        probe = requests.request_probe(run.project, plan, by=alice)

        run._fork(run_due_jobs, die_at="result_commit")
        assert not ProbedCall.objects.filter(judgment__isnull=False).exists()
        run.work()

        probe.refresh_from_db()
        found = probe_progress.read_progress(probe)
        assert (found.state, found.done, run.deaths) == ("completed", 2 * CALLS, 1)
        assert found.steadiness["overall"]["flips"] == 0
        assert (read_counted(), read_report(run.project)) == (tables, report)
