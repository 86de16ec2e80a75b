"""`callscope probe`: what it states beforehand, and what it prints at the end."""

import pytest

from callscope.interfaces.cli.commands import probe
from callscope.pipeline.models import Probe
from callscope.pipeline.rubric_changes.probes.stopping import stop_probe
from callscope.testing import run_due_jobs
from tests.pipeline.conftest import RUBRIC, accept, configure


@pytest.fixture
def judged(project, monkeypatch):
    configure(project, RUBRIC)
    accept(project)
    run_due_jobs()
    monkeypatch.setattr(probe.time, "sleep", lambda _seconds: run_due_jobs())
    return project


class TestProbe:
    def test_waits_for_what_it_queued(self, callscope, judged):
        found = callscope.json("probe", "steadiness", "--project", judged.pk, "--repetitions", 2)

        assert (found["kind"], found["state"], found["done"]) == ("steadiness", "completed", 2)
        assert found["outcome"]["overall"]["flips"] == 0
        shown = callscope("probe", "show", found["id"]).stdout
        assert "any criterion" in shown

    def test_compares_copies(self, callscope, judged):
        ended = callscope("probe", "fairness", "--project", judged.pk, "--group", "order")

        assert ended.exit_code == 0
        assert "completed" in ended.stdout
        assert "order" in ended.stdout

    def test_states_the_cost_and_ends(self, callscope, judged):
        stated = callscope.json("probe", "steadiness", "--project", judged.pk, "--dry-run")
        queued = callscope.json("probe", "fairness", "--project", judged.pk, "--no-wait")

        assert (stated["id"], stated["estimate"]["judgments"]) == (None, 3)
        assert (queued["state"], queued["done"]) == ("queued", 0)

    def test_refuses_what_is_not_there(self, callscope, judged):
        assert callscope.failure("probe", "show", 99999999) == ["No probe has the id 99999999."]
        assert callscope.failure("probe", "steadiness", "--project", 99999999) == [
            "No project has the id 99999999."
        ]
        [sentence] = callscope.failure("probe", "fairness", "--project", judged.pk, "--group", "dragons")
        assert sentence.startswith('"dragons" is not allowed. Allowed: repeat, names_english_women')

    def test_stops_one_that_runs(self, callscope, judged):
        queued = callscope.json("probe", "steadiness", "--project", judged.pk, "--no-wait")

        stopped = callscope("probe", "stop", queued["id"])

        assert stopped.exit_code == 0
        assert "is stopped: 0 of 3 judgments." in stopped.stdout
        assert "Partial result: stopped after 0 of 1 calls." in stopped.stdout
        assert callscope.failure("probe", "stop", queued["id"]) == [
            f"Probe {queued['id']} has already ended."
        ]
        assert callscope.failure("probe", "stop", 99999999) == ["No probe has the id 99999999."]

    def test_that_is_stopped_while_its_end_is_waited_for_fails(self, callscope, judged, monkeypatch):
        monkeypatch.setattr(probe.time, "sleep", lambda _seconds: stop_probe(Probe.objects.get(), by=None))

        ended = callscope("probe", "steadiness", "--project", judged.pk)

        assert ended.exit_code == 1
        assert "Partial result" in ended.stdout
