"""Notes become events of the chain, each exactly once."""

import datetime as dt
import sqlite3
import threading

import pytest
from django.db import connection, connections
from django.utils import timezone

from callscope.accounts import audit
from callscope.accounts.models import AuditEvent, AuditEventProject, AuditHead
from callscope.accounts.trail import chaining, notes, spool
from callscope.accounts.trail.chaining import chain_notes

pytestmark = pytest.mark.django_db

IN_TWO_MINUTES = dt.timedelta(minutes=2)


def chained() -> list[tuple[str, str, dict]]:
    events = AuditEvent.objects.order_by("number")
    return list(events.values_list("action", "subject", "detail"))


class TestNotes:
    def test_wait_outside_the_chain(self, alice):
        notes.note(alice, "call.read", "call 7", project=1)

        assert (chained(), spool.count_waiting()) == ([], 1)

    def test_are_chained_with_their_own_time_and_actor(self, alice):
        before = timezone.now()
        notes.note(alice, "call.read", "call 7", project=1)
        after = timezone.now()

        assert chain_notes() == 1

        event = AuditEvent.objects.get()
        assert (event.actor, event.action, event.subject) == (alice, "call.read", "call 7")
        assert before <= event.at <= after
        assert list(AuditEventProject.objects.values_list("project_id", flat=True)) == [1]
        assert audit.verify_chain().problems == []
        assert spool.count_waiting() == 0

    def test_are_chained_once(self, alice):
        notes.note(alice, "call.read", "call 7")
        chain_notes()

        assert chain_notes() == 0
        assert len(chained()) == 1

    def test_of_several_batches_keep_their_order(self, alice, monkeypatch):
        monkeypatch.setattr(chaining, "AT_ONCE", 3)
        for n in range(8):
            notes.note(alice, "call.read", f"call {n}")
        audit.record(alice, "user.tested", "user 1")

        assert chain_notes() == 8
        subjects = [subject for _, subject, _ in chained()]
        assert subjects == ["user 1", *(f"call {n}" for n in range(8))]
        assert audit.verify_chain().problems == []

    def test_survive_a_kill_between_commit_and_cleaning_up_without_a_double(self, alice, monkeypatch):
        if connection.vendor != "sqlite":
            pytest.skip("on PostgreSQL notes and events are in one transaction")
        notes.note(alice, "call.read", "call 7")
        with monkeypatch.context() as killed:
            killed.setattr(spool, "forget_queue", lambda last: None)
            killed.setattr(chaining, "MOST", 1)
            chain_notes()
        notes.note(alice, "call.read", "call 8")

        chain_notes()

        assert [subject for _, subject, _ in chained()] == ["call 7", "call 8"]

    def test_of_a_new_file_are_chained_although_its_places_begin_again(self, alice, settings, tmp_path):
        notes.note(alice, "call.read", "call 7")
        chain_notes()
        settings.DATA_DIR = tmp_path / "other"
        settings.DATA_DIR.mkdir()
        notes.note(alice, "call.read", "call 8")

        chain_notes()

        assert [subject for _, subject, _ in chained()] == ["call 7", "call 8"]

    def test_are_not_lost_when_the_chain_cannot_be_written(self, alice, monkeypatch):
        def fail(*_args):
            raise sqlite3.OperationalError("database is locked")

        notes.note(alice, "call.read", "call 7")
        with monkeypatch.context() as locked:
            locked.setattr(audit, "append_events", fail)
            with pytest.raises(sqlite3.OperationalError):
                chain_notes()

        assert chain_notes() == 1


class TestPlays:
    def test_are_one_event_for_all_parts_that_a_player_fetches(self, alice, bob):
        for user in (alice, alice, bob, alice):
            notes.note_once(user, "recording.played", "file 3", within_s=900)
        notes.note_once(alice, "recording.played", "file 4", within_s=900)

        chain_notes()

        assert [subject for _, subject, _ in chained()] == ["file 3", "file 3", "file 4"]

    def test_count_again_when_their_time_is_over(self, alice):
        for _ in range(2):
            notes.note_once(alice, "recording.played", "file 3", within_s=0)

        assert chain_notes() == 2


class TestRefusals:
    @pytest.fixture(autouse=True)
    def _within_one_minute(self, monkeypatch):
        moment = timezone.now().replace(second=10)
        monkeypatch.setattr(timezone, "now", lambda: moment)

    def test_of_a_minute_are_one_event_with_their_number(self, alice):
        for _ in range(5):
            notes.note_refusal(alice, "access.refused", "call 7", project=1, status=404)

        assert chain_notes() == 0
        assert chain_notes(now=timezone.now() + IN_TWO_MINUTES) == 1
        ((action, subject, detail),) = chained()
        assert (action, subject) == ("access.refused", "call 7")
        assert detail == {"project": 1, "status": 404, "times": 5}

    def test_of_ever_new_subjects_fill_no_table(self, alice):
        for n in range(100):
            notes.note_refusal(alice, "access.refused", f"call {n}", project=n)

        chain_notes(now=timezone.now() + IN_TWO_MINUTES)

        events = chained()
        assert len(events) == notes.SUBJECTS_A_MINUTE + 1
        assert sum(detail["times"] for _, _, detail in events) == 100

    def test_of_sign_ins_name_users_and_count_unknown_e_mails_together(self, alice):
        for email in ("alice@example.com", "x@example.com", "y@example.com", "z" * 300, "a\x00b"):
            notes.note_refused_sign_in(email, "sign_in.failed")

        chain_notes(now=timezone.now() + IN_TWO_MINUTES)

        assert {subject for _, subject, _ in chained()} == {f"user {alice.pk}", "unknown user"}

    def test_that_cannot_be_noted_are_still_refused(self, alice, monkeypatch, caplog):
        def fail(*_args):
            raise sqlite3.OperationalError("disk I/O error")

        monkeypatch.setattr(spool, "count_keys", fail)

        notes.note_refusal(alice, "access.refused", "call 7")

        assert "could not be noted" in caplog.text


@pytest.mark.django_db(transaction=True)
class TestAtTheSameTime:
    def test_writers_and_chainers_lose_and_double_nothing(self, alice):
        def write(thread: int) -> None:
            try:
                for n in range(15):
                    notes.note(alice, "call.read", f"call {thread}-{n}")
                    if n % 5 == 0:
                        chain_notes()
            finally:
                connections.close_all()

        threads = [threading.Thread(target=write, args=[thread]) for thread in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        chain_notes()

        subjects = [subject for _, subject, _ in chained()]
        assert sorted(subjects) == sorted(f"call {thread}-{n}" for thread in range(4) for n in range(15))
        assert audit.verify_chain().problems == []
        assert AuditHead.objects.get().number == 60
