"""The OpenAPI document is true to the code."""

import pytest
from django.urls import URLPattern, get_resolver

pytestmark = pytest.mark.django_db

UNDOCUMENTED = {"/healthz", "/readyz", "/api/schema/", "/api/docs/"}


@pytest.fixture
def schema(as_alice):
    response = as_alice.get("/api/schema/")
    assert response.status_code == 200
    return response.json()


class TestSchema:
    def test_is_openapi_3_1(self, schema):
        assert schema["openapi"].startswith("3.1")

    def test_can_be_had_as_yaml(self, as_alice):
        response = as_alice.get("/api/schema/?format=yaml")

        assert response.content.startswith(b"openapi: 3.1")

    def test_names_both_ways_to_sign_in_for_every_operation(self, schema):
        assert set(schema["components"]["securitySchemes"]) == {"ApiKey", "Session"}
        for path in schema["paths"].values():
            for operation in path.values():
                assert operation["security"] == [{"ApiKey": []}, {"Session": []}]

    def test_has_every_path_that_is_routed(self, schema):
        import re

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

        assert "swagger-ui-bundle.js" in page
        assert "http" not in page
        assert "<script>" not in page

    def test_sends_strangers_to_the_sign_in(self, client):
        response = client.get("/api/docs/")

        assert response.status_code == 302
        assert response.headers["Location"].startswith("/login/")
