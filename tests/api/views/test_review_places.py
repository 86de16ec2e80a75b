"""What people say about where a call belongs: which agent and contact reason are taken, and what counts."""

import copy
import io
import json
import re

import pytest

from callscope.accounts.models import AuditEvent, User
from callscope.calls.models import Agent, Call, ReviewedAgent
from callscope.calls.own_calls import link_user
from callscope.contact_reasons.codes.wish import ChosenReason, Wish
from callscope.contact_reasons.models import CallReason, ContactReason, ReviewedReason
from callscope.pipeline.decisions import reason_edits
from callscope.pipeline.erasure import removal
from callscope.pipeline.files import intake
from callscope.pipeline.rubric_changes.replays.rescoring import request_rescore
from callscope.pipeline.transfer.export import export_lines
from callscope.pipeline.transfer.importer import import_calls
from callscope.projects.models import Project
from callscope.projects.services import configure_project, create_project
from callscope.reports.store.verify import find_discrepancies
from callscope.reviews.appeal_records import Appeal
from callscope.reviews.note_records import CoachingNote
from callscope.reviews.placements.records import ReviewPlacement
from callscope.testing import run_due_jobs
from tests.api.conftest import client_of
from tests.api.review_samples import RUBRIC, TALK, review, upload_judged
from tests.conftest import copy_recordings

pytestmark = pytest.mark.django_db

OTHER_TALK = TALK.replace(b"Good morning", b"Well hello")


@pytest.fixture(scope="module")
def made(rows_of_module):
    """Two calls of a project of Alice's, of Ana and of Bruno, each with a contact reason of its own."""
    ids = []
    with rows_of_module():
        alice = User.objects.create_user("alice@example.com", "alice-password")
        project = Project.objects.create(name="Service line", owner=alice)
        configure_project(project, {**project.config, **RUBRIC}, alice)
        client = client_of(alice)
        for name, reason in (("Ana", "Invoices"), ("Bruno", "Deliveries")):
            call_id = upload_judged(client, project, name=f"{name}.srt")
            change_metadata(client, call_id, agent_name=name)
            place(project, call_id, reason)
            ids.append(call_id)
    return project, ids


@pytest.fixture
def project(made, db, recordings_of_module):
    copy_recordings(recordings_of_module)
    return copy.deepcopy(made[0])


@pytest.fixture
def alice(project):
    return project.owner


@pytest.fixture
def calls(made, project):
    return [*made[1]]


@pytest.fixture
def call_id(calls):
    return calls[0]


def change_metadata(client, call_id, **fields):
    file = Call.objects.get(pk=call_id).newest_file_id
    answer = client.patch(f"/api/files/{file}/", fields, format="json")
    assert answer.status_code == 200, answer.content


def place(project, call_id, name):
    """Put a call into a reason as a regrouping does."""
    reason, _ = ContactReason.objects.get_or_create(project=project, name=name)
    CallReason.objects.update_or_create(call_id=call_id, defaults={"project": project, "reason": reason})
    from callscope.reports.store import facts

    facts.refresh([call_id])


def agent(name):
    return Agent.objects.get(name=name)


def reason(name):
    return ContactReason.objects.get(name=name)


def send(client, call_id, **fields):
    answer = review(client, call_id, **fields)
    assert answer.status_code == 201, answer.content
    return answer.json()


def correct(client, call_id):
    return send(client, call_id, agent=agent("Bruno").pk, contact_reason=reason("Deliveries").pk)


def where(client, call_id):
    """Return agent and reason of a call, on which list, detail, filters, report and search agree."""
    record = client.get(f"/calls/api/calls/{call_id}/").json()["record"]
    (item,) = [each for each in client.get("/calls/api/calls/").json()["results"] if each["id"] == call_id]
    assert (item["agent"], item["topic"]) == (record["agent"], record["topic"])
    found = client.get("/calls/api/calls/", {"search": item["topic"]}).json()["results"]
    assert call_id in {each["id"] for each in found}
    of_agent = {"agent": agent(item["agent"]).pk if item["agent"] else "none"}
    assert call_id in {each["id"] for each in client.get("/calls/api/calls/", of_agent).json()["results"]}
    report = client.get("/calls/api/report/").json()
    assert item["topic"] in {row["topic"] for row in report["contact_reasons"]}
    assert not item["agent"] or item["agent"] in {row["agent"] for row in report["agents"]}
    assert find_discrepancies() == []
    return item["agent"], item["topic"]


def let_count(client, project, counts):
    config = {**project.config, **RUBRIC, "reviews": {"counts": counts}}
    answer = client.patch(f"/api/projects/{project.pk}/", {"config": config}, format="json")
    assert answer.status_code == 200, answer.content


def refusal(client, call_id, **fields):
    answer = review(client, call_id, **fields)
    assert answer.status_code == 400, answer.content
    return answer.json()


class TestASubmittedReview:
    def test_moves_the_call_everywhere(self, as_alice, call_id):
        assert where(as_alice, call_id) == ("Ana", "Invoices")

        made = correct(as_alice, call_id)

        assert where(as_alice, call_id) == ("Bruno", "Deliveries")
        ana, bruno = agent("Ana"), agent("Bruno")
        assert made["agent"] == {
            "agent_id": bruno.pk,
            "name": "Bruno",
            "machine_agent_id": ana.pk,
            "machine_name": "Ana",
            "is_outdated": False,
        }
        assert made["contact_reason"] == {
            "reason_id": reason("Deliveries").pk,
            "name": "Deliveries",
            "machine_name": "Invoices",
            "is_outdated": False,
        }
        detail = as_alice.get(f"/calls/api/calls/{call_id}/").json()
        assert detail["review"]["agent"] == made["agent"]
        agents = {row["agent"]: row["calls"] for row in as_alice.get("/calls/api/report/").json()["agents"]}
        assert agents == {"Bruno": 2}
        assert as_alice.get("/calls/api/report/").json()["reviews"]["corrected_calls"] == 1
        [event] = AuditEvent.objects.filter(action="review.submitted")
        assert (event.detail["agent"], event.detail["contact_reason"]) == (
            bruno.pk,
            reason("Deliveries").pk,
        )

    def test_can_say_that_nobody_is_the_agent(self, as_alice, call_id):
        made = send(as_alice, call_id, agent="none")

        assert made["agent"]["agent_id"] is None and made["agent"]["machine_name"] == "Ana"
        assert where(as_alice, call_id)[0] == ""

    def test_takes_a_reason_by_its_name(self, as_alice, call_id):
        send(as_alice, call_id, contact_reason="  deliveries ")

        assert where(as_alice, call_id) == ("Ana", "Deliveries")

    def test_gives_the_call_back_when_it_is_withdrawn(self, as_alice, call_id):
        made = correct(as_alice, call_id)

        as_alice.delete(f"/calls/api/reviews/{made['id']}/")

        assert where(as_alice, call_id) == ("Ana", "Invoices")
        call = Call.objects.get(pk=call_id)
        assert (call.agent_source, call.agent_unlinked) == ("api", False)
        assert not CallReason.objects.get(call=call_id).is_fixed
        assert not ReviewedAgent.objects.exists() and not ReviewedReason.objects.exists()

    def test_is_followed_by_a_later_one(self, as_alice, call_id):
        correct(as_alice, call_id)

        send(as_alice, call_id)  # says nothing of agent and reason

        assert where(as_alice, call_id) == ("Ana", "Invoices")
        last = send(as_alice, call_id, agent="none")
        assert last["agent"]["machine_name"] == "Ana"
        revisions = as_alice.get(f"/calls/api/{call_id}/reviews/").json()["results"]
        assert [each["agent"] and each["agent"]["name"] for each in revisions] == ["", None, "Bruno"]

    def test_counts_only_where_people_do(self, as_alice, project, call_id):
        correct(as_alice, call_id)

        for counts, expected in (("machine", ("Ana", "Invoices")), ("final", ("Bruno", "Deliveries"))):
            let_count(as_alice, project, counts)
            assert where(as_alice, call_id) == expected

    def test_outlives_another_analysis_and_a_replaced_file(self, as_alice, project, call_id):
        correct(as_alice, call_id)

        request_rescore(project, by=project.owner)
        run_due_jobs()
        assert where(as_alice, call_id) == ("Bruno", "Deliveries")
        upload_judged(as_alice, project, name="Ana.srt")
        assert where(as_alice, call_id) == ("Bruno", "Deliveries")

        upload_judged(as_alice, project, OTHER_TALK, name="Ana.srt")
        assert where(as_alice, call_id)[0] == "Ana"
        detail = as_alice.get(f"/calls/api/calls/{call_id}/").json()
        assert detail["review_outdated"] and detail["review"] is None

    def test_gives_way_to_a_later_word_of_a_client(self, as_alice, call_id):
        correct(as_alice, call_id)

        change_metadata(as_alice, call_id, agent_name="Ana")

        assert where(as_alice, call_id) == ("Ana", "Deliveries")
        [shown] = as_alice.get(f"/calls/api/{call_id}/reviews/").json()["results"]
        assert shown["agent"]["is_outdated"] and not shown["contact_reason"]["is_outdated"]
        as_alice.delete(f"/calls/api/reviews/{shown['id']}/")
        assert where(as_alice, call_id) == ("Ana", "Invoices")

    @pytest.mark.parametrize("counts", ["final", "machine"])
    @pytest.mark.parametrize("later", ["Bruno", "Cora", ""])
    def test_gives_way_for_good_whatever_a_client_says_later(self, as_alice, project, call_id, counts, later):
        made = correct(as_alice, call_id)
        let_count(as_alice, project, counts)

        change_metadata(as_alice, call_id, agent_id="", agent_name=later)

        assert where(as_alice, call_id)[0] == later
        let_count(as_alice, project, "final")
        assert where(as_alice, call_id) == (later, "Deliveries")
        as_alice.delete(f"/calls/api/reviews/{made['id']}/")
        assert where(as_alice, call_id) == (later, "Invoices")

    def test_gives_way_to_a_client_who_also_says_that_nobody_is_the_agent(self, as_alice, call_id):
        made = send(as_alice, call_id, agent="none")

        change_metadata(as_alice, call_id, agent_id="", agent_name="")

        as_alice.delete(f"/calls/api/reviews/{made['id']}/")
        assert where(as_alice, call_id)[0] == ""

    def test_stays_where_a_client_says_nothing_of_the_agent(self, as_alice, call_id):
        made = correct(as_alice, call_id)

        change_metadata(as_alice, call_id, campaign="Spring")

        assert where(as_alice, call_id)[0] == "Bruno"
        as_alice.delete(f"/calls/api/reviews/{made['id']}/")
        assert where(as_alice, call_id)[0] == "Ana"

    @pytest.mark.parametrize("later", ["Bruno", "Cora"])
    def test_gives_way_to_a_manifest_for_good(self, as_alice, project, call_id, later):
        made = correct(as_alice, call_id)
        rows = f"filename,call_datetime,agent_name\nAna.srt,2026-03-02T10:00:00Z,{later}\n"

        intake.apply_manifest(project, io.BytesIO(rows.encode()), project.owner)

        as_alice.delete(f"/calls/api/reviews/{made['id']}/")
        assert where(as_alice, call_id)[0] == later

    def test_gives_way_to_a_manifest(self, as_alice, project, call_id):
        correct(as_alice, call_id)
        manifest = io.BytesIO(b"filename,call_datetime,agent_name\nAna.srt,2026-03-02T10:00:00Z,Cora\n")

        intake.apply_manifest(project, manifest, project.owner)

        assert where(as_alice, call_id)[0] == "Cora"

    def test_is_a_draft_until_then(self, as_alice, call_id):
        draft = send(as_alice, call_id, state="draft", agent=agent("Bruno").pk, contact_reason="Deliveries")
        assert where(as_alice, call_id) == ("Ana", "Invoices")
        address = f"/calls/api/reviews/{draft['id']}/"

        changed = as_alice.patch(address, {"agent": None}, format="json").json()

        assert changed["agent"] is None and changed["contact_reason"]["name"] == "Deliveries"
        as_alice.patch(address, {"state": "submitted"}, format="json")
        assert where(as_alice, call_id) == ("Ana", "Deliveries")

    def test_hides_what_was_there_from_a_blind_draft(self, as_alice, call_id):
        draft = send(as_alice, call_id, state="draft", blind=True, agent=agent("Bruno").pk)

        assert (draft["agent"]["name"], draft["agent"]["machine_name"]) == ("Bruno", "")


class TestAnAnswerThatIsNotAllowed:
    def test_names_the_value_and_what_is_allowed(self, as_alice, call_id):
        ana, bruno = agent("Ana"), agent("Bruno")
        assert refusal(as_alice, call_id, agent=999) == {
            "agent": [
                f'"999" is not an agent of this project. Allowed: {ana.pk} (Ana), {bruno.pk} (Bruno), none.'
            ]
        }
        ids = {name: reason(name).pk for name in ("Deliveries", "Invoices")}
        allowed = ", ".join(f"{pk} ({name})" for name, pk in ids.items())
        for wrong in (999, "Weather"):
            assert refusal(as_alice, call_id, contact_reason=wrong) == {
                "contact_reason": [f'"{wrong}" is not a contact reason of this project. Allowed: {allowed}.']
            }

    @pytest.mark.parametrize("wrong", [True, 1.5, [], {}, "", "  ", "x" * 300, 10**30, "\x00"])
    def test_is_refused_whatever_it_is(self, as_alice, call_id, wrong):
        assert "agent" in refusal(as_alice, call_id, agent=wrong)
        assert "contact_reason" in refusal(as_alice, call_id, contact_reason=wrong)

    def test_tells_no_agent_of_another_project(self, as_alice, as_bob, bob, call_id):
        other = create_project(bob, "Bob's")
        configure_project(other, {**other.config, **RUBRIC}, bob)
        theirs = upload_judged(as_bob, other)
        change_metadata(as_bob, theirs, agent_name="Zoe")

        assert "Zoe" not in json.dumps(refusal(as_alice, call_id, agent=agent("Zoe").pk))


class TestPredefinedReasons:
    @pytest.fixture
    def coded(self, as_alice, project):
        codes = [{"code": code, "description": f"About {code}"} for code in ("Bill", "Move")]
        reasons = {"contact_reasons": {"mode": "predefined", "codes": codes}}
        configure_project(project, {**project.config, **RUBRIC, **reasons}, project.owner)
        return upload_judged(as_alice, project)

    def test_are_named_by_their_codes(self, as_alice, coded, project):
        before = CallReason.objects.filter(call=coded).values_list("reason__name", flat=True).first()
        wanted = next(code for code in ("Bill", "Move") if code != before)

        send(as_alice, coded, contact_reason=wanted)

        assert where(as_alice, coded)[1] == wanted
        request_rescore(project, by=project.owner)
        run_due_jobs()
        assert where(as_alice, coded)[1] == wanted
        send(as_alice, coded)
        assert CallReason.objects.filter(call=coded).values_list("reason__name", flat=True).first() == before

    def test_no_other_is_taken(self, as_alice, coded):
        (sentence,) = refusal(as_alice, coded, contact_reason="Weather")["contact_reason"]
        assert "Bill" in sentence and "Move" in sentence and "Other" in sentence


class TestReasonsThatPeopleEdit:
    def test_stay_after_a_regrouping(self, as_alice, project, call_id):
        correct(as_alice, call_id)

        as_alice.post("/calls/api/recluster/")
        run_due_jobs()

        assert where(as_alice, call_id) == ("Bruno", "Deliveries")

    def test_take_a_reviewed_call_along_when_they_are_merged(self, as_alice, project, call_id):
        correct(as_alice, call_id)
        into = ContactReason.objects.create(project=project, name="Logistics")
        deliveries = reason("Deliveries").pk

        reason_edits.merge_reasons(into.pk, [deliveries], project.owner)
        merging = project.reason_changes.latest("pk").pk  # a regrouping may follow

        assert where(as_alice, call_id)[1] == "Logistics"
        request_rescore(project, by=project.owner)
        run_due_jobs()
        assert where(as_alice, call_id)[1] == "Logistics"
        reason_edits.undo_change(merging, project.owner)
        assert where(as_alice, call_id)[1] == "Deliveries"

    @pytest.mark.parametrize("change", ["rename", "merge"])
    def test_are_named_in_reviews_as_they_are_now(self, as_alice, bob, project, call_id, change):
        correct(as_alice, call_id)
        if change == "rename":
            reason_edits.edit_reason(reason("Deliveries").pk, {"name": "Logistics"}, project.owner)
        else:
            into = ContactReason.objects.create(project=project, name="Logistics")
            reason_edits.merge_reasons(into.pk, [reason("Deliveries").pk], project.owner)

        def read_names():
            detail = as_alice.get(f"/calls/api/calls/{call_id}/").json()["review"]["contact_reason"]
            [listed] = as_alice.get(f"/calls/api/{call_id}/reviews/").json()["results"]
            assert listed["contact_reason"] == detail
            return detail["name"], detail["machine_name"]

        assert where(as_alice, call_id)[1] == "Logistics"
        assert read_names() == ("Logistics", "Invoices")
        other = create_project(bob, "Copy")
        content = io.BytesIO(b"".join(export_lines(project)))
        assert import_calls(other, content, by=bob).errors == []
        copy = Call.objects.get(project=other, file_name="Ana.srt")
        assert copy.reason.reason.name == "Logistics"
        reason_edits.undo_change(project.reason_changes.latest("pk").pk, project.owner)
        assert read_names() == ("Deliveries", "Invoices")

    @pytest.mark.parametrize("change", ["rename", "merge"])
    def test_still_agree_when_the_change_is_undone(self, as_alice, project, call_id, change):
        send(as_alice, call_id, contact_reason="Invoices")
        if change == "rename":
            reason_edits.edit_reason(reason("Invoices").pk, {"name": "Bills"}, project.owner)
            assert ReviewPlacement.objects.get().machine_reason_name == "Bills"
        else:
            reason_edits.merge_reasons(reason("Deliveries").pk, [reason("Invoices").pk], project.owner)

        reason_edits.undo_change(project.reason_changes.latest("pk").pk, project.owner)

        placement = ReviewPlacement.objects.get()
        assert (placement.reason_name, placement.machine_reason_name) == ("Invoices", "Invoices")

    def test_have_the_last_word_when_the_call_is_moved_later(self, as_alice, project, call_id):
        made = correct(as_alice, call_id)
        other = ContactReason.objects.create(project=project, name="Logistics")

        reason_edits.move_calls(other.pk, [call_id], project.owner)

        assert where(as_alice, call_id) == ("Bruno", "Logistics")
        [shown] = as_alice.get(f"/calls/api/{call_id}/reviews/").json()["results"]
        assert shown["contact_reason"]["is_outdated"]
        as_alice.delete(f"/calls/api/reviews/{made['id']}/")
        assert where(as_alice, call_id) == ("Ana", "Logistics")

    @pytest.mark.parametrize("counts", ["final", "machine"])
    @pytest.mark.parametrize("later", ["Deliveries", "Logistics"])
    def test_have_the_last_word_whatever_counts_and_the_review_says(
        self, as_alice, project, call_id, counts, later
    ):
        made = correct(as_alice, call_id)
        into, _ = ContactReason.objects.get_or_create(project=project, name=later)
        let_count(as_alice, project, counts)

        reason_edits.move_calls(into.pk, [call_id], project.owner)

        assert where(as_alice, call_id)[1] == later
        let_count(as_alice, project, "final")
        assert where(as_alice, call_id) == ("Bruno", later)
        as_alice.delete(f"/calls/api/reviews/{made['id']}/")
        assert where(as_alice, call_id) == ("Ana", later)

    @pytest.mark.parametrize("later", ["Deliveries", "Logistics"])
    def test_let_the_review_place_the_call_again_when_the_move_is_undone(
        self, as_alice, project, call_id, later
    ):
        made = correct(as_alice, call_id)
        into, _ = ContactReason.objects.get_or_create(project=project, name=later)
        reason_edits.move_calls(into.pk, [call_id], project.owner)

        reason_edits.undo_change(project.reason_changes.latest("pk").pk, project.owner)

        assert where(as_alice, call_id)[1] == "Deliveries"
        [shown] = as_alice.get(f"/calls/api/{call_id}/reviews/").json()["results"]
        assert not shown["contact_reason"]["is_outdated"]
        as_alice.delete(f"/calls/api/reviews/{made['id']}/")
        assert where(as_alice, call_id) == ("Ana", "Invoices")
        assert not CallReason.objects.get(call=call_id).is_fixed

    def test_give_the_call_back_when_the_move_is_undone_after_the_review(self, as_alice, project, call_id):
        made = correct(as_alice, call_id)
        other = ContactReason.objects.create(project=project, name="Logistics")
        reason_edits.move_calls(other.pk, [call_id], project.owner)
        as_alice.delete(f"/calls/api/reviews/{made['id']}/")

        reason_edits.undo_change(project.reason_changes.latest("pk").pk, project.owner)

        assert where(as_alice, call_id) == ("Ana", "Invoices")

    def test_count_again_when_a_move_is_undone_while_the_machine_counted(self, as_alice, project, call_id):
        correct(as_alice, call_id)
        other = ContactReason.objects.create(project=project, name="Logistics")
        let_count(as_alice, project, "machine")
        reason_edits.move_calls(other.pk, [call_id], project.owner)

        reason_edits.undo_change(project.reason_changes.latest("pk").pk, project.owner)

        assert where(as_alice, call_id)[1] == "Invoices"
        let_count(as_alice, project, "final")
        assert where(as_alice, call_id)[1] == "Deliveries"


class TestReasonsThatBecomeCodes:
    def make_code(self, project, name):
        project.refresh_from_db()
        wish = Wish([ChosenReason(reason(name).pk, phrases=())], "predefined")
        return reason_edits.adopt_codes(project, wish, project.owner).change

    def test_end_a_review_of_another_reason_until_that_is_undone(self, as_alice, project, call_id):
        made = correct(as_alice, call_id)

        change = self.make_code(project, "Invoices")

        assert where(as_alice, call_id) == ("Bruno", "Invoices")
        [shown] = as_alice.get(f"/calls/api/{call_id}/reviews/").json()["results"]
        assert shown["contact_reason"]["is_outdated"]
        reason_edits.undo_change(change, project.owner)
        assert where(as_alice, call_id) == ("Bruno", "Deliveries")
        [shown] = as_alice.get(f"/calls/api/{call_id}/reviews/").json()["results"]
        assert not shown["contact_reason"]["is_outdated"]
        as_alice.delete(f"/calls/api/reviews/{made['id']}/")
        assert where(as_alice, call_id) == ("Ana", "Invoices")
        assert not CallReason.objects.get(call=call_id).is_fixed

    @pytest.mark.parametrize(("is_undone", "own"), [(False, "Other"), (True, "Invoices")])
    def test_keep_a_review_of_theirs(self, as_alice, project, call_id, is_undone, own):
        made = correct(as_alice, call_id)

        change = self.make_code(project, "Deliveries")

        assert where(as_alice, call_id) == ("Bruno", "Deliveries")
        [shown] = as_alice.get(f"/calls/api/{call_id}/reviews/").json()["results"]
        assert not shown["contact_reason"]["is_outdated"]
        if is_undone:
            reason_edits.undo_change(change, project.owner)
            assert where(as_alice, call_id) == ("Bruno", "Deliveries")
        as_alice.delete(f"/calls/api/reviews/{made['id']}/")
        assert where(as_alice, call_id) == ("Ana", own)

    def test_hold_when_the_machine_counts_meanwhile(self, as_alice, project, call_id):
        correct(as_alice, call_id)
        let_count(as_alice, project, "machine")
        change = self.make_code(project, "Invoices")
        project.refresh_from_db()
        config = {**project.config, "reviews": {"counts": "final"}}
        as_alice.patch(f"/api/projects/{project.pk}/", {"config": config}, format="json")
        assert where(as_alice, call_id)[1] == "Invoices"

        reason_edits.undo_change(change, project.owner)

        assert where(as_alice, call_id)[1] == "Deliveries"


class TestTheAgentsView:
    @pytest.fixture
    def agents(self, project, calls):
        clients = {}
        for name in ("Ana", "Bruno"):
            user = User.objects.create_user(f"{name.lower()}@example.com", "secret words")
            link_user(project, user.email, agent(name))
            clients[name] = client_of(user)
        return clients

    def test_moves_with_the_call(self, as_alice, agents, call_id):
        address = f"/calls/api/calls/{call_id}/"
        assert [agents[name].get(address).status_code for name in ("Ana", "Bruno")] == [200, 404]

        made = correct(as_alice, call_id)

        gone = agents["Ana"].get(address)
        assert (gone.status_code, gone.json()) == (404, agents["Ana"].get("/calls/api/calls/999999/").json())
        assert agents["Ana"].get("/calls/api/calls/").json()["count"] == 0
        assert agents["Ana"].get("/calls/api/report/").json()["headline"]["total_calls"] == 0
        assert agents["Bruno"].get("/calls/api/calls/").json()["count"] == 2
        shown = agents["Bruno"].get(address).json()
        assert shown["review"]["agent"] is None
        answered = json.dumps(shown).replace("Ana.srt", "").replace("this is Ana", "")
        assert not re.search(r"\bAna\b", answered)
        as_alice.delete(f"/calls/api/reviews/{made['id']}/")
        assert [agents[name].get(address).status_code for name in ("Ana", "Bruno")] == [200, 404]

    def test_keeps_appeals_and_notes_with_whom_they_are_for(self, as_alice, agents, call_id):
        appeal = {"criterion_id": "offer", "reason": "Ana did offer help."}
        assert agents["Ana"].post(f"/calls/api/{call_id}/appeals/", appeal, format="json").status_code == 201
        note = {"text": "Ana, look at this.", "at": 1, "is_shared": True}
        answer = as_alice.post(f"/calls/api/{call_id}/notes/", note, format="json")
        assert answer.status_code == 201, answer.content

        correct(as_alice, call_id)

        for address in (
            f"/calls/api/{call_id}/appeals/",
            "/calls/api/appeals/",
            f"/calls/api/{call_id}/notes/",
        ):
            found = agents["Bruno"].get(address).json()
            assert (found if isinstance(found, list) else found["results"]) == [], address
            # Who may write the project still has them.
            found = as_alice.get(address).json()
            assert len(found if isinstance(found, list) else found["results"]) == 1, address
        assert agents["Ana"].get("/calls/api/appeals/").json()["results"] == []
        assert agents["Ana"].get(f"/calls/api/{call_id}/appeals/").status_code == 404
        page = agents["Bruno"].get(f"/calls/api/agents/{agent('Bruno').pk}/").json()
        assert page["notes"] == [] and set(page["appeals"].values()) == {0}
        assert not CoachingNote.objects.get().is_shared
        decision = {"decision": "refused", "reason": "No."}
        open_one = Appeal.objects.get()
        decided = as_alice.post(f"/calls/api/appeals/{open_one.pk}/decide/", decision, format="json")
        assert decided.status_code in (200, 403), decided.content

    def test_outlives_the_loss_of_the_last_call(self, as_alice, project, agents, call_id):
        made = correct(as_alice, call_id)

        # An erasure forgets agents without calls, and their users.
        removal.erase_call(Call.objects.get(pk=upload_judged(as_alice, project, OTHER_TALK, "x.srt")))

        as_alice.delete(f"/calls/api/reviews/{made['id']}/")
        assert agents["Ana"].get(f"/calls/api/calls/{call_id}/").status_code == 200


class TestErasure:
    def test_of_an_agent_leaves_nothing_of_them(self, as_alice, project, calls):
        correct(as_alice, calls[0])

        removal.erase_agent(project, agent("Ana"))

        assert where(as_alice, calls[0]) == ("Bruno", "Deliveries")
        assert not Agent.objects.filter(name="Ana").exists()
        assert ReviewPlacement.objects.get(kind="agent").machine_agent is None
        send(as_alice, calls[0])
        assert where(as_alice, calls[0])[0] == ""

    def test_of_the_corrected_agent_takes_the_call_along(self, as_alice, project, calls):
        correct(as_alice, calls[0])

        removal.erase_agent(project, agent("Bruno"))

        assert not Call.objects.exists() and not Agent.objects.exists()


class TestExportAndImport:
    def read(self, project):
        lines = [json.loads(line) for line in export_lines(project)]
        return {line["file_name"]: line for line in lines}

    def test_carry_what_a_review_says_and_what_was_there(self, as_alice, bob, project, calls):
        correct(as_alice, calls[0])
        lines = self.read(project)
        line = lines["Ana.srt"]
        assert (line["agent_name"], line["contact_reason"]) == ("Ana", "Invoices")
        assert line["reviews"][0]["agent"]["agent_name"] == "Bruno"
        assert line["reviews"][0]["contact_reason"] == {
            "name": "Deliveries",
            "machine_name": "Invoices",
            "is_outdated": False,
        }
        content = b"".join(export_lines(project))

        other = create_project(bob, "Copy")
        assert import_calls(other, io.BytesIO(content), by=bob).errors == []
        copy = Call.objects.get(project=other, file_name="Ana.srt")
        assert (copy.agent.name, copy.reason.reason.name) == ("Bruno", "Deliveries")
        assert self.read(other)["Ana.srt"]["reviews"][0]["agent"] == line["reviews"][0]["agent"]
        assert self.read(other)["Ana.srt"]["agent_name"] == "Ana"

        again = import_calls(other, io.BytesIO(content), by=bob)
        assert (again.errors, again.unchanged) == ([], 2)
        copy = Call.objects.get(pk=copy.pk)
        assert (copy.agent.name, copy.reason.reason.name) == ("Bruno", "Deliveries")
        assert find_discrepancies() == []

    def test_name_what_is_wrong_in_a_line(self, as_alice, bob, project, calls):
        correct(as_alice, calls[0])
        line = self.read(project)["Ana.srt"]
        line["reviews"][0]["contact_reason"]["name"] = " "
        line["reviews"][0]["agent"]["is_outdated"] = "no"
        other = create_project(bob, "Copy")

        result = import_calls(other, io.BytesIO(json.dumps(line).encode()), by=bob)

        assert len(result.errors) == 1 and "reviews[0].agent.is_outdated" in result.errors[0]


def test_a_project_that_moves_to_a_team_takes_the_agents_of_reviews_along(as_alice, alice, project, calls):
    from callscope.accounts.models import Team, TeamMember
    from callscope.pipeline.decisions.team_moves import move_project

    team = Team.objects.create(name="Support")
    TeamMember.objects.create(team=team, user=alice, is_admin=True)
    made = correct(as_alice, calls[0])

    move_project(project.pk, team.pk, alice)

    assert where(as_alice, calls[0]) == ("Bruno", "Deliveries")
    as_alice.delete(f"/calls/api/reviews/{made['id']}/")
    assert where(as_alice, calls[0]) == ("Ana", "Invoices")
    assert {each.team_id for each in Agent.objects.all()} == {team.pk}
