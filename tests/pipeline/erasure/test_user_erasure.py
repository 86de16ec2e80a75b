"""Erasing a user: what goes, who takes the projects, and that the audit trail stays whole."""

import pytest

from callscope.accounts import audit
from callscope.accounts.models import ApiKey, AuditEvent, User
from callscope.accounts.services import InvalidAccount, create_key, create_team, create_user
from callscope.calls.models import Agent, Call
from callscope.pipeline.erasure.receipt import list_backups
from callscope.pipeline.erasure.users import InvalidHeir, OwnsProjects, erase_user
from callscope.projects.models import Project
from callscope.projects.services import create_project, share_project, unshare_project
from callscope.reports.store import facts

pytestmark = pytest.mark.django_db
EMAIL = "dora@exämple.com"


@pytest.fixture
def dora():
    return create_user(EMAIL)


class TestAUser:
    def test_goes_with_keys_and_shares_and_is_a_number_in_the_trail(self, dora, alice, project):
        create_key(dora, by=dora)
        share_project(project, dora, by=alice)
        user_id, before = dora.pk, AuditEvent.objects.count()

        receipt = erase_user(dora)

        assert not User.objects.filter(pk=user_id).exists()
        assert ApiKey.objects.count() == 0
        erased = receipt.to_json()["erased"]
        assert (erased["users"], erased["api_keys"], erased["shares"]) == (1, 1, 1)
        assert "dora@" not in str(list(AuditEvent.objects.values()))
        assert "dora" not in str(receipt.to_json())
        assert AuditEvent.objects.get(action="project.shared").detail["user"] == f"user {user_id}"
        assert AuditEvent.objects.count() == before + 2
        report = audit.verify_chain()
        assert (report.problems, report.head) == ([], receipt.chain_hash)

    def test_leaves_a_chain_that_still_shows_edits(self, dora, alice, project):
        share_project(project, dora, by=alice)
        unshare_project(project, dora, by=alice)
        erase_user(dora)
        edited = AuditEvent.objects.get(action="project.unshared")

        AuditEvent.objects.filter(pk=edited.pk).update(detail={"user": "user 999"})

        assert audit.verify_chain().problems == [
            f"Event {edited.number} is not what was written, or was moved."
        ]

    def test_leaves_others_with_an_e_mail_that_contains_it(self, alice, project):
        short, long = create_user("a@example.com"), create_user("aa@example.com")
        share_project(project, long, by=alice)

        erase_user(short)

        assert AuditEvent.objects.get(action="project.shared").detail["user"] == "aa@example.com"

    def test_stays_while_nobody_takes_the_projects(self, dora, bob):
        create_project(dora, "Hers", by=dora)

        with pytest.raises(OwnsProjects):
            erase_user(dora)
        with pytest.raises(InvalidHeir):
            erase_user(dora, move_projects_to=dora)

        assert User.objects.filter(pk=dora.pk).exists()

    def test_stays_as_the_only_admin_of_a_team(self, dora):
        create_team("Reviewers", admin=dora)

        with pytest.raises(InvalidAccount, match="only admin"):
            erase_user(dora)

    def test_leaves_the_projects_to_another(self, dora, bob):
        project = create_project(dora, "Hers", by=dora)
        share_project(project, bob, by=dora)
        theirs = Agent.objects.create(owner=bob, name="Ana", name_key="ana")
        same = Agent.objects.create(owner=dora, name="Ana", name_key="ana")
        other = Agent.objects.create(owner=dora, name="Eva", name_key="eva")
        calls = [
            Call.objects.create(
                project=project,
                file_name=f"{agent.pk}.wav",
                name_stem=str(agent.pk),
                agent=agent,
                agent_source="api",
                call_datetime="2026-01-05T10:00:00+00:00",
                uploaded_at="2026-01-05T10:00:00+00:00",
            )
            for agent in (same, other)
        ]
        facts.refresh([call.pk for call in calls])

        receipt = erase_user(dora, move_projects_to=bob)

        assert Project.objects.get().owner == bob
        assert list(Call.objects.order_by("pk").values_list("agent", flat=True)) == [theirs.pk, other.pk]
        assert set(Agent.objects.values_list("owner", flat=True)) == {bob.pk}
        moved = AuditEvent.objects.get(action="project.moved")
        assert moved.number in receipt.audit_events
        assert audit.verify_chain().problems == []


class TestBackups:
    def test_are_in_the_receipt_until_their_end(self, dora):
        for name, kept_until in (("open.zip", None), ("over.zip", "2020-01-01"), ("kept.zip", "2999-01-01")):
            audit.record(None, "backup.created", "instance", name=name, kept_until=kept_until)

        listed = erase_user(dora).to_json()["backups"]

        assert [(each["name"], each["kept_until"]) for each in listed] == [
            ("open.zip", None),
            ("kept.zip", "2999-01-01"),
        ]
        assert list_backups("2020-01-01T00:00:00+00:00") == []
