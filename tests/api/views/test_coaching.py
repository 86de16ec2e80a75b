"""Notes at a second of a call, and the page of an agent: who reads what, and how notes travel."""

import io
import json
import re

import pytest

from callscope.accounts.models import AuditEvent
from callscope.calls.models import Agent, Call, UploadedFile
from callscope.calls.own_calls import link_user
from callscope.pipeline.transfer.export import export_lines
from callscope.pipeline.transfer.importer import import_calls
from callscope.projects.services import create_project, share_project
from callscope.reviews import notes
from callscope.reviews.note_records import CoachingNote
from callscope.reviews.removal import remove_words
from tests.api.views.test_review_samples import line, load

pytestmark = pytest.mark.django_db


@pytest.fixture
def project(project):
    """Twelve calls of Ana in two weeks, the later ones better, and three of Ben."""
    lines = [line(f"ana-{n:02}.wav", "ana") for n in range(12)] + [
        line(f"ben-{n}.wav", "ben") for n in range(3)
    ]
    for n, each in enumerate(lines[:12]):
        (score,) = each["copc"]["criterion_scores"]
        score["score"] = 10 if n > 5 else 0
        score["quote"] = f"[00:0{n % 10}] Good morning {n}"
        each["call_datetime"] = f"2026-03-0{9 if n > 5 else 2}T10:{n:02}:00+00:00"
    lines[0]["no_protocol"] = {
        "mistakes": [{"id": "m", "description": "Dismisses", "quote": "[01:10] calm down"}]
    }
    load(project, lines)
    return project


@pytest.fixture
def ana(project, carol):
    """Carol is the agent Ana, and nobody else in the project."""
    agent = Agent.objects.get(name="ana")
    link_user(project, carol.email, agent)
    return agent


@pytest.fixture
def call(project):
    return Call.objects.get(file_name="ana-00.wav")


def note(client, call, text="Well asked.", status=201, **fields):
    answer = client.post(f"/calls/api/{call.pk}/notes/", {"text": text, **fields}, format="json")
    assert answer.status_code == status, answer.content
    return answer.json()


def texts(client, call):
    return [each["text"] for each in client.get(f"/calls/api/{call.pk}/notes/").json()]


class TestANote:
    def test_is_read_by_who_may_write_and_shared_by_the_agent(
        self, as_alice, as_bob, as_carol, alice, bob_views, ana, call
    ):
        private = note(as_alice, call, "Private.", at=12.5)
        note(as_alice, call, "Shared.", is_shared=True)

        assert (private["at"], private["author"], private["closed_at"]) == (12.5, alice.email, None)
        assert texts(as_alice, call) == ["Shared.", "Private."]  # in the order of the call
        assert as_bob.get(f"/calls/api/{call.pk}/notes/").status_code == 403
        (own,) = as_carol.get(f"/calls/api/{call.pk}/notes/").json()
        assert (own["text"], own["author"]) == ("Shared.", None)
        page = as_carol.get(f"/calls/api/agents/{ana.pk}/").json()
        assert [each["text"] for each in page["notes"]] == ["Shared."]

    def test_is_written_by_writers_alone(self, as_bob, as_carol, bob_views, ana, call):
        note(as_bob, call, status=403)
        note(as_carol, call, status=404)

    def test_is_closed_shared_and_removed_by_all_writers_and_worded_by_its_author(
        self, as_alice, as_bob, as_carol, bob, project, ana, call
    ):
        share_project(project, bob, role="editor")
        made = note(as_alice, call)
        url = f"/calls/api/notes/{made['id']}/"

        assert as_bob.patch(url, {"text": "Other."}, format="json").status_code == 403
        changed = as_bob.patch(url, {"is_closed": True, "is_shared": True}, format="json").json()
        assert (changed["closed_at"] is None, changed["is_shared"]) == (False, True)
        assert (
            as_alice.patch(url, {"text": "Mine.", "is_closed": False}, format="json").json()["text"]
            == "Mine."
        )
        assert as_alice.get(f"/calls/api/agents/{ana.pk}/").json()["notes"][0]["text"] == "Mine."
        assert [as_carol.patch(url, {}, format="json").status_code, as_carol.delete(url).status_code] == [
            404,
            404,
        ]
        assert [as_bob.delete(url).status_code, as_bob.delete(url).status_code] == [204, 404]
        kinds = AuditEvent.objects.filter(action__startswith="note.").values_list("action", flat=True)
        assert set(kinds) == {"note.created", "note.changed", "note.removed"}

    def test_keeps_what_others_changed_since_it_was_read(self, as_alice, alice, bob, call):
        made = note(as_alice, call, "The card is 4111.")
        read, worded = (CoachingNote.objects.get(pk=made["id"]) for _ in range(2))
        notes.change_note(worded, alice, text="The card is hidden.")

        notes.change_note(read, bob, is_shared=True, is_closed=True)

        found = CoachingNote.objects.get(pk=made["id"])
        assert (found.text, found.is_shared, found.closed_at is None) == ("The card is hidden.", True, False)
        assert read.text == found.text

    @pytest.mark.parametrize(
        ("fields", "wrong"),
        [({"text": " "}, "text"), ({"text": "x" * 5001}, "text"), ({"at": -1}, "at"), ({"at": 1e9}, "at"),
         ({"at": "soon"}, "at"), ({"text": "a\x00b"}, "text")],
    )  # fmt: skip
    def test_is_refused_by_name(self, as_alice, call, fields, wrong):
        assert list(note(as_alice, call, status=400, **fields)) == [wrong]

    def test_stands_within_the_call(self, as_alice, call):
        UploadedFile.objects.filter(call=call).update(duration_us=82_400_000)

        assert note(as_alice, call, at=83)["at"] == 83
        refused = note(as_alice, call, status=400, at=84)

        assert refused == {"at": ['"84" is not a second of this call. Allowed: 0 to 83.']}

    @pytest.mark.parametrize("do", ["share", "remove"])
    def test_that_somebody_else_removed_meanwhile_is_not_found(
        self, client, as_alice, alice, call, monkeypatch, do
    ):
        """Removed between the look at the note and the lock."""
        at = f"/calls/api/notes/{note(as_alice, call)['id']}/"
        monkeypatch.setattr(notes, "lock_project", lambda _: CoachingNote.objects.all().delete())
        ask = (
            (lambda: as_alice.delete(at))
            if do == "remove"
            else lambda: as_alice.patch(at, {"is_shared": True})
        )

        assert ask().status_code == 404

        monkeypatch.undo()
        at = f"/notes/{note(as_alice, call)['id']}/"
        monkeypatch.setattr(notes, "lock_project", lambda _: CoachingNote.objects.all().delete())
        client.force_login(alice)
        assert client.post(at, {"do": do}).status_code == 404

    def test_travels_with_an_export_and_goes_with_what_was_said(self, as_alice, alice, project, call):
        note(as_alice, call, "Shared.", is_shared=True, at=3)
        content = b"".join(export_lines(project))
        target = create_project(alice, "Target", document=project.config)

        assert import_calls(target, io.BytesIO(content), by=alice).errors == []

        moved = CoachingNote.objects.get(project=target)
        assert (moved.text, moved.at_s, moved.is_shared, moved.author) == ("Shared.", 3, True, alice)
        exported = [json.loads(each) for each in b"".join(export_lines(target)).splitlines()]
        assert exported == [json.loads(each) for each in content.splitlines()]
        again = import_calls(target, io.BytesIO(content), by=alice)
        assert (again.unchanged, CoachingNote.objects.count()) == (15, 2)
        remove_words([UploadedFile.objects.get(call=call).pk])
        assert texts(as_alice, call) == [""]


class TestTheAgent:
    def test_has_courses_quotes_and_no_colleague(self, as_alice, as_carol, project, ana):
        page = as_alice.get(f"/calls/api/agents/{ana.pk}/?project_id={project.pk}").json()

        assert (page["agent"], page["calls"], page["average_score"], page["is_few"]) == ("ana", 12, 50, False)
        assert page["start_date"], page["end_date"] == ("2026-01-19", "2026-03-15")
        (criterion,) = page["criteria"]
        low, high = criterion["average_pct_interval"]
        assert low < 50 < high
        weeks = {each["week"]: (each["average_pct"], each["calls"]) for each in criterion["weeks"]}
        assert len(weeks) == 8
        assert (weeks["2026-03-02"], weeks["2026-03-09"]) == ((0, 6), (100, 6))
        assert page["best_quotes"] == []  # the one criterion was missed in half of the calls
        assert [each["name"] for each in page["worst_quotes"]] == ["Greets", "Dismisses"]
        assert page["appeals"] == {"open": 0, "accepted": 0, "refused": 0, "withdrawn": 0, "undecidable": 0}
        report = as_alice.get(
            f"/calls/api/report/?project_id={project.pk}&start_date=2026-01-19&end_date=2026-03-15"
        ).json()
        (everyone,) = report["scorecard"]
        assert page["everyone_average_score"] == report["headline"]["average_score"]
        assert page["everyone_scored_calls"] == report["headline"]["scored_calls"] > page["scored_calls"]
        assert criterion["everyone_average_pct"] == everyone["average_pct"]
        assert criterion["everyone_calls"] == everyone["calls"] > criterion["calls"]
        own = as_carol.get(f"/calls/api/agents/{ana.pk}/")
        hidden = {"everyone_average_score": None, "everyone_scored_calls": None}
        unnamed = {
            f"everyone_{name}": None
            for name in ("average_pct", "calls", "evaluated_pct", "not_applicable_calls")
        }
        assert own.json() == page | hidden | {"criteria": [criterion | unnamed]}
        assert "ben" not in own.content.decode()

    def test_says_so_of_few_calls(self, as_alice, project):
        page = as_alice.get(f"/calls/api/agents/{Agent.objects.get(name='ben').pk}/").json()

        assert (page["is_few"], page["average_score_interval"]) == (True, None)
        assert page["criteria"][0]["average_pct_interval"] is None

    def test_is_absent_for_others(self, as_bob, as_carol, as_alice, ana, project):
        ben = Agent.objects.get(name="ben").pk
        answers = [
            (who.get(f"/calls/api/agents/{agent}/").status_code, who.get(f"/agents/{agent}/").status_code)
            for who, agent in ((as_bob, ana.pk), (as_carol, ben), (as_carol, 10**7), (as_alice, 10**20))
        ]
        assert {status for status, _ in answers} == {404}


class TestThePages:
    def sign_in(self, client, user):
        client.force_login(user, backend="callscope.accounts.sign_in.EmailBackend")

    def test_show_an_agent_next_to_all_calls_but_not_to_the_agent(self, client, alice, carol, ana, project):
        self.sign_in(client, alice)
        shown = client.get(f"/agents/{ana.pk}/?project_id={project.pk}").content.decode()
        self.sign_in(client, carol)
        own = client.get(f"/agents/{ana.pk}/").content.decode()

        assert "all calls of the project in this period" in shown
        assert re.search(r'data-label="All calls">\d+\.\d\s% \(n\s\d+\)[ <]', shown)
        assert '<circle class="before" cx="' in shown
        assert "result=not_met" in shown
        assert "All calls" not in own
        assert '<svg class="dots" ' in own
        assert '<circle class="before"' not in own

    def test_write_share_and_close_notes(self, client, alice, carol, ana, call, project):
        self.sign_in(client, alice)
        at = f"/calls/{call.pk}/notes/"
        client.post(at, {"at": "1:23", "text": "Private words."})
        client.post(at, {"at": "5", "text": "Shared words.", "is_shared": "on"})
        wrong = client.post(at, {"at": "soon", "text": "Long thought over.", "is_shared": "on"})

        assert wrong.status_code == 400
        for kept in ("is not a time", 'value="soon"', ">Long thought over.</textarea>", "checked"):
            assert kept in wrong.content.decode()
        assert list(CoachingNote.objects.order_by("pk").values_list("at_s", "is_shared")) == [
            (83, False),
            (5, True),
        ]
        page = client.get(f"/agents/{ana.pk}/?project_id={project.pk}").content.decode()
        assert page.count("Private words.") == page.count("Shared words.") == 1
        self.sign_in(client, carol)
        own, own_call = (
            client.get(url).content.decode() for url in (f"/agents/{ana.pk}/", f"/calls/{call.pk}/")
        )
        for shown in (own, own_call):
            assert ("Shared words." in shown, "Private words." in shown, alice.email in shown) == (
                True,
                False,
                False,
            )
        assert client.post(at, {"at": "1", "text": "x"}).status_code == 404
        self.sign_in(client, alice)
        shared = CoachingNote.objects.get(is_shared=True)
        for do in ("unshare", "close", "reopen", "close"):
            assert client.post(f"/notes/{shared.pk}/", {"do": do}).status_code == 302
        shared.refresh_from_db()
        assert (shared.is_shared, shared.closed_at is None) == (False, False)
        assert client.post(f"/notes/{shared.pk}/", {"do": "shout"}).status_code == 400
        client.post(f"/notes/{shared.pk}/", {"do": "remove"})
        assert CoachingNote.objects.count() == 1
