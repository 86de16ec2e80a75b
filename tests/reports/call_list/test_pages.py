"""Pages of the call list, and the agents to filter it by."""

import pytest
from reports.call_list.stored_calls import FIRST, add_agent, add_call

from callscope.reports.call_list import listing
from callscope.reports.call_list.filters import CallFilters
from callscope.reports.call_list.listing import NoSuchPage, find_calls, iterate_calls, list_agents
from callscope.reports.models import StoreState
from callscope.reports.store.rebuild import rebuild_rollups
from callscope.reports.window import ALL_TIME


@pytest.fixture
def seven_calls(project, monkeypatch):
    monkeypatch.setattr(listing, "PAGE_SIZE", 3)
    ids = [add_call(project, FIRST.replace(day=2 + number)) for number in range(7)]
    rebuild_rollups()
    return ids


class TestPages:
    @pytest.mark.parametrize(
        ("page", "calls", "number", "previous", "following"),
        [
            ("1", [6, 5, 4], 1, None, 2),
            ("2", [3, 2, 1], 2, 1, 3),
            ("3", [0], 3, 2, None),
            ("last", [0], 3, 2, None),
            ("003", [0], 3, 2, None),
        ],
    )
    def test_know_their_neighbors(self, project, seven_calls, page, calls, number, previous, following):
        found = find_calls([project], ALL_TIME, CallFilters(), page)

        assert [item.id for item in found.items] == [seven_calls[n] for n in calls]
        assert (found.count, found.pages, found.number) == (7, 3, number)
        assert (found.previous_number, found.next_number) == (previous, following)

    @pytest.mark.parametrize("page", ["0", "4", "-1", "", "x", "1.0", " 1", "٣", "9" * 16, "Last"])
    def test_are_refused_beyond_the_list(self, project, seven_calls, page):
        with pytest.raises(NoSuchPage):
            find_calls([project], ALL_TIME, CallFilters(), page)

    def test_of_an_empty_list_are_one(self, project):
        for page in ("1", "last"):
            found = find_calls([project], ALL_TIME, CallFilters(), page)

            assert (found.count, found.pages, found.number, found.items) == (0, 1, 1, [])

    def test_bring_an_outdated_store_up_to_date_first(self, project, seven_calls):
        StoreState.objects.update_or_create(id=1, defaults={"time_zone": "Mars/Olympus", "layout": "old"})

        assert find_calls([project], ALL_TIME, CallFilters()).count == 7
        assert StoreState.objects.get().time_zone != "Mars/Olympus"


class TestIterateCalls:
    @pytest.mark.parametrize("at_once", [1, 2, 7, 500])
    def test_yields_every_call_once_in_the_order_of_the_list(
        self, project, seven_calls, monkeypatch, at_once
    ):
        monkeypatch.setattr(listing, "ROWS_AT_ONCE", at_once)

        found = iterate_calls([project], ALL_TIME, CallFilters(ordering="call_datetime"))

        assert [item.id for item in found] == seven_calls


def list_names(projects, *, most):
    return [(each.id, each.label) for each in list_agents(projects, most=most)]


class TestListAgents:
    def test_names_those_with_live_calls_here_by_name(self, project, other_project, alice):
        zoe, ana, elsewhere, idle = (add_agent(alice, name) for name in ("zoë", "Ana", "Bea", "Idle"))
        for agent in (zoe, ana, zoe, None):
            add_call(project, agent_id=agent)
        add_call(other_project, agent_id=elsewhere)
        rebuild_rollups()

        assert list_names([project], most=9) == [(ana, "Ana"), (zoe, "zoë")]
        assert list_names([project, other_project], most=2) == [(ana, "Ana"), (elsewhere, "Bea")]
        assert idle not in dict(list_names([project, other_project], most=9))
        assert list_agents([], most=9) == []

    def test_reads_agents_in_portions(self, project, alice, monkeypatch):
        monkeypatch.setattr(listing, "ROWS_AT_ONCE", 2)
        agents = [add_agent(alice, name) for name in "edcba"]
        for agent in agents:
            add_call(project, agent_id=agent)
        rebuild_rollups()

        assert [name for _, name in list_names([project], most=9)] == list("abcde")
