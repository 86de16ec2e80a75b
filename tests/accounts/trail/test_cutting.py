"""Old audit events are cut off, and the chain is verified from there; on both databases."""

import datetime as dt

import pytest
from django.db import transaction
from django.utils import timezone

from callscope.accounts import audit
from callscope.accounts.models import AuditEvent, AuditEventProject
from callscope.accounts.trail import cutting
from callscope.accounts.trail.pseudonyms import replace_email

pytestmark = pytest.mark.django_db(transaction=True)

NOW = timezone.now()


@pytest.fixture
def trail(alice, monkeypatch):
    """Five events, three of them a year old; the one in the middle was chained late."""
    with monkeypatch.context() as patch:
        for n, days in enumerate((400, 390, 380, 20, 390), 1):
            patch.setattr(timezone, "now", lambda days=days: NOW - dt.timedelta(days=days))
            audit.record(alice, "user.tested", f"project {n}", email=alice.email)
    return list(AuditEvent.objects.order_by("number"))


def numbers():
    return list(AuditEvent.objects.order_by("number").values_list("number", flat=True))


class TestACut:
    def test_goes_up_to_the_first_young_event_and_is_an_event(self, trail):
        assert cutting.count_due_events(365, now=NOW) == 3

        event = cutting.cut_events(365, now=NOW)
        assert cutting.remove_cut_events() == 3

        assert numbers() == [4, 5, 6]
        assert event.number == 6
        assert event.detail == {"through": 3, "digest": trail[2].digest, "events": 3, "days": 365}
        assert AuditEventProject.objects.count() == 2

    def test_leaves_a_chain_that_is_verified_from_there(self, trail):
        cutting.cut_events(365, now=NOW)
        before = audit.verify_chain()
        cutting.remove_cut_events()

        report = audit.verify_chain()
        assert (report.problems, report.events) == ([], 3)
        assert before == report  # also while the events are still there
        assert audit.verify_chain(trail[2].digest).problems == []
        assert audit.verify_chain(trail[1].digest).problems

    @pytest.mark.parametrize("number", [4, 5, 6])
    def test_hides_no_event_that_was_edited_later(self, trail, number):
        cutting.cut_events(365, now=NOW)
        cutting.remove_cut_events()

        AuditEvent.objects.filter(number=number).update(subject="project 9")

        assert f"Event {number} is not what was written, or was moved." in audit.verify_chain().problems

    def test_without_its_event_is_a_removal(self, trail):
        AuditEvent.objects.filter(number__lte=3).delete()

        assert audit.verify_chain().problems == ["Events 1 to 3 are missing."]

    def test_is_refused_where_what_would_go_was_edited(self, trail):
        AuditEvent.objects.filter(number=2).update(subject="project 9")

        with pytest.raises(cutting.DamagedTrail, match="Event 2"):
            cutting.cut_events(365, now=NOW)
        assert numbers() == [1, 2, 3, 4, 5]

    def test_follows_another_and_may_take_its_event_along(self, trail):
        cutting.cut_events(365, now=NOW)
        cutting.remove_cut_events()

        later = NOW + dt.timedelta(days=366)
        assert cutting.cut_events(365, now=later).detail["through"] == 6
        assert cutting.remove_cut_events() == 3
        assert numbers() == [7]
        assert audit.verify_chain().problems == []

    def test_of_nothing_writes_nothing(self, trail):
        assert cutting.cut_events(900, now=NOW) is None
        assert cutting.remove_cut_events() == 0
        assert numbers() == [1, 2, 3, 4, 5]

    def test_leaves_the_replaced_contents_of_erased_users_verifiable(self, trail, alice):
        with transaction.atomic():
            replace_email(alice.email, alice.pk, None)
        cutting.cut_events(365, now=NOW)
        cutting.remove_cut_events()

        assert audit.verify_chain().problems == []


class TestAWorker:
    def test_cuts_once_a_day_and_never_without_the_setting(self, trail, settings):
        assert cutting.cut_if_due(now=NOW) == 0
        settings.AUDIT_DAYS = 365

        assert cutting.cut_if_due(now=NOW) == 3
        AuditEvent.objects.filter(number=4).update(at=NOW - dt.timedelta(days=500))
        assert cutting.cut_if_due(now=NOW) == 0

    def test_removes_what_a_killed_one_left(self, trail, settings):
        settings.AUDIT_DAYS = 365
        cutting.cut_events(365, now=NOW)

        assert cutting.cut_if_due(now=NOW) == 3
        assert numbers() == [4, 5, 6]
