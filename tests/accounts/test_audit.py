"""The audit trail is a chain: what is edited, removed, moved or slipped in is found."""

import threading

import pytest
from django.db import connection, connections

from callscope.accounts import audit
from callscope.accounts.models import AuditEvent, AuditHead

pytestmark = pytest.mark.django_db


@pytest.fixture
def trail(alice):
    return [audit.record(alice, "user.tested", f"user {n}", step=n, name="Ñ") for n in range(1, 6)]


class TestTheChain:
    def test_is_whole_as_it_was_written(self, trail):
        report = audit.verify_chain()

        assert (report.events, report.problems) == (5, [])
        assert report.head == trail[-1].digest == AuditHead.objects.get().digest

    def test_of_nothing_is_whole(self, db):
        assert audit.verify_chain() == audit.ChainReport(0, "", [])

    @pytest.mark.parametrize(
        "change",
        [
            {"detail": {}},
            {"action": "user.other"},
            {"subject": "user 9"},
            {"actor": None},
            {"at": "2020-01-01T00:00:00+00:00"},
        ],
    )
    def test_shows_an_edited_event(self, trail, change):
        AuditEvent.objects.filter(pk=trail[2].pk).update(**change)

        assert audit.verify_chain().problems == ["Event 3 is not what was written, or was moved."]

    def test_shows_a_removed_event(self, trail):
        trail[2].delete()

        assert audit.verify_chain().problems == ["Events 3 to 3 are missing."]

    def test_shows_events_removed_at_the_end(self, trail):
        AuditEvent.objects.filter(number__gt=3).delete()

        assert audit.verify_chain().problems == ["Events 4 to 5 are missing at the end."]

    def test_shows_two_events_that_changed_places(self, trail):
        for pk, number in ((trail[1].pk, -1), (trail[2].pk, 2), (trail[1].pk, 3)):
            AuditEvent.objects.filter(pk=pk).update(number=number)

        assert audit.verify_chain().problems

    def test_shows_an_event_inserted_outside_it(self, trail):
        AuditEvent.objects.create(at=trail[0].at, action="user.tested", subject="user 7")

        (problem,) = audit.verify_chain().problems
        assert "outside the chain" in problem

    def test_rewritten_does_not_hold_a_head_that_was_kept(self, trail, alice):
        kept = audit.verify_chain().head
        AuditEvent.objects.all().delete()
        AuditHead.objects.all().delete()
        audit.record(alice, "user.tested", "user 1")

        assert audit.verify_chain().problems == []
        assert audit.verify_chain(kept).problems == ["The head that was kept elsewhere is not in the chain."]

    def test_goes_on_behind_a_head_that_was_kept(self, trail, alice):
        kept = audit.verify_chain().head
        audit.record(alice, "user.tested", "user 6")

        assert audit.verify_chain(kept).problems == []

    def test_outlives_the_user_who_acted(self, trail, alice):
        alice.delete()

        assert audit.verify_chain().problems == []


@pytest.mark.django_db(transaction=True)
class TestConcurrentWriters:
    def test_make_one_chain(self, alice):
        def write() -> None:
            try:
                for n in range(10):
                    audit.record(alice, "user.tested", f"user {n}")
            finally:
                connections.close_all()

        threads = [threading.Thread(target=write) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

        report = audit.verify_chain()
        assert (report.events, report.problems) == (40, [])
        assert connection.vendor in ("sqlite", "postgresql")
