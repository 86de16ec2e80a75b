"""What the user of an agent sees: own calls, and nothing else of the project, on every route and page.

Each route has its answer declared here. What is closed answers exactly as to somebody who has never
heard of the project; what is open shows the other agent's calls as if they did not exist.
"""

import copy
import csv
import io
import json
from types import SimpleNamespace

import pytest
from cast import CSRF, Caller, Target, document, fill, person, with_key, with_session
from django.urls import get_resolver
from rest_framework.test import APIClient

from callscope.accounts.services import create_key
from callscope.calls.models import Agent, AgentUser, Call
from callscope.calls.own_calls import link_user
from callscope.pipeline.decisions.review_edits import change_review
from callscope.pipeline.erasure import removal
from callscope.pipeline.erasure.users import erase_user
from callscope.projects.services import create_project, share_project
from callscope.reports.overview.report import build_report, report_json
from callscope.reviews.answers import GivenAnswer
from callscope.reviews.models import Calibration
from callscope.reviews.revisions import GivenReview
from tests.api.test_matrix import (
    FOR_EVERYBODY,
    MATRIX,
    PAGES,
    PROJECT_PAGES,
    TEAM_PAGES,
    address,
    ask,
    body_for,
    masked,
    routed,
)
from tests.conftest import copy_recordings
from tests.effort import take_share
from tests.sheets import read_sheet

pytestmark = pytest.mark.django_db

# What an agent's user is answered about an own call or its project; every other method is closed.
OPEN = {
    "calls/api/report/": {"GET": 200},
    "calls/api/report/pdf/": {"GET": 200},
    "calls/api/report/findings/": {"GET": 200},
    "calls/api/report/agent-criteria/": {"GET": 200},
    "calls/api/report/week-hours/": {"GET": 200},
    "calls/api/report/trend/": {"GET": 200},
    "calls/api/calls/": {"GET": 200},
    "calls/api/calls/<int:call_id>/": {"GET": 200},
    "calls/api/<int:call_id>/appeals/": {"GET": 200, "POST": 409},  # too late
    "calls/api/<int:call_id>/acknowledge/": {"POST": 409},  # no review stands
    "calls/api/<int:call_id>/notes/": {"GET": 200},
    "calls/api/agents/<int:agent_id>/": {"GET": 200},
    "calls/api/appeals/": {"GET": 200},
    "calls/api/appeals/<int:appeal_id>/decide/": {"POST": 403},
    "calls/api/appeals/<int:appeal_id>/withdraw/": {"POST": 403},  # another person filed it
    "api/projects/": {"GET": 200},
    "api/projects/<int:project_id>/": {"GET": 200, "PATCH": 403, "DELETE": 403},
    "api/files/<int:file_id>/content/": {"GET": 200},
    "api/transcripts/<int:file_id>/": {"GET": 200},
}
CLOSED = {
    "calls/api/calibrations/", "calls/api/calibrations/<int:calibration_id>/",
    "calls/api/calibrations/<int:calibration_id>/close/",
    "calls/api/calibrations/<int:calibration_id>/settle/",
    "api/projects/<int:project_id>/steadiness/",
    "api/projects/<int:project_id>/steadiness/<int:steadiness_id>/",
    "api/projects/<int:project_id>/fairness-probes/",
    "api/projects/<int:project_id>/fairness-probes/<int:fairness_id>/",
    "calls/api/analysis-status/", "calls/api/custom-questions/", "calls/api/agreement/",
    "calls/api/notes/<int:note_id>/",
    "calls/api/sampling-plans/", "calls/api/sampling-plans/<int:plan_id>/",
    "calls/api/review-samples/", "calls/api/review-samples/<int:sample_id>/", "calls/api/recluster/",
    "calls/api/reasons/", "calls/api/reasons/codes/", "calls/api/reasons/merge/",
    "calls/api/reasons/history/",
    "calls/api/reasons/history/<int:change_id>/undo/", "calls/api/reasons/<int:reason_id>/",
    "calls/api/reasons/<int:reason_id>/split/", "calls/api/reasons/<int:reason_id>/calls/",
    "calls/api/<int:call_id>/reviews/", "calls/api/reviews/<int:review_id>/",
    "api/projects/<int:project_id>/call-manifest/", "api/projects/<int:project_id>/retry-failed/",
    "api/projects/<int:project_id>/lint/", "api/projects/<int:project_id>/replays/",
    "api/projects/<int:project_id>/replays/<int:replay_id>/",
    "api/projects/<int:project_id>/replays/<int:replay_id>/publish/",
    "api/projects/<int:project_id>/rescore/", "api/projects/<int:project_id>/rubric-versions/",
    "api/projects/<int:project_id>/rubric-versions/<int:number>/restore/",
    "api/projects/<int:project_id>/agent-users/", "api/projects/<int:project_id>/agent-users/<int:link_id>/",
    "api/files/", "api/files/<int:file_id>/", "api/tasks/<str:task_id>/retry/",
    "api/keys/<str:prefix>/", "api/invitations/",
    "api/invitations/<int:invitation_id>/", "api/audit/", "api/usage/",
}  # fmt: skip
OF_THEIR_OWN = {"api/keys/", "api/schema/"}  # the same for everybody who is signed in
OPEN_PAGES = {
    "appeals/", "agents/<int:agent_id>/",
    "report/criteria/", "report/agents/", "report/reasons/", "report/trend/",
    "", "report/", "report/<slug:table>.csv", "report/<slug:table>.xlsx", "calls/", "calls/export.csv",
    "calls/export.xlsx", "calls/choices/", "calls/<int:call_id>/",
}  # fmt: skip
ACTING_PAGES = {  # what they answer about own calls
    "calls/<int:call_id>/appeals/": 400,  # an appeal of the criterion waits
    "calls/<int:call_id>/acknowledge/": 302,
    "appeals/<int:appeal_id>/withdraw/": 403,  # another person filed it
}
CLOSED_PAGES = (PAGES | PROJECT_PAGES | TEAM_PAGES) - OPEN_PAGES - ACTING_PAGES.keys()
# Pages that hold nothing of any project; each says who is signed in, or sets something for them.
PERSONAL_PAGES = {
    "login/", "login/code/", "login/sso/", "login/sso/done/", "login/sso/left/", "logout/", "api/docs/",
    "invitations/", "invitations/<int:invitation_id>/", "account/second-factor/", "password/forgotten/",
    "upload/", "upload/sentences/", "upload/states/", "start/", "start/samples/", "projects/",
    "projects/new/", "teams/", "teams/<int:team_id>/", "teams/<int:team_id>/<int:user_id>/",
    "keys/", "keys/<str:prefix>/revoke/", "usage/", "audit/", "audit/export.csv", "account/",
    "account/sessions/end/", "preferences/theme/", "preferences/language/", "preferences/shortcuts/",
    "preferences/rows/",
    "users/", "users/<int:user_id>/", "users/<int:user_id>/change/", "users/<int:user_id>/erase/",
    "users/<int:user_id>/email/", "account/email/<str:token>/",
    "questions/", "questions/export.csv", "questions/export.xlsx", "reviews/", "report/progress/",
    "report/origin/", "report/regroup/", "report/mails/", "report/mails/<int:mail_id>/end/",
    "report/mails/<int:mail_id>/send/", "calls/chosen/", "calls/views/",
    "shares/", "shares/<int:link_id>/revoke/",
}  # fmt: skip


class World:
    """A project with calls of two agents, a user linked to the first, and somebody without any link."""

    def __init__(self) -> None:
        self.owner, self.user, self.stranger = person("owner"), person("agent"), person("stranger")
        self.project = create_project(self.owner, "Line", document=document("RUBRIC"))
        self.mine, self.other = fill(self.project, "MINE"), fill(self.project, "OTHER")
        self.foreign = fill(create_project(self.owner, "CANARY project"), "CANARY")
        AgentUser.objects.all().delete()
        self.agent = Agent.objects.get(pk=self.mine.agent)
        self.link = link_user(self.project, self.user.email, self.agent)
        self.callers = [
            Caller("session", with_session(self.user), "agent", self.user),
            Caller("key", with_key(self.user)[1], "agent", self.user),
        ]
        self.outsiders = [
            Caller("session", with_session(self.stranger), None, self.stranger),
            Caller("key", with_key(self.stranger)[1], None, self.stranger),
        ]


@pytest.fixture(scope="module")
def made(rows_of_module) -> World:
    with rows_of_module():
        return World()


@pytest.fixture
def world(made, db, recordings_of_module) -> World:
    copy_recordings(recordings_of_module)
    return copy.deepcopy(made)


@pytest.fixture(autouse=True)
def _figures_for_a_pdf(monkeypatch):
    """Answer with what the PDF would be printed from: its words can be searched."""
    from callscope.interfaces.api.views.reports import pdf as module

    def report_pdf(projects, window, *, agent_id, **_options):
        content = json.dumps(report_json(build_report(projects, window, agent_id))).encode()
        return SimpleNamespace(content=content, file_name="x.pdf", narrative=SimpleNamespace(reply=None))

    monkeypatch.setattr(module, "build_report_pdf", report_pdf)


def words_in(content: bytes) -> set[str]:
    return {word for word in ("OTHER", "CANARY") if word.encode() in content}


def queries(route: str) -> list[str]:
    return list(MATRIX[route])


class TestEveryRoute:
    def test_has_an_answer_for_the_user_of_an_agent(self):
        declared = set(OPEN) | CLOSED | OF_THEIR_OWN | OPEN_PAGES | ACTING_PAGES.keys() | CLOSED_PAGES

        assert set(routed(get_resolver().url_patterns)) == declared | FOR_EVERYBODY
        assert not set(OPEN) & CLOSED

    def test_that_is_closed_answers_as_to_a_stranger(self, world):
        wrong = []
        pairs = list(zip(world.callers, world.outsiders, strict=True))
        closed = [(route, query) for route in sorted(CLOSED) for query in queries(route)]
        for place, (route, query) in enumerate(closed):
            for number, target in enumerate((world.mine, world.other, world.foreign)):
                url = address(route, target) + query.format(**vars(target))
                for method in ("GET", "POST", "PATCH", "DELETE"):
                    arguments = body_for(route, method, target)
                    # What nobody may do here is tried by one caller for one target.
                    is_useless = method not in MATRIX[route][query]
                    asking = take_share(pairs, place + number, one_in=2)
                    if is_useless:
                        asking = take_share(asking, place + number, one_in=3)
                    for caller, outsider in asking:
                        answers = [ask(who, method, url, arguments) for who in (caller, outsider)]
                        first, second = ((a.status_code, masked(a.read_bytes, target)) for a in answers)
                        if first != second or words_in(first[1]):
                            wrong.append((caller.name, method, url, first, second))
        assert wrong == []

    def test_that_is_open_shows_own_calls_alone(self, world):
        wrong = []
        for route, methods in OPEN.items():
            for query in queries(route):
                for method, expected in methods.items():
                    url = address(route, world.mine) + query.format(**vars(world.mine))
                    for caller in world.callers:
                        response = ask(caller, method, url, body_for(route, method, world.mine))
                        if response.status_code != expected or words_in(response.read_bytes):
                            wrong.append(
                                (caller.name, method, url, response.status_code, response.read_bytes)
                            )
        assert wrong == []

    def test_that_is_open_says_of_other_calls_what_it_says_of_none(self, world):
        wrong = []
        for route, methods in OPEN.items():
            for query in queries(route):
                if "<" not in route and "{" not in query:
                    continue
                for method in methods:
                    for target in (world.other, world.foreign):
                        asked = Target(**{**vars(target), "project": world.foreign.project})
                        answers = []
                        for each in (asked, Target()):
                            url = address(route, each) + query.format(**vars(each))
                            response = ask(world.callers[0], method, url, body_for(route, method, each))
                            body = masked(response.read_bytes, each).replace(
                                str(each.agent).encode(), b"<id>"
                            )
                            answers.append((response.status_code, body))
                        if answers[0] != answers[1]:
                            wrong.append((method, route, query, *answers))
        assert wrong == []

    def test_refuses_changes_of_own_calls(self, world):
        for method, route in (
            ("PATCH", "api/files/<int:file_id>/"),
            ("DELETE", "api/files/<int:file_id>/"),
            ("POST", "calls/api/<int:call_id>/reviews/"),
            ("POST", "api/projects/<int:project_id>/call-manifest/"),
        ):
            url = address(route, world.mine)
            response = ask(world.callers[0], method, url, body_for(route, method, world.mine))

            assert response.status_code in (403, 404), (method, route)


@pytest.mark.one_database
class TestEveryPage:
    def test_that_is_open_shows_own_calls_alone(self, world):
        client = world.callers[0]
        scope = f"?project_id={world.project.pk}"
        wrong = []
        for page in sorted(OPEN_PAGES):
            narrowing = (
                f"&agent={world.other.agent}",
                f"&reason={world.other.reason}",
                "&search=OTHER",
                "&criterion=OTHER-criterion",
            )
            for query in ("", scope, *(scope + each for each in narrowing)):
                response = ask(client, "GET", address(page, world.mine) + query, {})
                shown = response.read_bytes.replace(b"search=OTHER", b"").replace(b"OTHER-criterion", b"")
                shown = shown.replace(b'value="OTHER"', b"").replace(b"Search: OTHER", b"")
                if response.status_code not in (200, 302) or words_in(shown):
                    wrong.append((page, query, response.status_code))
        assert wrong == []

    def test_that_is_closed_is_absent_for_own_and_other_calls(self, world):
        wrong = []
        for page in sorted(CLOSED_PAGES - PERSONAL_PAGES):
            for target in (world.mine, world.other):
                for method in ("GET", "POST"):
                    arguments = {"data": {"csrfmiddlewaretoken": CSRF}} if method == "POST" else {}
                    response = ask(world.callers[0], method, address(page, target), arguments)
                    if response.status_code not in (404, 405):
                        wrong.append((page, method, response.status_code))
        assert wrong == []

    def test_that_is_personal_holds_nothing_of_the_project(self, world):
        words = (b"OTHER", b"CANARY", b"MINE", b"RUBRIC")
        wrong = []
        for page in sorted(PERSONAL_PAGES):
            for query in ("", f"?project_id={world.project.pk}"):
                response = ask(world.callers[0], "GET", address(page, world.mine) + query, {})
                if any(word in response.read_bytes for word in words):
                    wrong.append((page, query))
        assert wrong == []

    def test_that_acts_on_own_calls_finds_no_others(self, world):
        for page, answer in ACTING_PAGES.items():
            for target, expected in ((world.mine, answer), (world.other, 404), (world.foreign, 404)):
                data = {"criterion_id": target.criterion, "reason": "x", "csrfmiddlewaretoken": CSRF}
                response = ask(world.callers[0], "POST", address(page, target), {"data": data})

                assert (response.status_code, words_in(response.read_bytes)) == (expected, set()), page

    def test_of_another_call_is_absent(self, world):
        for target in (world.other, world.foreign, Target()):
            response = ask(world.callers[0], "GET", f"/calls/{target.call}/", {})

            assert response.status_code == 404

    def test_of_a_reason_does_not_name_it(self, world):
        response = ask(
            world.callers[0], "GET", f"/calls/?project_id={world.project.pk}&reason={world.other.reason}", {}
        )

        assert b"OTHER" not in response.read_bytes

    def test_exports_own_calls_alone(self, world):
        response = ask(world.callers[0], "GET", f"/calls/export.csv?project_id={world.project.pk}", {})

        rows = list(csv.DictReader(io.StringIO(response.read_bytes.decode("utf-8-sig"))))
        assert [row["file_name"] for row in rows] == ["MINE.wav"]

    def test_takes_own_calls_alone_to_excel(self, world):
        response = ask(world.callers[0], "GET", f"/calls/export.xlsx?project_id={world.project.pk}", {})

        head, *rows = read_sheet(response.read_bytes)
        assert [row[head.index("File")] for row in rows] == ["MINE.wav"]


class TestFigures:
    def test_are_those_of_own_calls(self, world):
        client = world.callers[0].client

        report = client.get(f"/calls/api/report/?project_id={world.project.pk}").json()

        assert (report["total_calls_all_time"], report["headline"]["total_calls"]) == (1, 1)
        assert [row["agent"] for row in report["agents"]] == ["MINE Ruiz"]
        assert [row["topic"] for row in report["contact_reasons"]] == ["MINE reason"]
        assert [row["reason_id"] for row in report["contact_reasons"]] == [None]
        assert {row["criterion_id"]: row["calls"] for row in report["scorecard"]} == {
            "RUBRIC-criterion": 0,
            "MINE-criterion": 1,
        }
        assert report["failed_calls"] == 1

    def test_equal_the_report_of_a_project_with_these_calls_alone(self, world):
        """The other agent's calls change no figure: without them the owner reads the same."""
        client = world.callers[0].client
        url = f"/calls/api/report/?project_id={world.project.pk}"
        own = client.get(url).json()
        for call in Call.objects.filter(project=world.project).exclude(agent=world.agent):
            removal.erase_call(call)

        everything = with_key(world.owner)[1].get(url).json()

        for row in everything["contact_reasons"]:
            row["reason_id"] = None
        assert own == everything

    def test_follow_in_the_list_whatever_agent_is_asked_for(self, world):
        client, url = world.callers[0].client, f"/calls/api/calls/?project_id={world.project.pk}"

        counts = [
            client.get(url + query).json()["count"]
            for query in ("", f"&agent={world.mine.agent}", f"&agent={world.other.agent}", "&agent=none")
        ]

        assert counts == [1, 1, 0, 0]

    def test_come_from_the_first_linked_project_where_none_is_named(self, world):
        second = create_project(world.owner, "Second")
        fill(second, "SECOND")
        link_user(second, world.user.email, Agent.objects.get(name="SECOND Ruiz"))
        client = world.callers[0].client

        assert client.get("/calls/api/report/").json()["total_calls_all_time"] == 1
        assert [each["file_name"] for each in client.get("/calls/api/calls/").json()["results"]] == [
            "MINE.wav"
        ]
        named = client.get(f"/calls/api/calls/?project_id={second.pk}").json()
        assert [each["file_name"] for each in named["results"]] == ["SECOND.wav"]


class TestAnOwnCall:
    def test_names_no_colleague_and_no_engine(self, world):
        Calibration.objects.all().delete()  # in which the owner rates the call
        answers = [GivenAnswer(world.mine.criterion, "not_met")]
        change_review(world.mine.review, GivenReview(answers, submits=True), world.owner)
        client = world.callers[0].client

        detail = client.get(f"/calls/api/calls/{world.mine.call}/").json()
        transcript = client.get(f"/api/transcripts/{world.mine.file}/").json()

        assert detail["review"]["reviewer"] is None
        assert (detail["provenance"], detail["transcript"], detail["analysis_errors"]) == (None, None, {})
        assert world.owner.email.encode() not in client.get(f"/calls/{world.mine.call}/").content
        assert transcript["segments"]

    def test_is_gone_when_it_becomes_somebody_elses(self, world):
        client = world.callers[0].client
        owner = with_key(world.owner)[1]
        owner.patch(
            f"/api/files/{world.mine.file}/", {"agent_id": "OTHER-7", "agent_name": ""}, format="json"
        )

        assert client.get(f"/calls/api/calls/{world.mine.call}/").status_code == 404
        assert client.get(f"/api/files/{world.mine.file}/content/").status_code == 404
        assert client.get(f"/calls/api/calls/?project_id={world.project.pk}").json()["count"] == 0


class TestAProject:
    def test_shows_its_name_and_kind(self, world):
        client = world.callers[0].client
        shown = {"id": world.project.pk, "name": "Line", "type": "call", "role": "agent"}

        assert client.get(f"/api/projects/{world.project.pk}/").json() == shown
        assert client.get("/api/projects/").json()["results"] == [shown]

    def test_stays_as_it_was_for_members_who_are_linked_too(self, world):
        share_project(world.project, world.user)
        client = world.callers[0].client

        assert client.get(f"/api/projects/{world.project.pk}/").json()["role"] == "viewer"
        assert client.get(f"/calls/api/calls/?project_id={world.project.pk}").json()["count"] == 2
        assert client.get(f"/calls/api/calls/{world.other.call}/").status_code == 200

    def test_is_closed_to_keys_of_another_one(self, world):
        aside = create_project(world.user, "Aside")
        client = APIClient()
        _key, plaintext = create_key(world.user, name="aside", project_id=aside.pk)
        client.credentials(HTTP_AUTHORIZATION=f"Api-Key {plaintext}")

        assert client.get(f"/calls/api/calls/{world.mine.call}/").status_code == 404
        assert client.get(f"/calls/api/report/?project_id={world.project.pk}").status_code == 404
        assert [each["id"] for each in client.get("/api/projects/").json()["results"]] == [aside.pk]


class TestALink:
    def test_is_made_listed_and_removed_by_managers(self, world):
        owner, url = with_key(world.owner)[1], f"/api/projects/{world.project.pk}/agent-users/"

        made = owner.post(url, {"email": "New@Example.com", "agent_id": world.other.agent}, format="json")

        assert (made.status_code, made.json()["email"], made.json()["agent"]) == (
            201,
            "new@example.com",
            "OTHER Ruiz",
        )
        assert owner.get(url).json()["count"] == 2
        assert owner.delete(f"{url}{made.json()['id']}/").status_code == 204
        assert owner.delete(f"{url}{made.json()['id']}/").status_code == 404

    def test_takes_the_clients_own_id_as_text(self, world):
        owner, url = with_key(world.owner)[1], f"/api/projects/{world.project.pk}/agent-users/"

        assert (
            owner.post(url, {"email": "a@example.com", "agent_id": "OTHER-7"}, format="json").json()[
                "agent_id"
            ]
            == world.other.agent
        )

    def test_names_no_agent_of_another_project(self, world):
        owner, url = with_key(world.owner)[1], f"/api/projects/{world.project.pk}/agent-users/"

        for agent_id in (world.foreign.agent, 99999999, 0, -1, "nobody", "CANARY-7"):
            refused = owner.post(url, {"email": "a@example.com", "agent_id": agent_id}, format="json")
            assert refused.status_code == 400
            assert refused.json() == {
                "agent_id": [f"No agent with calls in this project has the id {agent_id}."]
            }
        for agent_id in (None, True, 1.5, [], {}, "", "x" * 65, "a\x00b", 10**30):
            refused = owner.post(url, {"email": "a@example.com", "agent_id": agent_id}, format="json")
            assert (refused.status_code, list(refused.json())) == (400, ["agent_id"])

    def test_does_not_say_whether_an_account_exists(self, world):
        owner, url = with_key(world.owner)[1], f"/api/projects/{world.project.pk}/agent-users/"

        answers = [
            owner.post(url, {"email": email, "agent_id": world.mine.agent}, format="json").json()
            for email in (world.stranger.email, "nobody@example.com")
        ]

        assert [list(answer) for answer in answers] == [
            ["id", "email", "agent_id", "agent", "created_at"]
        ] * 2

    def test_goes_with_the_user(self, world):
        receipt = erase_user(world.user)

        assert receipt.counts["agent_users"] == 1
        assert not AgentUser.objects.exists()

    def test_goes_with_the_calls_of_the_agent(self, world):
        receipt = removal.erase_agent(world.project, world.agent)

        assert receipt.counts["agent_users"] == 1
        assert not AgentUser.objects.exists()
        assert world.callers[0].client.get("/api/projects/").json()["count"] == 0

    def test_goes_with_the_project(self, world):
        receipt = removal.delete_project(world.project)

        assert receipt.counts["agent_users"] == 1
        assert not AgentUser.objects.exists()
