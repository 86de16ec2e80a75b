"""The way of a request to Django: whose it is and over what, then whether its body is let in."""

from collections.abc import Iterable

from django.conf import settings

from callscope.interfaces.gate.body_gate import Application, StartResponse, gate_for_threads
from callscope.interfaces.gate.body_shares import Environ
from callscope.interfaces.gate.client_origin import set_client_address


def build_entrance(application: Application) -> Application:
    """Return the WSGI application around Django's; one for all threads of a process."""
    gate = gate_for_threads(application)

    def enter(environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
        set_client_address(environ, settings.ENVIRONMENT.trusted_proxies)
        if settings.ENVIRONMENT.https == "on":
            environ["wsgi.url_scheme"] = "https"
        return gate(environ, start_response)

    return enter
