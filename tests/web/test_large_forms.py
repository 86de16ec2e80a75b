"""A form that the gate refused unread: a page says so, in the language of the browser."""

import pytest

from callscope.interfaces.gate.body_gate import REFUSED_ABOVE
from tests.web.conftest import page

pytestmark = pytest.mark.django_db


def test_is_answered_by_a_page_with_a_way_back(visitor):
    found = page(visitor.post("/login/", **{REFUSED_ABOVE: "64 kB"}), 413)

    assert "A form may hold at most 64 kB." in found.text
    assert found.all("a", href="/")


def test_is_refused_in_spanish(as_alice):
    answer = as_alice.post("/projects/1/save/", headers={"accept-language": "es"}, **{REFUSED_ABOVE: "5 MB"})

    assert "como máximo 5 MB" in page(answer, 413).text


def test_cannot_be_claimed_by_a_sender(visitor):
    assert visitor.get("/login/", headers={REFUSED_ABOVE: "1 kB"}).status_code == 200
