"""Strange values in every parameter and field of every route: no 5xx, and errors in their shapes."""

import io
import json
import zlib
from collections.abc import Iterable, Sequence
from typing import Any

import pytest
from cast import document, fill, person, with_key
from django.db import connection, transaction
from django.urls import reverse

from callscope.pipeline.transfer.importer import import_calls
from callscope.projects.models import Project
from callscope.projects.services import create_project
from tests.api.samples import SRT, named
from tests.effort import EFFORT, take_share

pytestmark = pytest.mark.django_db

TEXTS = {
    "nul": "a\x00b",
    "nul alone": "\x00",
    "not a number": "NaN",
    "infinity": "-Infinity",
    "2 to the 70": str(2**70),
    "minus 2 to the 70": str(-(2**70)),
    "5,000 digits": "9" * 5000,
    "200 kB": "x" * 200_000,
    "year 1": "0001-01-01",
    "year 9999": "9999-12-31",
    "moment in year 1": "0001-01-01T00:00:00+14:00",
    "moment in year 9999": "9999-12-31T23:59:59-14:00",
    "arabic digits": "٣",
    "full-width digits": "１２",
    "right-to-left override": "\u202eabc",
    "noncharacter": "\ufdd0\uffff",
    "combining": "e" + "\u0301" * 500,
    "sql": "' OR 1=1 --",
    "like": "%_\\",
    "lookup": "owner__password__startswith",
    "template": "{{7*7}}${7*7}{0.__class__}%(x)s",
    "path": "../../../../etc/passwd",
    "line break": "a\r\nX-Injected: 1",
    "blank": "   ",
}
# Bytes in an address that are no UTF-8, or that spell half a surrogate pair.
RAW = ["%ED%A0%80", "%FF%FE1%00", "%C0%80", "%80", "%00", "%E2%82"]
JSON_VALUES: list[Any] = [
    None, True, 0, -1, 2**70, 1e308, 1e-320, [], {}, [[]], {"a": None}, "\ud800", "x\udfff", ["\ud800"],
]  # fmt: skip
RAW_JSON = ["NaN", "Infinity", "9" * 5000, "1e999", "-0", '"\\ud800"', "[" * 3000 + "]" * 3000]


# What a database or a codec refuses by itself is tried in each field by turns: PostgreSQL gets what SQLite
# does not.
REFUSED = (
    *(TEXTS[name] for name in ("nul", "2 to the 70", "5,000 digits", "moment in year 9999")),
    2**70,
    "\ud800",
)
# What our own code makes of the other values is the same on any database.
TRIES_OTHERS = EFFORT > 1 or connection.vendor == "sqlite"


def take_turns(cases: Sequence[Any], place: int, *, are_refused: bool) -> Sequence[Any]:
    """Return a share of the values that are refused, or of what others are tried in, or none."""
    if are_refused:
        return take_share(cases, place if TRIES_OTHERS else place + 1, one_in=2)
    return take_share(cases, place, one_in=6) if TRIES_OTHERS else ()


def take_values(values: Iterable[Any], field: str) -> list[Any]:
    """Return the values to try in a field."""
    values, place = list(values), zlib.crc32(field.encode())
    refused = [value for value in values if value in REFUSED]
    others = [value for value in values if value not in REFUSED]
    return [*take_turns(refused, place, are_refused=True), *take_turns(others, place, are_refused=False)]


def take_bodies(bodies: Sequence[Any], value: Any, number: int) -> Sequence[Any]:
    """Return the bodies in which to try a value."""
    return take_turns(bodies, number, are_refused=value in REFUSED)


@pytest.fixture
def target():
    owner = person("owner")
    target = fill(create_project(owner, "Calls", document=document("Seen")), "Seen")
    target.client = with_key(owner)[1]
    return target


@pytest.fixture
def ask(target):
    """Ask, undo what was written, and hold the answer against the shapes of errors."""

    def ask(method: str, path: str, **arguments: Any) -> int:
        with transaction.atomic():
            response = getattr(target.client, method)(path, **arguments)
            transaction.set_rollback(True)
        for close in response._resource_closers:  # response.close() would close the test's connection, too
            close()
        status, request = response.status_code, f"{method} {path[:300]}"
        assert status < 500, request
        if status >= 400:
            body = response.json()
            assert isinstance(body, dict), request
            assert body, request
            if list(body) != ["detail"]:
                assert status == 400, (request, body)
                assert all(isinstance(v, list) and all(isinstance(s, str) for s in v) for v in body.values())
                assert all(len(s) < 2000 for v in body.values() for s in v), request
        return status

    return ask


class TestParameters:
    def test_of_every_operation(self, target, ask):
        paths = target.client.get(reverse("api-schema")).json()["paths"]
        ids = {
            "{call_id}": target.call, "{file_id}": target.file, "{task_id}": target.task,
            "{project_id}": target.project,
        }  # fmt: skip
        asked = 0
        for path, operations in paths.items():
            for name, value in ids.items():
                path = path.replace(name, str(value))
            for method, operation in operations.items():
                if method != "get" or path.endswith("pdf/"):
                    continue
                for parameter in operation.get("parameters", []):
                    if parameter["in"] != "query":
                        continue
                    for text in take_values(TEXTS.values(), path + parameter["name"]):
                        ask("get", path, data={parameter["name"]: text})
                        asked += 1
                    for raw in take_share(RAW, asked, one_in=3):
                        ask("get", f"{path}?{parameter['name']}={raw}&{parameter['name']}=1")
                        ask("get", f"{path}?{parameter['name']}={raw}")
        assert asked > (700 if EFFORT > 1 else 150)

    @pytest.mark.parametrize("raw", [*RAW, "-1", "1.0", "٣", "0x1", "9" * 5000, "1e3", "%2e%2e", "1;2"])
    def test_of_every_path(self, ask, raw):
        for before, after in (
            ("calls/api/calls", ""), ("api/files", ""), ("api/files", "content/"), ("api/transcripts", ""),
            ("api/projects", ""), ("api/tasks", "retry/"),
            ("calls/api", "reviews/"), ("calls/api/reviews", ""), ("calls/api/review-samples", ""),
            ("calls/api/calibrations", ""), ("calls/api/calibrations", "settle/"),
        ):  # fmt: skip
            assert ask("get", f"/{before}/{raw}/{after}") in (404, 405), raw

    @pytest.mark.parametrize("zone", ["UTC", "Pacific/Kiritimati", "America/New_York"])
    def test_of_windows_at_the_ends_of_the_calendar(self, target, ask, zone, settings):
        settings.TIME_ZONE = zone
        for start, end in (("0001-01-01", "0001-01-01"), ("0001-01-01", "9999-12-31"), ("9999-12-31",) * 2):
            for path in ("calls/api/report/", "calls/api/calls/", "api/usage/"):
                assert ask("get", f"/{path}?start_date={start}&end_date={end}") == 200, (path, start, end)

    def test_of_headers(self, target, ask):
        for name in (
            "Accept",
            "Accept-Language",
            "Range",
            "If-None-Match",
            "If-Range",
            "Content-Type",
            "Cookie",
        ):
            for text in take_values(TEXTS.values(), name):
                value = text.encode().decode("latin-1").replace("\r\n", " ")[:5000]
                ask("get", f"/api/files/{target.file}/", headers={name: value})
                ask("get", f"/api/files/{target.file}/content/", headers={name: value})


class TestFields:
    def test_of_an_upload(self, target, ask):
        fields = ("project", "file_type", "call_datetime", "agent_id", "agent_name", "direction")
        for field in (*fields, "caller_number", "campaign"):
            for text in take_values(TEXTS.values(), field):
                given = {"project": target.project, field: text, "file": named(SRT, "a.srt")}
                ask("post", "/api/files/", data=given, format="multipart")

    def test_of_an_uploaded_name(self, target, ask):
        for text in TEXTS.values():
            for name in (f"{text}.srt", text):
                body = (
                    b'--B\r\nContent-Disposition: form-data; name="project"\r\n\r\n'
                    + str(target.project).encode()
                    + b'\r\n--B\r\nContent-Disposition: form-data; name="file"; filename="'
                    + name.encode().replace(b"\r\n", b"%0D%0A")
                    + b'"\r\nContent-Type: text/plain\r\n\r\n' + SRT + b"\r\n--B--\r\n"
                )  # fmt: skip
                ask_raw(target, body)

    def test_of_a_change(self, target, ask):
        fields = ("call_datetime", "agent_id", "agent_name", "direction", "caller_number", "campaign")
        path = f"/api/files/{target.file}/"
        for field in fields:
            for value in take_values([*TEXTS.values(), *JSON_VALUES], field):
                ask("patch", path, data=json.dumps({field: value}), content_type="application/json")
            for raw in take_share(RAW_JSON, zlib.crc32(field.encode()), one_in=3):
                ask("patch", path, data=f'{{"{field}": {raw}}}', content_type="application/json")
            for text in take_values(TEXTS.values(), field):
                ask("patch", path, data={field: text}, format="multipart")
            for raw in take_share(RAW, zlib.crc32(field.encode()), one_in=3):
                kind = "application/x-www-form-urlencoded"
                ask("patch", path, data=f"{field}={raw}", content_type=kind)

    def test_of_a_review(self, target, ask):
        new, made = f"/calls/api/{target.call}/reviews/", f"/calls/api/reviews/{target.review}/"
        good = {"criterion_id": target.criterion, "answer": "met"}
        whole = {"criteria": [good], "state": "draft"}
        for number, value in enumerate((*TEXTS.values(), *JSON_VALUES)):
            bodies = [whole | {field: value} for field in ("criteria", "comment", "blind", "state")]
            answer_fields = ("criterion_id", "answer", "comment", "quote")
            bodies += [whole | {"criteria": [good | {field: value}]} for field in answer_fields]
            for body in take_bodies([*bodies, value], value, number):
                sent = json.dumps(body)
                ask("post", new, data=sent, content_type="application/json")
                ask("patch", made, data=sent, content_type="application/json")
        for raw in RAW_JSON:
            ask("post", new, data=f'{{"criteria": {raw}}}', content_type="application/json")

    def test_of_a_sample(self, target, ask):
        good = {"project_id": target.project, "per_agent": 1, "reviewers": ["owner@example.com"]}
        fields = (*good, "start_date", "end_date", "seed", "uncertain_pct", "due")
        for number, value in enumerate((*TEXTS.values(), *JSON_VALUES)):
            bodies = [*(good | {field: value} for field in fields), good | {"reviewers": [value]}, value]
            for body in take_bodies(bodies, value, number):
                sent = json.dumps(body)
                ask("post", "/calls/api/review-samples/", data=sent, content_type="application/json")
        for raw in RAW_JSON:
            sent = f'{{"project_id": {target.project}, "per_agent": {raw}, "reviewers": [{raw}]}}'
            ask("post", "/calls/api/review-samples/", data=sent, content_type="application/json")

    def test_of_a_calibration(self, target, ask):
        good = {"project_id": target.project, "call_ids": [target.call], "raters": ["owner@example.com"]}
        one = {"call_id": target.call, "criterion_id": "c", "answer": "met"}
        settle = f"/calls/api/calibrations/{target.calibration}/settle/"
        for number, value in enumerate((*TEXTS.values(), *JSON_VALUES)):
            bodies = [good | {field: value} for field in (*good, "expert", "due")]
            bodies += [good | {"call_ids": [value]}, good | {"raters": [value]}, value]
            for body in take_bodies(bodies, value, number):
                sent = json.dumps(body)
                ask("post", "/calls/api/calibrations/", data=sent, content_type="application/json")
            bodies = [*({"answers": [one | {field: value}]} for field in one), {"answers": value}, value]
            for body in take_bodies(bodies, value, number):
                ask("post", settle, data=json.dumps(body), content_type="application/json")
        for raw in RAW_JSON:
            sent = f'{{"project_id": {target.project}, "call_ids": [{raw}], "raters": [{raw}]}}'
            ask("post", "/calls/api/calibrations/", data=sent, content_type="application/json")

    def test_of_a_project(self, target, ask):
        for field in ("name", "type", "team", "config", "owner", "nonsense"):
            for value in take_values([*TEXTS.values(), *JSON_VALUES], field):
                body = json.dumps({"name": "New", field: value})
                ask("post", "/api/projects/", data=body, content_type="application/json")
                body = json.dumps({field: value})
                ask("patch", f"/api/projects/{target.project}/", data=body, content_type="application/json")
            for raw in take_share(RAW_JSON, zlib.crc32(field.encode()), one_in=3):
                body = f'{{"name": "New", "{field}": {raw}}}'
                ask("post", "/api/projects/", data=body, content_type="application/json")

    def test_of_a_configuration(self, target, ask):
        whole = Project.objects.get(pk=target.project).config
        odd = [*JSON_VALUES, TEXTS["nul"], TEXTS["200 kB"], TEXTS["2 to the 70"], TEXTS["blank"]]
        for number, place in enumerate(places(whole)):
            for value in take_share(odd, number, one_in=6):
                changed = json.dumps({"config": put(whole, place, value)})
                ask(
                    "patch", f"/api/projects/{target.project}/", data=changed, content_type="application/json"
                )

    def test_of_bodies_in_other_encodings(self, target, ask):
        text = json.dumps({"campaign": "Ñandú"})
        for encoding in ("utf-16", "utf-16-le", "utf-32", "utf-7", "latin-1", "utf-8-sig"):
            ask(
                "patch",
                f"/api/files/{target.file}/",
                data=text.encode(encoding),
                content_type="application/json",
            )


class TestManifest:
    COLUMNS = (
        "filename",
        "call_datetime",
        "agent_id",
        "agent_name",
        "direction",
        "caller_number",
        "campaign",
    )

    def send(self, target, ask, content: bytes) -> int:
        path = f"/api/projects/{target.project}/call-manifest/"
        return ask("post", path, data={"file": named(content, "m.csv")}, format="multipart")

    def test_takes_strange_cells(self, target, ask):
        good = {"filename": "Seen.wav", "call_datetime": "2026-01-05 10:00"}
        for column in self.COLUMNS:
            for text in take_values(TEXTS.values(), column):
                row = good | {column: text.replace('"', '""')}
                cells = ",".join(f'"{row.get(name, "")}"' for name in self.COLUMNS)
                self.send(target, ask, f"{','.join(self.COLUMNS)}\n{cells}\n".encode())

    def test_takes_strange_bytes(self, target, ask):
        rows = "filename,call_datetime\nSeen.wav,2026-01-05 10:00\n"
        for encoding in ("utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-8-sig", "cp1252", "cp037"):
            self.send(target, ask, rows.encode(encoding))
        for content in (
            b"",
            b"\x00",
            b"\xff\xfe",
            b"\xff\xfe\x00",
            b"\xef\xbb\xbf",
            b"\n" * 10_000,
            b'"',
            b'"' * 99_999,
        ):
            self.send(target, ask, content)
            self.send(target, ask, rows.encode() + content)
            self.send(target, ask, b"filename,call_datetime," + content)


class TestImport:
    def test_reports_a_strange_line_and_takes_the_rest(self, target):
        project = Project.objects.get(pk=target.project)
        parts = ("copc", "no_protocol", "custom_questions", "insights", "sentiment", "topic", "goal_reached")
        given = ("call_datetime", "agent_id", "agent_name", "direction", "caller_number", "campaign")
        rest = ("file_name", "uploaded_at", "analyzed_at", "duration_seconds", "contact_reason")
        fields = (*parts, *given, *rest, "agent_source", "call_datetime_source")
        lines = [
            json.dumps({"file_name": "strange.wav", "topic": "x", field: value})
            for place, field in enumerate(fields)
            for value in take_share([*TEXTS.values(), *JSON_VALUES], place, one_in=4)
        ]
        lines += [f'{{"file_name": "strange.wav", "{field}": {raw}}}' for field in fields for raw in RAW_JSON]
        good = json.dumps({"file_name": "good.wav", "topic": "Good"})

        result = import_calls(project, io.BytesIO("\n".join([*lines, good]).encode()))

        assert project.calls.filter(file_name="good.wav").exists()
        assert len(result.errors) + result.created + result.replaced == len(lines) + 1
        assert target.client.get("/calls/api/report/").status_code == 200
        assert target.client.get("/calls/api/calls/").status_code == 200


def ask_raw(target: Any, body: bytes) -> None:
    with transaction.atomic():
        response = target.client.generic(
            "POST", "/api/files/", body, content_type="multipart/form-data; boundary=B"
        )
        transaction.set_rollback(True)
    assert response.status_code in (201, 400), response.content
    if response.status_code == 201:
        name = response.json()["original_filename"]
        assert 0 < len(name) <= 255
        assert "/" not in name
        assert "\x00" not in name


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Return the path of every value in a document."""
    found = [path] if path else []
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in inner:
        found += places(item, (*path, key))
    return found


def put(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    """Return a copy of the document with another value at that place."""
    if not path:
        return new
    copy = dict(value) if isinstance(value, dict) else list(value)
    copy[path[0]] = put(value[path[0]], path[1:], new)
    return copy
