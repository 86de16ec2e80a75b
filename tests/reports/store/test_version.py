"""A store that was counted in another time zone or layout is rebuilt before it is read."""

import datetime as dt

import pytest

from callscope.reports.models import CallFact, Rollup, StoreState
from callscope.reports.overview.report import build_report
from callscope.reports.store import version
from callscope.reports.store.compaction import compact_all
from callscope.reports.store.verify import find_discrepancies
from callscope.reports.window import ALL_TIME, Window


class TestTimeZone:
    def test_recomputes_days_and_hours_when_the_setting_changes(self, project, bring_in, settings):
        line = {"file_name": "c.wav", "call_datetime": "2026-03-10T23:30:00+00:00", "topic": "x"}
        bring_in(project, line)
        compact_all()
        settings.TIME_ZONE = "Europe/Madrid"

        report = build_report([project], Window(dt.date(2026, 3, 11), dt.date(2026, 3, 11)))

        assert report.headline.total_calls == 1
        assert find_discrepancies() == []


class TestLayout:
    def test_rebuilds_the_store_when_a_new_version_counts_other_tables(self, project, bring_in):
        bring_in(project, {"file_name": "c.wav", "call_datetime": "2026-03-10T23:30:00+00:00", "topic": "x"})
        compact_all()
        StoreState.objects.update(layout="of an older version")
        Rollup.objects.update(figures=b"of an older version", stamp=1)

        report = build_report([project], ALL_TIME)

        assert report.headline.total_calls == 1
        assert find_discrepancies() == []


@pytest.mark.django_db
class TestEnsureCurrent:
    def test_costs_one_query_while_nothing_changed(self, project, bring_in, django_assert_num_queries):
        bring_in(project, {"file_name": "c.wav", "topic": "x"})
        compact_all()

        with django_assert_num_queries(1):
            version.ensure_current()

    def test_moves_days_and_hours_to_the_present_zone_and_keeps_unknown_hours(
        self, project, bring_in, settings, monkeypatch
    ):
        monkeypatch.setattr(version, "FACTS_AT_ONCE", 1)
        late = "2026-03-10T23:30:00+00:00"
        bring_in(
            project,
            {"file_name": "a.wav", "call_datetime": late, "topic": "x"},
            {"file_name": "b.wav", "uploaded_at": late, "topic": "x"},
        )
        compact_all()
        settings.TIME_ZONE = "Asia/Tokyo"

        version.ensure_current()

        day = dt.date(2026, 3, 11).toordinal()
        assert list(CallFact.objects.order_by("pk").values_list("day", "hour")) == [(day, 8), (day, None)]
        assert StoreState.objects.get().time_zone == "Asia/Tokyo"


@pytest.mark.django_db
class TestRecordVersion:
    def test_keeps_the_version_that_the_store_was_counted_with(self):
        StoreState.objects.create(pk=1, time_zone="Asia/Tokyo", layout="older")

        version.record_version()

        assert StoreState.objects.values_list("time_zone", "layout").get() == ("Asia/Tokyo", "older")


class TestIsCurrent:
    @pytest.mark.parametrize(
        ("stored", "current"),
        [
            (None, True),
            (("UTC", version.LAYOUT), True),
            (("Asia/Tokyo", version.LAYOUT), False),
            (("UTC", "older"), False),
        ],
    )
    def test_compares_zone_and_layout(self, settings, stored, current):
        settings.TIME_ZONE = "UTC"

        assert version.is_current(stored) is current
