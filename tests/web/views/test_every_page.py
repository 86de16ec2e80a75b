"""What holds for every page: the security policy, errors, caching, a path prefix, hostile texts."""

import shutil
import subprocess
import sys
from html import escape

import pytest
from django.conf import settings
from django.db import transaction
from django.templatetags.static import static

from tests import prepared
from tests.effort import EFFORT, take_share
from tests.web.conftest import (
    CONFIGURATION,
    Page,
    bring,
    bring_three,
    give_transcript,
    line,
    page,
    visitor_of,
)

HOSTILE = [
    "<script>alert(1)</script>", "</title><script>x</script>", "<img src=x onerror=alert(1)>",
    "<svg/onload=alert(1)>",
    '"><b>bold</b>', "'><i>it</i>", "</textarea><h1>", "</option></select><h1>", "</script>", "<!-- comment",
    "-->", "<![CDATA[x]]>", "{{ 7*7 }}", "{% csrf_token %}", "{%", "${7*7}", "&lt;b&gt;", "&amp;amp;",
    "%s %(x)s %%",
    "javascript:alert(1)", "=HYPERLINK(1)", "<a href='javascript:x'>y</a>", "<style>*{display:none}</style>",
    "<iframe src=//x>", "<base href=//x>", "<meta http-equiv=refresh content=0>", "<form action=//x>",
    "<input name=q>",
    "<button>", "<table><tr><td>", "</td></tr></table>", "<plaintext>", "<noscript>", "<template>",
    "<math><mi>",
    "\u202egnp.exe", "\u2028line", "a\tb", "🙂" * 20, "x" * 200,
]  # fmt: skip
LONGEST = 200  # characters of what every field for a text takes


def take_hostile(place):
    """Return a third of the hostile texts, joined to one; with a larger effort all of them, each alone.

    A page that takes one of them for markup has other elements, whatever stands around it.
    """
    if EFFORT > 1:
        return HOSTILE
    joined = " ".join(take_share(HOSTILE, place, one_in=3))
    return [joined[:LONGEST]]


def create_note(*given, **options):
    from callscope.reviews import notes

    return notes.create_note(*given, **options)


def create_project(user, name, document):
    from callscope.projects import services

    return services.create_project(user, name, document=document)


def world_with(project, text):
    """One call that carries the text wherever a text can come in from outside."""
    each = line(1, agent_name=text[:255], campaign=text[:255], topic=text, caller_number=text[:64])
    [entry, other] = each["copc"]["criterion_scores"]
    entry |= {"justification": text, "quote": f"[00:03] {text}"}
    other |= {"justification": text}
    each["no_protocol"] = {
        "mistakes": [{"id": "m", "description": text, "quote": f"[00:01] {text}"}],
        "missing_prompts": [{"id": "p", "description": text}],
    }
    each["custom_questions"] = {"answers": {text: {"answer": text, "quotes": [f"[00:02] {text}"]}}}
    [call] = bring(project, each)
    segments = [{"start": 0.0, "end": 2.0, "speaker": "agent", "text": text, "confidence": None}]
    give_transcript(
        call, engine=text, hosts=[text], segments=segments, quality={"ok": False, "reasons": [text]}
    )
    project.name = text
    project.save()
    create_note(call, text, 3.0, project.owner, is_shared=True)
    return call


@pytest.mark.django_db
class TestTypeface:
    def test_comes_from_this_server_before_the_first_paint(self, visitor):
        [face] = [each for each in page(visitor.get("/login/")).all("link") if each.get("as") == "font"]

        answer = visitor.get(face["href"])

        assert face["rel"] == "preload"
        assert answer.status_code == 200
        assert b"".join(answer.streaming_content).startswith(b"wOF2")


@pytest.mark.django_db
@pytest.mark.one_database
class TestHostileText:
    @pytest.fixture
    def shapes(self, db):
        """Return a function from a text to the element trees of the pages that show it to a new user."""
        from callscope.accounts.models import User

        def of(text):
            user = User.objects.create_user(f"user{User.objects.count()}@example.com")
            project = create_project(user, "New", document=CONFIGURATION)
            call = world_with(project, text)
            client = visitor_of(user)
            addresses = (
                *(
                    f"/report/{part}?project_id="
                    for part in ("", "criteria/", "agents/", "reasons/", "trend/")
                ),
                "/calls/?project_id=",
                f"/calls/{call.pk}/",
                "/questions/?project_id=",
                f"/calls/{call.pk}/review/",
                f"/calls/{call.pk}/details/",
                f"/agents/{call.agent_id}/",
            )
            pages = [page(client.get(address)) for address in addresses]
            return [[(tag, sorted(attributes)) for tag, attributes in p.elements] for p in pages], pages

        return of

    def test_leaves_every_page_as_with_plain_text(self, shapes):
        plain, _ = shapes("plain")

        for text in take_hostile(0):
            found, _ = shapes(text)
            assert found == plain, text

    def test_is_shown_as_it_is(self, shapes):
        _, pages = shapes("<b>Müller & Söhne</b>")

        assert "<b>Müller & Söhne</b>" in pages[2].text

    @pytest.mark.parametrize("name", ["search", "topic", "criterion", "agent", "start_date", "date_range"])
    def test_in_the_address_stays_text(self, as_alice, world, name):
        for text in take_share(HOSTILE, len(name), one_in=3):
            answer = as_alice.get("/calls/", {name: text})

            assert answer.status_code in (200, 400)
            assert (
                escape("<script>alert(1)</script>") in answer.content.decode()
                or b"alert(1)</script>" not in answer.content
            )


@pytest.mark.django_db
class TestSecurityPolicy:
    ADDRESSES = (
        "/login/",
        "/report/?date_range=ytd",
        "/calls/?project_id=",
        "/calls/?sentiment=positive",
        "/questions/?project_id=",
        "call",
        "review",
        "details",
        "/nope/",
    )

    @pytest.fixture(scope="class")
    @classmethod
    def answers(cls, django_db_setup, django_db_blocker):
        """Each page as Alice sees it, asked for once: the tests only read the answers."""
        from callscope.accounts.models import User

        with django_db_blocker.unblock(), transaction.atomic():
            alice = User.objects.create_user("alice@example.com", "alice-password")
            call = bring_three(create_project(alice, "Service line", document=CONFIGURATION))[0]
            give_transcript(call)
            of_call = {"call": f"/calls/{call.pk}/"}
            of_call |= {each: f"/calls/{call.pk}/{each}/" for each in ("review", "details")}
            client = visitor_of(alice)
            found = {each: client.get(of_call.get(each, each), follow=True) for each in cls.ADDRESSES}
            transaction.set_rollback(True)
        return found

    @pytest.fixture(params=ADDRESSES)
    def shown(self, request, answers):
        answer = answers[request.param]
        return answer, Page(answer.content.decode())

    def test_allows_only_ourselves(self, shown):
        policy = shown[0]["Content-Security-Policy"]

        assert "default-src 'self'" in policy
        assert "unsafe" not in policy

    def test_has_nothing_inline(self, shown):
        for tag, attributes in shown[1].elements:
            assert "style" not in attributes, (tag, attributes)
            assert not [name for name in attributes if name.startswith("on")], (tag, attributes)
            assert tag != "style"
            assert tag != "script" or attributes.get("src")

    def test_asks_no_other_host(self, shown):
        for tag, attributes in shown[1].elements:
            for name in ("src", "href", "action", "hx-get", "hx-post"):
                assert "//" not in (attributes.get(name) or "").split("?")[0], (tag, attributes)

    def test_has_a_title_a_language_and_one_heading(self, shown):
        _, found = shown

        assert found.all("html")[0]["lang"] == "en"
        assert len(found.all("h1")) == 1
        assert found.all("main")

    def test_has_each_id_once(self, shown):
        ids = [attributes["id"] for _, attributes in shown[1].elements if "id" in attributes]

        assert len(ids) == len(set(ids))


@pytest.mark.django_db
class TestErrorPages:
    def test_tells_a_missing_page(self, as_alice):
        assert "This page cannot be shown" in page(as_alice.get("/nope/"), 404).text

    def test_tells_what_belongs_to_somebody_else_in_the_same_words(self, as_carol, world):
        absent = page(as_carol.get("/calls/999999/"), 404).text

        assert page(as_carol.get(f"/calls/{world[0].pk}/"), 404).text == absent

    def test_tells_an_expired_form(self, alice):
        strict = visitor_of(alice, enforce_csrf_checks=True)

        assert "expired" in page(strict.post("/logout/"), 403).text

    def test_lead_back_to_the_form_that_was_refused(self, alice):
        strict = visitor_of(alice, enforce_csrf_checks=True)

        found = page(strict.post("/keys/", headers={"Referer": "http://testserver/keys/"}), 403)

        assert [each for each in found.all("a", href="http://testserver/keys/") if "data-back" in each]
        assert "Back to the form" in found.text
        assert "Go back and send the form again." in found.text

    def test_tells_a_crash_without_asking_the_database(self, rf, django_assert_num_queries):
        from callscope.interfaces.web.views import errors
        from callscope.processes.log_formats import note

        with django_assert_num_queries(0):
            answer = errors.crashed(rf.get("/"))

        assert "Something went wrong" in page(answer, 500).text
        with note(request_id="4f1c"):
            assert "the log has it under 4f1c" in page(errors.crashed(rf.get("/")), 500).text

    @pytest.mark.parametrize(("method", "is_offered"), [("get", True), ("post", False)])
    def test_offers_to_load_a_page_again_while_the_database_is_busy(self, rf, method, is_offered):
        from callscope.db.trouble import PassingTrouble
        from callscope.interfaces.web.views import errors

        try:
            raise PassingTrouble
        except PassingTrouble:
            answer = errors.crashed(getattr(rf, method)("/calls/?page=2"))

        assert bool(page(answer, 503).all("a", href="/calls/?page=2")) == is_offered
        assert ("Go back and send it again" in page(answer, 503).text) != is_offered

    @pytest.mark.parametrize(
        "address",
        [
            "/report/?project_id=x",
            "/report/?team=x",
            "/calls/?page=0",
            "/calls/?page=x",
            "/report/?project_id=99999999999999999999",
        ],
    )
    def test_answers_nonsense_in_the_address_with_404(self, as_alice, world, address):
        assert as_alice.get(address).status_code == 404

    @pytest.mark.parametrize(
        "address",
        [
            "/report/?start_date=2026-02-31",
            "/calls/?date_range=ever",
            "/calls/?agent=x",
            "/report/?start_date=2026-03-02&end_date=2026-03-01",
        ],
    )
    def test_tells_dates_and_filters_that_cannot_be_used(self, as_alice, world, address):
        assert page(as_alice.get(address), 400).all("div", role="alert")


@pytest.mark.django_db
class TestStaticFiles:
    def test_may_be_kept_for_good(self, visitor):
        answer = visitor.get(static("web/css/base.css"))
        b"".join(answer.streaming_content)

        assert answer.status_code == 200
        assert "immutable" in answer["Cache-Control"]

    def test_have_a_version_in_their_address(self):
        assert settings.STATIC_URL.strip("/").split("/")[-1].isalnum()
        assert settings.STATIC_URL != "/static/"

    def test_are_all_there(self, visitor, as_alice, world):
        for address in (
            "/login/",
            "/report/?project_id=",
            f"/calls/{world[0].pk}/",
            f"/calls/{world[0].pk}/review/",
        ):
            for tag, attributes in page(as_alice.get(address, follow=True)).elements:
                name = (attributes.get("src") or attributes.get("href") or "").split("#")[0]
                if name.startswith("/static/"):
                    answer = visitor.get(name)
                    b"".join(answer.streaming_content)
                    assert answer.status_code == 200, (tag, name)

    def test_icons_that_pages_use_are_drawn(self):
        import re
        from pathlib import Path

        web = Path(settings.LOCALE_PATHS[0]).parent / "interfaces" / "web"
        drawn = set(re.findall(r'id="([\w-]+)"', (web / "templates/web/icons.svg").read_text()))
        used = {
            name
            for template in web.rglob("*.html")
            for name in re.findall(r'{% icon "([\w-]+)"', template.read_text())
        }

        assert used <= drawn


@pytest.mark.one_database
@pytest.mark.one_database
class TestPathPrefix:
    CODE = """
import django
from django.conf import settings
django.setup()
from django.template.loader import render_to_string
from django.test import RequestFactory
from django.urls import reverse, set_script_prefix
from callscope.wsgi import application
started = []
def get(path):
    environ = RequestFactory().get("/").environ
    environ |= {"PATH_INFO": path, "SCRIPT_NAME": "", "HTTP_HOST": "calls.localhost"}
    started.clear()
    body = b"".join(application(environ, lambda status, headers: started.append((status, dict(headers)))))
    return started[0][0], started[0][1], body.decode()
for path in ("/tools/callscope/report/", "/report/"):
    status, headers, _ = get(path)
    assert status == "302 Found", status
    assert headers["Location"] == "/tools/callscope/login/?next=/tools/callscope/report/", headers
status, headers, body = get("/tools/callscope/login/")
assert status == "200 OK"
assert 'action="/tools/callscope/login/"' in body
assert 'href="/tools/callscope/static/' in body
assert "Path=/tools/callscope/" in headers["Set-Cookie"], headers
sheet = body.split('rel="stylesheet" href="')[1].split('"')[0]
for path in (sheet, sheet.removeprefix("/tools/callscope")):
    assert get(path)[0] == "200 OK", path
"""

    def test_is_kept_whether_the_proxy_takes_it_off_or_leaves_it_on(self, tmp_path):
        data = tmp_path / "data"
        shutil.copytree(prepared.data_folder(), data)
        environment = {
            "PATH": "/usr/bin:/bin",
            "DJANGO_SETTINGS_MODULE": "callscope.settings",
            "CALLSCOPE_DATA_DIR": str(data),
            "CALLSCOPE_URL_PREFIX": "/tools/callscope",
            "PYTHONPATH": "src",
        }

        done = subprocess.run(
            [sys.executable, "-c", self.CODE], env=environment, capture_output=True, text=True
        )

        assert done.returncode == 0, done.stderr
