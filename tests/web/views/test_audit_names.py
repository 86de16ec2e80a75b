"""What events of the audit trail are about: contact reasons, files, probes, replays."""

import re

import pytest

from callscope.accounts import audit
from callscope.accounts.models import AuditEvent
from callscope.accounts.trail.chaining import chain_notes
from callscope.accounts.trail.notes import note
from callscope.contact_reasons.models import ContactReason, ReasonChange
from callscope.pipeline.decisions import reason_edits
from callscope.pipeline.erasure import removal
from callscope.pipeline.rubric_changes.probes.requests import plan_steadiness, request_probe
from callscope.pipeline.rubric_changes.replays.drafts import plan_replay, start_replay
from tests.web.conftest import bring, give_transcript, line, visitor_of

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _own_data_folder(settings, tmp_path):
    settings.DATA_DIR = tmp_path


@pytest.fixture
def calls(project):
    """Two calls about late fees and one about an outage."""
    return bring(
        project,
        line(1, topic="late fee", contact_reason="Late fee"),
        line(2, topic="late fee charged", contact_reason="Late fee"),
        line(3, topic="outage", contact_reason="Outage"),
    )


@pytest.fixture
def late_fee(project, calls):
    return ContactReason.objects.get(project=project, name="Late fee")


def said(row) -> dict[str, str]:
    return {str(each.name): each.value for each in row.details}


def newest(visitor):
    return visitor.get("/audit/").context["rows"][0]


class TestContactReasons:
    def test_are_named_with_what_changed_and_linked(self, as_alice, alice, project, late_fee):
        reason_edits.edit_reason(late_fee.pk, {"name": "Fees", "description": ""}, alice)

        assert said(newest(as_alice)) == {
            "Change": "“Late fee” is now “Fees”.",
            "Contact reason": "Fees",
        }
        address = f"/projects/{project.pk}/reasons/{late_fee.pk}/"
        assert f'<a href="{address}">Fees</a>' in as_alice.get("/audit/").content.decode()
        assert as_alice.get(address).status_code == 200

    def test_that_calls_went_to_are_named(self, as_alice, alice, project, calls, late_fee):
        reason_edits.move_calls(late_fee.pk, [calls[2].pk], alice)

        assert said(newest(as_alice)) == {
            "Calls": "1",
            "Change": "1 call: “Outage” → “Late fee”.",
            "Contact reason": "Late fee",
        }

    def test_that_are_gone_are_named_by_the_history_without_a_link(self, as_alice, alice, project, late_fee):
        outage = ContactReason.objects.get(project=project, name="Outage")
        reason_edits.merge_reasons(late_fee.pk, [outage.pk], alice)
        merged = newest(as_alice)
        reason_edits.undo_change(ReasonChange.objects.get().pk, alice)
        undone = newest(as_alice)

        assert said(merged)["Contact reasons"] == "Outage"
        assert f"/reasons/{outage.pk}/" not in str(merged.details)
        assert said(undone) == {"Change": "“Outage” no longer exists. 1 call: “Outage” → “Late fee”."}

    def test_of_events_without_a_change_have_the_name_of_today(self, as_alice, alice, project, late_fee):
        audit.record(
            alice,
            "reason.edited",
            f"project {project.pk}",
            contact_reason=late_fee.pk,
            fields=["name"],
        )

        assert said(newest(as_alice)) == {"Contact reason": "Late fee", "Fields": "Name"}

    def test_lose_the_words_of_erased_calls(self, as_alice, alice, project, calls, late_fee):
        reason_edits.edit_reason(late_fee.pk, {"name": "Fees"}, alice)
        kept = [str(event.detail) for event in AuditEvent.objects.all()]
        assert "Late fee" in as_alice.get("/audit/").content.decode()

        removal.erase_call(calls[0])

        assert not any("fee" in each.casefold() for each in kept)
        edited = next(
            row for row in as_alice.get("/audit/").context["rows"] if row.event.action == "reason.edited"
        )
        assert said(edited)["Change"] == "“…” is now “Fees”."

    def test_are_not_named_to_who_cannot_see_the_project(self, bob, alice, project, late_fee):
        reason_edits.edit_reason(late_fee.pk, {"name": "Fees"}, alice)
        bob.is_superuser = True
        bob.save()

        [row] = [
            row
            for row in visitor_of(bob).get("/audit/").context["rows"]
            if row.event.action == "reason.edited"
        ]
        change = ReasonChange.objects.get()
        assert said(row) == {"Change": str(change.pk), "Contact reason": str(late_fee.pk), "Fields": "Name"}


class TestFiles:
    def test_are_named_and_lead_to_their_call(self, as_alice, alice, project, calls):
        file = calls[0].newest_file
        note(alice, "recording.played", f"file {file.pk}", project=project.pk, call=calls[0].pk)
        chain_notes()

        row = newest(as_alice)
        assert (row.title, row.url) == ("call-1.wav", f"/calls/{calls[0].pk}/")
        assert row.details == []  # the call, which is called the same, is not said again

    def test_that_are_gone_keep_their_number(self, as_alice, alice, project):
        note(alice, "recording.played", "file 999999", project=project.pk)
        chain_notes()

        row = newest(as_alice)
        assert (row.title, row.url, row.subject_id) == ("", "", "999999")


class TestWorkOnSettings:
    def test_leads_to_the_probe_and_to_the_replay(self, as_alice, alice, project, calls):
        for call in calls:
            give_transcript(call)
        probe = request_probe(project, plan_steadiness(project, None), by=alice)
        probed = newest(as_alice)
        replay = start_replay(project, plan_replay(project, project.config), by=alice)
        page = as_alice.get("/audit/")

        addresses = (
            f"/projects/{project.pk}/probes/{probe.pk}/",
            f"/projects/{project.pk}/replays/{replay.pk}/",
        )
        assert (probed.action_url, page.context["rows"][0].action_url) == addresses
        assert re.search(rf'<a href="{addresses[1]}">Draft of settings replayed</a>', page.content.decode())
        assert [as_alice.get(each).status_code for each in addresses] == [200, 200]
