"""GET /calls/api/agreement/: which reviews it measures, and what is null."""

import copy
import io

import pytest

from callscope.accounts.models import User
from callscope.analysis.models import CallAnalysis
from callscope.calls.models import Call
from callscope.pipeline.transfer.export import export_lines
from callscope.pipeline.transfer.importer import import_calls
from callscope.projects.models import Project
from callscope.projects.services import configure_project, create_project
from tests.api.conftest import client_of
from tests.api.review_samples import RUBRIC, judge_call, list_answers, review, upload_judged

URL = "/calls/api/agreement/"

# The machine finds the greeting and the correction, and no offer of more help.
LIKE_THE_MACHINE = {"greeting": "met", "identity": "met", "offer": "not_met"}


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
def call(made):
    return made[1]


def submit_blind(client, call, **answers):
    criteria = list_answers(**{**LIKE_THE_MACHINE, **answers})
    answer = review(client, call, criteria=criteria, blind=True)
    assert answer.status_code == 201, answer.content
    return answer.json()


def rows(document):
    return {row["criterion_id"]: row for row in document["criteria"]}


class TestAgreement:
    def test_is_measured_by_criterion(self, as_alice, project, call):
        second = upload_judged(as_alice, project, name="second.srt")
        submit_blind(as_alice, call)
        submit_blind(as_alice, second, greeting="not_met")

        document = as_alice.get(URL).json()

        assert (document["calls"], document["overall"]["n"]) == (2, 6)
        assert document["overall"]["raw_pct"] == 83.33
        greeting = rows(document)["greeting"]
        assert list(greeting) == [
            "criterion_id", "name", "n", "raw_pct", "kappa", "kappa_low", "kappa_high",
            "ac1", "ac1_low", "ac1_high", "table", "is_weak",
        ]  # fmt: skip
        assert (greeting["name"], greeting["n"], greeting["raw_pct"], greeting["kappa"]) == (
            "Greets",
            2,
            50.0,
            0.0,
        )
        assert greeting["table"] == {"met": {"met": 1, "not_met": 1}, "not_met": {"met": 0, "not_met": 0}}
        assert document["criteria"][0] == greeting
        assert rows(document)["offer"]["kappa"] is None

    def test_is_measured_by_section_month_version_and_engine(self, as_alice, project, call):
        submit_blind(as_alice, call)
        second = upload_judged(as_alice, project, name="second.srt")
        configure_project(project, RUBRIC | {"language": "es"}, project.owner)
        third = upload_judged(as_alice, project, name="third.srt")
        Call.objects.filter(pk=second).update(call_datetime="2025-03-31T12:00:00Z")
        Call.objects.filter(pk=third).update(call_datetime="2025-04-01T12:00:00Z")
        CallAnalysis.objects.filter(call=third).update(provenance={"engine": "llm", "model": "m"})
        submit_blind(as_alice, second, greeting="not_met")
        submit_blind(as_alice, third, greeting="not_met")

        document = as_alice.get(URL).json()

        def figures(part):
            return [(row[part[:-1]], row["n"], row["raw_pct"]) for row in document[part]]

        assert sum(row["n"] for row in document["sections"]) == 9
        assert {row["section"] for row in document["sections"]} == {
            section["name"] for section in RUBRIC["rubric"]["sections"]
        }
        assert figures("months")[:2] == [("2025-03", 3, 66.67), ("2025-04", 3, 66.67)]
        versions = figures("versions")
        assert [n for _, n, _ in versions] == [6, 3]
        assert int(versions[1][0]) == int(versions[0][0]) + 1
        assert {row["project_id"] for row in document["versions"]} == {project.pk}
        assert figures("engines")[0] == ("llm m", 3, 66.67)
        assert figures("engines")[1][0].startswith("rules")

    def test_follows_a_call_into_another_month(self, as_alice, call):
        submit_blind(as_alice, call)
        assert len(as_alice.get(URL).json()["months"]) == 1

        Call.objects.filter(pk=call).update(call_datetime="2025-05-05T10:00:00Z")

        assert [row["month"] for row in as_alice.get(URL).json()["months"]] == ["2025-05"]

    def test_leaves_out_who_had_seen_the_answers_after_a_review_that_was_withdrawn(self, as_alice, call):
        first = submit_blind(as_alice, call, greeting="not_met")
        assert as_alice.delete(f"/calls/api/reviews/{first['id']}/").status_code in (200, 204)

        submit_blind(as_alice, call)

        assert as_alice.get(URL).json()["calls"] == 0

    def test_of_imported_reviews_keeps_engine_but_no_version(self, as_alice, project, call, alice):
        submit_blind(as_alice, call)
        lines = list(export_lines(project))
        copy = create_project(alice, "Copy")
        configure_project(copy, RUBRIC, alice)
        import_calls(copy, io.BytesIO(b"".join(lines)))

        document = as_alice.get(f"{URL}?project_id={copy.pk}").json()

        assert [row["version"] for row in document["versions"]] == [""]
        assert document["engines"][0]["engine"].startswith("rules")

    def test_of_nothing_is_null(self, as_alice, call):
        document = as_alice.get(URL).json()

        assert (document["calls"], document["criteria"]) == (0, [])
        assert {name: document["overall"][name] for name in ("n", "raw_pct", "kappa", "ac1_low")} == {
            "n": 0,
            "raw_pct": None,
            "kappa": None,
            "ac1_low": None,
        }

    def test_counts_blind_submitted_reviews_alone(self, as_alice, call):
        review(as_alice, call)
        review(as_alice, call, blind=True, state="draft")
        withdrawn = submit_blind(as_alice, call)
        assert as_alice.delete(f"/calls/api/reviews/{withdrawn['id']}/").status_code == 204

        assert as_alice.get(URL).json()["calls"] == 0

    def test_counts_the_first_blind_review_of_each_person(self, as_alice, as_bob, project, bob, call):
        from callscope.projects.services import share_project

        share_project(project, bob, role="editor")
        submit_blind(as_alice, call, greeting="not_met")
        submit_blind(as_alice, call)
        submit_blind(as_bob, call)

        document = as_alice.get(URL).json()

        assert document["calls"] == 1
        assert rows(document)["greeting"]["table"]["met"] == {"met": 1, "not_met": 1}

    def test_keeps_to_the_days_of_the_calls(self, as_alice, call):
        submit_blind(as_alice, call)
        Call.objects.filter(pk=call).update(call_datetime="2026-03-02T10:00:00Z")

        found = [
            as_alice.get(f"{URL}?{query}").json()["calls"]
            for query in (
                "start_date=2026-03-02&end_date=2026-03-02",
                "start_date=2026-03-03",
                "end_date=2026-03-01",
                "end_date=9999-12-31",
                "start_date=0001-01-01",
            )
        ]

        assert found == [1, 0, 0, 1, 1]

    def test_keeps_the_answers_and_names_of_its_time(self, as_alice, project, call):
        from callscope.projects.services import configure_project

        submit_blind(as_alice, call)
        configure_project(project, {**project.config, "rubric": {"sections": []}}, project.owner)

        assert rows(as_alice.get(URL).json())["identity"]["name"] == "Verifies the caller"


class TestScope:
    def test_is_that_of_the_report(self, as_alice, as_bob, project, call):
        submit_blind(as_alice, call)

        assert as_alice.get(f"{URL}?project_id={project.pk}").json()["calls"] == 1
        assert as_alice.get(f"{URL}?project_id=99999999").status_code == 404

    def test_is_empty_for_outsiders(self, as_alice, as_carol, project, call):
        submit_blind(as_alice, call)

        assert as_carol.get(URL).json()["calls"] == 0
        assert as_carol.get(f"{URL}?project_id={project.pk}").status_code == 404

    @pytest.mark.parametrize(
        ("query", "field"),
        [
            ("project_id=one", "project_id"),
            ("team=x", "team"),
            ("start_date=2026-13-01", "start_date"),
            ("date_range=always", "date_range"),
            ("start_date=2026-02-01&end_date=2026-01-01", "end_date"),
        ],
    )
    def test_names_bad_values(self, as_alice, query, field):
        answer = as_alice.get(f"{URL}?{query}")

        assert answer.status_code == 400
        assert list(answer.json()) == [field]


PROTOCOL = {
    "prompts": [{"id": "name", "text": "Says the own name", "any_of": ["this is Ana"]}],
    "mistakes": [
        {"id": "done", "text": "Says it is done", "any_of": ["all set"]},
        {"id": "rude", "text": "Is rude", "any_of": ["not my problem"]},
    ],
}
# The machine: done made, rude not made; name said; goal reached.
SAID = [
    {"kind": "mistake", "id": "done", "answer": "not_made"},
    {"kind": "mistake", "id": "rude", "answer": "not_made"},
    {"kind": "prompt", "id": "name", "answer": "missed"},
    {"kind": "goal", "answer": "reached"},
]


class TestFindings:
    @pytest.fixture
    def call(self, as_alice, project):
        goal = {"description": "Solved", "phrases": ["all set"]}
        configure_project(
            project, {**project.config, **RUBRIC, "no_protocol": PROTOCOL, "goal": goal}, project.owner
        )
        return upload_judged(as_alice, project)

    def send(self, client, call, findings=SAID, **fields):
        answer = review(
            client,
            call,
            criteria=list_answers(**LIKE_THE_MACHINE),
            findings=findings,
            **{"blind": True, **fields},
        )
        assert answer.status_code == 201, answer.content
        return answer.json()

    def measured(self, client):
        return {row["kind"]: row for row in client.get(URL).json()["findings"]}

    def test_are_measured_by_kind_and_item(self, as_alice, call):
        self.send(as_alice, call)

        found = self.measured(as_alice)

        assert list(found) == ["mistake", "prompt", "goal"]
        mistakes = found["mistake"]
        assert (mistakes["n"], mistakes["raw_pct"], mistakes["is_weak"]) == (2, 50.0, False)
        assert {row["id"]: (row["name"], row["n"], row["raw_pct"]) for row in mistakes["items"]} == {
            "done": ("Says it is done", 1, 0.0),
            "rude": ("Is rude", 1, 100.0),
        }
        assert found["prompt"]["table"] == {
            "said": {"said": 0, "missed": 1},
            "missed": {"said": 0, "missed": 0},
        }
        assert (found["goal"]["n"], found["goal"]["raw_pct"], found["goal"]["items"]) == (1, 100.0, [])
        assert as_alice.get(URL).json()["overall"]["n"] == 3  # criteria alone

    def test_that_nobody_answered_are_left_out(self, as_alice, call):
        self.send(as_alice, call, findings=[])

        assert self.measured(as_alice) == {}

    def test_of_reviews_that_are_not_blind_are_left_out(self, as_alice, call):
        self.send(as_alice, call, blind=False)

        assert self.measured(as_alice) == {}

    def test_of_drafts_and_withdrawn_reviews_are_left_out(self, as_alice, call):
        self.send(as_alice, call, state="draft")
        sent = self.send(as_alice, call)
        as_alice.delete(f"/calls/api/reviews/{sent['id']}/")

        assert self.measured(as_alice) == {}

    def test_count_what_the_machine_had_said_then(self, as_alice, call, project):
        self.send(as_alice, call)
        other = {
            **PROTOCOL,
            "mistakes": [{"id": "done", "text": "Closes too early", "any_of": ["nothing like it"]}],
        }
        configure_project(project, {**project.config, "no_protocol": other}, project.owner)

        (done,) = [row for row in self.measured(as_alice)["mistake"]["items"] if row["id"] == "done"]

        assert (done["name"], done["raw_pct"]) == ("Closes too early", 0.0)

    def test_of_which_the_machine_could_not_tell_have_nothing_to_agree_with(
        self, as_alice, call, project, carol
    ):
        from callscope.projects.services import create_project

        analysis = CallAnalysis.objects.get(call=call, is_live=True)
        analysis.no_protocol = {"mistakes": [], "missing_prompts": [], "prompts": []}
        analysis.save()

        sent = self.send(as_alice, call)

        prompt = next(each for each in sent["findings"] if each["kind"] == "prompt")
        assert (prompt["answer"], prompt["machine_answer"]) == ("missed", None)
        assert list(self.measured(as_alice)) == ["mistake", "goal"]
        lines = b"".join(export_lines(project))
        assert b'"machine_answer":""' in lines
        copy = create_project(carol, "Copy", document=project.config)
        assert import_calls(copy, io.BytesIO(lines), by=carol).errors == []
        assert b"".join(export_lines(copy)).count(b'"machine_answer":""') == 1

    def test_that_are_asked_because_the_machine_found_them_are_not_blind(self, as_alice, call, project):
        analysis = CallAnalysis.objects.get(call=call, is_live=True)
        analysis.no_protocol["mistakes"].append({"id": "gone", "description": "Retired", "quote": ""})
        analysis.save()
        self.send(as_alice, call, findings=[{"kind": "mistake", "id": "gone", "answer": "not_made"}])

        assert self.measured(as_alice) == {}


class TestBlindness:
    def test_is_over_once_the_machine_was_seen(self, as_alice, as_bob, project, bob, call):
        from callscope.projects.services import share_project

        share_project(project, bob, role="editor")
        seen = review(as_alice, call, state="draft", blind=False).json()
        as_alice.delete(f"/calls/api/reviews/{seen['id']}/")
        submit_blind(as_alice, call)
        assert as_alice.get(URL).json()["calls"] == 0

        submit_blind(as_bob, call)  # who has not seen it
        assert as_alice.get(URL).json()["overall"]["n"] == 3

    def test_does_not_come_back_to_a_draft(self, as_alice, call):
        draft = review(as_alice, call, state="draft", blind=False).json()

        answer = as_alice.patch(f"/calls/api/reviews/{draft['id']}/", {"blind": True}, format="json")

        assert answer.status_code == 400
        assert answer.json() == {
            "blind": [
                f"The draft {draft['id']} is not blind: it showed the answers of the machine, so it cannot "
                "become blind. Allowed: false."
            ]
        }
