"""The criterion filter: calls whose packs hold a criterion, counted by sums or by looking."""

import pytest
from reports.call_list.stored_calls import FIRST, add_call

from callscope.reports.call_list import criterion_filter
from callscope.reports.call_list.criterion_filter import CriterionFilter
from callscope.reports.call_list.drilldown import DrilldownFilter
from callscope.reports.models import CallFact, CriterionSeen
from callscope.reports.store.packing import CRITICAL_ERROR, EVALUATED, NOT_APPLICABLE, pack_entries
from callscope.reports.store.rebuild import rebuild_rollups
from callscope.reports.window import ALL_TIME, Window

POINT = 1_000_000


def seen(project, criterion_id, name="Greets", most=POINT):
    return CriterionSeen.objects.create(
        project=project, criterion_id=criterion_id, name=name, max_points=most
    ).pk


@pytest.fixture
def judged(project):
    """Calls by what their packs hold of "greeting", which was renamed once, and of "closing"."""
    greeting, renamed = seen(project, "greeting"), seen(project, "greeting", name="Greets by name")
    closing = seen(project, "closing")
    packs = {
        "met": [(greeting, POINT, EVALUATED)],
        "spoilt": [(renamed, 0, EVALUATED | CRITICAL_ERROR), (closing, POINT, EVALUATED)],
        "spared": [(greeting, POINT, NOT_APPLICABLE)],
        "other": [(closing, 0, CRITICAL_ERROR)],
        "half": [(renamed, POINT // 2, EVALUATED), (closing, POINT, 0)],
        "unscored": [],
    }
    calls = {
        name: add_call(project, FIRST.replace(day=2 + number), pack=pack_entries(entries))
        for number, (name, entries) in enumerate(packs.items())
    }
    rebuild_rollups()
    return calls


CASES = [
    ("greeting", "", {"met", "spoilt", "spared", "half"}),
    ("greeting", "evaluated", {"met", "spoilt", "half"}),
    ("greeting", "judged", {"met", "spoilt", "half"}),
    ("closing", "judged", {"spoilt", "other", "half"}),
    ("closing", "evaluated", {"spoilt"}),
    ("greeting", "met", {"met"}),
    ("greeting", "partly", {"half"}),
    ("greeting", "not_met", {"spoilt"}),
    ("closing", "met", {"spoilt", "half"}),
    ("closing", "partly", set()),
    ("closing", "not_met", {"other"}),
    ("unheard", "met", set()),
    ("greeting", "critical", {"spoilt"}),
    ("greeting", "not_applicable", {"spared"}),
    ("closing", "critical", {"other"}),
    ("closing", "not_applicable", set()),
    ("unheard", "", set()),
    ("Greeting", "", set()),
]


@pytest.mark.parametrize(("criterion", "outcome", "expected"), CASES)
class TestCriterionFilter:
    def test_selects_calls_by_their_packs(self, project, judged, criterion, outcome, expected):
        wanted = CriterionFilter([project.pk], DrilldownFilter(criterion=criterion, outcome=outcome))

        assert wanted.select_ids(list(judged.values())) == {judged[name] for name in expected}
        assert wanted.select_ids([judged["met"]]) == {judged["met"]} & {judged[n] for n in expected}
        assert wanted.select_ids([]) == set()

    @pytest.mark.parametrize("at_once", [1, 2, 5000])
    def test_counts_the_same_by_sums_and_by_packs(
        self, project, judged, monkeypatch, criterion, outcome, expected, at_once
    ):
        monkeypatch.setattr(criterion_filter, "PACKS_AT_ONCE", at_once)
        wanted = CriterionFilter([project.pk], DrilldownFilter(criterion=criterion, outcome=outcome))

        if wanted.is_counted:
            assert wanted.count(ALL_TIME) == len(expected)
        assert wanted.count_among(CallFact.objects.all()) == len(expected)


class TestScope:
    def test_counts_the_calls_of_the_window(self, project, judged):
        first = FIRST.date()
        wanted = CriterionFilter([project.pk], DrilldownFilter(criterion="greeting"))

        assert wanted.count(Window(first, first)) == 1
        assert wanted.count(Window(first.replace(day=3), None)) == 3

    def test_knows_no_criterion_of_another_project(self, other_project, judged):
        wanted = CriterionFilter([other_project.pk], DrilldownFilter(criterion="greeting"))

        assert wanted.select_ids(list(judged.values())) == set()
        assert wanted.count(ALL_TIME) == wanted.count_among(CallFact.objects.all()) == 0
