"""Figures over few calls do not tell a person how a call was judged that this person is still to review."""

import copy
import csv
import datetime as dt
import io

import pypdfium2
import pytest
from django.test import Client
from django.utils import timezone

from callscope.calls.share_links import create_link
from callscope.projects.models import Project
from callscope.projects.services import create_project, share_project
from callscope.reports.overview.kept_back.calls import LEAST_CALLS, KeptBack, KeptCall, find_kept_back
from callscope.reports.overview.kept_back.other_figures import hide_in_map
from callscope.reports.overview.maps.agent_criteria import (
    AgentMap,
    MapAgent,
    MapCell,
    RowName,
    describe_criteria,
)
from callscope.reports.pdf.pdf import build_report_pdf, read_figures
from callscope.reports.window import ALL_TIME, Window
from callscope.reviews.calibration.sessions import CalibrationPlan, open_calibration
from callscope.reviews.reading import list_hidden, list_hidden_calls
from callscope.reviews.sampling.draw import collect_sample
from tests.web.conftest import CONFIGURATION, bring, line, page, visitor_of

pytestmark = pytest.mark.django_db

WAITS = "Waits for a blind review"
RUDE = {"mistakes": [{"id": "rude", "description": "Is rude", "quote": ""}], "missing_prompts": []}


@pytest.fixture
def calls(project):
    """Six perfect calls of Ana in one week, and one of Ben in the next that fails."""
    ben = line(
        11, identity=0, greeting=5, agent_name="Ben Okafor", sentiment="negative", goal_reached=False,
        no_protocol=RUDE, call_datetime="2026-03-11T22:00:00+00:00",
    )  # fmt: skip
    return bring(project, *(line(day) for day in range(2, 8)), ben)


@pytest.fixture
def waiting(calls, project, alice):
    """The call of Ben, which Alice is to review."""
    collect_sample(project, [calls[-1].pk], alice)
    return calls[-1]


@pytest.fixture
def as_bob(project, bob):
    share_project(project, bob, role="editor")
    return visitor_of(bob)


def table(client, project, name, query=""):
    answer = client.get(f"/report/{name}.csv?project_id={project.pk or ''}{query}")
    assert answer.status_code == 200
    return list(csv.DictReader(io.StringIO(b"".join(answer).decode("utf-8-sig"))))


def read_pdf(content):
    return "".join(each.get_textpage().get_text_range() for each in pypdfium2.PdfDocument(content))


class TestPageOfAnAgent:
    def test_leaves_out_what_one_call_was_given(self, as_alice, as_bob, project, waiting):
        address = f"/agents/{waiting.agent_id}/?project_id={project.pk}"

        shown, to_bob = (page(each.get(address)) for each in (as_alice, as_bob))

        assert "16.7" in to_bob.text and WAITS not in to_bob.text and "1 critical error" in to_bob.text
        for given in ("16.7", "50.0", "0.0 %", "1 critical error", "100.0 %"):
            assert given not in shown.text.split("Criteria", 1)[1].replace("0 to 100 %", "")
        assert "16.7" not in shown.text
        assert "1 call waits for your rating or blind review. Until then you do not see figures" in shown.text
        assert "Mar 9, 2026: waits for your review" in shown.text
        assert shown.all("span", **{"class": "gap waits"}) and not to_bob.all(
            "span", **{"class": "gap waits"}
        )
        assert {a["href"] for a in shown.all("a") if a["href"].endswith("/review/")} == {
            f"/calls/{waiting.pk}/review/"
        }

    @pytest.mark.parametrize("number", [1, 2])
    def test_says_nothing_of_an_outcome_that_is_unknown(self, as_alice, project, alice, number):
        unknown = line(2, goal_reached=None, sentiment=None)
        call, *_others = bring(project, unknown, *[line(3)][: number - 1])
        collect_sample(project, [call.pk], alice)

        text = page(as_alice.get(f"/agents/{call.agent_id}/?project_id={project.pk}")).text
        [row] = table(as_alice, project, "headline")

        assert "known outcome" not in text and "known sentiment" not in text and "known for" not in text
        assert row["outcome_calls"] == row["sentiment_calls"] == row["total_calls"] == str(number)

    def test_says_nothing_of_what_does_not_apply_to_it(self, as_alice, project, alice):
        [call] = bring(project, line(2, applies=False))
        collect_sample(project, [call.pk], alice)

        text = page(as_alice.get(f"/agents/{call.agent_id}/?project_id={project.pk}")).text

        assert "t applied to no call" not in text

    def test_shows_all_once_the_results_are_read(self, as_alice, project, waiting):
        as_alice.post(f"/calls/{waiting.pk}/results/")

        text = page(as_alice.get(f"/agents/{waiting.agent_id}/?project_id={project.pk}")).text

        assert "16.7" in text and WAITS not in text

    @pytest.mark.parametrize(
        ("number", "waiting", "is_shown"),
        [
            (2, 1, False),
            (3, 1, True),
            (4, 2, False),
            (LEAST_CALLS, 3, True),
            (LEAST_CALLS, LEAST_CALLS, False),
        ],
    )
    def test_shows_figures_unless_half_of_few_calls_wait(
        self, as_alice, project, alice, number, waiting, is_shown
    ):
        found = bring(project, line(2, identity=0), *(line(day) for day in range(3, 2 + number)))
        collect_sample(project, [call.pk for call in found[:waiting]], alice)
        address = f"/agents/{found[0].agent_id}/?project_id={project.pk}"

        text = page(as_alice.get(address)).text

        assert ("1 critical error" in text) == is_shown
        assert ("waits for your review" in text) != is_shown

    def test_hides_the_same_in_the_api_from_raters(self, as_alice, project, calls, alice):
        address = f"/calls/api/agents/{calls[-1].agent_id}/?project_id={project.pk}"
        before = as_alice.get(address).json()
        open_calibration(project, CalibrationPlan([calls[-1].pk], [alice.email]), alice)

        after = as_alice.get(address).json()

        assert (before["average_score"], after["average_score"]) == (16.67, None)
        assert {each["evaluated_pct"] for each in after["criteria"]} == {None}
        assert {each["not_applicable_calls"] for each in after["criteria"]} == {0}
        assert {week["evaluated_pct"] for each in after["criteria"] for week in each["weeks"]} == {None}


class TestReport:
    def test_leaves_out_the_figures_of_the_agent(self, as_alice, as_bob, project, waiting):
        address = f"/report/agents/?project_id={project.pk}"

        shown, to_bob = (page(each.get(address)).text for each in (as_alice, as_bob))

        row, to_bob_row = (
            text.split("Ben Okafor", 1)[1].split("Agents by criterion")[0] for text in (shown, to_bob)
        )
        assert row.count(WAITS) == 4 and "16.7" not in row
        assert "16.7" in to_bob_row and WAITS not in to_bob
        cells, to_bob_cells = (
            text.split("Agents by criterion: percent", 1)[1].split("Ben Okafor", 1)[1]
            for text in (shown, to_bob)
        )
        assert "50 n 1" in to_bob_cells and "0 n 1" in to_bob_cells
        assert cells.count(WAITS) == 2 and "0 n 1" not in cells
        assert "you do not see figures over fewer than 5 calls" in shown

    def test_leaves_out_the_week_and_the_hour(self, as_alice, as_bob, project, waiting):
        for query in ("", "&figure=criterion:identity", "&figure=non_critical_accuracy_pct"):
            address = f"/report/trend/?project_id={project.pk}&hours=score{query}"

            shown, to_bob = (page(each.get(address)).text for each in (as_alice, as_bob))

            assert "16.7" in to_bob and WAITS not in to_bob
            assert "16.7" not in shown and "17 n 1" not in shown
            assert f"Wednesday 23:00: 1 call · {WAITS}" in shown or f"22:00: 1 call · {WAITS}" in shown
            assert "Mar 9, 2026: average score waits for your review" in shown or query
            clocks = [
                each.get(address).content.decode().count('<svg class="waits"') for each in (as_alice, as_bob)
            ]
            # The chart of the figure, and that of the negative sentiment below it; one shows the score, too.
            assert clocks == [3 if query else 2, 0]

    def test_shows_a_week_of_which_only_other_days_wait(self, as_alice, project, alice):
        waiting, _other = bring(project, line(9, identity=0), line(11))
        collect_sample(project, [waiting.pk], alice)
        address = f"/report/trend/?project_id={project.pk}&start_date=2026-03-11&end_date=2026-03-13"

        text = page(as_alice.get(address)).text

        assert "Mar 9, 2026: average score 100.0 %" in text.replace("\u00a0", " ")
        assert as_alice.get(address).content.decode().count('<svg class="waits"') == 0

    def test_says_why_day_and_night_cannot_be_compared(self, as_alice, project, waiting):
        found = page(as_alice.get(f"/report/trend/?project_id={project.pk}")).text

        shifts = found.split("Day minus night", 1)[1].split("Hours of calls", 1)[0]

        # Twice for each of five figures: those of the night, and what would be compared with them.
        assert shifts.count(WAITS) == 10 and "Nothing can be compared" not in shifts

    def test_counts_it_in_figures_over_more_calls(self, as_alice, as_bob, project, waiting):
        for part in ("", "criteria/"):
            address = f"/report/{part}?project_id={project.pk}"

            shown, to_bob = (
                page(each.get(address)).text.split("Compared with")[0] for each in (as_alice, as_bob)
            )

            assert "88.1" in shown or part
            assert "85.7" in to_bob and "85.7" in shown

    def test_of_few_calls_leaves_out_everything(self, as_alice, as_bob, project, waiting):
        days = "&start_date=2026-03-09&end_date=2026-03-15"
        for part in ("", "criteria/", "agents/", "trend/"):
            address = f"/report/{part}?project_id={project.pk}{days}"

            shown, to_bob = (page(each.get(address)).text for each in (as_alice, as_bob))

            assert WAITS in shown and WAITS not in to_bob
            dashes = page(as_alice.get(address)).all("span", **{"class": "gap"})
            assert not [each["title"] for each in dashes if WAITS in each["title"]]  # but a clock
            for given in ("16.7", "50.0", "0.0 of", "100.0 of"):
                assert given not in shown, (part, given)

    def test_files_agree_with_the_pages(self, as_alice, as_bob, project, waiting):
        [ana, ben] = table(as_alice, project, "agents")
        assert (ana["average_score"], ben["average_score"], ben["calls"]) == ("100.0", "", "1")
        assert {row["average_score"] for row in table(as_bob, project, "agents")} == {"100.0", "16.67"}
        cells = table(as_alice, project, "agent-criteria")
        assert {
            (row["met_pct"], row["calls"], row["not_met"]) for row in cells if row["agent"] != "Ana Ruiz"
        } == {("", "", "")}
        assert [row["average_score"] for row in table(as_alice, project, "trend")] == ["100.0", ""]
        for name in ("agents", "trend", "agent-criteria", "week-hours", "shifts", "headline"):
            rows, to_bob = (table(each, project, name) for each in (as_alice, as_bob))
            differ = [{**mine, "figures_hidden": ""} != his for mine, his in zip(rows, to_bob, strict=True)]
            assert [bool(row["figures_hidden"]) for row in rows] == differ
            assert {row["figures_hidden"] for row in rows} <= {"", "blind_review"}
            assert any(differ) == (name not in ("headline",)), name
        assert {
            row["average_score"]
            for row in table(as_alice, project, "week-hours")
            if row["scored_calls"] == "1"
        } <= {"", "100.0"}

    @pytest.mark.parametrize("name", ["scorecard", "mistakes", "headline", "shifts"])
    def test_files_of_few_calls_say_no_answer(self, as_alice, as_bob, project, waiting, name):
        days = "&start_date=2026-03-09&end_date=2026-03-15"
        answers = (
            *("evaluated_pct", "average_pct", "average_score", "critical_errors", "not_applicable_calls"),
            *("share_pct", "decided_calls", "points_lost", "evaluated_calls"),
        )

        shown, to_bob = (table(each, project, name, days) for each in (as_alice, as_bob))

        assert not {key for row in shown for key in answers if row.get(key)}
        assert {key for row in to_bob for key in answers if row.get(key)}
        assert [row["calls"] for row in shown if row.get("id") == "rude"] in ([], [""])

    def test_pdf_is_made_without_them(self, project, waiting):
        given = {"language": "en", "generated_at": timezone.now()}

        hidden = build_report_pdf([project], ALL_TIME, blinded={waiting.pk}, **given)
        shown = build_report_pdf([project], ALL_TIME, **given)

        assert hidden.content != shown.content
        said = "1 call waits for your rating or blind review."
        assert said in " ".join(read_pdf(hidden.content).split())
        assert said not in " ".join(read_pdf(shown.content).split())
        dash = "that the figure waits for your review: see the first page."
        assert dash in " ".join(read_pdf(hidden.content).split())
        assert dash not in " ".join(read_pdf(shown.content).split())

    def test_pdf_chooses_no_criterion_of_its_map_by_what_is_left_out(self, as_alice, project, waiting):
        week = Window(dt.date(2026, 3, 9), dt.date(2026, 3, 15))

        hidden = read_figures([project], week, None, {waiting.pk})
        shown = read_figures([project], week, None, ())

        left_out = [row for row in hidden.report.scorecard if row.is_kept_back]
        assert left_out and shown.agent_map.criteria
        assert not {row.criterion_id for row in left_out} & {
            each.criterion_id for each in hidden.agent_map.criteria
        }
        assert hidden.agent_map.criteria_waiting == len(left_out)
        said = describe_criteria(hidden.agent_map, str)
        assert f"{len(left_out)} criteria wait for your review and are not in the map." in said
        assert "wait" not in describe_criteria(shown.agent_map, str)

    @pytest.mark.parametrize(("of", "is_hidden"), [(1, True), (2, False)])
    def test_map_has_no_clock_for_a_project_in_which_an_agent_has_no_calls(self, of, is_hidden):
        names = [RowName("a", "A"), RowName("b", "B")]
        ana = MapAgent("Ana", 7, 2, [MapCell(2, 50.0, 1), MapCell(0, None, 0)])
        kept = KeptBack((KeptCall(call=1, project=1, agent=7, day=5, hour=None),))

        found = hide_in_map(AgentMap(names, [ana], 1, 2, [frozenset({1}), frozenset({of})]), kept)

        assert found.agents[0].cells[0] == MapCell(2, None, 0)
        assert found.agents[0].cells[1].is_kept_back == is_hidden

    def test_says_no_more_with_a_link_that_the_reader_made(self, project, waiting, alice, bob):
        def open_link(maker, client):
            _link, token = create_link(maker, project, days=7)
            return page(client.get(f"/shared/{token}/"))

        share_project(project, bob, role="editor")
        nobody = Client()
        notice = "Some figures over few calls wait for a blind review and are not shown yet."

        of_alice, of_bob = (open_link(each, nobody) for each in (alice, bob))

        assert "recorded that the criterion applies" not in of_alice.text
        assert notice in of_alice.text and WAITS in of_alice.text and "16.7" not in of_alice.text
        assert notice not in of_bob.text and WAITS not in of_bob.text and "16.7" in of_bob.text
        assert notice in open_link(bob, visitor_of(alice)).text

    def test_counts_no_calls_of_a_hidden_row_next_to_it(self, as_alice, as_bob, project, waiting):
        days = "&start_date=2026-03-09&end_date=2026-03-15"
        address = f"/report/criteria/?project_id={project.pk}{days}"

        shown, to_bob = (page(each.get(address)).text for each in (as_alice, as_bob))

        assert "few calls, n 1" in to_bob and "few calls, n 1" not in shown

    def test_of_several_projects_hides_no_criterion_of_another(self, as_alice, alice, project, waiting):
        rubric = copy.deepcopy(CONFIGURATION["rubric"])
        rubric["sections"][0]["criteria"][0]["name"] = "Says hello"
        other = create_project(alice, "Sales line", document={"rubric": rubric})
        bring(other, line(3))

        rows = table(as_alice, Project(), "scorecard", "&start_date=2026-03-01&end_date=2026-03-31")

        assert [row["evaluated_pct"] for row in rows if row["name"] == "Says hello"] == ["100.0"]


class TestKeptBack:
    def test_knows_the_calls_of_list_hidden(self, alice, project, calls):
        collect_sample(project, [calls[0].pk, calls[1].pk], alice)
        open_calibration(project, CalibrationPlan([calls[1].pk, calls[2].pk], [alice.email]), alice)

        assert list_hidden_calls(alice) == list_hidden(alice).all == {call.pk for call in calls[:3]}

    def test_costs_one_query_where_nothing_waits(self, bob, project, calls, django_assert_num_queries):
        with django_assert_num_queries(1):
            assert not find_kept_back([project], list_hidden_calls(bob))

    def test_is_of_the_projects_of_the_report(self, alice, project, waiting):
        other = create_project(alice, "Sales line", document=CONFIGURATION)

        assert not find_kept_back([other], [waiting.pk])
        [found] = find_kept_back([project], [waiting.pk]).calls
        assert (found.agent, found.weekday) == (waiting.agent_id, 2)
