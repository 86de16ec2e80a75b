"""Who gets what: every kind of caller × every route × every method × own, foreign and absent ids."""

import copy
import io
import itertools
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from cast import ABSENT_ID, ABSENT_TASK, CSRF, Caller, Cast, Target, make_cast, with_session
from django.db import transaction
from django.urls import URLPattern, URLResolver, get_resolver

from callscope.calls.models import Agent
from callscope.pipeline.transfer.importer import import_calls
from callscope.projects.models import Project
from callscope.reports.overview.report import build_report, report_json
from tests.api.samples import SRT, named
from tests.conftest import copy_recordings
from tests.effort import EFFORT, take_share

pytestmark = pytest.mark.django_db

METHODS = ("GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE")
ROLES = ("viewer", "editor", "admin", "owner")
WRITERS = ("editor", "admin", "owner")
MANAGERS = ("admin", "owner")

MOMENT = re.compile(rb"\d{4}-\d\d-\d\dT[\d:.]+Z")
Expected = Callable[[str | None, bool], int]


def object_of(roles: tuple[str, ...], success: int) -> Expected:
    """Absent for who cannot see it, 403 for a role that is too weak."""

    def status(role: str | None, is_own: bool) -> int:
        if not is_own or role is None:
            return 404
        return success if role in roles else 403

    return status


def changing_review(role: str | None, is_own: bool) -> int:
    """Every writer but the owner, who rates the call in an open calibration."""
    return 409 if is_own and role == "owner" else object_of(WRITERS, 200)(role, is_own)


def always(success: int) -> Expected:
    return lambda _role, _is_own: success


def unreachable(status: int, success: int) -> Expected:
    return lambda role, is_own: success if is_own and role else status


def uploading(role: str | None, is_own: bool) -> int:
    if not is_own or role is None:
        return 400
    return 201 if role in WRITERS else 403


def inviting(role: str | None, is_own: bool) -> int:
    if not is_own or role is None:
        return 400
    return 201 if role in MANAGERS else 403


def creating(role: str | None, is_own: bool) -> int:
    return 201


def managing(success: int) -> Expected:
    """Absent for everybody who does not manage it, since only managers see it."""
    return lambda role, is_own: success if is_own and role in MANAGERS else 404


def merging(role: str | None, is_own: bool) -> int:
    if not is_own or role is None:
        return 400
    return 200 if role in WRITERS else 403


def drawing(role: str | None, is_own: bool) -> int:
    if not is_own or role is None:
        return 400
    return 201 if role in WRITERS else 403


# route → method → what to expect; {name} is filled from the target, what follows ? belongs to the case.
MATRIX: dict[str, dict[str, dict[str, Expected]]] = {
    "calls/api/report/": {"?project_id={project}": {"GET": unreachable(404, 200)}, "": {"GET": always(200)}},
    "calls/api/report/findings/": {
        "?project_id={project}": {"GET": unreachable(404, 200)},
        "": {"GET": always(200)},
    },
    "calls/api/report/agent-criteria/": {
        "?project_id={project}": {"GET": unreachable(404, 200)},
        "": {"GET": always(200)},
    },
    "calls/api/report/week-hours/": {
        "?project_id={project}": {"GET": unreachable(404, 200)},
        "": {"GET": always(200)},
    },
    "calls/api/report/trend/": {
        "?project_id={project}": {"GET": unreachable(404, 200)},
        "": {"GET": always(200)},
    },
    "calls/api/report/pdf/": {"?project_id={project}": {"GET": unreachable(404, 200)}},
    "calls/api/calls/": {
        "?project_id={project}": {"GET": always(200)},
        "?agent={agent}": {"GET": always(200)},
        "?search=canary": {"GET": always(200)},
        "": {"GET": always(200)},
    },
    "calls/api/calls/<int:call_id>/": {"": {"GET": object_of(ROLES, 200)}},
    "calls/api/analysis-status/": {"?project_id={project}": {"GET": always(200)}, "": {"GET": always(200)}},
    "calls/api/custom-questions/": {"?project_id={project}": {"GET": always(200)}, "": {"GET": always(200)}},
    "calls/api/agreement/": {
        "?project_id={project}": {"GET": unreachable(404, 200)},
        "": {"GET": always(200)},
    },
    "calls/api/review-samples/": {
        "?project_id={project}": {"GET": always(200), "POST": drawing},
        "": {"GET": always(200), "POST": drawing},
    },
    "calls/api/review-samples/<int:sample_id>/": {
        "": {"GET": object_of(WRITERS, 200), "DELETE": object_of(WRITERS, 204)}
    },
    "calls/api/<int:call_id>/notes/": {"": {"GET": object_of(WRITERS, 200), "POST": object_of(WRITERS, 201)}},
    "calls/api/notes/<int:note_id>/": {
        "": {"PATCH": object_of(WRITERS, 200), "DELETE": object_of(WRITERS, 204)}
    },
    "calls/api/agents/<int:agent_id>/": {"?project_id={project}": {"GET": object_of(ROLES, 200)}},
    "calls/api/sampling-plans/": {
        "?project_id={project}": {"GET": always(200), "POST": drawing},
        "": {"GET": always(200), "POST": drawing},
    },
    "calls/api/sampling-plans/<int:plan_id>/": {"": {"DELETE": object_of(WRITERS, 204)}},
    "calls/api/calibrations/": {
        "?project_id={project}": {"GET": always(200), "POST": drawing},
        "": {"GET": always(200), "POST": drawing},
    },
    "calls/api/calibrations/<int:calibration_id>/": {"": {"GET": object_of(WRITERS, 200)}},
    "calls/api/calibrations/<int:calibration_id>/close/": {"": {"POST": object_of(WRITERS, 200)}},
    "calls/api/calibrations/<int:calibration_id>/settle/": {"": {"POST": object_of(WRITERS, 409)}},
    "calls/api/recluster/": {"?project_id={project}": {"POST": always(202)}, "": {"POST": always(202)}},
    "calls/api/reasons/": {"?project_id={project}": {"GET": always(200)}, "": {"GET": always(200)}},
    "calls/api/reasons/merge/": {"": {"POST": merging}},
    "calls/api/reasons/codes/": {
        "?project_id={project}": {"GET": always(200), "POST": merging},
        "": {"GET": always(200), "POST": merging},
    },
    "calls/api/reasons/history/": {"?project_id={project}": {"GET": always(200)}, "": {"GET": always(200)}},
    "calls/api/reasons/history/<int:change_id>/undo/": {"": {"POST": object_of(WRITERS, 200)}},
    "calls/api/reasons/<int:reason_id>/": {
        "": {"GET": object_of(ROLES, 200), "PATCH": object_of(WRITERS, 200)}
    },
    "calls/api/reasons/<int:reason_id>/split/": {"": {"POST": object_of(WRITERS, 201)}},
    "calls/api/reasons/<int:reason_id>/calls/": {"": {"POST": object_of(WRITERS, 200)}},
    "calls/api/<int:call_id>/reviews/": {
        "": {"GET": object_of(WRITERS, 200), "POST": object_of(WRITERS, 201)}
    },
    "calls/api/<int:call_id>/appeals/": {
        "": {"GET": object_of(WRITERS, 200), "POST": object_of((), 201)}  # filed by the agent alone
    },
    "calls/api/<int:call_id>/acknowledge/": {"": {"POST": object_of((), 200)}},
    "calls/api/appeals/": {"?project_id={project}": {"GET": always(200)}, "": {"GET": always(200)}},
    "calls/api/appeals/<int:appeal_id>/decide/": {"": {"POST": object_of(WRITERS, 200)}},
    "calls/api/appeals/<int:appeal_id>/withdraw/": {"": {"POST": object_of((), 200)}},  # by the agent alone
    "calls/api/reviews/<int:review_id>/": {"": {"PATCH": changing_review, "DELETE": object_of(WRITERS, 204)}},
    "api/projects/": {"": {"GET": always(200), "POST": creating}},
    "api/projects/<int:project_id>/": {
        "": {
            "GET": object_of(ROLES, 200),
            "PATCH": object_of(MANAGERS, 200),
            "DELETE": object_of(MANAGERS, 204),
        }
    },
    "api/projects/<int:project_id>/call-manifest/": {"": {"POST": object_of(WRITERS, 200)}},
    "api/projects/<int:project_id>/retry-failed/": {"": {"POST": object_of(WRITERS, 202)}},
    "api/projects/<int:project_id>/lint/": {"": {"POST": object_of(WRITERS, 200)}},
    "api/projects/<int:project_id>/replays/": {"": {"POST": object_of(WRITERS, 202)}},
    "api/projects/<int:project_id>/replays/<int:replay_id>/": {"": {"GET": object_of(ROLES, 200)}},
    "api/projects/<int:project_id>/replays/<int:replay_id>/publish/": {"": {"POST": object_of(WRITERS, 202)}},
    "api/projects/<int:project_id>/steadiness/": {
        "": {"GET": object_of(ROLES, 200), "POST": object_of(WRITERS, 202)}
    },
    "api/projects/<int:project_id>/steadiness/<int:steadiness_id>/": {"": {"GET": object_of(ROLES, 200)}},
    "api/projects/<int:project_id>/fairness-probes/": {
        "": {"GET": object_of(ROLES, 200), "POST": object_of(WRITERS, 202)}
    },
    "api/projects/<int:project_id>/fairness-probes/<int:fairness_id>/": {"": {"GET": object_of(ROLES, 200)}},
    "api/projects/<int:project_id>/rescore/": {"": {"POST": object_of(WRITERS, 202)}},
    "api/projects/<int:project_id>/rubric-versions/": {"": {"GET": object_of(ROLES, 200)}},
    "api/projects/<int:project_id>/rubric-versions/<int:number>/restore/": {
        "": {"POST": object_of(WRITERS, 200)}
    },
    "api/projects/<int:project_id>/agent-users/": {
        "": {"GET": object_of(WRITERS, 200), "POST": object_of(MANAGERS, 201)}
    },
    "api/projects/<int:project_id>/agent-users/<int:link_id>/": {"": {"DELETE": object_of(MANAGERS, 204)}},
    "api/files/": {
        "?project={project}": {"GET": always(200), "POST": uploading},
        "": {"GET": always(200), "POST": uploading},
    },
    "api/files/<int:file_id>/": {
        "": {
            "GET": object_of(ROLES, 200),
            "PATCH": object_of(WRITERS, 200),
            "DELETE": object_of(WRITERS, 204),
        }
    },
    "api/files/<int:file_id>/content/": {"": {"GET": object_of(ROLES, 200)}},
    "api/transcripts/<int:file_id>/": {"": {"GET": object_of(ROLES, 200)}},
    "api/tasks/<str:task_id>/retry/": {"": {"POST": object_of(WRITERS, 202)}},
    "api/keys/": {"": {"GET": always(200), "POST": creating}},
    "api/keys/<str:prefix>/": {"": {"DELETE": always(404)}},
    "api/invitations/": {"?project={project}": {"GET": always(200), "POST": inviting}},
    "api/invitations/<int:invitation_id>/": {"": {"DELETE": managing(204)}},
    "api/audit/": {
        "?project_id={project}": {"GET": object_of(MANAGERS, 200)},
        "": {"GET": always(200)},
    },
    "api/usage/": {"?project_id={project}": {"GET": unreachable(404, 200)}, "": {"GET": always(200)}},
    "api/schema/": {"": {"GET": always(200)}},
}
ASKS_EVERYTHING = ("anonymous", "revoked", "owner", "shared viewer", "stranger")  # methods of no use, too
# A link from a mail opens these; what it holds is tried in tests/web/views/access.
FOR_EVERYBODY = {
    "healthz", "readyz", "invitation/<str:token>/", "password/<uidb64>/<token>/",
    "shared/<str:token>/", "shared/<str:token>/recording/", "logo/",
}  # fmt: skip
# Pages take sessions alone. Those about one object answer 404 to who cannot see it.
PAGES = {
    "", "login/", "login/code/", "login/sso/", "login/sso/done/",
    "login/sso/left/", "logout/",
    "shares/", "shares/<int:link_id>/revoke/",
    "invitations/", "invitations/<int:invitation_id>/", "account/second-factor/", "password/forgotten/",
    "report/", "report/<slug:table>.csv", "report/<slug:table>.xlsx", "report/progress/", "report/regroup/",
    "report/origin/", "report/criteria/", "report/agents/", "report/reasons/", "report/trend/",
    "report/mails/", "report/mails/<int:mail_id>/end/", "report/mails/<int:mail_id>/send/",
    "calls/", "calls/chosen/", "calls/views/", "calls/choices/", "calls/export.csv", "calls/export.xlsx",
    "questions/", "questions/export.csv", "questions/export.xlsx", "reviews/",
    "upload/", "upload/sentences/", "upload/states/", "start/", "start/samples/", "projects/",
    "projects/new/", "teams/", "keys/", "keys/<str:prefix>/revoke/", "usage/", "audit/", "audit/export.csv",
    "account/", "account/sessions/end/", "preferences/theme/", "preferences/language/", "users/",
    "users/<int:user_id>/", "users/<int:user_id>/change/", "users/<int:user_id>/erase/",
    "users/<int:user_id>/email/", "account/email/<str:token>/",
    "preferences/shortcuts/", "preferences/rows/", "api/docs/", "appeals/", "agents/<int:agent_id>/",
    "calls/<int:call_id>/results/", "calls/<int:call_id>/notes/", "notes/<int:note_id>/",
}  # fmt: skip
PROJECT = "projects/<int:project_id>/"
PROJECT_PAGES = {
    "calls/<int:call_id>/", "calls/<int:call_id>/review/", "calls/<int:call_id>/appeals/",
    "calls/<int:call_id>/details/", "calls/<int:call_id>/acknowledge/", "appeals/<int:appeal_id>/decide/",
    "appeals/<int:appeal_id>/withdraw/",
    PROJECT, PROJECT + "check/", PROJECT + "save/", PROJECT + "yaml/",
    PROJECT + "try/", PROJECT + "try-criterion/", PROJECT + "files/",
    PROJECT + "files/chosen/", PROJECT + "files/<int:file_id>/", PROJECT + "people/",
    PROJECT + "people/<int:user_id>/", PROJECT + "leave/",
    PROJECT + "name/", PROJECT + "delete/", PROJECT + "team/",
    PROJECT + "owner/",
    PROJECT + "settings/general/", PROJECT + "settings/<slug:part>/",
    PROJECT + "settings/rubric/start/",
    PROJECT + "manifest.csv", PROJECT + "retry-failed/",
    PROJECT + "retention/", PROJECT + "lint/", PROJECT + "versions/",
    PROJECT + "versions/<int:number>/restore/", PROJECT + "replays/",
    PROJECT + "replays/<int:replay_id>/", PROJECT + "replays/<int:replay_id>/publish/",
    PROJECT + "replays/<int:replay_id>/again/", PROJECT + "replays/<int:replay_id>/calls/",
    PROJECT + "replays/<int:replay_id>/days/", PROJECT + "replays/<int:replay_id>/stop/",
    PROJECT + "agent-users/", PROJECT + "agent-users/<int:link_id>/",
    PROJECT + "probes/", PROJECT + "probes/<int:probe_id>/", PROJECT + "probes/<int:probe_id>/stop/",
    PROJECT + "probes/<int:probe_id>/copies/<int:call_id>/<slug:variant>/",
    PROJECT + "reasons/", PROJECT + "reasons/merge/", PROJECT + "reasons/regroup/",
    PROJECT + "reasons/codes/",
    PROJECT + "reasons/<int:reason_id>/", PROJECT + "reasons/<int:reason_id>/mark/",
    PROJECT + "reasons/changes/<int:change_id>/undo/",
    PROJECT + "agreement/", PROJECT + "sampling-plans/", PROJECT + "sampling-plans/<int:plan_id>/end/",
    PROJECT + "sampling-plans/<int:plan_id>/",
    PROJECT + "samples/", PROJECT + "samples/<int:sample_id>/",
    PROJECT + "reviews/", PROJECT + "calibrations/", PROJECT + "calibrations/<int:calibration_id>/",
}  # fmt: skip
# Of these pages a POST only reads: it shows a document in another form, or tries one out.
READING = {"calls/<int:call_id>/", PROJECT, PROJECT + "check/", PROJECT + "yaml/", PROJECT + "try/"} | {
    PROJECT + "retention/"
}
LEAVING = {PROJECT + "leave/"}  # viewers may give up what they have
TEAM_PAGES = {
    "teams/<int:team_id>/",
    "teams/<int:team_id>/name/",
    "teams/<int:team_id>/delete/",
    "teams/<int:team_id>/<int:user_id>/",
}


def routed(patterns: list[Any], prefix: str = "") -> Iterator[str]:
    for pattern in patterns:
        if isinstance(pattern, URLResolver):
            yield from routed(pattern.url_patterns, prefix + str(pattern.pattern))
        elif isinstance(pattern, URLPattern):
            yield prefix + str(pattern.pattern)


def address(route: str, target: Target) -> str:
    ids = {
        "team_id": target.team,
        "user_id": target.user,
        "call_id": target.call,
        "project_id": target.project,
        "file_id": target.file,
        "task_id": target.task,
        "reason_id": target.reason,
        "change_id": target.change,
        "invitation_id": target.invitation,
        "replay_id": target.replay,
        "steadiness_id": target.steadiness,
        "fairness_id": target.fairness,
        "probe_id": target.fairness,
        "mail_id": 1,  # of nobody
        "number": 1,  # of a version: every project has a first one
        "review_id": target.review,
        "sample_id": target.sample,
        "plan_id": target.plan,
        "note_id": target.note,
        "agent_id": target.agent,
        "link_id": target.link,
        "calibration_id": target.calibration,
        "appeal_id": target.appeal,
        "part": "rubric",
    }
    return "/" + re.sub(r"<\w+:(\w+)>", lambda found: str(ids.get(found[1], "agents")), route)


def body_for(route: str, method: str, target: Target) -> dict[str, Any]:
    """Return the arguments of a request that would succeed for who may make it."""
    if method not in ("POST", "PUT", "PATCH"):
        return {}
    if route == "api/files/":
        return {
            "data": {"project": target.project, "file": named(SRT, "new.srt"), "campaign": "x"},
            "format": "multipart",
        }
    if route.endswith("call-manifest/"):
        rows = b"filename,call_datetime\nOPENWORD.wav,2026-01-05 10:00\nnobody.wav,2026-01-05 10:00\n"
        return {"data": {"file": named(rows, "m.csv")}, "format": "multipart"}
    if route == "api/invitations/":
        new = {"email": "new@example.com", "role": "viewer", "project": target.project}
        return {"data": new, "format": "json"}
    answers = [{"criterion_id": target.criterion, "answer": "not_met"}]
    data = {
        "calls/api/<int:call_id>/reviews/": {"criteria": answers, "state": "submitted"},
        "calls/api/<int:call_id>/appeals/": {"criterion_id": target.criterion, "reason": "why"},
        "calls/api/appeals/<int:appeal_id>/decide/": {"decision": "refused", "reason": "why"},
        "calls/api/reviews/<int:review_id>/": {"criteria": answers, "comment": "changed"},
        "calls/api/review-samples/": {
            "project_id": target.project,
            "per_agent": 1,
            "seed": 1,
            "reviewers": ["owner@example.com"],
        },
        "calls/api/<int:call_id>/notes/": {"text": "why"},
        "calls/api/notes/<int:note_id>/": {"is_closed": True},
        "calls/api/sampling-plans/": {
            "project_id": target.project,
            "per_agent": 1,
            "reviewers": ["owner@example.com"],
        },
        "calls/api/calibrations/": {
            "project_id": target.project,
            "call_ids": [target.call],
            "raters": ["owner@example.com"],
        },
        "calls/api/calibrations/<int:calibration_id>/settle/": {},
        "api/keys/": {"name": "New"},
        "api/projects/": {"name": "New"},
        "api/projects/<int:project_id>/": {"name": "Renamed"},
        "api/projects/<int:project_id>/agent-users/": {"email": "a@example.com", "agent_id": target.agent},
        "api/projects/<int:project_id>/lint/": {},
        "api/projects/<int:project_id>/replays/": {"config": {}},
        "api/projects/<int:project_id>/steadiness/": {"sample": 1},
        "api/projects/<int:project_id>/fairness-probes/": {"sample": 1},
        "calls/api/reasons/merge/": {"into": target.reason, "from": target.other_reason},
        "calls/api/reasons/codes/": {
            "project_id": target.project,
            "mode": "predefined",
            "codes": [{"reason": target.reason, "phrases": []}],
        },
        "calls/api/reasons/<int:reason_id>/": {"name": "Renamed"},
        "calls/api/reasons/<int:reason_id>/split/": {"call_ids": [target.second_call], "name": "New"},
        "calls/api/reasons/<int:reason_id>/calls/": {"call_ids": [target.call]},
    }
    return {"data": data.get(route, {"campaign": "changed"}), "format": "json"}


def ask(caller: Caller, method: str, url: str, arguments: dict[str, Any]) -> Any:
    """Ask, and undo whatever the request wrote."""
    with transaction.atomic():
        response = getattr(caller.client, method.lower())(url, **arguments)
        response.read_bytes = b"".join(response.streaming_content) if response.streaming else response.content
        transaction.set_rollback(True)
    return response


def expected_status(caller: Caller, rules: dict[str, Expected], method: str, is_own: bool) -> int:
    if caller.standing in ("anonymous", "refused"):
        return 401 if caller.standing == "anonymous" else 403
    if method == "OPTIONS":
        return 200
    rule = rules.get("GET" if method == "HEAD" else method)
    return rule(caller.standing, is_own) if rule else 405


def reads_every_event(caller: Caller, path: str) -> bool:
    """Return whether an administrator of the instance reads here what happened, or names of projects."""
    return caller.name == "superuser without share" and ("audit/" in path or "/users/" in f"/{path}")


def has_key(caller: Caller) -> bool:
    """Return whether the caller sends an API key, which creates no others."""
    return "HTTP_AUTHORIZATION" in caller.client._credentials


def leaked(caller: Caller, content: bytes, path: str = "") -> set[str]:
    """Return the words in the content that this caller must not read."""
    if reads_every_event(caller, path):
        return set()
    forbidden = {"CANARY"}
    if caller.name != "owner":
        forbidden.add("SECRET")
    if caller.name != "team admin":
        forbidden.add("TEAMWORD")
    if caller.standing not in ROLES:
        forbidden.add("OPENWORD")
    return {word for word in forbidden if word.encode() in content}


@pytest.fixture(scope="module")
def made(rows_of_module) -> Cast:
    with rows_of_module():
        return make_cast()


@pytest.fixture
def cast(made, db, recordings_of_module) -> Cast:
    copy_recordings(recordings_of_module)
    return copy.deepcopy(made)


@pytest.fixture(autouse=True)
def _figures_for_a_pdf(monkeypatch):
    """Answer with what the PDF would be printed from: its words can be searched."""
    from callscope.interfaces.api.views.reports import pdf as call_report_pdf

    def report_pdf(projects, window, **_options):
        content = json.dumps(report_json(build_report(projects, window))).encode()
        return SimpleNamespace(content=content, file_name="x.pdf", narrative=SimpleNamespace(reply=None))

    monkeypatch.setattr(call_report_pdf, "build_report_pdf", report_pdf)


def who_asks(cast: Cast, target: Target, place: int) -> list[Caller]:
    """Return who asks for a target: for their own everybody who has a part in it, by turns the others."""
    if target is not cast.own:
        return [*take_share([caller for caller in cast.callers if caller.user], place, one_in=4)]
    refused, outside = (
        [caller for caller in cast.callers if caller.standing == standing] for standing in ("refused", None)
    )
    by_turns = [*take_share(refused, place, one_in=4), *take_share(outside, place, one_in=2)]
    return [each for each in cast.callers if each not in (*refused, *outside) or each in by_turns]


def cases(cast: Cast) -> Iterator[tuple[str, dict[str, Expected], Target, str]]:
    """Yield route, rules, target and address; a route that names no id is asked once."""
    for route, queries in MATRIX.items():
        for query, rules in queries.items():
            names_an_id = "<" in route or "{" in query
            for target in (cast.own, cast.foreign, cast.absent) if names_an_id else (cast.own,):
                yield route, rules, target, address(route, target) + query.format(**vars(target))


class TestMatrix:
    pytestmark = [pytest.mark.one_database] if EFFORT == 1 else []

    def test_lists_every_route(self):
        known = set(MATRIX) | FOR_EVERYBODY | PAGES | PROJECT_PAGES | TEAM_PAGES

        assert set(routed(get_resolver().url_patterns)) == known

    def test_gives_each_caller_exactly_what_is_theirs(self, cast):
        wrong = []
        for place, (route, rules, target, url) in enumerate(cases(cast)):
            for caller in who_asks(cast, target, place):
                is_once = target is cast.own and "?" not in url and caller.name in ASKS_EVERYTHING
                useless = [method for method in METHODS if method not in rules]
                for method in (*rules, *(take_share(useless, place, one_in=4) if is_once else ())):
                    expected = expected_status(caller, rules, method, target is cast.own)
                    if reads_every_event(caller, route) and method in ("GET", "HEAD"):
                        expected = 200
                    if (route, method, expected) == ("api/keys/", "POST", 201) and has_key(caller):
                        expected = 403
                    response = ask(caller, method, url, body_for(route, method, target))
                    if response.status_code != expected or leaked(caller, response.read_bytes, route):
                        answered = (caller.name, method, url, response.status_code, expected)
                        wrong.append(
                            (*answered, leaked(caller, response.read_bytes, route), response.read_bytes[:200])
                        )
        assert wrong == []

    def test_answers_alike_for_foreign_and_absent(self, cast):
        answers: dict[Any, set[Any]] = {}
        askers = [cast["owner"], cast["shared viewer"], cast["stranger"]]
        turns = {route: place for place, route in enumerate(MATRIX)}
        for route, rules, target, url in cases(cast):
            if target is cast.own:
                continue
            for caller in take_share(askers, turns[route], one_in=3):
                for method in rules:
                    if (method, route) == ("GET", "api/invitations/"):
                        continue  # lists what the caller manages, and takes no project
                    response = ask(caller, method, url, body_for(route, method, target))
                    key = (caller.name, method, route, url.partition("?")[2].partition("=")[0])
                    answered = (response.status_code, masked(response.read_bytes, target))
                    answers.setdefault(key, set()).add(answered)
        assert [key for key, answered in answers.items() if len(answered) > 1] == []

    def test_says_of_a_path_that_is_not_routed_that_it_is_not_there(self, cast):
        for caller in cast.callers:
            response = caller.client.get("/api/nowhere/")

            assert (response.status_code, response.json()) == (404, {"detail": "Not found."})

    def test_puts_no_project_into_a_team_for_strangers(self, cast):
        team = Project.objects.get(pk=cast.own.project).team_id
        for caller in cast.callers:
            if caller.user:
                response = ask(
                    caller,
                    "POST",
                    "/api/projects/",
                    {"data": {"name": "New", "team": team}, "format": "json"},
                )
                is_member = caller.name in ("team member", "team admin")
                assert response.status_code == (201 if is_member else 400), caller.name


class TestForeignCalls:
    def test_leave_every_response_as_it_was(self, cast):
        before = self.everything(cast)
        lines = [
            {"file_name": f"CANARY {n}.wav", "call_datetime": f"2026-03-{n % 28 + 1:02}T10:00:00+00:00",
             "topic": "CANARY topic", "agent_name": f"CANARY {n % 9}", "sentiment": "negative",
             "copc": {"criterion_scores": [{"criterion_id": "c", "score": 1, "max_points": 3}]}}
            for n in range(100)
        ]  # fmt: skip
        content = "\n".join(json.dumps(line) for line in lines).encode()

        result = import_calls(Project.objects.get(pk=cast.foreign.project), io.BytesIO(content))

        assert result.created == 100
        after = self.everything(cast)
        assert [key for key, answer in before.items() if after[key] != answer] == []

    @staticmethod
    def everything(cast: Cast) -> dict[tuple[str, str], tuple[int, bytes]]:
        answers = {}
        for place, (_, rules, target, url) in enumerate(cases(cast)):
            may_change = "GET" in rules and target is not cast.absent
            askers = [caller for caller in cast.callers if caller.standing != "refused"]
            for caller in take_share(askers, place, one_in=6) if may_change else ():
                # A list of keys shows when each was used last, so every request changes it.
                if "schema" in url or url.startswith("/api/keys/"):
                    continue
                response = ask(caller, "GET", url, {})
                answers[(caller.name, url)] = (response.status_code, response.read_bytes)
        return answers


@pytest.mark.one_database
class TestPages:
    def test_show_nobody_what_is_not_theirs(self, cast):
        cast.own.agent = Agent.objects.get(
            name="TEAMWORD Ruiz"
        ).pk  # in the register, but of no call in sight
        queries = ("", f"?project_id={cast.foreign.project}", f"?agent={cast.own.agent}")
        wrong = []
        for number, caller in enumerate(cast.callers):
            asking = replace(caller, client=with_session(caller.user)) if caller.user else caller
            for place, page in enumerate(sorted(PAGES)):
                for query in take_share(queries, place + number, one_in=12):
                    response = ask(asking, "GET", address(page, cast.own) + query, {})
                    words = leaked(caller, response.read_bytes, page)
                    if response.status_code >= 500 or words:
                        wrong.append((caller.name, page + query, response.status_code, words))
                    if not caller.user and page != "login/" and response.status_code == 200:
                        wrong.append((caller.name, page, "open to everybody"))
        assert wrong == []

    def test_are_absent_where_the_object_is_not_visible(self, cast):
        wrong = []
        for place, caller in enumerate(cast.callers):
            asking = replace(caller, client=with_session(caller.user)) if caller.user else caller
            for number, page in enumerate(sorted(PROJECT_PAGES | TEAM_PAGES)):
                targets = (cast.own, cast.foreign, cast.absent)
                for target, method in take_share(
                    list(itertools.product(targets, ("GET", "POST"))), place + number, one_in=12
                ):
                    arguments = (
                        {"data": {"name": "x", "csrfmiddlewaretoken": CSRF}} if method == "POST" else {}
                    )
                    response = ask(asking, method, address(page, target), arguments)
                    answered = (caller.name, method, address(page, target), response.status_code)
                    if response.status_code >= 500 or leaked(caller, response.read_bytes):
                        wrong.append((*answered, leaked(caller, response.read_bytes)))
                    if not caller.user:
                        allowed: tuple[int, ...] = (302, 403, 404, 405)
                    elif target is not cast.own or (caller.standing is None and page in PROJECT_PAGES):
                        allowed = (404, 405)
                    elif caller.standing == "viewer" and method == "POST" and page not in READING | LEAVING:
                        allowed = (403, 404, 405)
                    else:
                        continue
                    if response.status_code not in allowed:
                        wrong.append(answered)
        assert wrong == []


def masked(content: bytes, target: Target) -> bytes:
    """Hide the id that was asked for where a message repeats it."""
    content = MOMENT.sub(b"moment", content)  # its digits are no ids
    for id in (target.task, target.project, target.call, target.file):
        content = re.sub(rb"\b" + str(id).encode() + rb"\b", b"<id>", content)
    return content.replace(str(ABSENT_ID).encode(), b"<id>").replace(ABSENT_TASK.encode(), b"<id>")
