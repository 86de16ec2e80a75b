"""The page of the audit trail: who sees which events, filters, pages, CSV."""

import ast
import copy
import csv
import datetime as dt
import io
import re
from pathlib import Path

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from django.utils.translation import override

import callscope
from callscope.accounts import audit
from callscope.accounts.models import AuditEvent
from callscope.accounts.services import add_team_member, create_team
from callscope.accounts.trail.chaining import chain_notes
from callscope.accounts.trail.notes import note, note_refusal
from callscope.accounts.trail.search import ACTIONS, CHANGES, AuditFilters, find_events
from callscope.calls import share_links
from callscope.calls.models import Call
from callscope.interfaces.web.presenters import report_csv
from callscope.interfaces.web.presenters.audit_trail import rows as presenter
from callscope.interfaces.web.presenters.audit_trail import words as named
from callscope.interfaces.web.templatetags.formatting import day
from callscope.pipeline.decisions.review_edits import create_review
from callscope.pipeline.decisions.team_moves import move_project
from callscope.pipeline.erasure.users import erase_user
from callscope.pipeline.files.intake import update_metadata
from callscope.projects import services
from callscope.reviews.models import Review, ReviewSample
from callscope.reviews.revisions import GivenReview
from callscope.reviews.sampling.plans import NewPlan, create_plan
from tests.web.conftest import CONFIGURATION, page, visitor_of

SOURCE = Path(callscope.__file__).parent
RECORDING = ("record", "note", "note_once", "note_refusal", "note_refused_sign_in")
ACTION = re.compile(r"[a-z_]+\.[a-z_]+")

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _own_data_folder(settings, tmp_path):
    settings.DATA_DIR = tmp_path


@pytest.fixture
def trail(alice, carol, project):
    """Events of Alice's project, of one of Carol's, and of both."""
    other = services.create_project(carol, "Other", by=carol)
    note(alice, "call.read", "call 7", project=project.pk)
    note(carol, "table.exported", "calls", projects=[project.pk, other.pk])
    chain_notes()
    services.rename_project(project, "New name", by=alice)
    return other


def recorded_names() -> tuple[set[str], set[str]]:
    """Return the actions and the keys of details that the source records by name."""
    actions, keys = set(), set()
    for path in SOURCE.rglob("*.py"):
        for call in (node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Call)):
            called = call.func.id if isinstance(call.func, ast.Name) else getattr(call.func, "attr", "")
            texts = [each.value for each in call.args if isinstance(each, ast.Constant)]
            named = [text for text in texts if isinstance(text, str) and ACTION.fullmatch(text)]
            if called in RECORDING and named:
                actions.update(named)
                keys.update(each.arg for each in call.keywords if each.arg and each.arg not in ("within_s",))
    return actions, keys


def recorded_subjects() -> set[str]:
    """Return what the source names as the subject of an event by words alone."""
    subjects = set()
    for path in SOURCE.rglob("*.py"):
        for call in (node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Call)):
            called = call.func.id if isinstance(call.func, ast.Name) else getattr(call.func, "attr", "")
            texts = [getattr(each, "value", None) for each in call.args[1:3]]
            if called in RECORDING and len(texts) == 2 and ACTION.fullmatch(str(texts[0])):
                subjects.update(text for text in texts[1:] if isinstance(text, str))
    return subjects


def numbers(answer) -> list[int]:
    return [row.event.number for row in answer.context["rows"]]


def actions(answer) -> list[str]:
    return [row.event.action for row in answer.context["rows"]]


class TestWords:
    def test_every_action_and_detail_has_a_name(self):
        actions, keys = recorded_names()

        assert {"user.identity_linked", "project.shared", "call.read"} <= actions
        assert {"role", "former", "projects"} <= keys
        assert actions - named.ACTION_NAMES.keys() == set()
        assert keys - named.DETAIL_NAMES.keys() == set()

    def test_details_are_read_in_one_line_each(self):
        recorded = {
            "role": "viewer",
            "former": None,
            "superuser": False,
            "redact": {"former": [], "new": ["cards", "b"]},
            "retention": {
                "former": {"recordings_days": None, "results_days": 9},
                "new": {"recordings_days": 30, "results_days": 9},
            },
        }

        assert [(str(each.name), each.value) for each in presenter.build_details(recorded)] == [
            ("Redaction", "– → Card numbers, b"),
            ("Retention", "Recordings (days): – → 30"),
            ("Role", "Viewer"),
            ("Administrator", "no"),
        ]

    def test_says_rhythms_and_kinds_of_probes_in_the_language_of_the_page(self):
        with override("es"):
            shown = [each.value for each in presenter.build_details({"rhythm": "weekly", "kind": "fairness"})]

        assert sorted(shown) == ["Equidad", "semanal"]

    @pytest.mark.parametrize(
        ("subject", "english", "spanish"),
        [
            ("calls", "Calls", "Llamadas"),
            ("report headline", "Report: Summary", "Informe: Resumen"),
            ("report contact-reasons", "Report: Contact reasons", "Informe: Motivos de contacto"),
            ("odd thing", "odd thing", "odd thing"),
        ],
    )
    def test_says_in_words_what_an_event_is_about(self, alice, subject, english, spanish):
        note(alice, "table.exported", subject)
        chain_notes()
        events = list(AuditEvent.objects.filter(action="table.exported"))

        for language, words in (("en", english), ("es", spanish)):
            with override(language):
                [row] = presenter.build_rows(events, presenter.Names({}, {}))
                assert str(row.subject_name) == words

    def test_every_table_of_a_report_and_every_plain_subject_has_a_name(self):
        tables = report_csv.TABLES.keys() | report_csv.FINDING_TABLES.keys() | report_csv.SCOPED_TABLES.keys()
        plain = recorded_subjects()

        assert {f"report {table}" for table in tables} == named.REPORT_TABLES.keys()
        assert {"calls", "answers", "manifest"} <= plain
        assert plain - named.SUBJECT_NAMES.keys() == set()

    def test_what_nobody_named_is_shown_by_its_key(self):
        assert presenter.build_details({"odd<": 0}) == [presenter.Detail("odd<", "0")]


class TestThePage:
    def test_shows_owners_their_projects_newest_first(self, as_alice, as_carol, trail):
        assert actions(as_alice.get("/audit/")) == [
            "project.renamed",
            "table.exported",
            "call.read",
            "project.created",
        ]
        assert actions(as_carol.get("/audit/")) == ["table.exported", "project.created"]

    def test_names_no_other_project_of_an_event(self, as_alice, project, trail):
        page = as_alice.get("/audit/?kind=exports")

        assert [[(str(each.name), each.value) for each in row.details] for row in page.context["rows"]] == [
            [("Projects", project.name)]
        ]
        assert f'<option value="{trail.pk}"' not in page.content.decode()

    def test_names_calls_and_projects_that_can_be_seen(self, as_alice, bob, alice, project, world):
        note(alice, "call.read", f"call {world[0].pk}", project=project.pk)
        chain_notes()
        bob.is_superuser = True
        bob.save()

        row = as_alice.get("/audit/?kind=reads").context["rows"][0]
        assert (row.title, row.url, row.project) == ("call-1.wav", f"/calls/{world[0].pk}/", "Service line")
        assert row.details == []
        foreign = visitor_of(bob).get("/audit/?kind=reads").context["rows"][0]  # an operator sees no calls
        assert (foreign.title, foreign.url, foreign.subject_id) == ("", "", str(world[0].pk))

    def test_says_who_is_no_user(self, as_alice, alice, bob, project):
        note(None, "engine.called", f"project {project.pk}", project=project.pk)
        note(None, "share_link.opened", f"project {project.pk}", project=project.pk)
        note(None, "sign_in.failed", f"project {project.pk}", project=project.pk)
        note(bob, "call.read", "call 7", project=project.pk)
        chain_notes()
        bob.delete()

        rows = as_alice.get("/audit/").context["rows"][:4]
        assert [str(row.actor) for row in rows] == [
            "a user who was erased",
            "",
            "visitor with a link",
            "system",
        ]

    def test_names_a_criterion_that_the_rubric_has_no_more(self, as_alice, alice, project, world):
        note(alice, "appeal.filed", f"call {world[0].pk}", project=project.pk, criterion="identity")
        note(alice, "appeal.filed", f"call {world[0].pk}", project=project.pk, criterion="unheard")
        document = copy.deepcopy(CONFIGURATION)
        document["rubric"]["sections"][1]["criteria"][0]["name"] = "Asks who it is"
        services.configure_project(project, document, alice)
        del document["rubric"]["sections"][1]
        services.configure_project(project, document, alice)
        chain_notes()

        text = page(as_alice.get("/audit/")).text

        assert "Asks who it is" in text and "identity" not in text and "Verifies the caller" not in text
        assert "unheard" in text

    def test_names_criteria_and_roles_before(self, as_alice, alice, project, world):
        note(alice, "appeal.filed", f"call {world[0].pk}", project=project.pk, criterion="identity")
        note(
            alice,
            "project.shared",
            f"project {project.pk}",
            project=project.pk,
            role="viewer",
            former="editor",
        )
        chain_notes()

        shared, filed = as_alice.get("/audit/").context["rows"][:2]
        assert [each.value for each in filed.details] == ["Verifies the caller"]
        assert sorted(str(each.value) for each in shared.details) == ["Editor", "Viewer"]

    def test_leads_from_a_recording_to_its_call_and_from_a_weekly_sample_to_its_page(
        self, as_alice, alice, project, world
    ):
        call = Call.objects.filter(project=project).first()
        plan = create_plan(project, NewPlan(2, None, [alice.email]), alice, today=timezone.localdate())
        note(alice, "recording.played", "file 29", project=project.pk, call=call.pk)
        chain_notes()

        shown = as_alice.get("/audit/").content.decode()

        assert re.search(rf'href="/calls/{call.pk}/"[^>]*>[^<]*File 29', shown)
        address = f"/projects/{project.pk}/sampling-plans/"
        assert re.search(rf'href="{address}"[^>]*>[^<]*Weekly sample {plan.pk}', shown)

    def test_leads_to_samples_and_says_the_project_once(self, as_alice, alice, project, world):
        sample = ReviewSample.objects.create(
            project=project, seed=1, per_agent=1, uncertain_pct=0, candidates=1, created_at=timezone.now()
        )
        agent = world[0].agent
        note(alice, "sample.drawn", f"sample {sample.pk}", project=project.pk)
        note(alice, "agent.linked", f"project {project.pk}", project=project.pk, agent=agent.pk)
        chain_notes()

        linked, drawn = as_alice.get("/audit/").context["rows"][:2]
        assert (drawn.url, drawn.project) == (f"/projects/{project.pk}/samples/{sample.pk}/", project.name)
        assert (linked.title, linked.project) == (project.name, "")
        assert [(str(each.name), each.value) for each in linked.details] == [("Agent", agent.name)]

    def test_names_teams_and_leads_to_those_of_the_reader(self, as_alice, alice, bob, carol, project):
        own, other = create_team("Own team", admin=alice), create_team("Other team", admin=carol)
        services.share_project(project, bob)
        bob.is_superuser = True
        bob.save()
        move_project(project.pk, own.pk, alice)
        audit.record(carol, "team.created", f"team {other.pk}", name="Other team")
        audit.record(alice, "team.created", f"team {own.pk}", name="Own team")
        add_team_member(own, bob, by=alice)

        rows = visitor_of(bob).get("/audit/").context["rows"][:4]
        assert [(row.title, row.url) for row in rows[:3]] == [
            ("Own team", f"/teams/{own.pk}/"),
            ("Own team", f"/teams/{own.pk}/"),
            ("Other team", ""),
        ]
        assert [(str(each.name), each.value) for each in rows[3].details] == [("New", "Own team")]
        moved = as_alice.get("/audit/").context["rows"][0]
        assert [(str(each.name), each.value) for each in moved.details] == [("New", "Own team")]

    def test_says_what_was_shared_by_whom_and_leads_to_it(self, as_alice, alice, project, world):
        of_call, _ = share_links.create_link(alice, project, days=7, call=world[0])
        of_report, _ = share_links.create_link(alice, project, days=7)
        ends = day(timezone.localdate(of_call.expires_at))

        report, call = as_alice.get("/audit/").context["rows"][:2]
        assert (call.title, call.url) == ("call-1.wav", f"/calls/{world[0].pk}/")
        assert (report.title, report.url) == ("Report of Service line", f"/report/?project_id={project.pk}")
        assert report.project == ""
        for row, link in ((call, of_call), (report, of_report)):
            said = {str(each.name): each.value for each in row.details}
            assert said["Link"] == f"{link.pk} by alice@example.com, until {ends}"
        number = of_call.pk
        of_call.delete()
        ended = as_alice.get("/audit/").context["rows"][1]
        assert ("Link", f"{number} (ended)") in [(str(each.name), each.value) for each in ended.details]

    def test_says_whose_a_review_is(self, as_alice, alice, bob, project, world):
        services.share_project(project, bob, role="editor")
        create_review(world[0].pk, GivenReview([], blind=True, submits=False), bob)
        review = Review.objects.get()

        row = as_alice.get("/audit/").context["rows"][0]
        assert row.title == "call-1.wav"
        assert ("Review", f"{review.pk} by bob@example.com") in [
            (str(each.name), each.value) for each in row.details
        ]

    def test_leads_nobody_to_a_sample_that_only_writers_may_open(self, alice, bob, project):
        sample = ReviewSample.objects.create(
            project=project, seed=1, per_agent=1, uncertain_pct=0, candidates=1, created_at=timezone.now()
        )
        audit.record(alice, "sample.drawn", f"sample {sample.pk}", project=project.pk)
        bob.is_superuser = True
        bob.save()
        services.share_project(project, bob, role="viewer")
        address = f"/projects/{project.pk}/samples/{sample.pk}/"

        def shown():
            rows = visitor_of(bob).get("/audit/").context["rows"]
            [row] = [row for row in rows if row.event.action == "sample.drawn"]
            return row.url

        assert (shown(), visitor_of(bob).get(address).status_code) == ("", 403)
        services.share_project(project, bob, role="editor")
        assert (shown(), visitor_of(bob).get(address).status_code) == (address, 200)

    def test_asks_no_more_for_more_events(
        self, as_alice, alice, project, world, django_assert_max_num_queries
    ):
        def fill():
            for call in world:
                audit.record(alice, "review.created", f"call {call.pk}", project=project.pk, review=call.pk)
                audit.record(alice, "share_link.revoked", f"call {call.pk}", project=project.pk, link=call.pk)
                audit.record(alice, "sample.drawn", f"sample {call.pk}", project=project.pk)

        fill()
        with CaptureQueriesContext(connection) as few:
            as_alice.get("/audit/")
        fill()
        with django_assert_max_num_queries(len(few)):
            as_alice.get("/audit/")

    def test_stand_below_their_day(self, as_alice, alice, project):
        note(alice, "call.read", "call 7", project=project.pk)
        chain_notes()

        page = as_alice.get("/audit/")
        days = {timezone.localdate(row.event.at) for row in page.context["rows"]}
        assert page.content.decode().count('<th scope="rowgroup"') == len(days)

    def test_shows_administrators_everything(self, bob, trail):
        bob.is_superuser = True
        bob.save()

        page = visitor_of(bob).get("/audit/")

        assert len(numbers(page)) == AuditEvent.objects.count() == 5
        assert actions(visitor_of(bob).get(f"/audit/?project_id={trail.pk}")) == [
            "table.exported",
            "project.created",
        ]

    def test_shows_nothing_to_who_manages_nothing(self, bob, trail, project):
        services.share_project(project, bob, "editor")

        assert numbers(visitor_of(bob).get("/audit/")) == []
        assert visitor_of(bob).get(f"/audit/?project_id={project.pk}").status_code == 403

    @pytest.mark.parametrize("path", ["/audit/", "/audit/export.csv"])
    def test_knows_no_foreign_project(self, as_carol, project, trail, path):
        assert as_carol.get(f"{path}?project_id={project.pk}").status_code == 404
        assert as_carol.get(f"{path}?project_id=999999").status_code == 404
        assert as_carol.get(f"{path}?project_id=x").status_code == 404

    @pytest.mark.parametrize(
        ("query", "found"),
        [
            ("kind=reads", ["call.read"]),
            ("kind=exports", ["table.exported"]),
            ("kind=changes", ["project.renamed", "project.created"]),
            ("kind=settings", ["project.renamed", "project.created"]),
            ("kind=people", []),
            ("kind=others", []),
            ("kind=refusals", []),
            ("person=Carol@example.com", ["table.exported"]),
            ("person=CAROL", ["table.exported"]),
            ("person=+rol@ex", ["table.exported"]),
            ("person=example", ["project.renamed", "table.exported", "call.read"]),
            ("person=nobody@example.com", []),
            ("person=bob@example.com", []),
            ("end_date=2020-01-01", []),
            ("end_date=9999-12-31&kind=reads", ["call.read"]),
            ("start_date={today}&end_date={today}&kind=reads", ["call.read"]),
        ],
    )
    def test_filters(self, as_alice, trail, query, found):
        today = timezone.localdate().isoformat()

        assert actions(as_alice.get("/audit/?" + query.format(today=today))) == found

    def test_says_that_a_person_is_nobody_rather_than_that_nothing_happened(
        self, as_alice, bob, project, trail
    ):
        services.share_project(project, bob, "viewer")

        nobody = as_alice.get("/audit/?person=ruth").content.decode()
        nothing_done = as_alice.get("/audit/?person=bob&kind=reads").content.decode()

        assert "No person has “ruth” in their e-mail" in nobody
        assert "No matching events" not in nobody
        assert "No matching events" in nothing_done

    def test_offers_the_people_that_the_visitor_may_know(self, as_alice, as_carol, bob, project, trail):
        offered = '<option value="{}@example.com">'.format

        alice_sees, carol_sees = (each.get("/audit/").content.decode() for each in (as_alice, as_carol))

        assert [offered(name) in alice_sees for name in ("alice", "bob", "carol")] == [True, False, True]
        assert [offered(name) in carol_sees for name in ("alice", "bob", "carol")] == [False, False, True]
        services.share_project(project, bob, "viewer")
        assert offered("bob") in as_alice.get("/audit/").content.decode()

    def test_finds_nobody_who_was_erased(self, as_alice, bob, project):
        audit.record(bob, "project.regrouped", f"project {project.pk}")
        erase_user(bob)

        page = as_alice.get("/audit/?person=bob").content.decode()

        assert "No person has “bob” in their e-mail" in page
        assert "bob@example.com" not in page

    @pytest.mark.parametrize(
        "query", ["kind=all", "start_date=2026-13-01", "call=x", "call=99999999999999999999"]
    )
    def test_says_what_cannot_be_read(self, as_alice, trail, query):
        page = as_alice.get(f"/audit/?{query}")

        assert page.status_code == 400
        assert query.partition("=")[2] in page.context["asked"].problem
        assert as_alice.get(f"/audit/export.csv?{query}").status_code == 400

    def test_goes_on_after_the_last_event_of_a_page(self, as_alice, alice, project):
        for _ in range(60):
            audit.record(alice, "project.regrouped", f"project {project.pk}")

        first = as_alice.get("/audit/")
        second = as_alice.get(first.context["older_url"])

        assert numbers(first) + numbers(second) == list(range(61, 0, -1))
        assert (second.context["older_url"], second.context["newest_url"]) == ("", "/audit/")

    def test_outlives_the_person(self, as_alice, bob, project):
        audit.record(bob, "project.regrouped", f"project {project.pk}")
        bob.delete()

        assert as_alice.get("/audit/").status_code == 200


class TestKinds:
    def test_every_change_is_of_a_part_of_the_changes(self, alice, project):
        for action in named.ACTION_NAMES:
            audit.record(alice, action, f"project {project.pk}")

        def found(kind):
            events = find_events([project.pk], AuditFilters(kind=kind))
            return set(events.exclude(action="project.created").values_list("action", flat=True))

        parts = {kind: found(kind) for kind in CHANGES if kind != "changes"}
        assert set().union(*parts.values()) - found("reads") == found("changes")
        assert {"file.uploaded", "reason.edited", "call.metadata_changed"} <= parts["others"]
        assert {"project.shared", "share_link.opened", "report.mailed"} <= parts["sharing"]
        assert {"project.shared", "key.created", "user.password_set"} <= parts["people"]
        elsewhere = ("review", "sample", "sampling_plan", "calibration", "appeal", "user", "team", "key")
        assert not {each for each in parts["others"] if each.split(".")[0] in elsewhere}
        assert "project.probe_stopped" in parts["settings"]
        assert {name for names in ACTIONS.values() for name in names} <= named.ACTION_NAMES.keys()

    def test_addresses_from_before_show_all_changes(self, as_alice, project):
        page = as_alice.get("/audit/?kind=changes").content.decode()

        assert '<option value="changes" selected>All changes</option>' in page


class TestOneCall:
    @pytest.fixture
    def read(self, alice, bob, project, world):
        """The events of the first call, newest first, among others."""
        call, other = world[0], world[1]
        file = call.newest_file
        note(bob, "call.read", f"call {call.pk}", project=project.pk)
        note(bob, "call.read", f"call {other.pk}", project=project.pk)
        note(alice, "recording.played", "file 999999", project=project.pk, call=call.pk)  # one that is gone
        note_refusal(bob, "access.refused", f"file {file.pk}", project=project.pk, status=403)
        note(alice, "recording.played", f"file {other.newest_file.pk}", project=project.pk, call=other.pk)
        chain_notes(now=timezone.now() + dt.timedelta(minutes=2))
        update_metadata(file, {"campaign": "spring"}, alice)
        return call

    def test_lists_who_read_played_or_changed_it(self, as_alice, read):
        page = as_alice.get(f"/audit/?call={read.pk}")

        assert sorted(actions(page)) == [
            "access.refused",
            "call.metadata_changed",
            "call.read",
            "recording.played",
        ]
        assert actions(as_alice.get(f"/audit/?call={read.pk}&person=bob&kind=reads")) == ["call.read"]

    def test_is_named_in_a_chip_that_takes_it_away(self, as_alice, read):
        page = as_alice.get(f"/audit/?kind=reads&call={read.pk}").content.decode()

        [chip] = re.findall(r'<a class="chip" href="([^"]*)">(.*?)<svg', page)
        assert chip == ("/audit/?kind=reads", '<span class="vh">Remove filter: </span>Call: call-1.wav')
        assert f'<input type="hidden" name="call" value="{read.pk}">' in page
        assert 'class="chip"' not in as_alice.get("/audit/?kind=reads").content.decode()

    def test_is_kept_in_the_file(self, as_alice, read):
        address = as_alice.get(f"/audit/?kind=reads&call={read.pk}").context["csv_url"]

        text = b"".join(as_alice.get(address).streaming_content).decode("utf-8-sig")

        assert [row["action"] for row in csv.DictReader(io.StringIO(text))] == [
            "recording.played",
            "call.read",
        ]

    def test_of_somebody_else_is_as_one_that_nobody_has(self, as_carol, read, trail):
        foreign, unknown = (
            re.sub(r"\b\w{64}\b", "", as_carol.get(f"/audit/?call={number}").content.decode())
            for number in (read.pk, 999999)
        )  # without the tokens of their forms

        assert "No matching events" in foreign
        assert foreign.replace(str(read.pk), "999999") == unknown

    def test_leads_there_from_its_page_who_may_see_the_trail(self, as_alice, bob, read, project):
        link = f'<a href="/audit/?call={read.pk}">Audit trail of this call</a>'
        services.share_project(project, bob, "editor")
        as_bob = visitor_of(bob)

        assert link in as_alice.get(f"/calls/{read.pk}/").content.decode()
        assert link not in as_bob.get(f"/calls/{read.pk}/").content.decode()
        bob.is_superuser = True
        bob.save()
        assert link in as_bob.get(f"/calls/{read.pk}/").content.decode()


class TestTheCsv:
    def test_holds_the_filtered_events_and_is_noted(self, as_alice, trail):
        answer = as_alice.get("/audit/export.csv?kind=reads")
        text = b"".join(answer.streaming_content).decode("utf-8-sig")

        [row] = csv.DictReader(io.StringIO(text))
        assert (row["actor"], row["action"], row["subject"]) == ("alice@example.com", "call.read", "call 7")
        chain_notes()
        assert AuditEvent.objects.filter(action="audit.exported").count() == 1
