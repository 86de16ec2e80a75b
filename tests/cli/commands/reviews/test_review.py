"""`callscope review`: draw calls, measure agreement, export what people answered."""

import csv
import io
import json

import pytest

from callscope.calls.models import Call
from callscope.pipeline.decisions.review_edits import create_review, withdraw_review
from callscope.pipeline.transfer.importer import import_calls
from callscope.projects import services
from callscope.reviews.answers import GivenAnswer
from callscope.reviews.findings import GivenFinding
from callscope.reviews.models import Review, ReviewSample
from callscope.reviews.revisions import GivenReview

pytestmark = pytest.mark.one_database


def judge(by, name, *, greeting, comment=""):
    """Review a call blind: everything is met but what is said."""
    answers = [GivenAnswer("greeting", greeting, comment), GivenAnswer("offer", "met")]
    call = Call.objects.get(file_name=name)
    return create_review(call.pk, GivenReview(answers=answers, blind=True, submits=True), by)


class TestSample:
    def test_draws_the_same_calls_from_the_same_seed(self, callscope, calls, alice):
        draw = ("review", "sample", "--project", calls.pk, "--per-agent", 4, "--reviewer", alice.email)
        first = callscope.json(*draw)

        again = callscope.json(*draw, "--seed", first["seed"], "--due", "2026-12-24")

        assert [each["call_id"] for each in again["calls"]] == [each["call_id"] for each in first["calls"]]
        assert (len(first["calls"]), first["candidates"], again["calls"][0]["reviewer"]) == (
            4,
            10,
            alice.email,
        )
        assert str(ReviewSample.objects.get(pk=again["id"]).due) == "2026-12-24"
        assert f"Sample {again['id'] + 1}: 4 of 6 calls, seed " in callscope(*draw).stdout

    def test_leaves_out_calls_that_were_drawn_before(self, callscope, calls, alice):
        draw = ("review", "sample", "--project", calls.pk, "--per-agent", 6, "--reviewer", alice.email)
        first = callscope.json(*draw)

        rest, again = callscope.json(*draw), callscope.json(*draw, "--draw-again")

        assert (first["left_out"], rest["left_out"], again["left_out"]) == (0, 6, None)
        assert [len(each["calls"]) for each in (first, rest, again)] == [6, 4, 6]
        assert "Left out because they were drawn before: 10." in callscope(*draw).stdout

    def test_draws_among_what_filters_leave(self, callscope, calls, alice):
        draw = ("review", "sample", "--project", calls.pk, "--per-agent", 4, "--reviewer", alice.email)

        drawn = callscope.json(*draw, "--filter", "agent=none", "--filter", "goal=true")

        assert (drawn["calls"], drawn["candidates"]) == ([], 0)
        assert ReviewSample.objects.get().filters == {"agent": "none", "goal": "true"}

    def test_says_what_is_wrong(self, callscope, calls, carol, alice):
        def draw(*more, reviewer=alice.email):
            return ("review", "sample", "--project", calls.pk, "--reviewer", reviewer, *more)

        (line,) = callscope.failure(*draw("--per-agent", 1, reviewer=carol.email))
        assert carol.email in line
        assert '"0"' in callscope.wrong_usage(*draw("--per-agent", 0))
        days = ("--start", "2026-03-02", "--end", "2026-03-01", "--per-agent", 1)
        (line,) = callscope.failure(*draw("--per-agent", 1, "--filter", "min_score"))
        assert line == '"min_score" is not a filter. Write NAME=VALUE, such as max_score=60.'
        (line,) = callscope.failure(*draw("--per-agent", 1, "--filter", "min_score=120"))
        assert '"120" is not a score' in line
        assert "--start 2026-03-02 is after --end 2026-03-01." in callscope.wrong_usage(*draw(*days))
        assert ReviewSample.objects.count() == 0

    def test_needs_a_call_project(self, callscope, alice):
        general = services.create_project(alice, "General", type="general")

        (line,) = callscope.failure("review", "agreement", "--project", general.pk)

        assert line == f"Project {general.pk} is of type general. Allowed: a project of type call."


class TestAgreement:
    def test_measures_blind_reviews(self, callscope, calls, alice):
        judge(alice, "c1.wav", greeting="met")
        judge(alice, "c2.wav", greeting="not_met")

        document = callscope.json("review", "agreement", "--project", calls.pk)

        greeting = next(row for row in document["criteria"] if row["criterion_id"] == "greeting")
        assert (document["calls"], greeting["n"], greeting["raw_pct"], greeting["is_weak"]) == (
            2,
            2,
            50.0,
            False,
        )
        shown = callscope("review", "agreement", "--project", calls.pk).stdout
        assert "greeting: machine met, person not_met: 1." in shown
        later = callscope.json("review", "agreement", "--project", calls.pk, "--start", "2100-01-01")
        assert (later["calls"], later["findings"]) == (0, [])


class TestExport:
    def read(self, callscope, project, folder, *more):
        file = folder / "labels.csv"
        assert callscope("review", "export", file, "--project", project.pk, *more).exit_code == 0
        with file.open(encoding="utf-8-sig", newline="") as opened:
            return list(csv.DictReader(opened))

    def test_gives_the_answers_that_stand(self, callscope, calls, alice, tmp_path):
        judge(alice, "c1.wav", greeting="met")
        judge(alice, "c1.wav", greeting="not_met", comment="=1+1")
        withdraw_review(judge(alice, "c2.wav", greeting="met").pk, alice)

        rows = self.read(callscope, calls, tmp_path)

        assert [(r["file_name"], r["criterion_id"], r["answer"], r["revision"]) for r in rows] == [
            ("c1.wav", "greeting", "not_met", "2"),
            ("c1.wav", "offer", "met", "2"),
        ]
        assert (rows[0]["comment"], rows[0]["machine_answer"]) == ("'=1+1", "met")
        assert (rows[0]["reviewer"], rows[0]["blind"]) == (alice.email, "yes")
        states = [(r["file_name"], r["state"]) for r in self.read(callscope, calls, tmp_path, "--all")[::2]]
        assert states == [("c1.wav", "submitted"), ("c1.wav", "submitted"), ("c2.wav", "withdrawn")]

    def test_gives_what_people_found(self, callscope, calls, alice, tmp_path):
        score = {"criterion_id": "greeting", "score": 2, "max_points": 2}
        line = {"file_name": "f.wav", "goal_reached": True, "copc": {"criterion_scores": [score]}}
        assert import_calls(calls, io.BytesIO(json.dumps(line).encode()), by=alice).errors == []
        call = Call.objects.get(file_name="f.wav")
        answers = [GivenAnswer("greeting", "met")]
        findings = [GivenFinding("goal", "", "unknown", "=1+1")]
        create_review(call.pk, GivenReview(answers, submits=True, findings=findings), alice)

        (row,) = self.read(callscope, calls, tmp_path, "--findings")

        shown = {name: row[name] for name in ("file_name", "kind", "id", "answer", "comment", "reviewer")}
        assert shown == {"file_name": "f.wav", "kind": "goal", "id": "", "answer": "unknown",
                         "comment": "'=1+1", "reviewer": alice.email}  # fmt: skip
        assert row["machine_answer"] == "reached"

    def test_is_read_by_evaluate(self, callscope, calls, alice, tmp_path):
        judge(alice, "c1.wav", greeting="met")
        file = tmp_path / "labels.csv"

        assert callscope.json("review", "export", file, "--project", calls.pk) == {"answers": 2}

        found = callscope.json("evaluate", file, "--project", calls.pk)
        assert (found["overall"]["n"], found["problems"]) == (2, [])
        assert Review.objects.count() == 1

    def test_needs_a_place_for_the_file(self, callscope, calls, tmp_path):
        (line,) = callscope.failure("review", "export", tmp_path / "no" / "x.csv", "--project", calls.pk)

        assert line == f"{tmp_path / 'no' / 'x.csv'}: cannot write a file there."
