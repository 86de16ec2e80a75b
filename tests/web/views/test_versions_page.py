"""The page of versions leads to every replay, and from a version to the replay that published it."""

import pytest

from callscope.pipeline.models import Replay
from callscope.projects.configuration import parse
from callscope.projects.services import configure_project
from tests.web.conftest import page

pytestmark = pytest.mark.django_db


def add_replays(project, count):
    document = parse(project.config).as_document()
    return [Replay.objects.create(project=project, config=document, config_version=1) for _ in range(count)]


def read_links(found, project):
    """Return the ids of the replays that the list of a page leads to."""
    start = f"/projects/{project.pk}/replays/"
    named = found.all("a", **{"class": "name"})
    return [int(link["href"].removeprefix(start).strip("/")) for link in named if start in link["href"]]


def save_guideline(project, words):
    project.refresh_from_db()
    document = parse(project.config).as_document()
    document["rubric"]["sections"][0]["criteria"][0]["guideline"] = words
    configure_project(project, document)


def test_leads_to_older_replays_and_back(as_alice, project):
    ids = [replay.pk for replay in add_replays(project, 12)]
    address = f"/projects/{project.pk}/versions/"

    newest = page(as_alice.get(address))
    oldest = page(as_alice.get(f"{address}?replays=2"))

    assert read_links(newest, project) == ids[:1:-1]
    assert "1 – 10 of 12" in newest.text
    assert newest.all("a", href=f"{address}?replays=2#replays-title")
    assert read_links(oldest, project) == [ids[1], ids[0]]
    assert "11 – 12 of 12" in oldest.text
    assert oldest.all("a", href=f"{address}#replays-title")


def test_keeps_the_page_of_the_other_list(as_alice, project):
    add_replays(project, 11)
    for count in range(25):
        save_guideline(project, f"Says it {count} times.")
    address = f"/projects/{project.pk}/versions/"

    found = page(as_alice.get(f"{address}?page=2&replays=2"))

    assert found.all("a", href=f"{address}?replays=2#versions-title")
    assert found.all("a", href=f"{address}?page=2#replays-title")


def test_has_no_pages_of_few_replays(as_alice, project):
    add_replays(project, 10)

    assert "of 10" not in page(as_alice.get(f"/projects/{project.pk}/versions/")).text


def test_leads_from_a_version_to_the_replay_that_published_it(as_alice, project):
    save_guideline(project, "At once.")
    add_replays(project, 1)
    [replay] = add_replays(project, 1)
    Replay.objects.filter(pk=replay.pk).update(published_version=2)

    found = page(as_alice.get(f"/projects/{project.pk}/versions/"))

    assert found.text.count("published from a replay") == 1
    assert "published from a replay , version 2" in found.text  # the text has a blank around each element
    assert len(found.all("a", href=f"/projects/{project.pk}/replays/{replay.pk}/")) == 2


def test_names_once_what_settings_are_part_of(as_alice, project):
    configure_project(project, project.config | {"goal": {"description": "Sold", "phrases": ["all set"]}})

    text = page(as_alice.get(f"/projects/{project.pk}/versions/")).text

    assert "2 changes: Goal of the caller · Reached when, Phrases that show it" in text


def test_says_which_earlier_version_is_the_same(as_alice, alice, project):
    first = parse(project.config).as_document()
    save_guideline(project, "Says hello.")
    project.refresh_from_db()
    configure_project(project, first)
    configure_project(project, {**first, "retention": {**first["retention"], "recordings_days": 30}})

    text = page(as_alice.get(f"/projects/{project.pk}/versions/")).text

    assert "4 current same as version 1 except for privacy and retention" in text
    assert "3 same as version 1 " in text and text.count("same as version") == 2
