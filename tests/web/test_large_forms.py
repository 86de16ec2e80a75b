"""A form that the gate refused unread: a page says so, in the language of the browser."""

import pytest

from callscope.interfaces.gate.body_gate import REFUSED_ABOVE
from tests.web.conftest import page

pytestmark = pytest.mark.django_db


def test_is_answered_by_a_page_with_a_way_back(visitor):
    found = page(visitor.post("/login/", **{REFUSED_ABOVE: "64 kB"}), 413)

    assert "A form may hold at most 64 kB." in found.text
    assert found.all("a", href="/")


@pytest.mark.parametrize(
    ("came_from", "shown"),
    [
        ("http://testserver/projects/1/people/?x=1", ["http://testserver/projects/1/people/?x=1"]),
        ("https://evil.example/form/", []),
        ("javascript:alert(1)", []),
        ("", []),
    ],
)
def test_leads_back_to_the_form_of_this_server_alone(as_alice, came_from, shown):
    found = page(as_alice.post("/teams/", headers={"referer": came_from}, **{REFUSED_ABOVE: "5 MB"}), 413)

    assert [a["href"] for a in found.all("a") if a.get("class") == "button primary"] == shown


def test_is_refused_in_spanish(as_alice):
    answer = as_alice.post("/projects/1/save/", headers={"accept-language": "es"}, **{REFUSED_ABOVE: "5 MB"})

    assert "como máximo 5 MB" in page(answer, 413).text


def test_cannot_be_claimed_by_a_sender(visitor):
    assert visitor.get("/login/", headers={REFUSED_ABOVE: "1 kB"}).status_code == 200
