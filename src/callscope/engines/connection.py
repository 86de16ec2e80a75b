"""The one way in which engines are connected: to an address that was looked at, and to no other.

A name is resolved once for each connection, its addresses are checked, and the connection goes to
the checked one: a name that changes in between leads nowhere else. Behind a proxy of the
environment the proxy resolves the name.
"""

import functools
import ssl
import time
import urllib.request
from collections.abc import Callable, Sequence
from urllib.parse import urlsplit

import httpx2

from callscope.engines.errors import EngineRejected
from callscope.engines.request_limits import LimitedTransport, limit_sockets
from callscope.messages.message import Message
from callscope.processes import counters, crash_points
from callscope.processes.guarded_addresses import GUARDED_NAMES, Network, is_guarded, resolve

STARTED = "callscope.started"  # an extension of a request: when it was sent, by the monotonic clock
DEFAULT_PORTS = {"http": 80, "https": 443}


class GuardedAddress(httpx2.ConnectError):
    """The host of an engine is at an address at which no engine is expected."""


class PinnedTransport(httpx2.BaseTransport):
    """Connects to the addresses that were checked; name and certificate stay those of the host."""

    def __init__(self, networks: Sequence[Network], inner: httpx2.BaseTransport | None = None) -> None:
        """`networks` are allowed although they are guarded."""
        self.networks = tuple(networks)
        self.inner = inner or limit_sockets(httpx2.HTTPTransport(verify=_read_certificates()))

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send the request. Raises GuardedAddress, and ConnectError where no address answers."""
        url = request.url
        host = url.host
        try:
            addresses = resolve(host, url.port or DEFAULT_PORTS.get(url.scheme, 80))
        except (OSError, UnicodeError) as error:
            raise httpx2.ConnectError(str(error), request=request) from error
        is_name_guarded = host.rstrip(".").casefold() in GUARDED_NAMES and not self.networks
        # One guarded address among several is a refusal too: the next connection may choose it.
        guarded = [each for each in addresses if is_name_guarded or is_guarded(each, self.networks)]
        if guarded or not addresses:
            shown = ", ".join(map(str, guarded)) or "no address"
            raise GuardedAddress(f"{host} is at {shown}", request=request)
        for last, address in enumerate(addresses, 1 - len(addresses)):
            request.url = url.copy_with(host=str(address))
            request.extensions = {**request.extensions, "sni_hostname": host}
            try:
                crash_points.reach_point("engine_request")
                response = self.inner.handle_request(request)
                crash_points.reach_point("engine_answer")
                return response
            except (httpx2.ConnectError, httpx2.ConnectTimeout):
                if last == 0:
                    raise
            finally:
                request.url = url
        raise AssertionError("one of the addresses is the last")

    def close(self) -> None:
        """Close the connections."""
        self.inner.close()


def build_http_client(
    base_url: str,
    *,
    networks: Sequence[Network] = (),
    operator_run: bool = False,
    transport: httpx2.BaseTransport | None = None,
) -> httpx2.Client:
    """Return a client for one engine; no redirects, and for an operator's own server no proxy.

    The read timeout of each request limits its time in all.
    """
    if transport is None:
        proxy = "" if operator_run else _find_proxy(base_url)
        if proxy:
            transport = limit_sockets(httpx2.HTTPTransport(verify=_read_certificates(), proxy=proxy))
        else:
            transport = PinnedTransport(networks)
    hooks: dict[str, list[Callable[..., None]]] = {"request": [count_request], "response": [count_answer]}
    return httpx2.Client(
        transport=LimitedTransport(transport),
        follow_redirects=False,
        trust_env=not operator_run,
        event_hooks=hooks,
    )


def count_request(request: httpx2.Request) -> None:
    """Count a request before it is sent; those without an answer are the difference."""
    request.extensions = {**request.extensions, STARTED: time.monotonic()}
    counters.count("callscope_engine_requests_total", host=request.url.host)


def count_answer(response: httpx2.Response) -> None:
    """Count an answer when it begins, and how long that took."""
    host = response.request.url.host
    counters.count("callscope_engine_answers_total", host=host, status=f"{response.status_code // 100}xx")
    started = response.request.extensions.get(STARTED)
    if started is not None:
        counters.observe("callscope_engine_seconds", time.monotonic() - started, host=host)


def raise_if_guarded(error: BaseException, host: str) -> None:
    """Raise EngineRejected if that is why a connection failed: trying again changes nothing."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, GuardedAddress):
            refusal = Message("engine_guarded", host=host, value=str(cause))
            raise EngineRejected(refusal, is_of_call=False) from error
        cause = cause.__cause__


@functools.cache
def _read_certificates() -> ssl.SSLContext:
    """Return whom a client trusts, read once a process: that takes 22 ms of computing."""
    return httpx2.create_ssl_context()


def _find_proxy(base_url: str) -> str:
    """Return the proxy that the environment names for this address, "" for none."""
    address = urlsplit(base_url)
    proxies = urllib.request.getproxies()
    proxy = proxies.get(address.scheme) or proxies.get("all") or ""
    if not proxy or urllib.request.proxy_bypass(address.hostname or ""):
        return ""
    return proxy if "://" in proxy else f"http://{proxy}"
