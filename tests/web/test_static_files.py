"""Files of pages: compressed for browsers that take it, and the same bytes for all."""

import gzip
from pathlib import Path

import pytest
from django.contrib.staticfiles import finders
from django.templatetags.static import static

pytestmark = pytest.mark.django_db
STYLES, FONT = "web/css/base.css", "web/fonts/inter.woff2"


def fetch(client, name, **headers):
    answer = client.get(static(name), headers=headers)
    body = answer.getvalue()
    answer.close()
    return answer, body


class TestAFile:
    @pytest.mark.parametrize("accepted", ["gzip", "br;q=1.0, gzip;q=0.8, *;q=0.1"])
    def test_is_compressed_for_who_takes_it(self, client, accepted):
        answer, body = fetch(client, STYLES, accept_encoding=accepted)

        assert answer["Content-Encoding"] == "gzip"
        assert int(answer["Content-Length"]) == len(body) < 0.4 * Path(finders.find(STYLES)).stat().st_size
        assert gzip.decompress(body) == Path(finders.find(STYLES)).read_bytes()
        assert "immutable" in answer["Cache-Control"]
        assert answer["Content-Type"].startswith("text/css")

    @pytest.mark.parametrize("accepted", ["", "br", "gzip;q=0", "gzip; q=0.0, br"])
    def test_is_as_it_is_for_others(self, client, accepted):
        answer, body = fetch(client, STYLES, accept_encoding=accepted)

        assert "Content-Encoding" not in answer
        assert body == Path(finders.find(STYLES)).read_bytes()
        assert answer["Vary"] == "Accept-Encoding"  # caches keep both

    def test_of_a_compressed_kind_stays_as_it_is(self, client):
        answer, body = fetch(client, FONT, accept_encoding="gzip")

        assert "Content-Encoding" not in answer
        assert body == Path(finders.find(FONT)).read_bytes()

    def test_is_asked_for_in_parts_and_again_as_before(self, client):
        part, body = fetch(client, STYLES, accept_encoding="gzip", range="bytes=0-9")
        whole, _ = fetch(client, STYLES, accept_encoding="gzip")
        again, _ = fetch(client, STYLES, accept_encoding="gzip", if_modified_since=whole["Last-Modified"])

        assert (part.status_code, len(body)) == (206, 10)
        assert again.status_code == 304

    def test_answers_a_head_request_without_a_body(self, client):
        answer = client.head(static(STYLES), headers={"accept-encoding": "gzip"})

        assert (answer.status_code, answer.getvalue()) == (200, b"")


class TestAPage:
    def test_is_never_compressed(self, client):
        answer = client.get("/login/", headers={"accept-encoding": "gzip"})

        assert "Content-Encoding" not in answer
