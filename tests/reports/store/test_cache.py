"""The cache reads a rollup once for each content, and stays within its size."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from reports.fact_rows import DAY, FEW, make_fact

from callscope.reports.models import Rollup
from callscope.reports.store import cache, journal, reader
from callscope.reports.store.cache import LRUCache, load_rollups, sum_rollups
from callscope.reports.store.compaction import compact_all
from callscope.reports.store.rollups import FIGURES
from callscope.reports.window import ALL_TIME


class TestLRUCache:
    def test_drops_what_was_used_longest_ago(self):
        values = LRUCache(2)
        values.put("a", 1)
        values.put("b", 2)
        values.get("a")

        values.put("c", 3)

        assert [values.get(key) for key in "abc"] == [1, None, 3]

    def test_replaces_a_value_without_dropping_another(self):
        values = LRUCache(2)
        values.put("a", 1)
        values.put("b", 2)

        values.put("a", 9)

        assert [values.get(key) for key in "ab"] == [9, 2]

    @given(st.lists(st.tuples(st.booleans(), st.integers(0, 4))), st.integers(1, 3))
    @FEW
    def test_holds_the_latest_keys_and_no_more(self, uses, size):
        values, latest = LRUCache(size), []
        for is_put, key in uses:
            if is_put:
                values.put(key, -key)
            if is_put or key in latest:
                latest = [*(k for k in latest if k != key), key][-size:]
            expected = -key if key in latest else None
            assert values.get(key) == expected


@pytest.fixture
def keys(project):
    """Three days of calls, compacted, with nothing cached yet."""
    fact = make_fact(project_id=project.pk)
    journal.append({}, {n: fact._replace(day=DAY + n) for n in range(3)})
    compact_all()
    forget()
    return reader.day_rollup_keys([project.pk], ALL_TIME)


def forget():
    cache._rollups._values.clear()
    cache._totals._values.clear()


@pytest.mark.django_db
class TestLoadRollups:
    def test_reads_each_rollup_once(self, keys, django_assert_num_queries):
        with django_assert_num_queries(1):
            first = dict(load_rollups(keys, "figures"))
        with django_assert_num_queries(0):
            again = dict(load_rollups(keys, "figures"))

        assert first == again
        assert sorted(first) == sorted(keys)
        assert all(aggregates.table("days")[:, 1].sum() == 1 for aggregates in first.values())

    def test_reads_only_what_is_missing(self, keys, django_assert_num_queries):
        list(load_rollups(keys[:2], "listing"))

        with django_assert_num_queries(1) as queries:
            assert len(dict(load_rollups(keys, "listing"))) == 3

        assert str(keys[2].first_day) in queries[0]["sql"]
        assert str(keys[0].first_day) not in queries[0]["sql"]

    def test_reads_many_in_several_queries(self, keys, monkeypatch, django_assert_num_queries):
        monkeypatch.setattr(cache, "READ_AT_ONCE", 2)

        with django_assert_num_queries(2):
            assert len(dict(load_rollups(keys, "figures"))) == 3

    def test_keeps_the_parts_of_a_rollup_apart(self, keys):
        figures, listing = dict(load_rollups(keys, "figures")), dict(load_rollups(keys, "listing"))

        assert figures[keys[0]].calls == 0
        assert listing[keys[0]].calls == 1


@pytest.mark.django_db
class TestSumRollups:
    def test_adds_up_once_whatever_the_order(self, keys, django_assert_num_queries):
        first = sum_rollups(keys, "figures", FIGURES)

        with django_assert_num_queries(0):
            assert sum_rollups(keys[::-1], "figures", FIGURES) is first
        assert first.table("days")[:, 1].tolist() == [1, 1, 1]

    def test_adds_up_again_when_a_stamp_changes(self, keys, project):
        sum_rollups(keys, "figures", FIGURES)
        former = make_fact(project_id=project.pk)

        journal.append({0: former}, {0: former._replace(sentiment=3)})
        compact_all()

        present = reader.day_rollup_keys([project.pk], ALL_TIME)
        assert len(set(present) & set(keys)) == 2
        assert sum_rollups(present, "figures", ("hours",)).table("hours").sum() > 0
        assert Rollup.objects.count() == 4
