"""The OpenAPI document, and a page to read it that needs no other server."""

from typing import Any

from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from drf_spectacular.renderers import OpenApiJsonRenderer, OpenApiYamlRenderer
from drf_spectacular.utils import extend_schema
from drf_spectacular.views import SpectacularAPIView
from rest_framework.permissions import IsAuthenticated


class PlainJsonRenderer(OpenApiJsonRenderer):
    """The document as application/json, for clients that know no OpenAPI type."""

    media_type = "application/json"


class SchemaView(SpectacularAPIView):
    """The OpenAPI document."""

    permission_classes = [IsAuthenticated]
    renderer_classes = [PlainJsonRenderer, OpenApiJsonRenderer, OpenApiYamlRenderer]

    @extend_schema(exclude=True)
    def get(self, request: Any, *args: Any, **kwargs: Any) -> Any:
        """Return this API as an OpenAPI 3.1 document, as JSON or, on request, YAML."""
        return super().get(request, *args, **kwargs)  # type: ignore[no-untyped-call]


def docs_page(request: HttpRequest) -> HttpResponseBase:
    """Show the OpenAPI document to a signed-in person; everything is served from here."""
    if not request.user.is_authenticated:
        return redirect_to_login(request.get_full_path())
    return render(request, "api/docs.html", {"schema_url": reverse("api-schema")})
