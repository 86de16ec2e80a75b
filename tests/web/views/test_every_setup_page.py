"""What holds for every page for setting up: hostile texts, the security policy, languages, sign-in."""

import json
import shutil
import subprocess
import sys

import pytest
from django.db import transaction

from callscope.interfaces.web.settings_parts.catalog import PARTS
from tests import prepared
from tests.web.conftest import Page, bring, line, page, visitor_of
from tests.web.views.test_every_page import take_hostile


def add_replay(project):
    """Add a completed replay of the project's settings and return its id."""
    from django.utils import timezone

    from callscope.pipeline.models import Replay
    from callscope.pipeline.rubric_changes.replays.comparison import compare_answers

    answers = {"score": 50.0, "has_critical_error": False, "criteria": {"c": "met"}}
    better = {"score": 100.0, "has_critical_error": True, "criteria": {"c": "not_met"}}
    call = project.calls.order_by("pk").first()
    rows = [(call.pk, {"before": answers, "after": better})] if call else []
    replay = Replay.objects.create(
        project=project,
        config=project.config,
        config_version=project.config_version,
        created_by=project.owner,
        completed_at=timezone.now(),
        outcome=compare_answers(rows),
    )
    return replay.pk


def add_probes(project):
    """Add a completed probe of each kind and return their ids."""
    from django.utils import timezone

    from callscope.pipeline.ledger.estimates import estimate_work
    from callscope.pipeline.models import Probe
    from callscope.pipeline.rubric_changes.probes.fairness import compare_groups
    from callscope.pipeline.rubric_changes.probes.steadiness import compare_judgments

    answers = {"score": 100.0, "has_critical_error": False, "criteria": {"c": "met"}}
    other = {"score": 0.0, "has_critical_error": True, "criteria": {"c": "not_met"}}
    call = project.calls.order_by("pk").first()
    copies = {"original": answers, "repeat": answers, "order": other}
    outcomes = {
        "steadiness": compare_judgments([(call.pk, answers), (call.pk, other)] if call else []),
        "fairness": compare_groups(
            {call.pk: copies} if call else {}, groups=["repeat", "order"], unchanged={"order": 3}
        ),
    }
    return [
        Probe.objects.create(
            kind=kind,
            project=project,
            config=project.config,
            config_version=project.config_version,
            engine="OpenAI-compatible (example.com)",
            variants=["original", "repeat", "order"],
            estimate=estimate_work(project, project.configuration, calls=1, judgments=3),
            created_by=project.owner,
            completed_at=timezone.now(),
            outcome=outcome,
        ).pk
        for kind, outcome in outcomes.items()
    ]


def add_reason(project, text="late fee"):
    """Add a contact reason with a history, of the project's first call if it has one; return its id."""
    from callscope.contact_reasons.models import CallReason, ContactReason
    from callscope.pipeline.decisions.reason_edits import edit_reason

    named = {"project": project, "name": text[:255]}
    reason, _ = ContactReason.objects.get_or_create(**named, defaults={"description": text})
    call = project.calls.order_by("pk").first()
    if call:
        CallReason.objects.update_or_create(call=call, defaults={"project": project, "reason": reason})
    edit_reason(reason.pk, {"is_pinned": True, "is_set_aside": True}, project.owner)
    return reason.pk


def add_calibration(project):
    """Add a closed calibration of the project's first call, rated by its owner; return its id."""
    from callscope.analysis.models import CallAnalysis
    from callscope.pipeline.decisions.calibration_edits import close_calibration, open_calibration
    from callscope.pipeline.decisions.review_edits import create_review
    from callscope.reviews.answers import GivenAnswer
    from callscope.reviews.calibration.sessions import CalibrationPlan
    from callscope.reviews.criteria import KnownCriteria, list_criteria
    from callscope.reviews.models import Calibration
    from callscope.reviews.revisions import GivenReview

    found = Calibration.objects.filter(project=project).first()
    if found is not None:
        return found.pk
    analysis = CallAnalysis.objects.filter(project=project, is_live=True).order_by("call").first()
    if analysis is None:
        return 0
    owner = project.owner
    plan = CalibrationPlan([analysis.call_id], [owner.email], expert=owner.email)
    calibration = open_calibration(project.pk, plan, owner)
    answers = [
        GivenAnswer(each["criterion_id"], "not_met", project.name)
        for each in list_criteria(analysis, KnownCriteria(project))
    ]
    create_review(analysis.call_id, GivenReview(answers, project.name, submits=True), owner)
    close_calibration(calibration.pk, owner)
    return calibration.pk


def add_report_mail(project):
    """Let the owner have the report by mail; return the address of the page."""
    import datetime as dt

    from callscope.pipeline.models import ReportMail

    monday = dt.date(2026, 3, 2)
    ReportMail.objects.get_or_create(
        user=project.owner, project=project, rhythm="weekly", language="en", due_date=monday, problem="unsure"
    )
    return "/report/mails/"


def add_share_links(project, call):
    """Return the pages that make and list share links, and what links to the report and the call open."""
    from callscope.calls.share_links import create_link

    shown = [None, call] if call else [None]
    tokens = [create_link(project.owner, project, days=1, call=each)[1] for each in shown]
    return [f"/shares/?project_id={project.pk}", "/shares/", *(f"/shared/{token}/" for token in tokens)]


def addresses(project, team):
    call = project.calls.order_by("pk").first()
    return [
        *([f"/calls/{call.pk}/review/"] if call else []),
        f"/projects/{project.pk}/replays/{(replay := add_replay(project))}/",
        f"/projects/{project.pk}/replays/{replay}/calls/", f"/projects/{project.pk}/probes/",
        *(f"/projects/{project.pk}/probes/{probe}/" for probe in add_probes(project)),
        "/start/", "/upload/", "/projects/", "/projects/new/", f"/projects/{project.pk}/",
        f"/projects/{project.pk}/files/", f"/projects/{project.pk}/people/",
        *(f"/projects/{project.pk}/settings/{part}/" for part in PARTS),
        f"/projects/{project.pk}/reasons/", f"/projects/{project.pk}/reasons/{add_reason(project)}/",
        f"/projects/{project.pk}/reviews/", f"/projects/{project.pk}/agreement/",
        f"/projects/{project.pk}/samples/", f"/projects/{project.pk}/sampling-plans/",
        f"/projects/{project.pk}/calibrations/",
        *([f"/projects/{project.pk}/calibrations/{add_calibration(project)}/"] if call else []),
        f"/projects/{project.pk}/versions/", "/teams/", f"/teams/{team.pk}/",
        "/keys/", "/usage/", "/audit/", "/account/", "/account/second-factor/", "/invitations/",
        add_report_mail(project), *add_share_links(project, call),
    ]  # fmt: skip


@pytest.mark.django_db
@pytest.mark.one_database
class TestEveryPageForSettingUp:
    def world(self, text):
        """Return a visitor and the pages of a world in which every text is this one."""
        from callscope.accounts.models import User
        from callscope.accounts.services import add_team_member, create_key, create_team
        from callscope.pipeline.models import UsageEntry
        from callscope.projects.services import create_project, share_project

        number = User.objects.count()
        user, friend = (User.objects.create_user(f"{who}{number}@example.com") for who in ("u", "f"))
        team = create_team("Team", admin=user)
        add_team_member(team, friend)
        criterion = {
            "id": "c", "name": text, "max_points": 1, "guideline": text, "applies_when": text,
            "rule": {"any_of": [text], "none_of": [text]},
        }  # fmt: skip
        document = {
            "rubric": {"name": text, "sections": [{"name": text, "criteria": [criterion]}]},
            "contact_reasons": {"codes": [{"code": text, "description": text, "phrases": [text]}]},
            "no_protocol": {"prompts": [{"id": "p", "text": text, "any_of": [text]}]},
            "custom_questions": [text],
            "goal": {"description": text, "phrases": [text]},
            "vocabulary": [text],
        }
        project = create_project(user, "Project", team=team, document=document)
        share_project(project, friend)
        [call] = bring(project, line(1, file_name=f"{number}.srt"))
        call.newest_file.__class__.objects.filter(pk=call.newest_file_id).update(
            original_filename=text[:255], status="failed", error_detail=text
        )
        create_key(user, name=text[:50])
        UsageEntry.objects.create(project=project, kind="analysis", engine=text[:128], model=text[:255])
        project.__class__.objects.filter(pk=project.pk).update(name=text)
        team.__class__.objects.filter(pk=team.pk).update(name=text)
        add_reason(project, text)
        client = visitor_of(user)
        return [(address, client.get(address)) for address in addresses(project, team)]

    def test_leaves_hostile_texts_as_texts(self, db):
        def shapes(text):
            return [
                [(tag, sorted(attributes)) for tag, attributes in page(answer).elements]
                for _, answer in self.world(text)
            ]

        plain = shapes("plain")
        for text in take_hostile(1):
            assert shapes(text) == plain, text

    @pytest.fixture(scope="class")
    @classmethod
    def answers(cls, django_db_setup, django_db_blocker):
        """What the pages answer, asked once: the tests only read it."""
        with django_db_blocker.unblock(), transaction.atomic():
            found = cls().world("Müller & Söhne <b>")
            transaction.set_rollback(True)
        return found

    def test_has_nothing_inline_and_asks_no_other_host(self, answers):
        for name, answer in answers:
            assert "unsafe" not in answer["Content-Security-Policy"]
            for tag, attributes in page(answer).elements:
                assert "style" not in attributes, (name, tag, attributes)
                assert not [a for a in attributes if a.startswith("on")], (name, tag)
                assert tag != "style"
                assert tag != "script" or attributes.get("src")
                for key in ("src", "href", "action", "hx-get"):
                    assert "//" not in (attributes.get(key) or "").split("?")[0], (name, tag, attributes)

    def test_has_one_heading_and_each_id_once(self, answers):
        for name, answer in answers:
            found = page(answer)
            ids = [a["id"] for _, a in found.elements if "id" in a]
            assert len(found.all("h1")) == 1, name
            assert len(ids) == len(set(ids)), (name, sorted(i for i in ids if ids.count(i) > 1))

    def test_speaks_spanish(self, as_alice, alice, project):
        from callscope.accounts.services import create_team

        for address in addresses(project, create_team("T", admin=alice)):
            english = page(as_alice.get(address)).text
            spanish = page(as_alice.get(address, headers={"accept-language": "es"})).text
            assert spanish != english, address

    def test_is_for_people_who_are_signed_in(self, visitor, alice, project):
        from callscope.accounts.services import create_team

        for address in addresses(project, create_team("T", admin=alice)):
            if address.startswith("/shared/"):  # for all who have the link
                continue
            assert visitor.get(address)["Location"].startswith("/login/?next="), address

    def test_refuses_other_methods_with_a_page(self, as_alice, project):
        for part in ("check/", "save/", "yaml/", "try/", "name/", "delete/"):
            answer = as_alice.get(f"/projects/{project.pk}/{part}")
            assert answer.status_code == 405
            assert Page(answer.content.decode()).all("h1")


@pytest.mark.one_database
@pytest.mark.one_database
class TestPathPrefix:
    CODE = """
import json, django
django.setup()
from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from callscope.accounts.sessions import SessionStore
from django.test import RequestFactory
from callscope.accounts.services import create_team
from callscope.accounts.models import User
from callscope.projects.services import create_project
from callscope.wsgi import application
user = User.objects.create_user("alice@example.com", "alice-password")
team = create_team("Team", admin=user)
project = create_project(user, "Project", team=team, document=None)
session = SessionStore()
session[SESSION_KEY] = str(user.pk)
session[BACKEND_SESSION_KEY] = "callscope.accounts.sign_in.EmailBackend"
session[HASH_SESSION_KEY] = user.get_session_auth_hash()
session.save()
cookie = f"{settings.SESSION_COOKIE_NAME}={session.session_key}"
pages = {}
for path in (%s):
    path = "/tools/callscope" + path.format(project=project.pk, team=team.pk)
    environ = RequestFactory().get("/").environ
    info, _, query = path.partition("?")
    environ |= {"PATH_INFO": info, "QUERY_STRING": query, "SCRIPT_NAME": ""}
    environ |= {"HTTP_HOST": "calls.localhost", "HTTP_COOKIE": cookie}
    statuses = []
    body = b"".join(application(environ, lambda status, headers: statuses.append(status)))
    pages[path] = (statuses[0], body.decode())
print(json.dumps(pages))
"""
    PATHS = (
        "/report/?project_id=", "/calls/?project_id=", "/questions/?project_id=", "/start/", "/upload/",
        "/projects/",
        "/projects/new/",
        "/projects/{project}/", "/projects/{project}/files/", "/projects/{project}/people/",
        "/projects/{project}/versions/", "/projects/{project}/probes/", "/projects/{project}/reasons/",
        "/teams/",
        "/teams/{team}/", "/keys/", "/usage/", "/account/", "/account/second-factor/", "/invitations/",
        "/nowhere/",
    )  # fmt: skip
    ADDRESSES = ("href", "src", "action", "hx-get", "hx-post")

    def test_is_in_front_of_every_address_of_every_page(self, tmp_path):
        data = shutil.copytree(prepared.data_folder(), tmp_path / "data")
        environment = {
            "PATH": "/usr/bin:/bin",
            "DJANGO_SETTINGS_MODULE": "callscope.settings",
            "CALLSCOPE_DATA_DIR": str(data),
            "CALLSCOPE_URL_PREFIX": "/tools/callscope",
            "PYTHONPATH": "src",
        }
        code = self.CODE % ", ".join(map(repr, self.PATHS))

        done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)

        assert done.returncode == 0, done.stderr
        pages = json.loads(done.stdout.splitlines()[-1])
        assert len(pages) == len(self.PATHS)
        for path, (status, body) in pages.items():
            assert status.startswith("404" if "nowhere" in path else "200"), (path, status)
            for tag, attributes in Page(body).elements:
                for name, value in attributes.items():
                    if value and (name in self.ADDRESSES or (name.startswith("data-") and value[0] == "/")):
                        assert value.startswith(("/tools/callscope/", "#")), (path, tag, name, value)
