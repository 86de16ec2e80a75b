"""Sign-in with an identity provider (OpenID Connect): authorization code with PKCE, state and nonce.

Authlib makes the request and checks the ID token; what it would take from the provider's own
description, the algorithms and the issuer, is fixed here. Instances without a provider never load it.
"""

import logging
from functools import lru_cache
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from callscope.accounts import mail, single_sign_on
from callscope.accounts.sign_in_limits import fold_email
from callscope.accounts.trail.notes import note_refused_sign_in
from callscope.interfaces.web.views.session_start import SIGNED_IN_ELSEWHERE, begin_session

# Signed with a private key of the provider: neither "none" nor a secret that we would know too.
ALGORITHMS = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512"]
LEEWAY_S = 60
TIMEOUT_S = 10
NEXT = "sso_next"  # in the session

_log = logging.getLogger(__name__)


@require_safe
def start(request: HttpRequest) -> HttpResponse:
    """Send the visitor to the provider."""
    client = _client_or_404()
    target = request.GET.get("next", "")
    is_ours = url_has_allowed_host_and_scheme(target, {request.get_host()}, require_https=request.is_secure())
    request.session[NEXT] = target if is_ours else reverse("web:home")
    try:
        response: HttpResponse = client.authorize_redirect(request, mail.build_link("web:sso-done"))
    except _errors_of_provider(ValueError) as error:
        return _refuse(request, error, _("The identity provider is not responding. Try again later."))
    return response


@require_safe
def finish(request: HttpRequest) -> HttpResponse:
    """Take the visitor back: check the ID token, find the user, begin the session."""
    client = _client_or_404()
    issuer = settings.ENVIRONMENT.oidc_url
    email = ""
    try:
        client.load_server_metadata()["id_token_signing_alg_values_supported"] = ALGORITHMS
        options = {
            "iss": {"essential": True, "value": issuer},
            "aud": {"essential": True, "value": settings.ENVIRONMENT.oidc_client_id},
            "exp": {"essential": True},
            "nonce": {"essential": True},
        }
        token = client.authorize_access_token(request, claims_options=options, leeway=LEEWAY_S)
        claims: dict[str, Any] = dict(token["userinfo"])  # of the ID token; absent without one
        email = str(claims.get("email", ""))
        user = single_sign_on.find_user(claims)
    except _errors_of_provider(single_sign_on.Refused, KeyError, ValueError) as error:
        note_refused_sign_in(fold_email(email), "sign_in.failed")
        return _refuse(
            request, error, _("The identity provider did not let you in, or you have no account here.")
        )
    next_page = request.session.pop(NEXT, None) or reverse("web:home")
    response = begin_session(request, user, next_page, is_verified=True)
    request.session[SIGNED_IN_ELSEWHERE] = True
    return response


@require_safe
def left(request: HttpRequest) -> HttpResponse:
    """Offer to sign out of the provider as well, after the sign-out here."""
    client = _client_or_404()
    try:
        link = client.create_logout_url(
            post_logout_redirect_uri=mail.build_link("web:sign-in"),
            client_id=settings.ENVIRONMENT.oidc_client_id,
        )["url"]
    except _errors_of_provider(RuntimeError, ValueError):  # it has no such page, or does not answer
        return redirect("web:sign-in")
    return render(request, "web/access/left.html", {"link": link, "provider": settings.ENVIRONMENT.oidc_name})


def _client_or_404() -> Any:
    environment = settings.ENVIRONMENT
    if not single_sign_on.is_set_up():
        raise Http404
    return _build_client(environment.oidc_url, environment.oidc_client_id, environment.oidc_client_secret)


@lru_cache(maxsize=4)
def _build_client(issuer: str, client_id: str, secret: str) -> Any:
    """Return the client, which keeps the provider's description and keys, and fetches new keys."""
    from authlib.integrations.django_client import OAuth

    return OAuth().register(
        "provider",
        server_metadata_url=f"{issuer.rstrip('/')}/.well-known/openid-configuration",
        client_id=client_id,
        client_secret=secret or None,
        client_kwargs={
            "scope": "openid email profile",
            "code_challenge_method": "S256",
            "default_timeout": TIMEOUT_S,
        },
    )


def _errors_of_provider(*others: type[Exception]) -> tuple[type[Exception], ...]:
    """Return what the client raises where the provider refuses, is away or sends a bad token, and others."""
    from authlib.integrations.base_client import OAuthError
    from joserfc.errors import JoseError
    from requests import RequestException

    return OAuthError, JoseError, RequestException, *others


def _refuse(request: HttpRequest, error: Exception, text: str) -> HttpResponse:
    # The class says enough: a message of the provider may hold what it was sent.
    reason = str(error) if isinstance(error, single_sign_on.Refused) else type(error).__name__
    _log.warning("A sign-in by the identity provider failed: %s.", reason)
    messages.error(request, text)
    return redirect("web:sign-in")
