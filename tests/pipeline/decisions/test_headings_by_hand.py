"""People rename headings and move reasons between them, by page and by API; regroupings keep both."""

import datetime as dt

import pytest
from django.test import Client

from callscope.contact_reasons import grouping
from callscope.contact_reasons.clusters import clustering
from callscope.contact_reasons.models import ContactReason, ReasonChange
from callscope.reports.store import facts
from tests.contact_reasons.test_grouping import add_call, regroup
from tests.contact_reasons.test_hierarchy import TOPICS

pytestmark = pytest.mark.django_db


@pytest.fixture
def headings(project, monkeypatch):
    """The headings of a project whose reasons last, those over most reasons first."""
    monkeypatch.setattr(clustering, "choose_number", lambda tree, ties, spread: len(tree) + 1)
    monkeypatch.setattr(grouping, "SETTLES_AFTER", dt.timedelta(seconds=-1))
    calls = [add_call(project, topic) for topic in TOPICS]
    facts.refresh([call.pk for call in calls])
    facts.refresh(regroup(project))
    found = ContactReason.objects.filter(project=project, is_heading=True)
    return sorted(found, key=lambda heading: (-heading.children.count(), heading.pk))


@pytest.fixture
def client(alice):
    client = Client()
    client.force_login(alice)
    return client


def change_by_page(client, reason, **values):
    address = f"/projects/{reason.project_id}/reasons/{reason.pk}/"
    assert client.post(address, {"do": "edit", **values}).status_code == 302


def change_by_api(client, reason, **values):
    answer = client.patch(f"/calls/api/reasons/{reason.pk}/", values, content_type="application/json")
    assert answer.status_code == 200, answer.content


def read_groups(client, project) -> dict[str, int]:
    report = client.get(f"/calls/api/report/?project_id={project.pk}").json()
    return {row["name"]: row["calls"] for row in report["reason_groups"]}


@pytest.mark.parametrize("change", [change_by_page, change_by_api], ids=["by page", "by API"])
class TestByHand:
    def test_a_heading_is_renamed_for_good(self, project, client, headings, change):
        heading, former = headings[0], headings[0].name

        change(client, heading, name="Everything about bills")
        assert read_groups(client, project).keys() >= {"Everything about bills"}
        come_in_and_regroup(project)

        heading.refresh_from_db()
        assert (heading.name, heading.is_heading, heading.renamed) == ("Everything about bills", True, True)
        undo(client, "edited")
        heading.refresh_from_db()
        assert (heading.name, heading.renamed) == (former, False)

    def test_a_reason_is_moved_to_another_heading_for_good(self, project, client, headings, change):
        source, target = headings[:2]
        reason = source.children.order_by("pk").first()
        before = read_groups(client, project)

        change(client, reason, parent=target.pk)
        after = read_groups(client, project)
        assert (after[source.name], after[target.name]) == (before[source.name] - 1, before[target.name] + 1)
        come_in_and_regroup(project)

        reason.refresh_from_db()
        assert (reason.parent_id, reason.is_placed) == (target.pk, True)
        undo(client, "edited")
        reason.refresh_from_db()
        assert (reason.parent_id, reason.is_placed) == (source.pk, False)


def come_in_and_regroup(project):
    """Regroup three times, each time with another call that says something new."""
    for number in range(3):
        facts.refresh([add_call(project, f"invoice broken {'again ' * number}today").pk])
        facts.refresh(regroup(project))


def undo(client, kind: str):
    change = ReasonChange.objects.filter(kind=kind, undone_at=None).latest("pk")
    answer = client.post(f"/calls/api/reasons/history/{change.pk}/undo/")
    assert answer.status_code == 200, answer.content
