"""The list of calls that say some words: the same calls in the same order however it reads them."""

import datetime as dt
import importlib

import pytest
from django.db import connection
from reports.search.test_spoken_words import say  # noqa: F401 - a fixture

from callscope.calls.models import Call
from callscope.reports.call_list import spoken_listing
from callscope.reports.call_list.filters import CallFilters
from callscope.reports.call_list.listing import NoSuchPage, find_calls
from callscope.reports.models import SpokenCall
from callscope.reports.store import facts
from callscope.reports.window import ALL_TIME, Window

FIRST = dt.datetime(2026, 3, 1, 12, tzinfo=dt.UTC)


def move(call, days):
    """Give a call another time, as an edit of its metadata does."""
    call.call_datetime = FIRST + dt.timedelta(days=days)
    call.save()
    facts.update_metadata(call)


@pytest.fixture
def calls(say):  # noqa: F811
    """Return calls of three days, two of which share a moment; every second says "refund"."""
    stored = [say("a refund of the invoice" if n % 2 == 0 else "an invoice") for n in range(8)]
    for call, day in zip(stored, (5, 1, 3, 2, 3, 6, 0, 4), strict=True):
        move(call, day)
    return stored


@pytest.fixture(params=[(0, 3), (0, 1), (10**9, 3)], ids=["among the first", "too few of them", "sorted"])
def reading(request, monkeypatch):
    """Read each page among the first calls of the list, or sort those that were found."""
    many, spare = request.param
    monkeypatch.setattr(spoken_listing, "MANY", many)
    monkeypatch.setattr(spoken_listing, "SPARE", spare)


def pages(project, text, *, window=ALL_TIME, size=2, **asked):
    """Return the ids of the calls of all pages."""
    filters = CallFilters.from_query({"transcript": text, **asked})
    first = find_calls([project], window, filters, page_size=size)
    found = [each.id for each in first.items]
    for number in range(2, first.pages + 1):
        found += [each.id for each in find_calls([project], window, filters, str(number), size).items]
    assert first.count == len(found)
    return found


@pytest.mark.usefixtures("reading")
class TestPages:
    def test_follow_each_other_by_time_and_then_by_the_higher_id(self, calls, project):
        newest_first = [calls[n].pk for n in (0, 4, 2, 6)]

        assert pages(project, "refund") == newest_first
        assert pages(project, "refund", ordering="call_datetime") == [calls[n].pk for n in (6, 4, 2, 0)]
        assert pages(project, '"refund of"') == newest_first
        assert pages(project, "invoice", size=3) == [calls[n].pk for n in (5, 0, 7, 4, 2, 3, 1, 6)]

    def test_hold_the_calls_of_the_window(self, calls, project):
        window = Window(dt.date(2026, 3, 3), dt.date(2026, 3, 5))

        assert pages(project, "refund", window=window) == [calls[4].pk, calls[2].pk]
        assert pages(project, "refund", window=Window(dt.date(2027, 1, 1), None)) == []

    def test_hold_the_calls_of_the_projects_alone(self, calls, project, other_project, say):  # noqa: F811
        foreign = say("a refund", of=other_project)

        assert foreign.pk not in pages(project, "refund")
        assert pages(other_project, "refund") == [foreign.pk]

    def test_of_words_that_nobody_says_are_one_empty_page(self, calls, project):
        assert pages(project, "zebra") == pages(project, "?!") == []
        with pytest.raises(NoSuchPage):
            find_calls([project], ALL_TIME, CallFilters.from_query({"transcript": "zebra"}), "2")
        assert find_calls([], ALL_TIME, CallFilters.from_query({"transcript": "refund"})).count == 0


class TestKeeping:
    def test_ends_with_the_live_results(self, calls, project):
        calls[0].analyses.update(is_live=False)
        facts.refresh([calls[0].pk])

        assert calls[0].pk not in pages(project, "refund")
        assert not SpokenCall.objects.filter(call=calls[0].pk).exists()

    def test_is_one_row_for_each_call_with_a_transcript(self, calls, project, bring_in):
        bring_in(project, {"file_name": "imported.wav"})
        facts.refresh(Call.objects.values_list("pk", flat=True))

        rows = dict(SpokenCall.objects.values_list("call", "at_us"))

        assert rows.keys() == {call.pk for call in calls}
        assert rows[calls[0].pk] == calls[0].fact.at_us

    def test_is_filled_for_calls_of_an_older_version(self, calls):
        expected = set(SpokenCall.objects.values_list("transcript_id", "call", "project", "at_us"))
        SpokenCall.objects.all().delete()
        migration = importlib.import_module("callscope.reports.migrations.0014_spoken_calls")

        with connection.cursor() as cursor:
            cursor.execute(migration.FILL)

        assert set(SpokenCall.objects.values_list("transcript_id", "call", "project", "at_us")) == expected
