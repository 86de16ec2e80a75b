"""Small charts: what is drawn where."""

import re
from xml.dom import minidom

import pytest

from callscope.interfaces.web.presenters.report_page.sparks import spark_svg
from callscope.reports import charts
from callscope.reports.wide_chart import WideChart, wide_svg

TICKS = ((0.0, "0"), (50.0, "50"), (100.0, "100 %"))


def drawn(values, points=(), **options):
    return minidom.parseString(charts.panel_svg(charts.Panel(values, TICKS, **options), points))


@pytest.mark.one_database
class TestPanel:
    def test_have_a_clock_where_a_value_waits_on_pages_alone(self):
        panel = charts.Panel([1.0, None, 2.0, None], TICKS, waiting=[3])

        found = charts.panel_svg(panel, [])

        assert re.findall(r'class="waits" x="([^"]*)"', found) == ["87.500%"]
        assert "waits" not in charts.panel_svg(panel, [], width=400, palette=charts.Palette())

    def test_draws_one_dot_a_value_and_breaks_the_line_at_a_gap(self):
        found = drawn([10.0, 20.0, None, 40.0])

        assert len(found.getElementsByTagName("circle")) == 3
        [path] = found.getElementsByTagName("path")
        assert path.getAttribute("d").count("M") == 2

    def test_puts_higher_values_higher(self):
        low, high = drawn([10.0, 90.0]).getElementsByTagName("circle")

        assert float(high.getAttribute("cy")) < float(low.getAttribute("cy"))

    def test_keeps_values_beyond_the_axis_inside_the_chart(self):
        [dot] = drawn([250.0]).getElementsByTagName("circle")

        assert 0 <= float(dot.getAttribute("cy")) <= 96

    def test_marks_a_place_with_a_line_and_a_label(self):
        found = drawn([10.0, 20.0, 30.0, 40.0], marks={1: "v2"})

        [line] = [e for e in found.getElementsByTagName("line") if e.getAttribute("class") == "mark"]
        assert line.getAttribute("x1") == line.getAttribute("x2") == "37.500%"
        [label] = found.getElementsByTagName("text")
        assert (label.firstChild.data, label.getAttribute("x")) == ("v2", "37.500%")

    def test_names_a_mark_of_a_wide_chart_above_the_plot(self):
        axis = [(0.0, "0"), (100.0, "100 %")]
        chart = WideChart([90.0, 95.0], [None, None], [None, None], axis, ["a", "b"], marks={1: "v4"})

        svg = wide_svg(chart)

        [label] = re.findall(r'class="mark-label" x="[0-9.]+%" y="(-?\d+)"', svg)
        grid = [float(y) for y in re.findall(r'class="grid"[^>]*y1="([0-9.]+)"', svg)]
        assert float(label) < min(grid)

    def test_leaves_out_labels_that_would_cover_each_other(self):
        found = drawn([10.0] * 50, marks={10: "v2", 11: "v3", 20: "v4", 49: "v5"})

        assert len([e for e in found.getElementsByTagName("line") if e.getAttribute("class") == "mark"]) == 4
        labels = found.getElementsByTagName("text")
        assert [e.firstChild.data for e in labels] == ["v2", "v4", "v5"]
        assert [e.getAttribute("text-anchor") for e in labels] == ["start", "start", "end"]

    def test_draws_bars_from_the_base(self):
        found = drawn([0, 50, 100], kind="bars")

        heights = [float(r.getAttribute("height")) for r in found.getElementsByTagName("rect")]
        assert heights == [heights[0], 2 * heights[0]]

    def test_escapes_what_points_say(self):
        found = drawn([1.0], [charts.Point("<b>&", "/calls/?a=1&b=2")])

        assert found.getElementsByTagName("title")[0].firstChild.data == "<b>&"
        assert found.getElementsByTagName("a")[0].getAttribute("href") == "/calls/?a=1&b=2"

    def test_needs_no_style_attributes(self):
        assert "style" not in charts.panel_svg(charts.Panel([1.0, 2.0], TICKS), [])

    def test_writes_its_colours_in_for_paper(self):
        text = charts.panel_svg(charts.Panel([1.0, 2.0], TICKS), [], width=300, palette=charts.Palette())

        assert 'stroke="#2c56c9"' in text
        assert 'width="300"' in text

    @pytest.mark.parametrize("values", [[], [None], [None, None], [0.0] * 300])
    def test_draws_whatever_there_is(self, values):
        assert drawn(values).documentElement.tagName == "svg"


@pytest.mark.one_database
class TestSpark:
    def test_needs_two_values(self):
        assert spark_svg([1.0, None]) == ""

    def test_draws_a_flat_line_for_equal_values(self):
        assert 'd="M0.0 22.0L100.0 22.0"' in spark_svg([5.0, 5.0])

    def test_marks_its_end_where_that_was_measured(self):
        assert 'class="end" d="M100.0 2.0h0"' in spark_svg([1.0, 5.0])
        assert "end" not in spark_svg([1.0, 5.0, None])

    def test_leads_no_line_to_values_of_few_calls(self):
        found = spark_svg([0.0, 100.0, 50.0, 50.0], low=0, high=100, pale=[1])

        assert '<path d="M0.0 22.0M66.7 12.0L100.0 12.0"' in found
        assert 'class="pale" d="M33.3 2.0h0"' in found
        assert 'class="alone" d="M0.0 22.0h0"' in found

    def test_rings_what_covers_a_part_of_its_span(self):
        found = spark_svg([1.0, 5.0, 5.0], pale=[0], hollow=[0, 2])

        assert 'class="ring" d="M100.0 2.0h0"' in found
        assert 'class="ring pale" d="M0.0 22.0h0"' in found
        assert 'class="hole" d="M0.0 22.0h0M100.0 2.0h0"' in found
        assert "end" not in found


@pytest.mark.one_database
class TestTicks:
    @pytest.mark.parametrize(
        ("values", "ticks"),
        [
            ([3], [0, 1, 2, 3]),
            ([7], [0, 2.5, 5, 7.5]),
            ([42], [0, 20, 40, 60]),
            ([0], [0, 1, 2, 3]),
            ([1234, None], [0, 500, 1000, 1500]),
        ],
    )
    def test_are_few_and_round_and_span_the_values(self, values, ticks):
        assert charts.round_ticks(values, at_least=3) == ticks

    def test_end_where_the_measure_does(self):
        assert charts.round_ticks([97.0], at_least=10, most=100.0) == [0.0, 50.0, 100.0]


@pytest.mark.one_database
class TestShare:
    @pytest.mark.parametrize(
        ("share", "width"), [(None, "0%"), (-3.0, "0%"), (41.5, "41.5%"), (140.0, "100%")]
    )
    def test_stays_within_the_bar(self, share, width):
        assert f'width="{width}"' in charts.share_svg(share)


def test_a_line_grays_weeks_of_few_calls():
    panel = charts.Panel([50.0, 60.0], [(0.0, "0"), (100.0, "100")], pale=[1])

    svg = charts.panel_svg(panel, [charts.Point("")] * 2)

    assert svg.count('class="dot"') == svg.count('class="dot pale"') == 1


def test_a_line_is_dotted_where_it_leads_to_few_calls():
    panel = charts.Panel([50.0, 60.0, 70.0, None, 80.0, 90.0], [(0.0, "0"), (100.0, "100")], pale=[1, 4])

    svg = charts.panel_svg(panel, [charts.Point("")] * 6)
    paper = charts.panel_svg(panel, [charts.Point("")] * 6, width=300, palette=charts.Palette())

    firm, dotted = (
        minidom.parseString(svg).getElementsByTagName("path")[i].getAttribute("d") for i in (0, 1)
    )
    assert (firm.count("M"), firm.count("L")) == (3, 0)
    assert (dotted.count("M"), dotted.count("L")) == (3, 3)
    assert 'stroke-dasharray="1 3"' in paper
    assert "line pale" not in charts.panel_svg(charts.Panel([1.0, 2.0], TICKS), [])


@pytest.mark.one_database
class TestDots:
    def test_share_an_axis_from_0_to_100(self):
        svg = charts.dots_svg(62.5, before_pct=40.0, interval=(55.0, 70.0))

        assert '<circle class="now" cx="62.5%"' in svg
        assert '<circle class="before" cx="40%"' in svg
        assert '<line class="reach" x1="55%" x2="70%"' in svg
        assert [f'x1="{at}%"' in svg for at in charts.DOTS_GRID] == [True] * 5

    def test_have_a_line_at_what_is_to_be_reached(self):
        assert '<line class="mark" x1="60%" x2="60%"' in charts.dots_svg(62.5, mark_pct=60.0)
        assert "mark" not in charts.dots_svg(62.5)

    def test_marks_an_interval_that_goes_on_below_the_axis(self):
        assert "beyond" in charts.dots_svg(20.0, interval=(-43.0, 60.0))
        assert "beyond" not in charts.dots_svg(20.0, interval=(0.0, 60.0))

    def test_leave_out_what_was_not_measured(self):
        svg = charts.dots_svg(None, interval=(1.0, 2.0))

        assert "<circle" not in svg
        assert "reach" not in svg

    def test_are_pale_over_a_few_calls(self):
        assert 'class="dots few"' in charts.dots_svg(50.0, is_few=True)
        assert charts.Palette().line not in charts.dots_svg(
            50.0, is_few=True, width=60.0, palette=charts.Palette()
        )

    def test_are_pale_where_the_period_before_had_a_few_calls(self):
        svg = charts.dots_svg(50.0, before_pct=40.0, is_few_before=True)

        assert '<circle class="before pale"' in svg
        assert '<circle class="now"' in svg

    @pytest.mark.parametrize("value", [-5.0, 0.0, 100.0, 130.0])
    def test_stay_within_the_paper(self, value):
        svg = charts.dots_svg(value, width=60.0, palette=charts.Palette())

        (at,) = (float(part.split('"')[0]) for part in svg.split('cx="')[1:])
        assert charts.PAPER_RADIUS <= at <= 60 - charts.PAPER_RADIUS
        assert "%" not in svg

    def test_need_no_style_attributes(self):
        assert "style" not in charts.dots_svg(50.0, before_pct=1.0, interval=(2.0, 3.0))


def test_the_window_before_is_dotted_where_it_leads_to_few_calls():
    chart = WideChart(
        [50.0] * 3, [40.0] * 3, [None] * 3, [(0.0, "0"), (100.0, "100")], ["", "", ""], pale_behind=[2]
    )

    svg = wide_svg(chart)

    [firm], [dotted] = (re.findall(f'class="{name}" d="([^"]*)"', svg) for name in ("behind", "behind pale"))
    assert (firm.count("L"), dotted.count("L")) == (1, 1)
