"""Addresses at which no engine is expected: link-local ones and the metadata services of clouds.

Who can make Callscope ask them gets the credentials of the machine. An operator who runs an
engine there names its network in CALLSCOPE_ENGINE_NETWORKS.
"""

import ipaddress
import socket
from collections.abc import Iterable

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Network = ipaddress.IPv4Network | ipaddress.IPv6Network

GUARDED: tuple[Network, ...] = tuple(
    ipaddress.ip_network(each)
    for each in (
        "0.0.0.0/8",
        "169.254.0.0/16",
        "224.0.0.0/4",
        "100.100.100.200/32",  # metadata of Alibaba
        "168.63.129.16/32",  # of Azure
        "192.0.0.192/32",  # of Oracle
        "::/128",
        "fe80::/10",
        "ff00::/8",
        "fd00:ec2::/32",  # of Amazon
        "fd20:ce::/32",  # of Google
    )
)
GUARDED_NAMES = frozenset(
    ("metadata", "metadata.google.internal", "instance-data", "instance-data.ec2.internal")
)
_IPV4_IN_IPV6 = ipaddress.ip_network("64:ff9b::/96")  # NAT64


def read_address(host: str) -> Address | None:
    """Return the address that a host of a URL writes out, also as one number; None for a name."""
    try:
        return ipaddress.ip_address(host.strip("[]").partition("%")[0])
    except ValueError:
        pass
    try:
        return ipaddress.IPv4Address(socket.inet_aton(host)) if host[:1].isdigit() else None
    except OSError:
        return None


def is_guarded(address: Address, allowed: Iterable[Network] = ()) -> bool:
    """True for an address that no engine may have, unless it is in one of the allowed networks."""
    forms = [address, *_embedded_ipv4(address)]
    if any(form in network for form in forms for network in allowed):
        return False
    return any(form in network for form in forms for network in GUARDED)


def is_guarded_host(host: str, allowed: Iterable[Network] = ()) -> bool:
    """True for a host that is guarded as it is written; what a name resolves to is not asked."""
    address = read_address(host)
    if address is None:
        return host.rstrip(".").casefold() in GUARDED_NAMES
    return is_guarded(address, tuple(allowed))


def resolve(host: str, port: int) -> list[Address]:
    """Return the addresses of a host in the order to try them. Raises OSError."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    texts = dict.fromkeys(str(entry[4][0]).partition("%")[0] for entry in found)
    return [ipaddress.ip_address(text) for text in texts]


def _embedded_ipv4(address: Address) -> list[Address]:
    """Return the IPv4 address that an IPv6 address stands for."""
    if isinstance(address, ipaddress.IPv4Address):
        return []
    embedded = [address.ipv4_mapped, address.sixtofour]
    if address in _IPV4_IN_IPV6:
        embedded.append(ipaddress.IPv4Address(int(address) & 0xFFFF_FFFF))
    return [each for each in embedded if each is not None]
