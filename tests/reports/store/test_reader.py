"""The store: rollups and journal together are what the facts add up to, whatever happens between."""

import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st
from reports.fact_rows import DAY, make_fact
from reports.naive_report import naive_report
from reports.story import DAYS, SCRIPT, STEPS, Story, call_lines, shown, window_of

from callscope.reports.models import CallFact, JournalEntry, Rollup
from callscope.reports.overview.report import build_report
from callscope.reports.store import journal, reader, version
from callscope.reports.store.compaction import compact_all
from callscope.reports.store.rebuild import rebuild_rollups
from callscope.reports.store.verify import find_discrepancies
from callscope.reports.window import ALL_TIME, Window, month_end, month_of


class TestStore:
    @given(
        script=st.lists(STEPS, min_size=1, max_size=12),
        days=st.tuples(st.sampled_from([None, *DAYS]), st.sampled_from([None, *DAYS])),
    )
    @SCRIPT
    def test_answers_what_a_naive_count_answers_after_any_script(self, alice, script, days):
        story = Story(alice)
        window = window_of(days)
        for turn, (step, value) in enumerate(script):
            story.play(step, value, turn)

            for scope in (story.projects, story.projects[:1]):
                assert shown(scope, window) == naive_report(scope, window.start, window.end)

        assert find_discrepancies() == []

    @given(script=st.lists(STEPS, min_size=1, max_size=10))
    @SCRIPT
    def test_says_the_same_before_and_after_compaction(self, alice, script):
        story = Story(alice)
        for turn, (step, value) in enumerate(script):
            story.play(step, value, turn)
        before = [shown(story.projects, window_of(days)) for days in ((None, None), (DAYS[1], DAYS[3]))]

        compact_all()

        after = [shown(story.projects, window_of(days)) for days in ((None, None), (DAYS[1], DAYS[3]))]
        compacted = sorted(
            Rollup.objects.values_list("project", "level", "first_day", "calls", "figures", "listing")
        )
        rebuild_rollups()
        rebuilt = sorted(
            Rollup.objects.values_list("project", "level", "first_day", "calls", "figures", "listing")
        )
        assert after == before
        assert JournalEntry.objects.count() == 0
        assert compacted == rebuilt

    @given(lines=st.lists(call_lines(), min_size=1, max_size=12))
    @SCRIPT
    def test_adds_up_in_every_direction(self, alice, lines):
        story = Story(alice)
        story.play("import", lines, 0)

        report = build_report(story.projects, ALL_TIME)

        total = report.headline.total_calls
        with_agent = sum(row.calls for row in report.agents)
        with_topic = sum(row.calls for row in report.contact_reasons)
        assert sum(row.headline.total_calls for row in report.shifts) == report.headline.calls_with_metadata
        assert with_agent + CallFact.objects.filter(agent_id=None).count() == total
        assert with_topic + CallFact.objects.filter(topic=None).count() == total
        assert sum(bucket.calls for bucket in report.trend) == total == report.total_calls_all_time

    @given(
        lines=st.lists(call_lines(), min_size=1, max_size=12),
        cut=st.sampled_from(DAYS),
        compacts=st.booleans(),
    )
    @SCRIPT
    def test_adds_adjacent_windows_to_the_whole(self, alice, lines, cut, compacts):
        story = Story(alice)
        story.play("import", lines, 0)
        if compacts:
            compact_all()
        ids = [project.pk for project in story.projects]

        parts = [
            reader.read_aggregates(ids, Window(None, cut)),
            reader.read_aggregates(ids, Window(cut + dt.timedelta(days=1), None)),
        ]

        whole = reader.read_aggregates(ids, ALL_TIME)
        for name in ("hours", "agents", "topics", "criteria", "days"):
            assert sum(part.table(name)[:, -1].sum() for part in parts) == whole.table(name)[:, -1].sum()

    @given(lines=st.lists(call_lines(), min_size=1, max_size=12))
    @SCRIPT
    def test_compares_with_the_report_of_the_window_before(self, alice, lines):
        story = Story(alice)
        story.play("import", lines, 0)
        window = Window(dt.date(2026, 2, 1), dt.date(2026, 2, 28))
        previous = window.previous()
        assert previous is not None

        now = build_report(story.projects, window).scorecard
        then = {
            (r.criterion_id, r.name): r.average_pct for r in build_report(story.projects, previous).scorecard
        }

        assert [r.previous_pct for r in now] == [then.get((r.criterion_id, r.name)) for r in now]


MARCH = dt.date(2026, 3, 1)
DATES = st.dates(dt.date(2026, 1, 1), dt.date(2026, 12, 31))


def days_of(span):
    """Return the days that the rollups of a span cover."""
    last = span.last if span.level == Rollup.Level.DAY else month_end(month_of(span.last))
    return range(span.first, last + 1)


class TestRollupSpans:
    @given(st.tuples(DATES, DATES).map(sorted))
    def test_cover_each_day_of_the_window_once(self, dates):
        window = Window(*dates)

        spans = reader._rollup_spans(window)

        first, last = window.days
        assert sorted(day for span in spans for day in days_of(span)) == [*range(first, last + 1)]

    @given(st.tuples(DATES, DATES).map(sorted))
    def test_use_days_only_where_a_month_is_cut(self, dates):
        window = Window(*dates)
        first, last = window.days

        for span in reader._rollup_spans(window):
            if span.level == Rollup.Level.DAY and span.first <= span.last:
                month = month_of(span.first)
                assert month == month_of(span.last)
                assert first > month or last < month_end(month)

    @pytest.mark.parametrize(
        ("start", "end", "levels"),
        [
            (None, None, ["MONTH"]),
            (MARCH, None, ["MONTH"]),
            (dt.date(2026, 3, 2), None, ["DAY", "MONTH"]),
            (None, dt.date(2026, 3, 30), ["DAY", "MONTH"]),
            (MARCH, dt.date(2026, 3, 31), ["MONTH"]),
            (dt.date(2026, 3, 5), dt.date(2026, 3, 9), ["DAY"]),
            (dt.date(2026, 3, 5), dt.date(2026, 4, 9), ["DAY", "DAY"]),
            (dt.date(2026, 3, 5), dt.date(2026, 5, 9), ["DAY", "DAY", "MONTH"]),
        ],
    )
    def test_are_as_few_as_the_window_allows(self, start, end, levels):
        spans = reader._rollup_spans(Window(start, end))

        assert [Rollup.Level(span.level).name for span in spans] == levels


@pytest.fixture
def fact(project):
    return make_fact(project_id=project.pk)


@pytest.mark.django_db
class TestReadFingerprint:
    def test_of_an_empty_store_is_current(self, project):
        fingerprint = reader.read_fingerprint([project.pk], ALL_TIME)

        assert fingerprint == ((0, 0, 0), False, None)
        assert version.is_current(fingerprint.version)

    def test_says_that_the_journal_holds_changes_of_the_window(self, fact):
        journal.append({}, {1: fact})
        day = dt.date.fromordinal(DAY)

        def has_changes(start, end):
            return reader.read_fingerprint([fact.project_id], Window(start, end)).has_changes

        assert has_changes(None, None)
        assert has_changes(day, day)
        assert not has_changes(day + dt.timedelta(days=1), None)
        assert not reader.read_fingerprint([fact.project_id + 1], ALL_TIME).has_changes

    def test_is_another_one_after_each_change_and_the_same_without(self, fact):
        ids = [fact.project_id]
        journal.append({}, {1: fact})
        compact_all()
        seen = [reader.read_fingerprint(ids, ALL_TIME)]
        assert reader.read_fingerprint(ids, ALL_TIME) == seen[0]

        for change in ({"sentiment": 3}, {"topic_id": 4}, {"day": DAY + 90}):
            journal.append({1: fact}, {1: fact._replace(**change)})
            compact_all()
            seen.append(reader.read_fingerprint(ids, ALL_TIME))
            fact = fact._replace(**change)

        assert len({fingerprint.stored for fingerprint in seen}) == 4
        assert not any(fingerprint.has_changes for fingerprint in seen)

    def test_costs_one_query_and_no_aggregates(self, fact, django_assert_num_queries):
        with django_assert_num_queries(1) as queries:
            reader.read_fingerprint([fact.project_id], Window(MARCH, None))

        assert "figures" not in queries[0]["sql"]


@pytest.mark.django_db
class TestReadJournalByDay:
    def test_leaves_out_days_outside_the_window(self, fact):
        journal.append({}, {n: fact._replace(day=DAY + n) for n in range(4)})
        window = Window(dt.date.fromordinal(DAY + 1), dt.date.fromordinal(DAY + 2))

        days = reader.read_journal_by_day([fact.project_id], window)

        assert [(project, day, aggregates.calls) for project, day, aggregates in days] == [
            (fact.project_id, DAY + 1, 1),
            (fact.project_id, DAY + 2, 1),
        ]


@pytest.mark.django_db
class TestCountCalls:
    def test_adds_what_the_journal_adds_and_takes_away(self, fact):
        journal.append({}, {1: fact, 2: fact._replace(day=DAY + 400)})
        compact_all()
        journal.append({1: fact}, {3: fact, 4: fact})

        assert reader.count_calls([fact.project_id]) == 3
        assert reader.count_calls([]) == 0
