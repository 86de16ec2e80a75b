"""Probes: what they ask a model, what they come to, and that no report sees them."""

import copy
import json
import re
from dataclasses import replace

import pytest

from callscope.accounts.models import User
from callscope.calls.models import Agent, Call
from callscope.engines.llm.scripted import ScriptedChatServer
from callscope.environment import EngineAddress
from callscope.pipeline.models import Job, Probe, ProbedCall, UsageEntry
from callscope.pipeline.queue import jobs
from callscope.pipeline.rubric_changes.probes import requests
from callscope.pipeline.rubric_changes.probes.progress import read_progress
from callscope.pipeline.rubric_changes.probes.warnings import check_steadiness
from callscope.pipeline.rubric_changes.replays import drafts, portions
from callscope.pipeline.workers import stages, worker
from callscope.projects import configuration
from callscope.projects.models import Project
from callscope.testing import run_due_jobs
from tests.pipeline.conftest import RUBRIC, TALK, configure
from tests.pipeline.rubric_changes.conftest import NAMED, bring
from tests.pipeline.rubric_changes.replays.test_replays import read_report, read_tables

pytestmark = pytest.mark.django_db

#: All that a probe writes besides what a replay does.
WRITTEN = {"Probe", "ProbedCall", "AuditQueue"}


@pytest.fixture(scope="module")
def made(rows_of_module):
    """Alice's call project with three calls."""
    with rows_of_module():
        alice = User.objects.create_user("alice@example.com", "alice-password")
        project = configure(Project.objects.create(name="Service line", owner=alice), RUBRIC)
        return bring(project, NAMED, NAMED, TALK)


@pytest.fixture
def analyzed(made, db):
    return copy.deepcopy(made)


@pytest.fixture
def alice(analyzed):
    return analyzed.owner


def probe(project, plan, user):
    made = requests.request_probe(project, plan, by=user)
    run_due_jobs()
    made.refresh_from_db()
    return made


class TestSteadinessOfTheRules:
    def test_is_perfect(self, analyzed, alice):
        made = probe(analyzed, requests.plan_steadiness(analyzed, repetitions=4), alice)

        found = read_progress(made)
        assert (found.state, found.judgments, found.done) == ("completed", 12, 12)
        outcome = found.steadiness
        assert (outcome["calls"], outcome["judgments"], outcome["score_spread"]) == (3, 12, 0.0)
        assert outcome["overall"]["flips"] == 0
        [criterion] = outcome["criteria"]
        assert (criterion["criterion_id"], criterion["flips"], criterion["flip_pct"]) == ("greeting", 0, 0.0)
        assert (criterion["low"], criterion["high"]) == (0.0, 56.15)  # Wilson: 0 of 3
        assert outcome["flipped"] == []

    def test_asks_no_model(self, analyzed, alice):
        plan = requests.plan_steadiness(analyzed)

        assert plan.engine == ""
        assert (plan.estimate["requests"], plan.estimate["cost_micros"]) == (0, 0)
        assert (plan.estimate["calls"], plan.estimate["judgments"]) == (3, 9)
        assert plan.estimate["seconds"] is not None  # by the analyses of these calls


class TestSteadinessOfAModel:
    def test_counts_the_calls_that_flip(self, analyzed, alice, model):
        # The third judgment of a call that names John is another one.
        seen = []

        def decide(transcript, _number):
            seen.append("charged twice on" in transcript)
            return "not_met" if seen.count(True) == 3 and seen[-1] else "met"

        model.decide = decide
        made = probe(analyzed, requests.plan_steadiness(analyzed, repetitions=3), alice)

        outcome = read_progress(made).steadiness
        [criterion] = outcome["criteria"]
        assert (criterion["calls"], criterion["flips"], criterion["flip_pct"]) == (3, 1, 33.33)
        assert (criterion["low"], criterion["high"]) == (6.15, 79.23)
        [flipped] = outcome["flipped"]
        assert (flipped["criterion_id"], flipped["answers"]) == ("greeting", {"met": 2, "not_met": 1})
        assert outcome["score_spread"] > 0

    def test_asks_the_same_each_time(self, analyzed, alice, model):
        probe(analyzed, requests.plan_steadiness(analyzed, repetitions=3), alice)

        assert len(model.prompts) == 9
        distinct = {json.dumps(messages) for messages in model.prompts}
        # Two of the three calls say the same words: each prompt came 3 or 6 times.
        assert len(distinct) == 2

    def test_is_entered_in_the_ledger_and_estimated_from_it(self, analyzed, alice, model):
        before = requests.plan_steadiness(analyzed, repetitions=2)
        assert (before.estimate["requests"], before.estimate["input_tokens"]) == (6, None)
        assert before.engine

        probe(analyzed, before, alice)

        entries = UsageEntry.objects.filter(project=analyzed, kind=UsageEntry.Kind.TRIAL, user=alice)
        assert entries.count() == 6
        after = requests.plan_steadiness(analyzed, repetitions=2).estimate
        assert (after["input_tokens"], after["output_tokens"], after["based_on"]) == (6000, 600, 6)

    def test_changes_nothing_that_a_report_counts(self, analyzed, alice, model):
        tables, report = read_tables(), read_report(analyzed)

        probe(analyzed, requests.plan_steadiness(analyzed), alice)
        probe(analyzed, requests.plan_fairness(analyzed, groups=["order"]), alice)

        now = read_tables()
        assert {name: rows for name, rows in now.items() if name not in WRITTEN} == {
            name: rows for name, rows in tables.items() if name not in WRITTEN
        }
        assert read_report(analyzed) == report


class TestFairness:
    def test_compares_copies_with_the_calls(self, analyzed, alice, model):
        model.decide = lambda transcript, _n: (
            "met" if "Smith" in transcript or "invoice" in transcript else "not_met"
        )

        groups = ["names_arabic_women", "order"]
        made = probe(analyzed, requests.plan_fairness(analyzed, groups=groups), alice)

        found = read_progress(made)
        assert found.state == "completed"
        repeat, names, order = found.fairness["groups"]
        assert [g["group"] for g in (repeat, names, order)] == ["repeat", *groups]
        assert (repeat["overall"]["calls"], repeat["overall"]["flips"]) == (3, 0)
        # The third call names nobody but the agent, who is hidden from a model.
        assert (names["overall"]["calls"], names["overall"]["flips"], names["unchanged"]) == (3, 2, 0)
        shift = names["score_shift"]
        assert (shift["calls"], shift["mean"]) == (3, -66.67)
        assert shift["low"] < -66.67 < shift["high"]
        [criterion] = names["criteria"]
        assert (criterion["criterion_id"], criterion["flips"]) == ("greeting", 2)
        assert (order["overall"]["flips"], order["unchanged"]) == (0, 1)
        moved = found.fairness["moved"]
        assert {(row["group"], row["before"], row["after"]) for row in moved} == {
            ("names_arabic_women", "met", "not_met")
        }
        assert len(moved) == 2

    def test_sends_the_same_bytes_but_for_the_probe(self, judged, alice, model):
        bring(judged, NAMED)
        model.prompts.clear()
        probe(judged, requests.plan_fairness(judged, groups=["names_arabic_women"]), alice)

        original, repeat, named = model.prompts
        assert original == repeat
        assert original[0] == named[0]  # instructions and rubric
        first, last = re.search(r"My name is (\w+) (\w+)\.", named[1]["content"]).groups()
        assert (first, last) != ("John", "Smith")
        undone = (
            named[1]["content"].replace(f"{first} {last}", "John Smith").replace(f"Ms. {last}", "Mr. Smith")
        )
        # A digest of the words stands in the prompt, by which an answer about another call is known.
        assert undone.replace(read_reference(named), read_reference(original)) == original[1]["content"]

    def test_never_shows_the_model_the_agent_or_earlier_scores(self, judged, alice, model):
        bring(judged, NAMED)
        agent = Agent.objects.create(
            owner=alice, external_id="77", name="Zoraida Quint", name_key="zoraida quint"
        )
        Call.objects.filter(project=judged).update(agent=agent)
        said = [*NAMED, ("Agent", "Zoraida wrote that down.")]
        bring(judged, said)
        Call.objects.filter(project=judged).update(agent=agent)
        model.prompts.clear()

        probe(judged, requests.plan_fairness(judged), alice)
        probe(judged, requests.plan_steadiness(judged), alice)

        sent = json.dumps(model.prompts, ensure_ascii=False)
        for name in ("Zoraida", "Quint", "Ana", "Ruiz"):
            assert name not in sent
        copies = set(model.transcripts())
        assert len(copies) > 5
        for word in ("total_points", "score_percentage", "It says so", 'not_met":'):
            assert word not in "".join(copies)

    def test_of_a_private_project_never_asks_an_outside_model(self, judged, alice, model, settings):
        bring(judged, NAMED)
        open_model = len(model.prompts)
        private = configuration.parse({**judged.config, "private_transcription": True}).as_document()
        judged.config = private
        judged.save()
        draft = {**private, "private_transcription": False}

        for document in (None, draft):
            made = probe(judged, requests.plan_fairness(judged, document, groups=["order"]), alice)
            again = probe(judged, requests.plan_steadiness(judged, document), alice)
            assert (made.engine, again.engine) == ("", "")
            assert made.completed_at
            assert again.completed_at

        assert len(model.prompts) == open_model
        with ScriptedChatServer(model) as own:
            settings.ENVIRONMENT = replace(
                settings.ENVIRONMENT,
                llm=EngineAddress("http://outside.invalid/v1", model="m"),
                private_llm=EngineAddress(own.url, model="own"),
            )
            probe(judged, requests.plan_fairness(judged, draft, groups=["order"]), alice)
            assert {request["model"] for request in own.requests} == {"own"}

    def test_estimates_the_copies_that_differ_and_judges_just_those(self, analyzed, alice, model):
        # Nobody says a word of Spain; the third call says one fact at a time.
        plan = requests.plan_fairness(analyzed, groups=["order", "dialect_peninsular"])

        assert (plan.estimate["judgments"], plan.estimate["requests"]) == (3 + 3 + 2, 8)
        queued = requests.request_probe(analyzed, plan, by=alice)
        found = read_progress(queued)
        assert (found.state, found.done, found.judgments) == ("queued", 0, 8)
        run_due_jobs()
        queued.refresh_from_db()
        found = read_progress(queued)
        assert (found.state, found.done, found.judgments, len(model.prompts)) == ("completed", 8, 8, 8)
        unchanged = {each["group"]: each["unchanged"] for each in found.fairness["groups"]}
        assert unchanged == {"repeat": 0, "dialect_peninsular": 3, "order": 1}

    def test_draws_the_same_calls_from_the_same_seed(self, analyzed):
        first = requests.plan_fairness(analyzed, sample=2)

        again = requests.plan_fairness(analyzed, sample=2, seed=first.seed)
        others = {tuple(requests.plan_fairness(analyzed, sample=2, seed=seed).calls) for seed in range(9)}

        assert again.calls == first.calls
        assert len(others) == 3

    @pytest.mark.parametrize("groups", [["dragons"], ["order", "order"]])
    def test_refuses_other_groups(self, analyzed, groups):
        with pytest.raises(requests.InvalidProbe):
            requests.plan_fairness(analyzed, groups=groups)

    def test_refuses_too_many_judgments(self, analyzed, monkeypatch):
        monkeypatch.setattr(requests, "MOST_JUDGMENTS", 5)

        with pytest.raises(requests.InvalidProbe):
            requests.plan_steadiness(analyzed, sample=2, repetitions=3)


class TestProbeJob:
    def test_works_in_portions_and_goes_on_after_a_worker_that_died(self, analyzed, alice, monkeypatch):
        monkeypatch.setattr(portions, "CALLS_AT_ONCE", 4)
        made = requests.request_probe(analyzed, requests.plan_steadiness(analyzed), by=alice)
        assert read_progress(made).state == "queued"
        first = worker.claim_and_start()
        stages.run_stage(first)
        first.refresh_from_db()
        assert (first.kind, first.state) == (Job.Kind.PROBE, Job.State.QUEUED)
        assert (read_progress(made).state, read_progress(made).done) == ("running", 4)
        lost = worker.claim_and_start()  # and its process is killed
        jobs.requeue_interrupted(lost)

        stages.run_stage(lost)  # had it lived on, it would write nothing

        assert read_progress(made).done == 4
        run_due_jobs()
        made.refresh_from_db()
        assert (read_progress(made).state, read_progress(made).done) == ("completed", 9)

    def test_says_that_it_failed(self, analyzed, alice, monkeypatch):
        from callscope.analysis import analyze
        from callscope.engines.errors import EngineRejected

        def refuse(*_args, **_kwargs):
            raise EngineRejected("No such model.")

        monkeypatch.setattr(analyze, "analyze", refuse)

        made = probe(analyzed, requests.plan_steadiness(analyzed), alice)

        assert read_progress(made).state == "failed"

    def test_forgets_calls_that_are_erased(self, analyzed, alice, model):
        from callscope.pipeline.erasure import removal

        answers = iter(["met", "not_met"] * 99)
        model.decide = lambda *_: next(answers)
        made = probe(analyzed, requests.plan_steadiness(analyzed), alice)
        before = read_progress(made).steadiness["flipped"]
        gone = Call.objects.get(pk=before[0]["call_id"])

        removal.erase_call(gone)

        made.refresh_from_db()
        assert gone.pk not in [row["call_id"] for row in read_progress(made).steadiness["flipped"]]
        assert not ProbedCall.objects.filter(call=gone.pk).exists()

    def test_is_deleted_with_its_project(self, analyzed, alice):
        from callscope.pipeline.erasure import removal

        requests.request_probe(analyzed, requests.plan_steadiness(analyzed), by=alice)

        removal.delete_project(analyzed)

        assert not Probe.objects.exists()
        assert not ProbedCall.objects.exists()


class TestDraft:
    def test_of_a_model_has_to_be_probed_before_it_is_published(self, analyzed, alice, model, monkeypatch):
        from callscope.pipeline.rubric_changes.probes import warnings

        draft = {**analyzed.config, "custom_questions": ["Why?"]}
        replay = drafts.request_replay(analyzed, draft, by=alice)
        run_due_jobs()
        assert (check_steadiness(replay).is_needed, check_steadiness(replay).calls) == (True, 0)

        probe(analyzed, requests.plan_steadiness(analyzed), alice)  # of other settings
        assert check_steadiness(replay).is_needed
        probe(analyzed, requests.plan_steadiness(analyzed, draft), alice)
        assert (check_steadiness(replay).is_needed, check_steadiness(replay).calls) == (True, 3)
        monkeypatch.setattr(warnings, "LEAST_CALLS", 3)
        assert not check_steadiness(replay).is_needed

    def test_of_the_rules_need_not(self, analyzed, alice):
        replay = drafts.request_replay(analyzed, analyzed.config, by=alice)

        assert not check_steadiness(replay).is_needed


def read_reference(messages):
    return messages[1]["content"].split("Call reference: ")[1].split("\n")[0]
