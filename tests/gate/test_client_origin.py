"""Whose address a request has, with proxies that are trusted and others that are not."""

import dataclasses
import ipaddress

import pytest

from callscope.interfaces.gate import client_origin
from callscope.interfaces.gate.entrance import build_entrance

PROXIES = [ipaddress.ip_network(each) for each in ("127.0.0.1", "10.0.0.0/8", "::1")]


@pytest.mark.parametrize(
    ("peer", "forwarded", "client"),
    [
        ("203.0.113.9", "", "203.0.113.9"),
        ("203.0.113.9", "198.51.100.1", "203.0.113.9"),  # not our proxy: anybody can write this
        ("127.0.0.1", "198.51.100.1", "198.51.100.1"),
        ("::ffff:127.0.0.1", "198.51.100.1", "198.51.100.1"),
        ("127.0.0.1", "1.1.1.1, 198.51.100.1", "198.51.100.1"),  # the left one is the client's own claim
        ("127.0.0.1", "198.51.100.1, 10.0.0.7", "198.51.100.1"),
        ("127.0.0.1", "198.51.100.1:5555", "198.51.100.1"),
        ("::1", "[2001:db8::1]:5555", "2001:db8::1"),
        ("127.0.0.1", "2001:db8::1", "2001:db8::1"),
        ("127.0.0.1", "unknown", "127.0.0.1"),
        ("127.0.0.1", "198.51.100.1, <b>", "127.0.0.1"),
        ("127.0.0.1", "", "127.0.0.1"),
        ("", "198.51.100.1", ""),
    ],
)
def test_is_the_nearest_that_is_no_proxy(peer, forwarded, client):
    environ = {"REMOTE_ADDR": peer, "HTTP_X_FORWARDED_FOR": forwarded}

    client_origin.set_client_address(environ, PROXIES)

    assert environ["REMOTE_ADDR"] == client


def test_is_the_peer_where_no_proxy_is_set_and_the_log_says_so_once(monkeypatch, caplog):
    monkeypatch.setattr(client_origin, "_is_warned", False)
    for _ in range(2):
        environ = {"REMOTE_ADDR": "127.0.0.1", "HTTP_X_FORWARDED_FOR": "198.51.100.1"}
        client_origin.set_client_address(environ, [])

    assert environ["REMOTE_ADDR"] == "127.0.0.1"
    assert [record.message for record in caplog.records] == [
        "X-Forwarded-For from 127.0.0.1 is ignored, so all its users count as one address. "
        "If it is your proxy, set CALLSCOPE_TRUSTED_PROXIES=127.0.0.1."
    ]


def test_is_found_before_django_sees_the_request(settings):
    seen = []

    def application(environ, _start_response):
        seen.append(environ["REMOTE_ADDR"])
        return []

    settings.ENVIRONMENT = dataclasses.replace(settings.ENVIRONMENT, trusted_proxies=PROXIES)
    environ = {"PATH_INFO": "/", "REMOTE_ADDR": "10.0.0.7", "HTTP_X_FORWARDED_FOR": "198.51.100.1"}
    build_entrance(application)(environ, None)

    assert seen == ["198.51.100.1"]
