"""Find the address a request comes from, behind the operator's proxies.

Rules: docs/operations.md, "A proxy in front". X-Forwarded-For counts only where a trusted proxy
hands it over, and only up to the first address that is not one: anybody can write the rest.
"""

import ipaddress
import logging
import re

from callscope.interfaces.gate.body_shares import Environ
from callscope.processes.guarded_addresses import Network

PORT = re.compile(r"(?:(?P<v4>[0-9.]+)|\[(?P<v6>[0-9A-Fa-f:.]+)\])(?::[0-9]+)?")
MAX_HOPS = 20

logger = logging.getLogger(__name__)
_is_warned = False


def set_client_address(environ: Environ, trusted: list[Network]) -> None:
    """Replace the proxy's REMOTE_ADDR by the client's."""
    peer, forwarded = environ.get("REMOTE_ADDR", ""), environ.get("HTTP_X_FORWARDED_FOR", "")
    if forwarded and not is_trusted(peer, trusted):
        _warn_once(peer)
    environ["REMOTE_ADDR"] = find_client_address(peer, forwarded, trusted)


def find_client_address(peer: str, forwarded: str, trusted: list[Network]) -> str:
    """Return the nearest address that is no trusted proxy; the last proxy where the header ends before."""
    address = peer
    for hop in reversed(forwarded.split(",")[-MAX_HOPS:]):
        if not is_trusted(address, trusted):
            break
        named = PORT.fullmatch(hop.strip())
        hop = (named["v4"] or named["v6"]) if named else hop.strip()
        if not _parse(hop):
            break
        address = hop
    return address


def is_trusted(address: str, trusted: list[Network]) -> bool:
    """Return whether the address is one of the operator's proxies."""
    ip = _parse(address)
    return ip is not None and any(ip in network for network in trusted)


def _parse(address: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        ip = ipaddress.ip_address(address)
    except ValueError:
        return None
    return getattr(ip, "ipv4_mapped", None) or ip


def _warn_once(peer: str) -> None:
    global _is_warned
    if not _is_warned:
        _is_warned = True
        logger.warning(
            "X-Forwarded-For from %s is ignored, so all its users count as one address. "
            "If it is your proxy, set CALLSCOPE_TRUSTED_PROXIES=%s.",
            peer[:45],
            peer[:45],
        )
