"""Which names `callscope serve` answers for, by the address it listens on."""

import pytest

from callscope.environment import Environment
from callscope.interfaces.cli.commands import serve

pytestmark = pytest.mark.one_database
NAME = "CALLSCOPE_ALLOWED_HOSTS"


@pytest.fixture(autouse=True)
def _no_hosts_set(monkeypatch):
    monkeypatch.setenv(NAME, "")  # so that what a test sets is undone


@pytest.mark.parametrize(
    ("host", "name"), [("192.0.2.7", "192.0.2.7"), ("calls.lan", "calls.lan"), ("fd00::7", "[fd00::7]")]
)
def test_answers_for_loopback_and_the_address_it_listens_on(host, name):
    serve.answer_for(host)

    assert Environment.read().allowed_hosts == ["localhost", ".localhost", "127.0.0.1", "[::1]", name]


@pytest.mark.parametrize("host", ["0.0.0.0", "::"])
def test_asks_for_names_where_it_listens_everywhere(host, capsys):
    serve.answer_for(host)

    assert "CALLSCOPE_ALLOWED_HOSTS=calls.example.com" in capsys.readouterr().err
    assert Environment.read().allowed_hosts == ["localhost", ".localhost", "127.0.0.1", "[::1]"]


def test_leaves_names_that_are_set(monkeypatch, capsys):
    monkeypatch.setenv(NAME, "calls.example.com")
    serve.answer_for("0.0.0.0")

    assert Environment.read().allowed_hosts == ["calls.example.com"]
    assert capsys.readouterr().err == ""
