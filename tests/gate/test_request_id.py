"""Each answer has an id; its log lines carry it, and what the address names."""

import json
import logging

import pytest

from callscope.processes import log_formats
from callscope.processes.log_formats import JsonFormatter, TextFormatter

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]


class TestRequestId:
    @pytest.mark.parametrize("path", ["/healthz", "/api/files/", "/login/", "/nowhere/"])
    def test_is_in_every_answer(self, client, path):
        first, second = (client.get(path).headers["X-Request-ID"] for _ in range(2))

        assert len(first) == 32
        assert first != second

    def test_of_a_proxy_is_kept(self, client):
        assert client.get("/healthz", headers={"X-Request-ID": "edge-1234.5"}).headers["X-Request-ID"] == (
            "edge-1234.5"
        )

    @pytest.mark.parametrize("given", ["short", "a" * 65, "two words", '{"x": "yyyyyyy"}', "ünsafe-text"])
    def test_that_could_do_harm_is_replaced(self, client, given):
        assert client.get("/healthz", headers={"X-Request-ID": given}).headers["X-Request-ID"] != given

    def test_is_in_the_lines_of_the_request_with_what_its_address_names(self, client, alice, monkeypatch):
        client.force_login(alice, backend="callscope.accounts.sign_in.EmailBackend")
        seen = []

        def look(*_arguments, **_named):
            seen.append(log_formats.get_ids())
            raise OSError(28, "No space left on device")

        monkeypatch.setattr("callscope.projects.permissions.visible_to", look)

        answer = client.get("/api/projects/7/")

        assert answer.status_code == 503
        assert seen[0] == {"request_id": answer.headers["X-Request-ID"], "project": 7}
        assert log_formats.get_ids() == {}


def line_of(formatter, message, *arguments, error=None):
    info = (type(error), error, None) if error else None
    record = logging.LogRecord("callscope.x", logging.WARNING, __file__, 1, message, arguments, info)
    return formatter.format(record)


class TestFormats:
    def test_json_is_one_object_on_one_line(self):
        with log_formats.note(job="j-1", project=3, file=None):
            line = line_of(JsonFormatter(), "first %s\nsecond", "part", error=ValueError("x"))

        found = json.loads(line)
        assert "\n" not in line
        assert found["level"] == "warning"
        assert found["message"] == "first part second"
        assert (found["job"], found["project"]) == ("j-1", 3)
        assert "file" not in found
        assert found["time"].endswith("+00:00")
        assert "ValueError: x" in found["traceback"]

    def test_text_puts_a_message_on_one_line(self):
        formatter = TextFormatter("%(levelname)s %(name)s %(message)s")

        assert (
            line_of(formatter, "refused\n\tIs it running?") == "WARNING callscope.x refused \tIs it running?"
        )
