"""The report over HTTP equals the naive oracle's in any world of reviews, revisions and replaced results."""

import datetime as dt
import io
import json
import random

import pytest
from django.db import transaction
from django.test import Client
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st
from oracles.call_list import Asked, call_list
from oracles.report import Oracle
from oracles.reviews import (
    OracleReview,
    find_machine,
    hold,
    machine_answer,
    open_criteria,
    put_over,
    what_is_asked,
)
from test_oracle import make_world, tried, without_ids
from worlds import DAYS, configs, lines

from callscope.accounts.models import User
from callscope.calls.models import Agent, Call
from callscope.calls.own_calls import link_user
from callscope.contact_reasons.models import ContactReason
from callscope.pipeline.decisions.appeal_edits import acknowledge_review, decide_appeal, file_appeal
from callscope.pipeline.decisions.review_edits import follow_settings
from callscope.pipeline.decisions.weak_criteria import settle_next
from callscope.pipeline.transfer.export import export_lines
from callscope.pipeline.transfer.importer import import_calls
from callscope.projects.models import Project
from callscope.projects.services import configure_project, create_project
from callscope.reports.store.verify import find_discrepancies
from callscope.reviews.criteria import KnownCriteria, list_criteria
from callscope.reviews.models import HeldCriteria, Review
from callscope.reviews.revisions import ReviewConflict

pytestmark = pytest.mark.django_db
ZONE = "UTC"
ANSWERS = {
    "mistake": ("made", "not_made"),
    "prompt": ("said", "missed"),
    "goal": ("reached", "not_reached", "unknown"),
    "sentiment": ("positive", "neutral", "negative", "unknown"),
}
PROTOCOL = {
    "mistakes": [{"id": "n", "text": "Is late", "any_of": ["late"]}],
    "prompts": [{"id": "q", "text": "Asks for more", "any_of": ["more"]}],
}


class World:
    """Imported projects, and people who review their calls by the API."""

    def __init__(self, owner, client, documents, drawn, seed):
        self.owner, self.client, self.random = owner, client, random.Random(seed)
        asking = [{**document, "no_protocol": PROTOCOL} for document in documents]
        self.projects = make_world(owner, asking, drawn)
        self.reviews: list[OracleReview] = []
        self.last: dict[tuple[int, str], int] = {}

    def judged_calls(self):
        return [call for call in Oracle(self.projects, ZONE).calls if call.scores]

    def review_some(self):
        for call in self.judged_calls():
            for _ in range(self.random.choice((0, 1, 1, 2))):
                self.review(call)

    def review(self, call):
        answers = {
            score["criterion_id"]: self.random.choice(("met", "not_met", machine_answer(score)))
            for score in call.scores
        }
        answers |= {
            row["criterion_id"]: self.random.choice(("met", "not_met")) for row in open_criteria(call)
        }
        name = call.line["file_name"]
        call_id = Call.objects.get(project=call.project.id, file_name=name).pk
        criteria = [{"criterion_id": name, "answer": answer} for name, answer in answers.items()]
        findings = self.find_some(call)
        found = [{"kind": kind, "id": item, "answer": said} for (kind, item), said in findings.items()]
        places = self.find_places(call)
        agent = places.get("agent")
        sent = {**places, **({"agent": find_agent(agent)} if agent else {})}
        body = {"criteria": criteria, "findings": found, "state": "submitted", **sent}
        answer = self.client.post(f"/calls/api/{call_id}/reviews/", body, content_type="application/json")
        assert answer.status_code == 201, answer.content
        said = OracleReview(call.project.id, name, answers, findings=findings, agent=agent)
        said.reason = places.get("contact_reason")
        self.reviews.append(said)
        self.last[call.project.id, name] = answer.json()["id"]

    def find_some(self, call):
        """Return what a person says of some mistakes, prompts, goal and sentiment."""
        said = {}
        for (kind, item_id), answer in find_machine(call).items():
            if self.random.random() < 0.6:
                said[kind, item_id] = self.random.choice((*ANSWERS[kind], answer))
        return said

    def find_places(self, call):
        """Return another agent and contact reason, as the oracle knows them, or nothing."""
        places = {}
        of_project = [each for each in Oracle(self.projects, ZONE).calls if each.project == call.project]
        agents = sorted({each.agent for each in of_project if each.agent})
        if self.random.random() < 0.5:
            places["agent"] = self.random.choice([*agents, "none"])
        reasons = ContactReason.objects.filter(project=call.project.id).order_by("name")
        if reasons and self.random.random() < 0.5:
            places["contact_reason"] = self.random.choice(list(reasons)).name
        return places

    def withdraw_some(self):
        for (project, name), review_id in self.last.items():
            if self.random.random() < 0.25:
                assert self.client.delete(f"/calls/api/reviews/{review_id}/").status_code == 204
                of_call = [r for r in self.reviews if (r.project, r.file_name) == (project, name)]
                of_call[-1].is_withdrawn = True

    def decide_some(self, agent):
        """Link a user to each agent, let some appeal, decide some appeals, and acknowledge reviews."""
        for number, call in enumerate(Call.objects.filter(agent__isnull=False).order_by("pk")):
            email = f"agent{call.agent_id}@example.com"
            user = User.objects.filter(email=email).first() or User.objects.create_user(email, "secret words")
            with transaction.atomic():
                link_user(call.project, email, call.agent)
            analysis = call.analyses.filter(is_live=True).first()
            rows = ((analysis.copc if analysis else None) or {}).get("criterion_scores") or []
            if Review.objects.filter(call=call, is_current=True).exists():
                acknowledge_review(call.pk, user)
            if not rows or self.random.random() < 0.4:
                continue
            try:  # the days to appeal a result of the machine may be over
                appeal = file_appeal(call.pk, rows[0]["criterion_id"], f"Because {number}.", user)
            except ReviewConflict:
                continue
            decision = self.random.choice(("accepted", "refused", None))
            if decision is not None:
                decide_appeal(appeal.pk, decision, "So.", None, agent)

    def turn_some_off(self):
        """Let the machine count in some projects; return the others."""
        counting = set()
        for project in self.projects:
            stored = Project.objects.get(pk=project.id)
            counts = self.random.choice(("final", "machine"))
            for each in (self.random.choice(("final", "machine")), counts):
                with follow_settings(stored):
                    reviews = {"counts": each, "weak_criteria": "ask_a_person"}
                    configure_project(stored, {**stored.config, "reviews": reviews}, self.owner)
            if counts == "final":
                counting.add(project.id)
        return counting

    def hold_some(self):
        """Let some answers of the machine wait for a person, as if their criteria were weak."""
        held = set()
        for project in self.projects:
            criteria = [
                each
                for call in Call.objects.filter(project=project.id)
                for analysis in call.analyses.filter(is_live=True)
                for each in list_criteria(analysis, KnownCriteria(call.project))
                if self.random.random() < 0.3
            ]
            held |= {(project.id, *what_is_asked(each)) for each in criteria}
            rows = [{**each, "n": 20, "kappa": 0.0, "kappa_high": 0.1} for each in criteria]
            HeldCriteria.objects.create(
                project_id=project.id, criteria=rows, measured_at=timezone.now(), measured_of="x", next_call=0
            )
        while settle_next():
            pass
        return held


def find_agent(identity):
    """Return what the API calls an agent of the oracle."""
    if identity == "none":
        return identity
    kind, _, value = identity[1].partition(":")
    fields = {"external_id": value} if kind == "id" else {"name_key": value, "external_id": ""}
    return Agent.objects.get(**fields).pk


@pytest.fixture
def signed_in(alice):
    client = Client()
    client.force_login(alice, backend="callscope.accounts.sign_in.EmailBackend")
    return client


class TestReport:
    @given(
        documents=st.lists(configs(), min_size=1, max_size=2),
        drawn=st.lists(st.lists(lines(), min_size=4, max_size=8), min_size=2, max_size=2),
        days=st.sampled_from([(None, None), (DAYS[0], DAYS[-1]), (DAYS[1], None)]),
        seed=st.integers(0, 2**32),
    )
    @tried(10)
    def test_equals_the_oracle(self, alice, signed_in, documents, drawn, days, seed):
        Project.objects.all().delete()
        alice.agents.all().delete()
        world = World(alice, signed_in, documents, drawn, seed)
        world.review_some()
        world.withdraw_some()
        counting = world.turn_some_off()
        held = world.hold_some()
        start, end = days if not (days[0] and days[1] and days[0] > days[1]) else days[::-1]
        query = {k: v.isoformat() for k, v in (("start_date", start), ("end_date", end)) if v}

        answer = signed_in.get("/calls/api/report/", query).json()

        oracle = Oracle(world.projects, ZONE)
        in_window = Oracle(world.projects, ZONE)
        hold(oracle, world.reviews, held)
        put_over(oracle, world.reviews, counting=counting)
        in_window.calls = [c for c in in_window.calls if is_within(c.day, start, end)]
        assert answer["reviews"] == put_over(in_window, world.reviews, counting=set())
        got, expected = without_ids(answer), without_ids(oracle.report(start, end, None))
        differing = {k: (got.get(k), v) for k, v in expected.items() if got.get(k) != v}
        assert not differing, json.dumps(differing, indent=1)
        listed = signed_in.get("/calls/api/calls/", {"ordering": "call_datetime"}).json()["results"]
        assert counts_of(listed) == counts_of(call_list(oracle, Asked()))
        assert find_discrepancies() == []

    def test_counts_replaced_results_and_not_the_review_of_the_former(self, alice, signed_in):
        score = {"criterion_id": "c", "name": "C", "section": "S", "score": 1, "max_points": 3}
        line = {"file_name": "a.wav", "call_datetime": "2026-03-02T10:00:00+00:00",
                "copc": {"criterion_scores": [score]}}  # fmt: skip
        world = World(alice, signed_in, [{}], [[line]], 1)
        world.review(world.judged_calls()[0])
        (project,) = world.projects
        newer = {**line, "copc": {"criterion_scores": [{**score, "score": 2}]}, "duration_seconds": 7}
        stored = Project.objects.get(pk=project.id)
        import_calls(stored, io.BytesIO(json.dumps(newer).encode()), by=alice)

        report = signed_in.get("/calls/api/report/").json()
        assert (report["headline"]["average_score"], report["reviews"]["reviewed_calls"]) == (66.67, 0)
        assert Review.objects.get().is_outdated
        assert find_discrepancies() == []


class TestAMove:
    """Export into a project that has nothing: what people decided comes along, and counts as before."""

    @given(document=configs(), drawn=st.lists(lines(), min_size=2, max_size=8), seed=st.integers(0, 2**32))
    @tried(4)
    def test_gives_the_same_results_report_and_export(self, alice, carol, signed_in, document, drawn, seed):
        Project.objects.all().delete()
        alice.agents.all().delete()
        world = World(alice, signed_in, [document], [drawn], seed)
        world.review_some()
        world.withdraw_some()
        world.decide_some(carol)
        world.turn_some_off()
        source = Project.objects.get()
        content = b"".join(export_lines(source))
        target = create_project(alice, "Target", document=source.config)

        result = import_calls(target, io.BytesIO(content), by=alice)

        assert (result.errors, result.unknown_users) == ([], [])
        assert result.reviews == Review.objects.filter(project=source).count()
        reports = [
            without_ids(signed_in.get("/calls/api/report/", {"project_id": each.pk}).json())
            | {"reviews": None}
            for each in (source, target)
        ]
        assert reports[0] == reports[1]
        assert figures_of(signed_in, source) == figures_of(signed_in, target)
        assert parsed(export_lines(target)) == parsed([content])
        again = import_calls(target, io.BytesIO(content), by=alice)
        assert (again.unchanged, again.reviews, again.appeals) == (again.replaced, 0, 0)
        assert parsed(export_lines(target)) == parsed([content])
        assert find_discrepancies() == []


def parsed(lines):
    return [json.loads(line) for line in b"".join(lines).splitlines()]


def figures_of(client, project):
    """Return what the report says of reviews, and what each call came to, with who said so."""
    reviews = client.get("/calls/api/report/", {"project_id": project.pk}).json()["reviews"]
    calls = []
    for call in Call.objects.filter(project=project).order_by("file_name"):
        answer = client.get(f"/calls/api/calls/{call.pk}/")
        if answer.status_code == 200:
            shown = answer.json()
            review = shown["review"] and {**shown["review"], "id": 0, "call_id": 0}
            if review and review["contact_reason"]:
                review["contact_reason"]["reason_id"] = 0
            found = [
                shown[f"{whose}{part}"] for whose in ("", "machine_") for part in ("no_protocol", "insights")
            ]
            calls.append((shown["copc"], shown["machine"], found, review, shown["review_outdated"]))
    return reviews, calls


def counts_of(rows):
    names = ("file_name", "mistake_count", "missing_prompt_count", "goal_reached", "sentiment")
    return sorted(repr([row[name] for name in names]) for row in rows)


def is_within(day: dt.date, start: dt.date | None, end: dt.date | None) -> bool:
    return (start is None or day >= start) and (end is None or day <= end)
