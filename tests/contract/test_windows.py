"""docs/api.md, "Windows": which days a report and a list are about."""

import datetime as dt
from zoneinfo import ZoneInfo

import pytest
from cast import with_key
from django.utils import timezone
from test_oracle import make_world

pytestmark = pytest.mark.django_db


@pytest.fixture
def as_alice(alice):
    return with_key(alice)[1]


@pytest.fixture
def today(monkeypatch):
    """Let the clock of the server show a moment."""

    def set_clock(moment: str) -> None:
        monkeypatch.setattr(timezone, "now", lambda: dt.datetime.fromisoformat(moment))

    return set_clock


def read_period(client, **query):
    return client.get("/calls/api/report/", query).json()["date_range"]


def dates(shown):
    return tuple(side and side[:10] for side in (shown["start"], shown["end"]))


def scored(day, score):
    entry = {"criterion_id": "g", "name": "G", "section": "", "score": score, "max_points": 2}
    when = f"{day}T10:00:00+00:00"
    return {"file_name": day, "call_datetime": when, "copc": {"criterion_scores": [entry]}}


class TestPreset:
    @pytest.mark.parametrize(
        ("preset", "now", "start", "end"),
        [
            ("mtd", "2026-03-31T12:00:00+00:00", "2026-03-01", "2026-03-31"),
            ("mtd", "2026-03-01T00:00:00+00:00", "2026-03-01", "2026-03-01"),
            ("last_month", "2026-03-31T12:00:00+00:00", "2026-02-01", "2026-02-28"),
            ("last_month", "2028-03-01T12:00:00+00:00", "2028-02-01", "2028-02-29"),
            ("last_month", "2026-01-15T12:00:00+00:00", "2025-12-01", "2025-12-31"),
            ("last_30_days", "2026-03-31T12:00:00+00:00", "2026-03-02", "2026-03-31"),
            ("last_90_days", "2026-03-31T12:00:00+00:00", "2026-01-01", "2026-03-31"),
            ("ytd", "2026-03-31T12:00:00+00:00", "2026-01-01", "2026-03-31"),
        ],
    )
    def test_means_these_days(self, as_alice, today, preset, now, start, end):
        today(now)

        shown = read_period(as_alice, date_range=preset)

        assert (*dates(shown), shown["preset"]) == (start, end, preset)

    def test_goes_by_the_day_of_the_servers_zone(self, as_alice, today, settings):
        settings.TIME_ZONE = "Asia/Tokyo"
        today("2026-03-31T15:00:00+00:00")  # the first of April in Tokyo

        assert dates(read_period(as_alice, date_range="mtd")) == ("2026-04-01", "2026-04-01")

    def test_wins_over_dates_even_malformed_ones(self, as_alice, today):
        today("2026-03-31T12:00:00+00:00")

        shown = read_period(as_alice, date_range="mtd", start_date="2020-01-01", end_date="nonsense")

        assert (dates(shown), shown["preset"]) == (("2026-03-01", "2026-03-31"), "mtd")

    def test_compares_with_as_many_days_before(self, alice, as_alice, today):
        today("2026-03-10T12:00:00+00:00")
        scores = {"2026-02-18": 0, "2026-02-19": 2, "2026-02-28": 1, "2026-03-01": 2, "2026-03-10": 2}
        make_world(alice, [{}], [[scored(day, score) for day, score in scores.items()]])

        row = as_alice.get("/calls/api/report/?date_range=mtd").json()["scorecard"][0]

        # The ten days before the first of March begin with the nineteenth of February.
        assert (row["average_pct"], row["previous_pct"], row["delta_pct"]) == (100.0, 75.0, 25.0)

    def test_that_is_unknown_is_refused(self, as_alice):
        response = as_alice.get("/calls/api/report/?date_range=LAST_MONTH")

        assert (response.status_code, list(response.json())) == (400, ["date_range"])


class TestWhereNoWindowCounts:
    @pytest.mark.parametrize("query", ["start_date=2031-01-01", "start_date=x", "date_range=nonsense"])
    def test_dates_are_ignored_whatever_they_say(self, alice, as_alice, query):
        call = scored("2026-03-01", 2) | {"custom_questions": {"answers": {"Why?": {"answer": "So"}}}}
        (world,) = make_world(alice, [{"custom_questions": ["Why?"]}], [[call]])
        call_id = as_alice.get("/calls/api/calls/").json()["results"][0]["id"]

        for path in (f"calls/{call_id}", "analysis-status", "custom-questions"):
            assert (
                as_alice.get(f"/calls/api/{path}/?{query}").json()
                == as_alice.get(f"/calls/api/{path}/").json()
            )
        assert as_alice.post(f"/calls/api/recluster/?{query}").json() == {
            "reclustering": [world.id],
            "count": 1,
        }


class TestDates:
    def test_leave_open_what_is_not_sent(self, as_alice):
        assert read_period(as_alice) == {"start": None, "end": None, "preset": None}
        assert dates(read_period(as_alice, start_date="2026-03-01")) == ("2026-03-01", None)
        assert dates(read_period(as_alice, end_date="2026-03-01")) == (None, "2026-03-01")

    def test_are_shown_with_the_offset_of_their_day(self, as_alice, settings):
        settings.TIME_ZONE = "Europe/Madrid"

        shown = read_period(as_alice, start_date="2026-03-28", end_date="2026-03-30")

        assert shown == {
            "start": "2026-03-28T00:00:00+01:00",
            "end": "2026-03-30T23:59:59+02:00",
            "preset": None,
        }

    def test_are_shown_in_whole_minutes_of_offset_before_zones_had_them(self, as_alice, settings):
        settings.TIME_ZONE = "Europe/Madrid"  # 14 minutes and 44 seconds behind until 1901

        assert read_period(as_alice, start_date="1900-01-01")["start"] == "1900-01-01T00:00:00-00:15"

    def test_hold_the_last_microsecond_of_the_end(self, alice, as_alice, settings):
        settings.TIME_ZONE = "America/New_York"
        end = dt.datetime(2026, 3, 1, 23, 59, 59, 999_999, ZoneInfo("America/New_York"))
        lines = [
            {
                "file_name": str(n),
                "call_datetime": (end + dt.timedelta(microseconds=n)).isoformat(),
                "topic": "x",
            }
            for n in (0, 1)
        ]
        make_world(alice, [{}], [lines])
        query = {"start_date": "2026-03-01", "end_date": "2026-03-01"}

        assert as_alice.get("/calls/api/report/", query).json()["headline"]["total_calls"] == 1
        assert [c["file_name"] for c in as_alice.get("/calls/api/calls/", query).json()["results"]] == ["0"]

    @pytest.mark.parametrize(
        ("query", "field"),
        [
            ("start_date=2026-02-30", "start_date"),
            ("end_date=2026-1-1", "end_date"),
            ("start_date=٢٠٢٦-٠١-٠١", "start_date"),
            ("start_date=2026-01-01T00:00:00", "start_date"),
            ("start_date=2026-01-02&end_date=2026-01-01", "end_date"),
        ],
    )
    @pytest.mark.parametrize("path", ["report/", "report/pdf/", "calls/"])
    def test_that_are_wrong_are_refused_on_their_field(self, as_alice, path, query, field):
        response = as_alice.get(f"/calls/api/{path}?{query}")

        assert (response.status_code, list(response.json())) == (400, [field])
        assert isinstance(response.json()[field][0], str)

    @pytest.mark.parametrize("path", ["analysis-status/", "custom-questions/"])
    def test_are_ignored_where_the_question_is_about_projects(self, as_alice, path):
        assert as_alice.get(f"/calls/api/{path}?start_date=nonsense&date_range=x").status_code == 200

    def test_are_ignored_by_detail_and_recluster(self, alice, as_alice):
        make_world(alice, [{}], [[{"file_name": "a", "topic": "x"}]])
        call = as_alice.get("/calls/api/calls/").json()["results"][0]["id"]

        assert as_alice.get(f"/calls/api/calls/{call}/?date_range=x&end_date=0").status_code == 200
        assert as_alice.post("/calls/api/recluster/?date_range=x&end_date=0").status_code == 202

    def test_need_both_sides_for_a_comparison(self, alice, as_alice):
        make_world(alice, [{}], [[scored("2026-03-01", 1), scored("2026-03-02", 1)]])

        def compared(**query):
            row = as_alice.get("/calls/api/report/", query).json()["scorecard"][0]
            return row["previous_pct"], row["delta_pct"]

        assert compared(start_date="2026-03-02", end_date="2026-03-02") == (50.0, 0.0)
        assert compared(start_date="2026-03-02") == (None, None)
        assert compared(end_date="2026-03-02") == (None, None)
        assert compared() == (None, None)
        assert compared(start_date="2026-03-01", end_date="2026-03-01") == (None, None)


class TestTotalOfAllTime:
    def test_says_when_the_window_hides_every_call(self, alice, as_alice):
        line = {"file_name": "a", "call_datetime": "2026-03-01T10:00:00+00:00", "topic": "x"}
        make_world(alice, [{}], [[line]])

        report = as_alice.get("/calls/api/report/?start_date=2027-01-01").json()

        assert (report["headline"]["total_calls"], report["total_calls_all_time"]) == (0, 1)
