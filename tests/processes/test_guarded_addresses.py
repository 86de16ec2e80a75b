"""Which addresses no engine may have, however they are written."""

import ipaddress

import pytest

from callscope.processes.guarded_addresses import is_guarded_host

pytestmark = pytest.mark.one_database


class TestHost:
    @pytest.mark.parametrize(
        "host",
        [
            "169.254.169.254", "2852039166", "0xa9fea9fe", "169.254.43518", "fd00:ec2::254", "fe80::1%eth0",
            "::ffff:169.254.169.254", "64:ff9b::a9fe:a9fe", "2002:a9fe:a9fe::1", "100.100.100.200", "0.0.0.0",
            "metadata.google.internal", "Metadata.Google.Internal.",
        ],
    )  # fmt: skip
    def test_is_guarded(self, host):
        assert is_guarded_host(host)

    @pytest.mark.parametrize(
        "host",
        ["127.0.0.1", "10.1.2.3", "192.168.1.9", "::1", "fd12::1", "8.8.8.8", "llm.example", "1llm.example"],
    )
    def test_is_left_alone(self, host):
        assert not is_guarded_host(host)

    def test_is_allowed_by_its_network(self):
        allowed = [ipaddress.ip_network("169.254.10.0/24")]

        assert not is_guarded_host("169.254.10.7", allowed)
        assert is_guarded_host("169.254.11.7", allowed)
