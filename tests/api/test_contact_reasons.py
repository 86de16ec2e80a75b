"""The routes of contact reasons: what they answer, and that report and list follow at once."""

import datetime as dt
import io
import json

import pytest
from django.utils import timezone

from callscope.accounts.models import AuditEvent
from callscope.calls.models import Call
from callscope.contact_reasons.models import ContactReason
from callscope.interfaces.api.views import contact_reasons as views
from callscope.pipeline.decisions.reason_edits import edit_reason
from callscope.pipeline.transfer.importer import import_calls
from callscope.projects.models import Project
from callscope.projects.services import create_project, share_project
from callscope.reports.details.reason_detail import load_reason_detail
from tests.api.conftest import client_of

pytestmark = pytest.mark.django_db

LIST = "/calls/api/reasons/"


def bring(project, *calls):
    """Import calls, given as (topic, reason)."""
    lines = [
        {
            "file_name": f"c{number}.wav",
            "call_datetime": f"2026-01-05T1{number}:00:00+00:00",
            "topic": topic,
            "contact_reason": reason,
        }
        for number, (topic, reason) in enumerate(calls)
    ]
    result = import_calls(project, io.BytesIO("\n".join(map(json.dumps, lines)).encode()), by=project.owner)
    assert result.errors == []
    return list(Call.objects.filter(project=project).order_by("pk"))


@pytest.fixture
def calls(project):
    return bring(
        project,
        ("wrong invoice", "Billing"),
        ("invoice twice", "Billing"),
        ("reset my password", "Access"),
        ("noise", "Wrong number"),
    )


@pytest.fixture
def ids(project, calls):
    return dict(ContactReason.objects.filter(project=project).values_list("name", "pk"))


def volumes(client):
    return {row["topic"]: row["calls"] for row in client.get("/calls/api/report/").json()["contact_reasons"]}


def topics(client):
    return sorted(row["topic"] for row in client.get("/calls/api/calls/").json()["results"])


class TestList:
    def test_shows_those_with_most_calls_first(self, as_alice, project, ids):
        rows = as_alice.get(f"{LIST}?project_id={project.pk}").json()

        assert [(row["name"], row["calls"]) for row in rows] == [
            ("Billing", 2),
            ("Access", 1),
            ("Wrong number", 1),
        ]
        assert rows[0] == {
            "id": ids["Billing"],
            "project": project.pk,
            "name": "Billing",
            "description": "",
            "parent": None,
            "calls": 2,
            "first_seen": "2026-01-05T10:00:00Z",
            "is_set_aside": False,
            "is_pinned": False,
            "named_by": "topic",
            "is_heading": False,
            "calls_in_all": 2,
        }

    def test_shows_the_calls_of_an_import_under_a_name_that_a_heading_had(self, as_alice, project):
        ContactReason.objects.create(project=project, name="Billing", is_heading=True, is_pinned=True)

        bring(project, ("wrong invoice", "Billing"))

        (row,) = as_alice.get(f"{LIST}?project_id={project.pk}").json()
        assert (row["calls"], row["is_heading"]) == (1, False)

    def test_of_an_unreachable_project_is_empty(self, as_alice, ids):
        assert as_alice.get(f"{LIST}?project_id=99999").json() == []
        assert as_alice.get(f"{LIST}history/?project_id=99999").json() == []


class TestChanges:
    def test_a_name_is_in_report_and_list_at_once(self, as_alice, ids):
        answer = as_alice.patch(f"{LIST}{ids['Billing']}/", {"name": "Invoices"}, format="json")

        assert (answer.status_code, answer.json()["name"]) == (200, "Invoices")
        assert volumes(as_alice) == {"Invoices": 2, "Access": 1, "Wrong number": 1}
        assert topics(as_alice) == ["Access", "Invoices", "Invoices", "Wrong number"]

    def test_what_is_set_aside_counts_for_no_reason(self, as_alice, ids):
        as_alice.patch(f"{LIST}{ids['Wrong number']}/", {"is_set_aside": True}, format="json")

        report = as_alice.get("/calls/api/report/").json()
        rows = [(row["topic"], row["volume_pct"]) for row in report["contact_reasons"]]
        assert rows == [("Billing", 66.67), ("Access", 33.33)]
        assert report["headline"]["total_calls"] == 4
        assert topics(as_alice)[0] == ""

    def test_a_merge_moves_all_calls(self, as_alice, ids):
        body = {"into": ids["Billing"], "from": [ids["Access"], ids["Wrong number"]]}

        answer = as_alice.post(f"{LIST}merge/", body, format="json")

        assert (answer.status_code, answer.json()["calls"]) == (200, 4)
        assert volumes(as_alice) == {"Billing": 4}

    def test_a_split_is_a_new_reason(self, as_alice, calls, ids):
        body = {"call_ids": [calls[1].pk], "name": "Charged twice"}

        answer = as_alice.post(f"{LIST}{ids['Billing']}/split/", body, format="json")

        assert (answer.status_code, answer.json()["calls"]) == (201, 1)
        assert volumes(as_alice) == {"Billing": 1, "Charged twice": 1, "Access": 1, "Wrong number": 1}

    def test_calls_move(self, as_alice, calls, ids):
        body = {"call_ids": [calls[2].pk, calls[3].pk]}

        answer = as_alice.post(f"{LIST}{ids['Billing']}/calls/", body, format="json")

        assert answer.json()["calls"] == 4
        assert volumes(as_alice) == {"Billing": 4}

    def test_an_undone_change_is_as_if_it_had_not_been(self, as_alice, alice, ids):
        before = as_alice.get("/calls/api/report/").content
        as_alice.post(f"{LIST}merge/", {"into": ids["Billing"], "from": ids["Access"]}, format="json")
        (change,) = as_alice.get(f"{LIST}history/").json()
        assert (change["kind"], change["made_by"], change["can_undo"]) == ("merged", alice.email, True)
        assert change["moves"] == [{"from": ids["Access"], "to": ids["Billing"], "calls": 1, "cause": None}]

        undone = as_alice.post(f"{LIST}history/{change['id']}/undo/")

        assert (undone.status_code, undone.json()["can_undo"]) == (200, False)
        assert undone.json()["undone_by"] == alice.email
        assert as_alice.get("/calls/api/report/").content == before
        again = as_alice.post(f"{LIST}history/{change['id']}/undo/")
        assert (again.status_code, again.json()) == (
            409,
            {"detail": f"Change {change['id']} was already undone."},
        )


class TestCodes:
    """Reasons become the codes of the project."""

    @pytest.fixture
    def make(self, as_alice, project, ids):
        """Return a function that makes codes of the reasons with these names."""

        def ask(*names, client=as_alice, **fields):
            body = {
                "project_id": project.pk,
                "mode": "predefined",
                "codes": [{"reason": ids[name]} for name in names],
                **fields,
            }
            return client.post(f"{LIST}codes/", body, format="json")

        return ask

    def settings(self, project):
        return Project.objects.get(pk=project.pk).configuration.as_document()["contact_reasons"]

    def test_are_proposed_with_topics_of_their_calls(self, as_alice, project, ids):
        rows = as_alice.get(f"{LIST}codes/?project_id={project.pk}").json()

        assert rows[0] == {
            "reason": ids["Billing"],
            "project": project.pk,
            "code": "Billing",
            "description": "",
            "phrases": ["invoice twice", "wrong invoice"],
            "calls": 2,
            "is_pinned": False,
        }

    def test_are_proposed_for_the_projects_in_scope(self, as_alice, ids):
        assert len(as_alice.get(f"{LIST}codes/").json()) == len(ids)
        assert as_alice.get(f"{LIST}codes/?project_id=99999").json() == []
        assert as_alice.get(f"{LIST}codes/?project_id=x").status_code == 400

    def test_are_in_settings_report_and_history_at_once(self, as_alice, alice, project, make):
        answer = make("Billing", "Access")

        assert answer.status_code == 200, answer.json()
        made = answer.json()
        assert (made["calls_kept"], made["calls_classified"], made["calls_other"]) == (3, 0, 1)
        assert self.settings(project) == {"mode": made["mode"], "codes": made["codes"]}
        assert [each["code"] for each in made["codes"]] == ["Billing", "Access"]
        assert made["codes"][0]["phrases"] == ["invoice twice", "wrong invoice"]
        assert volumes(as_alice) == {"Billing": 2, "Access": 1, "Other": 1}
        assert topics(as_alice) == ["Access", "Billing", "Billing", "Other"]
        (change,) = as_alice.get(f"{LIST}history/?project_id={project.pk}").json()
        assert (change["id"], change["kind"], change["made_by"]) == (made["change_id"], "coded", alice.email)
        assert change["settings"] == {
            "version_before": 1,
            "version_after": 2,
            "mode_before": "open_ended",
            "mode_after": "predefined",
            "added": ["Billing", "Access"],
            "removed": [],
        }
        assert as_alice.post(f"/calls/api/recluster/?project_id={project.pk}").json()["reclustering"] == []
        event = AuditEvent.objects.get(action="reason.coded")
        assert event.detail["calls"] == {"kept": 3, "coded": 0, "other": 1}
        assert event.actor == alice

    def test_are_undone_in_one_step_and_once(self, as_alice, project, make):
        before, settings = volumes(as_alice), self.settings(project)
        change = make("Billing").json()["change_id"]

        answers = [as_alice.post(f"{LIST}history/{change}/undo/") for _ in range(2)]

        assert [answer.status_code for answer in answers] == [200, 409]
        assert volumes(as_alice) == before
        assert self.settings(project) == settings

    def test_are_those_that_are_pinned_by_default(self, as_alice, project, ids):
        as_alice.patch(
            f"{LIST}{ids['Access']}/", {"is_pinned": True, "description": "No entry"}, format="json"
        )
        body = {"project_id": project.pk, "mode": "predefined"}

        made = as_alice.post(f"{LIST}codes/", body, format="json").json()

        assert made["codes"] == [
            {"code": "Access", "description": "No entry", "phrases": ["reset my password"]}
        ]

    def test_take_what_is_sent(self, as_alice, project, ids):
        code = {"reason": ids["Billing"], "description": "Money", "phrases": ["my bill"]}
        body = {"project_id": project.pk, "mode": "open_ended", "codes": [code]}

        made = as_alice.post(f"{LIST}codes/", body, format="json").json()

        assert made["codes"] == [{"code": "Billing", "description": "Money", "phrases": ["my bill"]}]
        assert volumes(as_alice) == {"Billing": 2, "Access": 1, "Wrong number": 1}
        assert self.settings(project)["mode"] == "open_ended"

    def test_join_those_in_the_settings_or_replace_them(self, as_alice, project, make):
        make("Billing", mode="open_ended")

        collision = make("Billing", "Access")
        joined = make("Access", mode="open_ended").json()
        replaced = make("Billing", existing="replace").json()

        assert (collision.status_code, list(collision.json())) == (400, ["codes"])
        assert "already have a code" in collision.json()["codes"][0]
        assert [each["code"] for each in joined["codes"]] == ["Billing", "Access"]
        assert [each["code"] for each in replaced["codes"]] == ["Billing"]

    @pytest.mark.parametrize(
        ("fields", "field"),
        [
            ({"mode": None}, "mode"),
            ({"mode": "frozen"}, "mode"),
            ({"codes": []}, "codes"),
            ({"codes": [{"reason": 99_999}]}, "codes"),
            ({"codes": [{"reason": "x"}]}, "codes"),
            ({"codes": [{"phrases": ["x"]}]}, "codes"),
            ({"codes": "Billing"}, "codes"),
            ({"project_id": 99_999}, "project_id"),
            ({"project_id": "x"}, "project_id"),
            ({"existing": "merge"}, "existing"),
        ],
    )
    def test_name_the_field_that_is_wrong(self, as_alice, project, make, fields, field):
        answer = make("Billing", **fields)

        assert (answer.status_code, list(answer.json())) == (400, [field])
        assert self.settings(project)["codes"] == []

    @pytest.mark.parametrize("phrase", ["", "x" * 501, "a\x00b"])
    def test_refuse_phrases_that_no_settings_take(self, as_alice, project, ids, phrase):
        code = {"reason": ids["Billing"], "phrases": [phrase]}
        body = {"project_id": project.pk, "mode": "predefined", "codes": [code]}

        answer = as_alice.post(f"{LIST}codes/", body, format="json")

        assert (answer.status_code, list(answer.json())) == (400, ["codes"])

    def test_need_a_pin_or_a_choice(self, as_alice, project, ids):
        body = {"project_id": project.pk, "mode": "predefined"}

        answer = as_alice.post(f"{LIST}codes/", body, format="json")

        assert (answer.status_code, list(answer.json())) == (400, ["codes"])

    def test_are_not_made_by_viewers_nor_in_projects_of_others(self, make, carol, bob, project):
        share_project(project, carol, "viewer")

        assert make("Billing", client=client_of(carol)).status_code == 403
        assert make("Billing", client=client_of(bob)).status_code == 400
        assert client_of(carol).get(f"{LIST}codes/?project_id={project.pk}").json() != []
        assert client_of(bob).get(f"{LIST}codes/?project_id={project.pk}").json() == []

    def test_are_not_made_of_reasons_of_another_project(self, as_alice, alice, make):
        elsewhere = create_project(alice, "Elsewhere")
        bring(elsewhere, ("secret topic", "Secret"))
        secret = ContactReason.objects.get(project=elsewhere)

        answer = make(codes=[{"reason": secret.pk}])

        assert (answer.status_code, list(answer.json())) == (400, ["codes"])


class TestAReasonThatGoesMeanwhile:
    """Somebody else merges it between the steps of a request."""

    def test_is_absent_when_it_is_read(self, as_alice, ids, monkeypatch):
        def load(reason):
            figures = load_reason_detail(reason)
            ContactReason.objects.filter(pk=reason.pk).delete()
            return figures

        monkeypatch.setattr(views, "load_reason_detail", load)

        assert as_alice.get(f"{LIST}{ids['Billing']}/").status_code == 404

    def test_is_absent_when_it_was_changed(self, as_alice, ids, monkeypatch):
        def edit(reason_id, values, by):
            changed = edit_reason(reason_id, values, by)
            ContactReason.objects.filter(pk=reason_id).delete()
            return changed

        monkeypatch.setattr(views.reason_edits, "edit_reason", edit)

        answer = as_alice.patch(f"{LIST}{ids['Billing']}/", {"name": "Invoices"}, format="json")

        assert answer.status_code == 404


class TestWrongInput:
    @pytest.mark.parametrize(
        ("body", "field"),
        [
            ({}, "non_field_errors"),
            ({"name": ""}, "name"),
            ({"name": 7}, "name"),
            ({"name": "x" * 256}, "name"),
            ({"name": "access"}, "name"),
            ({"name": "a\x00"}, "name"),
            ({"description": "x" * 2001}, "description"),
            ({"parent": "x"}, "parent"),
            ({"parent": 99_999}, "parent"),
            ({"parent": 10**30}, "parent"),
            ({"is_pinned": "yes"}, "is_pinned"),
            ({"is_set_aside": None}, "is_set_aside"),
        ],
    )
    def test_of_a_change_names_the_field(self, as_alice, ids, body, field):
        answer = as_alice.patch(f"{LIST}{ids['Billing']}/", body, format="json")

        assert answer.status_code == 400
        assert list(answer.json()) == [field]

    @pytest.mark.parametrize("field", ["name", "description"])
    def test_half_a_character_is_refused(self, as_alice, ids, field):
        body = f'{{"{field}": "a\\ud800"}}'

        answer = as_alice.patch(f"{LIST}{ids['Billing']}/", body, content_type="application/json")

        assert (answer.status_code, list(answer.json())) == (400, [field])

    @pytest.mark.parametrize(
        ("body", "field"),
        [
            ({"from": 1}, "into"),
            ({"into": 99_999, "from": 1}, "into"),
            ({"into": "Billing"}, "from"),
            ({"into": "Billing", "from": []}, "from"),
            ({"into": "Billing", "from": 99_999}, "from"),
            ({"into": "Billing", "from": ["x"]}, "from"),
            ({"into": "Billing", "from": "Billing"}, "from"),
            ({"into": "Billing", "from": [10**30]}, "from"),
        ],
    )
    def test_of_a_merge_names_the_field(self, as_alice, ids, body, field):
        body = {
            name: ids.get(value, value) if isinstance(value, str) else value for name, value in body.items()
        }

        answer = as_alice.post(f"{LIST}merge/", body, format="json")

        assert answer.status_code == 400
        assert list(answer.json()) == [field]

    @pytest.mark.parametrize(
        "body",
        [
            {"name": "x"},
            {"call_ids": [], "name": "x"},
            {"call_ids": [99_999], "name": "x"},
            {"call_ids": [True], "name": "x"},
            {"call_ids": "1", "name": "x"},
            {"call_ids": [10**30], "name": "x"},
        ],
    )
    def test_of_a_split_names_the_calls(self, as_alice, ids, body):
        answer = as_alice.post(f"{LIST}{ids['Billing']}/split/", body, format="json")

        assert (answer.status_code, list(answer.json())) == (400, ["call_ids"])

    def test_of_another_project_is_as_if_absent(self, as_alice, bob, ids):
        elsewhere = create_project(bob, "Other")
        bring(elsewhere, ("secret topic", "Secret"))
        secret = ContactReason.objects.get(project=elsewhere)

        absent = as_alice.post(f"{LIST}merge/", {"into": ids["Billing"], "from": 99_999}, format="json")
        foreign = as_alice.post(f"{LIST}merge/", {"into": ids["Billing"], "from": secret.pk}, format="json")

        assert foreign.status_code == 400
        assert foreign.content.replace(str(secret.pk).encode(), b"99999") == absent.content
        assert as_alice.get(f"{LIST}{secret.pk}/").status_code == 404

    def test_codes_are_renamed_in_the_settings(self, as_alice, project, ids):
        codes = {"mode": "predefined", "codes": [{"code": "Billing"}, {"code": "Access"}]}
        config = {**project.config, "contact_reasons": codes}
        as_alice.patch(f"/api/projects/{project.pk}/", {"config": config}, format="json")

        answer = as_alice.patch(f"{LIST}{ids['Billing']}/", {"name": "Invoices"}, format="json")

        assert answer.status_code == 409
        assert "its codes" in answer.json()["detail"]

    @pytest.mark.parametrize("path", ["history/10000000000000000000000/undo/", "history/0/undo/"])
    def test_of_a_change_that_no_row_can_have_is_absent(self, as_alice, path):
        assert as_alice.post(f"{LIST}{path}").status_code == 404


class TestTheFiguresOfAReason:
    @pytest.fixture
    def figures(self, project, as_alice):
        """Return the figures of a reason with two of the four calls of last week."""
        when = timezone.now() - dt.timedelta(days=3)
        lines = [
            {
                "file_name": f"f{number}.wav",
                "call_datetime": (when + dt.timedelta(minutes=number)).isoformat(),
                "topic": f"topic {number}",
                "contact_reason": "Billing" if number < 2 else "Access",
                "sentiment": "negative" if number == 0 else "positive",
                "goal_reached": number == 1,
                "agent_name": "Ana Ruiz",
            }
            for number in range(4)
        ]
        content = "\n".join(map(json.dumps, lines)).encode()
        assert import_calls(project, io.BytesIO(content), by=project.owner).errors == []
        reason = ContactReason.objects.get(project=project, name="Billing")
        return as_alice.get(f"{LIST}{reason.pk}/").json()["figures"]

    def test_are_shares_with_their_intervals(self, figures):
        share = figures["share"]

        assert (share["count"], share["n"], share["pct"]) == (2, 4, 50)
        assert share["low_pct"] < 50 < share["high_pct"]
        assert (figures["share_before"]["n"], figures["share_before"]["pct"]) == (0, None)
        assert (figures["negative"]["pct"], figures["goal"]["pct"]) == (50, 50)

    def test_are_counted_by_week(self, figures):
        weeks = figures["weeks"]

        assert len(weeks) == 12
        assert sum(week["calls"] for week in weeks) == 2
        assert all(dt.date.fromisoformat(week["first_day"]).weekday() == 0 for week in weeks)

    def test_name_the_agents(self, figures):
        assert [(row["name"], row["calls"]) for row in figures["agents"]] == [("Ana Ruiz", 2)]

    def test_have_no_course_without_calls_before(self, figures):
        assert figures["course"] == {"change_pct": None, "is_new": False, "course": None}
        assert figures["change_low_pct"] is None

    def test_of_no_calls_are_unknown(self, project, as_alice):
        reason = ContactReason.objects.create(project=project, name="Nothing", is_pinned=True)

        figures = as_alice.get(f"{LIST}{reason.pk}/").json()["figures"]

        assert figures["score"] == {"n": 0, "value": None, "low": None, "high": None}
        assert figures["goal"]["pct"] is None and figures["quotes"] == figures["neighbors"] == []
