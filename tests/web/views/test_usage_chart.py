"""The charts of the usage page: use of engines by day, week or month."""

import datetime as dt

import pytest
from django.utils import timezone

from callscope.pipeline.models import UsageEntry
from tests.web.conftest import page

MINUTE_US = 60_000_000


@pytest.fixture
def use(project):
    def enter(*days, **fields):
        for day in days:
            at = timezone.make_aware(dt.datetime.combine(dt.date.fromisoformat(day), dt.time(12)))
            entry = UsageEntry.objects.create(project=project, kind="transcription", engine="e", **fields)
            UsageEntry.objects.filter(pk=entry.pk).update(at=at)

    return enter


@pytest.mark.django_db
class TestUsageChart:
    def test_is_not_drawn_of_one_day(self, as_alice, use):
        use("2026-03-02", "2026-03-02", audio_us=MINUTE_US)

        assert "Use over time" not in page(as_alice.get("/usage/")).text

    def test_shows_every_day_from_the_first_use_to_the_last(self, as_alice, use):
        use("2026-03-02", "2026-03-04", "2026-03-04", audio_us=90_000_000)

        found = as_alice.get("/usage/").context["chart"]
        [audio] = found.panels

        assert [slot.said for slot in audio.slots] == [
            "Mar 2, 2026: 1:30 min:s",
            "Mar 3, 2026: 0:00 min:s",
            "Mar 4, 2026: 3:00 min:s",
        ]
        assert [(row.name, row.texts) for row in found.rows][-1] == ("Mar 4, 2026", ["3:00 min:s"])

    def test_leads_from_each_period_to_its_days_within_the_window(self, as_alice, use, project):
        use("2026-03-02", "2026-04-28", audio_us=MINUTE_US)  # Monday, and a Tuesday eight weeks on

        found = as_alice.get(f"/usage/?project_id={project.pk}&start_date=2026-03-01&end_date=2026-04-29")
        weeks = found.context["chart"].rows

        assert [week.name for week in weeks][::8] == ["Week of Mar 2, 2026", "Week of Apr 27, 2026"]
        of_project = f"/usage/?project_id={project.pk}"
        assert weeks[0].url == f"{of_project}&start_date=2026-03-02&end_date=2026-03-08"
        assert weeks[-1].url == f"{of_project}&start_date=2026-04-27&end_date=2026-04-29"
        links = [link["href"] for link in page(found).all("a")]
        assert links.count(weeks[0].url) == 2  # of the chart and of the table

    def test_is_hollow_where_a_week_is_cut(self, as_alice, use):
        use("2026-03-02", "2026-04-28", audio_us=MINUTE_US)

        whole = as_alice.get("/usage/").context["chart"]
        cut = as_alice.get("/usage/?end_date=2026-04-29").context["chart"]

        assert (whole.hollow, cut.hollow) == ("", "Hollow: incomplete (week of Apr 27, 2026).")
        assert [panel.svg.count("column hollow") for panel in (*whole.panels, *cut.panels)] == [0, 1]

    def test_counts_months_of_more_than_a_year(self, as_alice, use):
        use("2024-01-31", "2026-02-01", audio_us=MINUTE_US)

        rows = as_alice.get("/usage/").context["chart"].rows

        assert (len(rows), rows[0].name, rows[1].name) == (26, "January 2024", "February 2024")
        assert rows[-1].url.endswith("start_date=2026-02-01&end_date=2026-02-28")

    def test_draws_each_figure_that_there_is_from_0_in_a_unit_with_room(self, as_alice, use):
        use("2026-03-02", audio_us=20 * 60 * MINUTE_US)
        use("2026-03-03", input_tokens=40_000, output_tokens=2_000, cost_micros=1_500_000)

        panels = as_alice.get("/usage/").context["chart"].panels

        assert [(panel.label, panel.unit) for panel in panels] == [
            ("Audio transcribed", "in hours"),
            ("Tokens read and written", "in thousands"),
            ("Known cost", ""),
        ]
        assert [panel.slots[1].said.partition(": ")[2] for panel in panels] == [
            "0:00 min:s",
            "42,000 tokens",
            "1.50",
        ]
        assert all(">0</text>" in panel.ticks for panel in panels)

    @pytest.mark.parametrize(("minutes", "length"), [(6, "6:00 min:s"), (61, "1:01:00 h:min:s")])
    def test_a_length_has_its_unit(self, as_alice, use, minutes, length):
        use("2026-03-02", audio_us=minutes * MINUTE_US)

        found = page(as_alice.get("/usage/"))

        assert f"Audio transcribed {length}" in " ".join(found.text.split())
        labels = [cell["data-label"] for cell in found.all("td") if "data-label" in cell]
        assert f"Audio, {length.split()[1]}" in labels

    def test_is_not_drawn_where_no_figure_is_known(self, as_alice, use):
        use("2026-03-02", "2026-03-03")

        assert "Use over time" not in page(as_alice.get("/usage/")).text
