"""A form that the gate refused: a page says why, in the language of the browser."""

from http import HTTPStatus

import pytest

from callscope.interfaces.gate.body_gate import REFUSED, Refusal
from tests.web.conftest import page

pytestmark = pytest.mark.django_db


def large(most):
    """Return what the gate adds to the environment of a request whose body it refused as too large."""
    return {REFUSED: Refusal(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, most)}


def test_is_answered_by_a_page_with_a_way_back(visitor):
    found = page(visitor.post("/login/", **large("64 kB")), 413)

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
    found = page(as_alice.post("/teams/", headers={"referer": came_from}, **large("5 MB")), 413)

    assert [a["href"] for a in found.all("a") if a.get("class") == "button primary"] == shown


def test_is_refused_in_spanish(as_alice):
    answer = as_alice.post("/projects/1/save/", headers={"accept-language": "es"}, **large("5 MB"))

    assert "como máximo 5 MB" in page(answer, 413).text


def test_cannot_be_claimed_by_a_sender(visitor):
    assert visitor.get("/login/", headers={REFUSED: "413"}).status_code == 200


@pytest.mark.parametrize(
    ("status", "english", "spanish", "wait"),
    [
        (408, "took too long to arrive", "tardó demasiado en llegar", None),
        (411, "arrived without its length", "llegó sin su longitud", None),
        (429, "Nothing was saved. Try again in 5 seconds.", "Vuelva a intentarlo dentro de 5 segundos", "5"),
        (503, "Nothing was saved. Try again in 5 seconds.", "Vuelva a intentarlo dentro de 5 segundos", "5"),
    ],
)
def test_reads_why_it_was_refused_and_how_long_to_wait(as_alice, status, english, spanish, wait):
    refused = {REFUSED: Refusal(HTTPStatus(status), "")}
    came_from = "http://testserver/teams/"

    answer = as_alice.post("/teams/", headers={"referer": came_from}, **refused)
    found = page(answer, status)

    assert english in found.text
    assert answer.headers.get("Retry-After") == wait
    assert found.all("a", href=came_from)
    again = as_alice.post("/teams/", headers={"accept-language": "es"}, **refused)
    assert spanish in page(again, status).text
