"""The page of a probe that runs stops it, for those who may start one, and says of what it is the result."""

import pytest

from callscope.accounts.models import User
from callscope.pipeline.models import Probe
from callscope.projects.services import share_project
from callscope.testing import run_due_jobs
from tests.pipeline.conftest import accept
from tests.web.conftest import page, visitor_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def probe(as_alice, project):
    for _ in range(3):
        accept(project)
    run_due_jobs()
    as_alice.post(f"/projects/{project.pk}/probes/", {"kind": "steadiness", "confirmed": "yes"})
    return Probe.objects.get()


def test_stops_it_after_a_question(as_alice, project, probe):
    url = f"/projects/{project.pk}/probes/{probe.pk}/"
    shown = page(as_alice.get(url))
    [button] = [each for each in shown.all("button") if "Stop this probe?" in each.get("data-confirm", "")]
    assert shown.all("dialog", id="confirm")
    assert shown.all("form", action=f"{url}stop/")

    stopped = page(as_alice.post(f"{url}stop/", follow=True))

    assert button
    assert "The probe is stopped. What was judged so far is kept." in stopped.text
    assert "Stopped after 0 of 3 calls. This is a partial result." in stopped.text
    assert "No call could be judged twice, so nothing is known." in stopped.text
    assert not stopped.all("form", action=f"{url}stop/")
    assert "Stopped" in page(as_alice.get(f"/projects/{project.pk}/probes/")).text
    part = as_alice.get(url, headers={"HX-Request": "true"}).content.decode()
    assert '<div id="probe-stop" hx-swap-oob="delete"></div>' in part  # a page that was open since
    assert "The probe has already ended." in page(as_alice.post(f"{url}stop/", follow=True)).text
    assert "Probe stopped" in page(as_alice.get("/audit/")).text


def test_is_not_for_viewers_nor_for_one_that_ended(as_alice, project, probe):
    viewer = User.objects.create_user("vic@example.com", "vic-password")
    share_project(project, viewer, role="viewer")
    url = f"/projects/{project.pk}/probes/{probe.pk}/"

    as_vic = visitor_of(viewer)
    assert not page(as_vic.get(url)).all("form", action=f"{url}stop/")
    assert as_vic.post(f"{url}stop/").status_code == 403
    run_due_jobs()

    ended = page(as_alice.get(url))
    assert not ended.all("form", action=f"{url}stop/")
    assert "partial result" not in ended.text
