"""Whatever a browser's module may send to the pages that take JSON: no 5xx but the honest 503."""

import json
from http import HTTPStatus

import pytest
from cast import document, fill, person, with_session
from django.db import transaction
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from test_strange_input import JSON_VALUES, RAW_JSON, TEXTS, places, put

from callscope.projects.models import Project
from callscope.projects.services import create_project
from callscope.reviews.models import Calibration
from callscope.reviews.reading import note_reading
from tests.effort import EFFORT, count_examples, take_share

pytestmark = [pytest.mark.django_db, *([pytest.mark.one_database] if EFFORT == 1 else [])]
ADDRESSES = {
    "/projects/{project}/check/": ["document"],
    "/projects/{project}/save/": ["document", "version"],
    "/projects/{project}/settings/questions/": ["document", "version"],
    "/projects/{project}/settings/rubric/": ["document", "version"],
    "/projects/{project}/yaml/": ["document", "yaml", "part"],
    "/projects/{project}/retention/": ["document"],
    "/projects/{project}/lint/": ["document"],
    "/projects/{project}/replays/": ["document", "sample", "estimate_only"],
    "/projects/{project}/try/": ["document", "call"],
    "/projects/{project}/try-criterion/": ["document", "criterion", "call"],
    "/upload/sentences/": ["sentences"],
    "/upload/states/": ["project", "names"],
}
FIELDS = sorted({name for names in ADDRESSES.values() for name in names})
ODD = list(TEXTS.values())
STEP = 3 if EFFORT == 1 else 1
LEAVES = [st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=9), st.sampled_from(ODD)]
VALUES = st.recursive(
    st.one_of(LEAVES),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=10), inner, max_size=4),
    max_leaves=12,
)  # fmt: skip


@pytest.fixture
def target():
    owner = person("owner")
    target = fill(create_project(owner, "Calls", document=document("Seen")), "Seen")
    # Settings are not tried on a call that waits for a rating or for a blind review.
    Calibration.objects.all().delete()
    note_reading(target.call, owner)
    target.client = with_session(owner)
    return target


@pytest.fixture
def post(target):
    """Post a body to an address and undo what it did; fail for a 5xx that is not the honest 503."""

    def send(address, body):
        with transaction.atomic():
            answer = target.client.generic(
                "POST", address.format(project=target.project), body, content_type="application/json"
            )
            transaction.set_rollback(True)
        is_honest = answer.status_code == HTTPStatus.SERVICE_UNAVAILABLE and "Retry-After" in answer.headers
        assert answer.status_code < 500 or is_honest, (address, body[:300], answer.status_code)
        return answer.status_code

    return send


class TestJsonOfThePages:
    def test_reaches_every_page(self, target, post):
        config = Project.objects.get(pk=target.project).config
        bodies = {"document": config, "version": 1, "yaml": "language: es", "call": target.call}
        bodies |= {"sentences": ["x"], "project": target.project, "names": ["Seen.wav"], "sample": 1}
        bodies |= {"estimate_only": True, "part": "yaml", "criterion": target.criterion}
        for address, fields in ADDRESSES.items():
            sent = {name: bodies[name] for name in fields}
            if "/settings/" in address:
                name = {"questions": "custom_questions"}.get(address.split("/")[-2], "rubric")
                sent["document"] = {name: config[name]}
            if address.endswith("/try-criterion/"):
                del sent["call"]  # its results were imported, so there is nothing to compare with
            assert post(address, json.dumps(sent)) == 200, address

    def test_may_hold_strange_values(self, target, post):
        named = [(address, field) for address, fields in ADDRESSES.items() for field in fields]
        for place, (address, field) in enumerate(named):
            odd = take_share([*JSON_VALUES, *ODD], place, one_in=6)
            for value in (*odd, {"call": target.call}, [[target.call]]):
                post(address, json.dumps({"document": {}, "call": target.call, field: value}))
            for raw in take_share(RAW_JSON, place, one_in=3):
                post(address, f'{{"call": {target.call}, "{field}": {raw}}}')

    def test_may_hold_strange_documents(self, target, post):
        whole = Project.objects.get(pk=target.project).config
        for place in places(whole)[::STEP]:
            for value in (None, [], "\ud800", 2**70, "x" * 5000):
                body = json.dumps({"document": put(whole, place, value), "version": 1})
                post("/projects/{project}/save/", body)
                post("/projects/{project}/yaml/", body)

    def test_may_be_anything(self, target, post):
        @given(
            address=st.sampled_from(list(ADDRESSES)),
            names=st.lists(st.sampled_from(FIELDS), max_size=3),
            value=VALUES,
        )  # fmt: skip
        @settings(
            max_examples=count_examples(80) * EFFORT, deadline=None, database=None, phases=(Phase.generate,),
            derandomize=EFFORT == 1,
            suppress_health_check=list(HealthCheck),
        )  # fmt: skip
        def hold(address, names, value):
            body = dict.fromkeys(names, value) or value
            post(address, json.dumps(body))

        hold()

    @pytest.mark.parametrize(
        "body", [b"", b"\xff\xfe", b"{", b"[" * 100_000, b'"' * 3, b"\x00" * 9, "Ñ".encode("utf-16")]
    )
    def test_may_be_no_json(self, post, body):
        for address in ADDRESSES:
            post(address, body)
