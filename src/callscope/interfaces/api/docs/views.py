"""The OpenAPI document, and a page to read it that needs no other server."""

import functools
import json
from typing import Any

from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.utils import translation
from django.utils.translation import get_language
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.renderers import OpenApiJsonRenderer, OpenApiYamlRenderer
from drf_spectacular.utils import extend_schema
from drf_spectacular.views import SpectacularAPIView
from rest_framework.permissions import IsAuthenticated
from rest_framework.renderers import BaseRenderer
from rest_framework.response import Response

from callscope.interfaces.api.docs.reference import Group, list_groups

WRITTEN_IN = "en"  # the language of the reference
MOST_DOCUMENTS = 16  # types times languages


class _Written(BaseRenderer):
    """A renderer that passes on what is written already."""

    def render(self, data: Any, *args: Any, **kwargs: Any) -> Any:
        """Return bytes as they are, and write anything else."""
        return data if isinstance(data, bytes) else super().render(data, *args, **kwargs)


class JsonRenderer(_Written, OpenApiJsonRenderer):
    """The document as JSON of the OpenAPI type."""


class PlainJsonRenderer(JsonRenderer):
    """The document as application/json, for clients that know no OpenAPI type."""

    media_type = "application/json"


class YamlRenderer(_Written, OpenApiYamlRenderer):
    """The document as YAML."""


@functools.lru_cache(MOST_DOCUMENTS)
def write_document(kind: str, _language: str) -> bytes:
    """Return the document as "json" or "yaml", the same for everybody, in the language that is active.

    To make it takes a hundred times what any other answer takes.
    """
    document = SchemaGenerator().get_schema(request=None, public=True)  # type: ignore[no-untyped-call]
    renderer = OpenApiYamlRenderer() if kind == "yaml" else OpenApiJsonRenderer()
    written: bytes = renderer.render(document)
    return written


class SchemaView(SpectacularAPIView):
    """The OpenAPI document."""

    permission_classes = [IsAuthenticated]
    renderer_classes = [PlainJsonRenderer, JsonRenderer, YamlRenderer]

    @extend_schema(exclude=True)
    def get(self, request: Any, *args: Any, **kwargs: Any) -> Any:
        """Return this API as an OpenAPI 3.1 document, as JSON or, on request, YAML."""
        return super().get(request, *args, **kwargs)  # type: ignore[no-untyped-call]

    def _get_schema_response(self, request: Any) -> Response:
        name = self._get_filename(request, None)  # type: ignore[no-untyped-call]
        return Response(
            write_document(request.accepted_renderer.format, get_language() or ""),
            headers={"Content-Disposition": f'inline; filename="{name}"'},
        )


def docs_page(request: HttpRequest) -> HttpResponseBase:
    """Show the OpenAPI document to a signed-in person; everything is served from here.

    The page is in the language of the person, what it says about each operation in English.
    """
    if not request.user.is_authenticated:
        return redirect_to_login(request.get_full_path())
    groups = _read_groups()
    count = sum(len(group.operations) for group in groups)
    return render(
        request,
        "api/docs.html",
        {"groups": groups, "count": count, "schema_url": reverse("api-schema"), "written_in": WRITTEN_IN},
    )


@functools.cache
def _read_groups() -> tuple[Group, ...]:
    """Return the operations as the page shows them."""
    with translation.override(WRITTEN_IN):
        return tuple(list_groups(json.loads(write_document("json", WRITTEN_IN))))
