"""The list as one query: filters, search and order."""

import datetime as dt

import pytest
from reports.call_list.stored_calls import FIRST, add_agent, add_call

from callscope.reports.call_list.drilldown import DrilldownFilter
from callscope.reports.call_list.filters import CallFilters, Order
from callscope.reports.call_list.queryset import filter_calls, order_calls, scan_calls, select_calls
from callscope.reports.models import CallFact, CallText
from callscope.reports.search import call_texts
from callscope.reports.window import ALL_TIME, Window

DAY = FIRST.date()


def ids(facts):
    return set(facts.values_list("pk", flat=True))


class TestSelectCalls:
    @pytest.fixture
    def calls(self, project):
        return {
            "plain": add_call(project),
            "angry": add_call(project, sentiment=3, goal_reached=False),
            "late": add_call(project, FIRST + dt.timedelta(days=3), sentiment=3),
        }

    @pytest.mark.parametrize(
        ("window", "filters", "expected"),
        [
            (ALL_TIME, CallFilters(), {"plain", "angry", "late"}),
            (ALL_TIME, CallFilters(sentiment=3), {"angry", "late"}),
            (Window(DAY, DAY), CallFilters(), {"plain", "angry"}),
            (Window(None, DAY), CallFilters(sentiment=3), {"angry"}),
            (Window(DAY + dt.timedelta(days=1), None), CallFilters(), {"late"}),
            (ALL_TIME, CallFilters(drilldown=DrilldownFilter(goal=False)), {"angry"}),
            (ALL_TIME, CallFilters(drilldown=DrilldownFilter(goal=False, scored=True)), set()),
        ],
    )
    def test_and_a_scan_keep_window_and_filters(self, project, calls, window, filters, expected):
        chosen = {calls[name] for name in expected}

        assert ids(select_calls([project.pk], window, filters)) == chosen
        assert ids(scan_calls([project.pk], window, filters)) == chosen

    def test_keeps_to_its_projects(self, project, other_project, calls):
        foreign = add_call(other_project)

        assert ids(select_calls([other_project.pk], ALL_TIME, CallFilters())) == {foreign}
        assert ids(scan_calls([other_project.pk], ALL_TIME, CallFilters())) == {foreign}
        assert ids(select_calls([], ALL_TIME, CallFilters())) == set()

    def test_keeps_what_a_search_has_found(self, project, calls):
        texts = [(calls["angry"], "billing"), (calls["late"], "delivery")]
        for call_id, text in texts:
            CallText.objects.create(call_id=call_id, project=project, text=text)
        call_texts.index_texts(texts)

        found = select_calls([project.pk], ALL_TIME, CallFilters(search="BILL"))

        assert ids(found) == {calls["angry"]}
        assert ids(filter_calls([project.pk], ALL_TIME, CallFilters(), [])) == set()


class TestOrderCalls:
    @pytest.mark.parametrize("field", ["score_percentage", "mistake_count", "agent__name"])
    @pytest.mark.parametrize("descending", [False, True])
    def test_puts_empty_values_last_and_the_higher_id_first(self, project, alice, field, descending):
        ana, zoe = add_agent(alice, "Ana"), add_agent(alice, "zoë")
        facts = {
            "score_percentage": [{"score_bp": 1}, {"score_bp": 2}],
            "mistake_count": [{"mistakes": 0}, {"mistakes": 1}],
            "agent__name": [{"agent_id": ana}, {"agent_id": zoe}],
        }[field]
        low, high, none, low_again, none_again = (
            add_call(project, **fact) for fact in (*facts, {}, facts[0], {})
        )

        found = order_calls(CallFact.objects.all(), Order(field, descending))

        lows = [low_again, low]
        valued = [high, *lows] if descending else [*lows, high]
        assert [fact.pk for fact in found] == [*valued, none_again, none]

    def test_leaves_the_packs_where_they_are(self, project):
        add_call(project, pack=b"x")

        (fact,) = order_calls(CallFact.objects.all(), CallFilters().order)

        assert "pack" in fact.get_deferred_fields()
