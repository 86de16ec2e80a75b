"""The courses below the figures of the report mark weeks of few calls and parts of weeks."""

import pytest

from tests.web.conftest import bring, line

pytestmark = pytest.mark.django_db
FEW, PART = "Gray dots: weeks with fewer than 10 calls.", "Hollow: incomplete weeks ("


@pytest.fixture
def weeks(project):
    """Twelve calls on the first and the third Monday of March 2026, one on the Friday between."""
    days = [2] * 12 + [13] + [16] * 12
    return bring(
        project,
        *(line(n, call_datetime=f"2026-03-{day:02d}T10:00:00+00:00") for n, day in enumerate(days, start=1)),
    )


def open_report(client, project, last):
    address = f"/report/?project_id={project.pk}&start_date=2026-03-02&end_date=2026-03-{last}"
    html = client.get(address).content.decode()
    hero = html.partition('<div class="tile hero"')[2].partition('<div class="tile"')[0]
    return html, hero.partition('<svg class="spark"')[2].partition("</svg>")[0]


class TestSparks:
    def test_lead_no_line_to_a_week_of_few_calls(self, as_alice, project, weeks):
        html, spark = open_report(as_alice, project, 22)

        assert '<path d="M0.0 2.0M100.0 2.0"' in spark
        assert 'class="pale" d="M50.0 2.0h0"' in spark
        assert 'class="end"' in spark
        assert FEW in html
        assert PART not in html

    def test_end_in_a_ring_where_the_last_week_is_a_part(self, as_alice, project, weeks):
        html, spark = open_report(as_alice, project, 18)

        assert 'class="ring" d="M100.0 2.0h0"' in spark
        assert 'class="end"' not in spark
        assert f"{PART}Mar 16, 2026)." in html

    def test_have_notes_that_stand_apart(self, as_alice, project, weeks):
        html, _spark = open_report(as_alice, project, 18)

        notes = html.partition('<ul class="compared notes">')[2].partition("</ul>")[0]
        said = [" ".join(each.partition("</li>")[0].split()) for each in notes.split("<li>")[1:]]
        assert said == ["Compared with Feb 13, 2026 – Mar 1, 2026.", FEW, f"{PART}Mar 16, 2026)."]

    def test_count_the_calls_of_each_figure_by_itself(self, as_alice, project, weeks):
        bring(
            project,
            *(
                line(30 + n, call_datetime="2026-03-09T11:00:00+00:00", goal_reached=None)
                for n in range(1, 13)
            ),
        )

        html, spark = open_report(as_alice, project, 22)

        goal = html.partition("goal=true")[2].partition('<svg class="spark"')[2].partition("</svg>")[0]
        assert "pale" not in spark  # 13 scored calls
        assert 'class="pale" d="M50.0 2.0h0"' in goal  # one with a known outcome


def draw_rows(found_html, mark):
    """Return the course in the row of a table that holds `mark`, and the row with the one that it unfolds."""
    row = found_html.partition(mark)[2].partition('<th scope="row">')[0]
    return row.partition('<svg class="spark"')[2].partition("</svg>")[0], row


class TestCoursesOfReasons:
    def test_lead_no_line_to_a_week_of_few_calls_and_end_in_a_ring(self, as_alice, project, weeks):
        address = f"/report/reasons/?project_id={project.pk}&start_date=2026-03-02&end_date=2026-03-18"

        html = as_alice.get(address).content.decode()

        spark, row = draw_rows(html, "late fee</a>")
        assert '<path d=""' not in spark
        assert "L" not in spark
        assert 'class="pale" d="M90.9 2.0h0"' in spark
        assert 'class="ring" d="M100.0 2.0h0"' in spark
        assert "12/12, 1/1, 12/12 (part of the week)" in row
        assert FEW in html
        assert f"{PART}Mar 16, 2026)." in html


class TestCoursesOfAnAgent:
    @pytest.fixture
    def address(self, project, weeks):
        return f"/agents/{weeks[0].agent_id}/?project_id={project.pk}"

    def test_lead_no_line_to_a_week_of_few_calls(self, as_alice, address):
        html = as_alice.get(f"{address}&start_date=2026-03-02&end_date=2026-03-22").content.decode()

        spark, row = draw_rows(html, "Greets</a>")
        assert '<path d="M0.0 2.0M100.0 2.0"' in spark
        assert 'class="pale" d="M50.0 2.0h0"' in spark
        assert 'Mar 9, 2026: 100.0&nbsp;%, 1 call <span class="tag">few calls</span></li>' in row
        assert FEW in html
        assert PART not in html

    def test_are_left_out_where_all_would_be_gray(self, as_alice, project):
        calls = bring(
            project, *(line(n, call_datetime=f"2026-03-{7 * n:02d}T10:00:00+00:00") for n in (1, 2, 3, 4))
        )
        found = as_alice.get(f"/agents/{calls[0].agent_id}/?project_id={project.pk}").content.decode()

        assert "few calls" in found
        assert '<svg class="spark"' not in found

    def test_ring_a_week_of_which_a_part_is_counted(self, as_alice, address):
        html = as_alice.get(f"{address}&start_date=2026-03-02&end_date=2026-03-18").content.decode()

        spark, row = draw_rows(html, "Greets</a>")
        assert 'class="ring" d="M100.0 2.0h0"' in spark
        assert "12 calls · part of the week</li>" in row
        assert f"{PART}Mar 16, 2026)." in html

    def test_miss_no_day_of_a_week_on_which_the_agent_never_has_calls(self, as_alice, address):
        html = as_alice.get(f"{address}&start_date=2026-03-02&end_date=2026-03-20").content.decode()

        assert "part of the week" not in html  # Mondays and Fridays alone have calls


def test_counts_by_week_say_which_week_is_a_part(as_alice, project):
    rude = {"mistakes": [{"id": "rude", "description": "Is rude", "quote": ""}], "missing_prompts": []}
    days = (2, 6, 9, 13, 16)
    bring(
        project,
        *(
            line(n, call_datetime=f"2026-03-{day:02d}T10:00:00+00:00", no_protocol=rude)
            for n, day in enumerate(days, start=1)
        ),
    )

    html = as_alice.get(
        f"/report/criteria/?project_id={project.pk}&start_date=2026-03-02&end_date=2026-03-18"
    ).content.decode()

    spark, row = draw_rows(html, "rude</a>")
    assert 'class="ring pale" d="M100.0 12.0h0"' in spark
    assert '<path d=""' in spark  # each week has fewer than 10 calls
    assert FEW in html
    assert '<th scope="col" class="bar-cell">Calls by week</th>' in html
    assert "Calls by week: 2, 2, 1 (part of the week)" in row
    assert f"{PART}Mar 16, 2026)." in html


@pytest.mark.parametrize("kind", ["mistakes", "missing_prompts"])
def test_counts_lead_no_line_to_a_week_of_few_calls_whatever_was_found(as_alice, project, kind):
    found = {
        "mistakes": [],
        "missing_prompts": [],
        kind: [{"id": "shouts", "description": "It", "quote": ""}],
    }
    days = [2] * 12 + [9] * 12 + [16] * 3 + [30] * 12
    bring(
        project,
        *(
            line(
                n,
                call_datetime=f"2026-03-{day:02d}T10:00:00+00:00",
                **({"no_protocol": found} if n % 2 else {}),
            )
            for n, day in enumerate(days, start=1)
        ),
    )

    html = as_alice.get(
        f"/report/criteria/?project_id={project.pk}&start_date=2026-03-02&end_date=2026-04-05"
    ).content.decode()

    spark, row = draw_rows(html, "shouts</a>")
    assert "Calls by week: 6, 6, 2, 0, 6" in row
    assert '<path d="M0.0 2.0L25.0 2.0M100.0 2.0"' in spark
    assert 'class="pale" d="M50.0 15.3h0"' in spark  # and nothing in the week without a call
    assert FEW in html
