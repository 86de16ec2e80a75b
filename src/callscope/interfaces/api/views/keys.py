"""API keys of the caller: list, create, revoke. Rules: docs/api.md, "Keys"."""

import datetime as dt

from django.db.models import QuerySet
from django.http import Http404
from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.exceptions import PermissionDenied, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from callscope.accounts import services
from callscope.accounts.models import ApiKey, User
from callscope.db.limits import MAX_ID
from callscope.interfaces.api.docs import openapi
from callscope.interfaces.api.pagination import StandardPagination
from callscope.interfaces.api.serializers.access import (
    CreatedKeySerializer,
    KeySerializer,
    NewKeySerializer,
)
from callscope.interfaces.api.views.base import ApiView
from callscope.pipeline.files.intake import project_not_found
from callscope.projects import permissions

NO_KEYS_BY_KEYS = (
    "A key creates no keys, so that one that was stolen cannot outlive its revocation. "
    "Use a session or callscope key create."
)


def list_own_keys(user: User) -> QuerySet[ApiKey]:
    """Return the keys that the caller may see, newest first; a key of one project sees those of that."""
    keys = services.list_keys(user).order_by("-created", "prefix")
    return keys if user.key_project_id is None else keys.filter(project_id=user.key_project_id)


class KeyListView(ApiView):
    """The caller's keys."""

    @extend_schema(
        operation_id="keys_list",
        tags=["Access"],
        parameters=[openapi.PAGE],
        responses={200: openapi.paginated(KeySerializer), **openapi.error_responses(404)},
    )
    def get(self, request: Request) -> Response:
        """List your keys, newest first, revoked and expired ones too."""
        pages = StandardPagination()
        page = pages.paginate_queryset(list_own_keys(self.caller), request, view=self)
        return pages.get_paginated_response(KeySerializer(page or [], many=True).data)

    @extend_schema(
        operation_id="keys_create",
        tags=["Access"],
        request=NewKeySerializer,
        responses={201: CreatedKeySerializer, **openapi.error_responses(*openapi.BODY)},
    )
    def post(self, request: Request) -> Response:
        """Create a key, in a session only (keys: 403); only this response shows it. It reads by default."""
        if request.auth is not None:
            raise PermissionDenied(NO_KEYS_BY_KEYS)
        form = NewKeySerializer(data=request.data)
        form.is_valid(raise_exception=True)
        given = form.validated_data
        project_id, day = given.get("project"), given.get("expires")
        if project_id is not None:
            seen = (
                permissions.visible_to(self.caller).filter(pk=project_id)
                if 0 < project_id <= MAX_ID
                else None
            )
            if seen is None or not seen.exists():
                raise ValidationError({"project": [str(project_not_found(project_id))]})
        expires_at = None
        if day is not None:  # the key works until that day ends in the server's time zone
            expires_at = timezone.make_aware(dt.datetime.combine(day + dt.timedelta(days=1), dt.time()))
        try:
            key, plaintext = services.create_key(
                self.caller,
                name=given["name"],
                expires_at=expires_at,
                scope=given["scope"],
                project_id=project_id,
                by=self.caller,
            )
        except services.InvalidAccount as error:
            raise ValidationError({error.field: [str(error)]}) from None
        return Response({**KeySerializer(key).data, "key": plaintext}, status=201)


class KeyDetailView(ApiView):
    """One of the caller's keys."""

    @extend_schema(
        operation_id="keys_revoke",
        tags=["Access"],
        parameters=[OpenApiParameter("prefix", OpenApiTypes.STR, OpenApiParameter.PATH)],
        responses={204: None, **openapi.error_responses(404)},
    )
    def delete(self, request: Request, prefix: str) -> Response:
        """Revoke one of your keys permanently; harmless to repeat."""
        if (
            self.caller.key_project_id is not None
            and not list_own_keys(self.caller).filter(prefix=prefix).exists()
        ):
            raise Http404
        try:
            services.revoke_key(prefix, owner=self.caller, by=self.caller)
        except services.NoSuchAccount:
            raise Http404 from None
        return Response(status=204)
