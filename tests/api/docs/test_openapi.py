"""The OpenAPI document is true to the code."""

import html
import json
import re
import sys
from pathlib import Path

import pytest
from django.contrib.staticfiles import finders
from django.urls import URLPattern, get_resolver

from callscope.accounts.models import User
from tests.api.conftest import client_of

pytestmark = pytest.mark.django_db

UNDOCUMENTED = {"/healthz", "/readyz", "/api/schema/", "/api/docs/"}


@pytest.fixture(scope="module")
def document(rows_of_module):
    """The document as the API gives it: it takes the longest of all answers."""
    with rows_of_module():
        response = client_of(User.objects.create_user("reader@example.com")).get("/api/schema/")
    assert response.status_code == 200
    return response.content


@pytest.fixture
def schema(document):
    return json.loads(document)


def validator(schema, part):
    """Return what holds values against a part of the document, dates and addresses too."""
    with pytest.MonkeyPatch.context() as patch:
        # The grammar of addresses with letters of all scripts takes 2 s to load; no value has that format.
        patch.setitem(sys.modules, "rfc3987_syntax", None)
        import jsonschema

    return jsonschema.Draft202012Validator(
        {**part, "components": schema["components"]}, format_checker=jsonschema.FormatChecker()
    )


class TestSchema:
    def test_asks_for_no_format_that_is_left_unchecked(self, document):
        assert re.findall(rb'"format": *"iri[^"]*"', document) == []
        assert re.findall(rb'"format": *"date-time"', document) != []

    def test_is_openapi_3_1(self, schema):
        assert schema["openapi"].startswith("3.1")

    def test_takes_files_themselves_and_not_their_addresses(self, schema):
        for path in ("/api/files/", "/api/projects/{project_id}/call-manifest/"):
            content = schema["paths"][path]["post"]["requestBody"]["content"]["multipart/form-data"]
            name = content["schema"]["$ref"].rsplit("/", 1)[-1]
            assert schema["components"]["schemas"][name]["properties"]["file"]["format"] == "binary"

    def test_can_be_had_as_yaml(self, as_alice):
        response = as_alice.get("/api/schema/?format=yaml")

        assert response.content.startswith(b"openapi: 3.1")

    def test_is_made_once_and_the_same_for_everybody(self, as_alice, document, monkeypatch):
        from drf_spectacular.generators import SchemaGenerator

        monkeypatch.setattr(SchemaGenerator, "get_schema", lambda *_, **__: pytest.fail("made again"))

        assert as_alice.get("/api/schema/").content == document

    def test_names_both_ways_to_sign_in_for_every_operation(self, schema):
        assert set(schema["components"]["securitySchemes"]) == {"ApiKey", "Session"}
        for path in schema["paths"].values():
            for operation in path.values():
                assert operation["security"] == [{"ApiKey": []}, {"Session": []}]

    def test_lets_every_query_parameter_be_blank_which_counts_as_absent(self, schema, as_alice):
        for path, operations in schema["paths"].items():
            for parameter in operations.get("get", {}).get("parameters", []):
                if parameter["in"] == "query":
                    assert parameter["allowEmptyValue"] is True
                    if "{" not in path:
                        assert as_alice.get(f"{path}?{parameter['name']}=").status_code == 200

    def test_has_an_example_of_each_json_answer_that_is_true_to_its_schema(self, schema):
        held = 0
        for operations in schema["paths"].values():
            for operation in operations.values():
                for status, response in operation["responses"].items():
                    content = response.get("content", {}).get("application/json")
                    if content:
                        values = [e["value"] for e in content.get("examples", {}).values()]
                        for value in [*values, content["example"]] if "example" in content else values:
                            held += 1
                            validator(schema, content["schema"]).validate(value)
                        assert values or "example" in content, (operation["operationId"], status)
        assert held > 100

    def test_has_examples_with_the_fields_of_real_answers(self, as_alice, project):
        from callscope.interfaces.api.docs.examples import ANSWERS
        from callscope.testing import run_due_jobs
        from tests.api.views.test_files import upload

        file = upload(as_alice, project).json()
        run_due_jobs()

        for operation, path in {
            "calls_report": "/calls/api/report/",
            "calls_report_findings": "/calls/api/report/findings/",
            "calls_report_agent_criteria": "/calls/api/report/agent-criteria/",
            "calls_report_week_hours": "/calls/api/report/week-hours/",
            "calls_report_trend": "/calls/api/report/trend/",
            "calls_list": "/calls/api/calls/",
            "calls_detail": f"/calls/api/calls/{file['call_id']}/",
            "calls_analysis_status": "/calls/api/analysis-status/",
            "calls_custom_questions": "/calls/api/custom-questions/",
            "files_list": "/api/files/",
            "files_read": f"/api/files/{file['id']}/",
            "transcripts_read": f"/api/transcripts/{file['id']}/",
            "projects_list": "/api/projects/",
            "projects_read": f"/api/projects/{project.pk}/",
            "audit_list": "/api/audit/",
            "usage_list": "/api/usage/",
        }.items():
            example, answer = ANSWERS[operation][1], as_alice.get(path).json()
            assert list(example) == list(answer), operation
            if answer.get("results"):
                assert list(example["results"][0]) == list(answer["results"][0]), operation

    def test_has_a_body_of_each_operation_that_takes_json_that_is_true_to_its_schema(self, schema):
        held = 0
        for operations in schema["paths"].values():
            for operation in operations.values():
                for kind, content in operation.get("requestBody", {}).get("content", {}).items():
                    assert "example" in content, operation["operationId"]
                    if kind == "application/json":
                        held += 1
                        validator(schema, content["schema"]).validate(content["example"])
        assert held > 25

    def test_has_a_summary_of_one_sentence_of_each_operation_and_says_what_its_group_is_about(self, schema):
        about = {tag["name"]: tag["description"] for tag in schema["tags"]}
        for operations in schema["paths"].values():
            for operation in operations.values():
                assert len(operation["tags"]) == 1
                assert about[operation["tags"][0]].endswith(".")
                assert 10 < len(operation["summary"]) <= 110
                assert not operation["summary"].endswith(".") and ". " not in operation["summary"]
                assert "A view of the API" not in operation["description"]

    def test_names_the_headers_of_errors(self, schema):
        answers = schema["paths"]["/calls/api/report/"]["get"]["responses"]

        assert list(answers["401"]["headers"]) == ["WWW-Authenticate"]
        assert list(answers["429"]["headers"]) == ["Retry-After"]

    def test_has_every_path_that_is_routed(self, schema):
        routed = {
            "/" + re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", str(pattern.pattern))
            for pattern in get_resolver("callscope.interfaces.api.urls").url_patterns
            if isinstance(pattern, URLPattern)
        }

        assert set(schema["paths"]) == routed - UNDOCUMENTED

    def test_tells_errors_of_every_operation(self, schema):
        for path, operations in schema["paths"].items():
            for method, operation in operations.items():
                assert {"401", "403", "429"} <= set(operation["responses"]), (method, path)

    def test_is_made_without_a_warning(self, capfd):
        from drf_spectacular.drainage import GENERATOR_STATS
        from drf_spectacular.generators import SchemaGenerator

        GENERATOR_STATS.reset()
        SchemaGenerator().get_schema(request=None, public=True)

        assert not GENERATOR_STATS._warn_cache
        assert not GENERATOR_STATS._error_cache

    def test_is_asked_for_by_known_callers_only(self, anonymous):
        assert anonymous.get("/api/schema/").status_code == 401


class TestDocsPage:
    def test_is_served_from_here_alone(self, alice, client):
        client.force_login(alice)

        page = client.get("/api/docs/").content.decode()

        addresses = re.findall(r'(?:src|href|action)="([^"]+)"', page)
        assert addresses
        assert [each for each in addresses if not each.startswith(("/", "#"))] == []
        assert "<script>" not in page
        assert "style=" not in page

    def test_has_every_operation_with_its_summary_and_its_examples(self, alice, client, schema):
        client.force_login(alice)

        page = html.unescape(client.get("/api/docs/").content.decode())

        for path, operations in schema["paths"].items():
            for method, operation in operations.items():
                part = page.split(f'<details class="operation" id="{operation["operationId"]}"')[1]
                part = part.split('<details class="operation"')[0]
                assert operation["summary"] in part
                assert f'<code class="path">{path}</code>' in part
                assert "curl " in part
                for name in [each["name"] for each in operation.get("parameters", [])]:
                    assert f'data-name="{name}"' in part
                if method != "delete" and "200" in operation["responses"]:
                    content = operation["responses"]["200"].get("content", {}).get("application/json", {})
                    assert ("<pre" in part.split("Responses")[1]) or "example" not in content

    def test_is_in_the_language_of_its_reader_around_the_reference(self, alice, client):
        client.force_login(alice)

        english = client.get("/api/docs/").content.decode()
        spanish = client.get("/api/docs/", headers={"accept-language": "es"}).content.decode()

        assert '<html lang="es"' in spanish and "Documentación de la API" in spanish
        assert "Back to your keys" not in spanish
        reference = '<section lang="en"'
        assert english.split(reference)[1:] and "Parameters" in spanish.partition(reference)[2]
        assert '<html lang="en"' in client.get("/api/docs/").content.decode()

    def test_is_a_page_like_the_others_and_leads_back(self, alice, client):
        client.force_login(alice)

        page = client.get("/api/docs/").content.decode()

        assert 'class="top"' in page and 'href="/keys/"' in page
        assert "web/css/base.css" in page and "api/docs.css" in page

    def test_sends_strangers_to_the_sign_in(self, client):
        response = client.get("/api/docs/")

        assert response.status_code == 302
        assert response.headers["Location"].startswith("/login/")

    def test_gives_the_button_that_sends_the_look_of_the_pages(self):
        script = Path(finders.find("api/docs.js")).read_text(encoding="utf-8")

        assert 'isRead ? "button" : isRemoval ? "button danger" : "button primary"' in script
