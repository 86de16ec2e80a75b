"""One figure of the report by week: by API, and as the wide chart of the page."""

import copy
import datetime as dt
import random
import re
from collections import defaultdict
from fractions import Fraction

import pytest

from callscope.accounts.models import User
from callscope.analysis.models import CallAnalysis
from callscope.calls.models import Agent
from callscope.calls.own_calls import link_user
from callscope.projects.services import create_project
from callscope.reports.overview.figure_trend import answers, weeks
from callscope.reports.overview.figure_trend.figures import FIGURES
from callscope.reports.store.compaction import compact_all
from callscope.reports.window import day_of, find_week
from tests.web.conftest import CONFIGURATION, bring, line, page, visitor_of

pytestmark = pytest.mark.django_db

ADDRESS = "/calls/api/report/trend/"
START, END = dt.date(2026, 3, 11), dt.date(2026, 4, 7)  # from a Wednesday to a Tuesday, 28 days
WINDOW = f"start_date={START}&end_date={END}"
QUESTION = "question:Was a refund promised?"


@pytest.fixture(scope="module")
def made(rows_of_module):
    """Alice's project and its calls: the tests that bring others do so in a project of Carol's."""
    with rows_of_module():
        alice = User.objects.create_user("alice@example.com", "alice-password")
        project = create_project(alice, "Service line", document=CONFIGURATION)
        return project, bring_calls(project)


@pytest.fixture
def filled(made, db):
    return copy.deepcopy(made)


@pytest.fixture
def alice(filled):
    return filled[0].owner


@pytest.fixture
def project(filled):
    return filled[0]


@pytest.fixture
def calls(filled):
    return filled[1]


def bring_calls(project):
    """Return 90 calls over ten weeks by two agents, some without scores, some without a known outcome."""
    dice = random.Random(11)
    lines = []
    for number in range(90):
        moment = dt.datetime(2026, 2, 9, tzinfo=dt.UTC) + dt.timedelta(hours=dice.randrange(1680))
        answer = {"answer": dice.choice(["Yes", "yes ", "No", "not determined"]), "quotes": []}
        fields = {
            "agent_name": dice.choice(["Ana Ruiz", "Ben Okafor"]),
            "call_datetime": moment.isoformat(),
            "sentiment": dice.choice(["negative", "neutral", None]),
            "goal_reached": dice.choice([True, False, None]),
            "custom_questions": {"answers": {"Was a refund promised?": answer}},
        }
        if number % 9 == 0:
            fields["copc"] = None
        greeting, points, applies = dice.choice((0, 5, 10)), dice.choice((0, 20)), number % 5 > 1
        lines.append(
            line(number, greeting=greeting, identity=points if applies else 20, applies=applies, **fields)
        )
    return bring(project, *lines)


def measure(figure, call):
    """Return what one call adds to a figure and to what it is taken over; None where it is in neither."""
    scores = {each["criterion_id"]: each for each in (call.copc or {}).get("criterion_scores", [])}
    errors = any(each["is_critical_error"] for each in scores.values())
    points = sum(each["score"] for each in scores.values())
    answers = (call.custom_questions or {}).get("answers", {})
    if figure == "calls":
        return 1, 1
    if figure == "goal_reached_pct":
        reached = call.insights["goal"]["reached"] if call.insights and call.insights.get("goal") else None
        return None if reached is None else (int(reached), 1)
    if figure == QUESTION:
        said = answers.get("Was a refund promised?")
        return said and (int(said["answer"].strip().casefold() == "yes"), 1)
    if not scores:
        return None
    return {
        "average_score": (Fraction(points, 30), 1),
        "weighted_compliance": (Fraction(points, 30), 1),
        "critical_error_pct": (int(errors), 1),
        "compliance_critical_accuracy_pct": (int(not errors), 1),
        "non_critical_accuracy_pct": (int(scores["greeting"]["score"] == 10), 1),
        "criterion:greeting": (Fraction(scores["greeting"]["score"], 10), 1),
        "criterion:identity": None
        if scores["identity"]["applicability"] == "not_applicable"
        else (Fraction(scores["identity"]["score"], 20), 1),
    }[figure]


def count_weeks(figure, calls, first, last):
    """Return week → (value, n) of the calls between two days, call by call."""
    found = defaultdict(list)
    for call in calls:
        day = dt.date.fromordinal(day_of(call.call_datetime))
        if first <= day <= last:
            analysis = CallAnalysis.objects.get(call=call, is_live=True)
            found[find_week(day.toordinal()).isoformat()].append(measure(figure, analysis))
    result = {}
    for week, each in found.items():
        known = [one for one in each if one is not None]
        share = Fraction(sum(one[0] for one in known), len(known)) if known else None
        value = None if share is None else float(round(share * 100, 2))
        result[week] = (float(len(known)) if figure == "calls" else value, len(known))
    return result


def read(client, query=""):
    answer = client.get(f"{ADDRESS}?{WINDOW}{query}")
    assert answer.status_code == 200, answer.content
    return answer.json()


def shown(rows):
    return {each["week"]: (each["value"], each["n"]) for each in rows if each and each["n"]}


class TestFigureTrend:
    @pytest.mark.parametrize(
        "figure",
        [
            "average_score",
            "critical_error_pct",
            "calls",
            "weighted_compliance",
            "compliance_critical_accuracy_pct",
            "non_critical_accuracy_pct",
            "criterion:greeting",
            "criterion:identity",
            QUESTION,
        ],
    )
    def test_equals_a_count_call_by_call_in_both_windows(self, as_alice, project, calls, figure):
        expected = {k: v for k, v in count_weeks(figure, calls, START, END).items() if v[1]}
        before = START - dt.timedelta(days=28), START - dt.timedelta(days=1)
        expected_before = {k: v for k, v in count_weeks(figure, calls, *before).items() if v[1]}

        recent = read(as_alice, f"&figure={figure}&answer=Yes")
        compact_all()
        compacted = read(as_alice, f"&figure={figure}&answer=Yes")

        assert expected
        assert expected_before
        assert recent == compacted
        assert shown(recent["weeks"]) == expected
        assert shown(each["previous"] for each in recent["weeks"]) == expected_before

    def test_counts_an_accuracy_only_over_projects_that_look_for_such_errors(
        self, as_alice, alice, project, calls
    ):
        figure = "&figure=compliance_critical_accuracy_pct"
        alone = read(as_alice, f"{figure}&project_id={project.pk}")["weeks"]
        bring(create_project(alice, "No such criterion"), line(500, call_datetime="2026-03-12T10:00:00Z"))

        together = read(as_alice, f"{figure}&project_id=")["weeks"]

        assert read(as_alice, "&figure=calls&project_id=") != read(
            as_alice, f"&figure=calls&project_id={project.pk}"
        )
        assert together == alone

    def test_puts_first_weeks_behind_first_weeks(self, as_alice, project, calls):
        found = read(as_alice)["weeks"]

        apart = {
            (dt.date.fromisoformat(each["week"]) - dt.date.fromisoformat(each["previous"]["week"])).days
            for each in found
            if each["previous"]
        }
        assert apart == {28}
        assert [each["is_part"] for each in found] == [True, False, False, False, True]

    def test_has_no_window_before_where_a_side_is_open(self, as_alice, project, calls):
        found = as_alice.get(ADDRESS).json()

        assert len(found["weeks"]) == 10
        assert all(each["previous"] is None for each in found["weeks"])

    @pytest.mark.parametrize("figure", FIGURES)
    def test_holds_each_value_within_its_interval(self, as_alice, project, calls, figure):
        for each in read(as_alice, f"&figure={figure}")["weeks"]:
            if each["interval"] is not None:
                assert each["interval"][0] <= each["value"] <= each["interval"][1]
            assert (each["value"] is None) == (each["n"] == 0 and figure != "calls")

    @pytest.mark.parametrize(
        "figure",
        ["compliance", "criterion:nothing", "criterion:\0", "question:Which?", "criterion:" + "x" * 99],
    )
    def test_rejects_a_figure_that_is_none(self, as_alice, project, calls, figure):
        answer = as_alice.get(ADDRESS, {"figure": figure})

        assert answer.status_code == 400
        assert "average_score" in answer.json()["figure"][0]

    def test_shows_the_newest_weeks_where_there_are_too_many(self, as_alice, project, calls, monkeypatch):
        monkeypatch.setattr(weeks, "MAX_WEEKS", 3)

        found = as_alice.get(ADDRESS).json()

        assert found["is_cut"] is True
        assert len(found["weeks"]) == 3

    def test_says_nothing_of_a_week_that_was_left_out(self, as_carol, carol, monkeypatch):
        def call(number, day):
            return line(number, call_datetime=f"{day.isoformat()}T12:00:00+00:00")

        # The window before has calls only in its first weeks, which stand behind weeks that are left out.
        first, week = dt.date(2026, 3, 2), dt.timedelta(days=7)
        days = [first + number * week for number in range(6)] + [first - 6 * week]
        bring(
            create_project(carol, "Few", document=CONFIGURATION),
            *(call(number, day) for number, day in enumerate(days)),
        )
        monkeypatch.setattr(weeks, "MAX_WEEKS", 2)

        found = as_carol.get(ADDRESS, {"start_date": "2026-03-02", "end_date": "2026-04-12"}).json()

        assert found["is_cut"] is True
        assert [(each["week"], each["n"]) for each in found["weeks"]] == [
            ("2026-03-30", 1),
            ("2026-04-06", 1),
        ]

    def test_says_that_weeks_of_the_window_before_are_left_out(self, as_alice, project, calls, monkeypatch):
        monkeypatch.setattr(weeks, "MAX_WEEKS", 3)

        assert read(as_alice)["is_previous_cut"] is True
        found = page(as_alice.get(f"/report/trend/?project_id={project.pk}&{WINDOW}"))
        assert "Earlier weeks of the period before are not shown" in found.text

    def test_does_not_claim_that_no_week_has_calls_where_there_are_too_many(
        self, as_alice, project, calls, monkeypatch
    ):
        monkeypatch.setattr(answers, "MAX_CALLS", 1)
        days = "start_date=2026-03-16&end_date=2026-03-22"

        found = page(as_alice.get(f"/report/trend/?project_id={project.pk}&{days}&figure={QUESTION}"))

        assert "No week of this window has calls" not in found.text
        assert "Choose fewer days" in found.text

    def test_leaves_out_weeks_of_which_not_all_answers_were_read(self, as_alice, project, calls, monkeypatch):
        everything = as_alice.get(ADDRESS, {"figure": QUESTION, "answer": "No"}).json()
        monkeypatch.setattr(answers, "MAX_CALLS", 30)

        found = as_alice.get(ADDRESS, {"figure": QUESTION, "answer": "No"}).json()

        assert found["is_cut"] is True
        assert found["weeks"] == everything["weeks"][-len(found["weeks"]) :]
        assert sum(each["n"] for each in found["weeks"]) <= 30

    def test_takes_the_most_frequent_answer_that_says_something(self, as_alice, project, calls):
        found = read(as_alice, f"&figure={QUESTION}")

        assert found["answer"].strip().casefold() in ("yes", "no")
        assert found["answers"] == sorted(found["answers"], key=lambda each: -each["calls"])

    def test_is_of_the_visitors_own_calls_alone(self, as_carol, carol, project, calls):
        ana = Agent.objects.get(name="Ana Ruiz")
        link_user(project, carol.email, ana)
        own = [call for call in calls if call.agent_id == ana.pk]

        for figure in ("average_score", "criterion:greeting", QUESTION):
            found = read(as_carol, f"&figure={figure}&answer=Yes&project_id={project.pk}")
            expected = {k: v for k, v in count_weeks(figure, own, START, END).items() if v[1]}
            assert shown(found["weeks"]) == expected


class TestPage:
    def test_shows_the_figure_of_the_address_with_n_behind_each_value(self, as_alice, project, calls):
        shown = page(
            as_alice.get(f"/report/trend/?project_id={project.pk}&{WINDOW}&figure=criterion:greeting")
        )

        said = [text for text in shown.texts if "Greets" in text and text.startswith("Week of")]
        assert len(said) == 6  # five weeks, and the last one again while none is pointed at
        for text in said:
            assert text.count("%") - text.count("95\u00a0%") == text.count("\u00a0% (n\u00a0")
        assert "selected" in shown.all("option", value="criterion:greeting")[0]

    @pytest.mark.parametrize(("language", "said"), [("en", "average score"), ("es", "puntuación media")])
    def test_names_a_figure_within_a_sentence_as_the_language_does(
        self, alice, project, calls, language, said
    ):
        visitor = visitor_of(alice, headers={"accept-language": language})

        shown = page(visitor.get(f"/report/trend/?project_id={project.pk}&{WINDOW}"))

        weeks = [text for text in shown.texts if text.startswith(("Week of", "Semana del")) and ": " in text]
        assert len([text for text in weeks if f": {said} " in text]) == 6

    def test_explains_what_is_drawn_alone(self, as_carol, carol, as_alice, project, calls):
        few = create_project(carol, "Few", document=CONFIGURATION)
        bring(few, line(2), line(9), line(16))

        def legend(client, scope):
            html = client.get(f"/report/trend/?project_id={scope.pk}").content.decode()
            return html.partition("<figcaption")[2].partition("</figcaption>")[0]

        assert "this period, few calls in each week" in legend(as_carol, few)
        assert "</svg> few calls" not in legend(as_carol, few)
        assert "few calls in each week" not in legend(as_alice, project)

    def test_says_how_many_calls_an_interval_needs_where_a_week_has_fewer(self, as_carol, carol):
        other = create_project(carol, "Two weeks", document=CONFIGURATION)
        days = ["2026-01-05"] * 5 + ["2026-01-12"] * 5
        bring(other, *(line(n, call_datetime=f"{day}T10:00:00Z") for n, day in enumerate(days)))
        address = f"/report/trend/?project_id={other.pk}"
        whole = page(as_carol.get(address)).text
        bring(other, line(99, call_datetime="2026-01-19T10:00:00Z"))

        assert "95 % interval, where a week has at least 5 calls" in page(as_carol.get(address)).text
        assert "95 % interval" in whole
        assert "where a week has at least 5 calls" not in whole

    def test_writes_the_dates_of_the_small_charts_below_their_weeks(self, as_carol, carol):
        other = create_project(carol, "Five weeks", document=CONFIGURATION)
        days = [dt.date(2026, 1, 5) + dt.timedelta(weeks=i) for i in range(5)]
        bring(other, *(line(n, call_datetime=f"{day}T10:00:00Z") for n, day in enumerate(days)))

        html = as_carol.get(f"/report/trend/?project_id={other.pk}").content.decode()

        axis = html.partition('<svg class="axis"')[2].partition("</svg>")[0]
        assert re.findall(r'x="([0-9.]+)%"[^>]*>([^<]+)<', axis) == [
            ("10.000", "Jan 5"), ("50.000", "Jan 19"), ("90.000", "Feb 2"),
        ]  # fmt: skip

    @pytest.mark.parametrize(
        ("before", "drawn"),
        [
            ([10, 10], ["line behind"]),
            ([3, 3], []),
            ([10, 10, 3], ["line behind", "line behind pale"]),
            ([10], ["circle behind"]),
            ([10, 0, 10], ["circle behind"]),
        ],
    )
    def test_explains_the_period_before_as_it_is_drawn(self, as_carol, carol, before, drawn):
        other = create_project(carol, "Two periods", document=CONFIGURATION)
        first = dt.date(2026, 1, 5)
        days = [first + dt.timedelta(weeks=i) for i, calls in enumerate(before) for _ in range(calls)]
        days += [first + dt.timedelta(weeks=3 + i) for i in range(3) for _ in range(10)]
        bring(other, *(line(n, call_datetime=f"{day}T10:00:00+00:00") for n, day in enumerate(days, start=1)))

        html = as_carol.get(
            f"/report/trend/?project_id={other.pk}&start_date=2026-01-26&end_date=2026-02-15"
        ).content.decode()

        legend = html.partition("<figcaption")[2].partition("the period before")[0].rpartition("<svg")[2]
        explained = re.findall(r'<(line|circle) class="(behind[a-z ]*)"', legend)
        assert [" ".join(each) for each in explained] == drawn
        assert ("few calls in each week: only in the table" in html) == (not drawn)
        chart = html.partition('<div class="over">')[2].partition('class="slots"')[0]
        lines = sorted(set(re.findall(r'<path class="(behind[a-z ]*)" d="[^"]*L', chart)))
        assert lines == [kind for tag, kind in explained if tag == "line"]
        assert bool(re.search(r'class="behind', chart)) == bool(drawn)
        table = html.partition('class="trend-table"')[2].partition("</table>")[0]
        assert f"n {before[0]}<" in table

    def test_links_each_week_to_its_calls(self, as_alice, project, calls):
        found = page(as_alice.get(f"/report/trend/?project_id={project.pk}&{WINDOW}"))

        links = [
            a["href"] for a in found.all("a") if "start_date=2026-03-11&end_date=2026-03-15" in a["href"]
        ]
        assert links
        assert page(as_alice.get(links[0]))

    def test_offers_the_answers_of_a_question_each_with_its_calls(self, as_alice, project, calls):
        found = page(as_alice.get("/report/trend/", {"project_id": project.pk, "figure": QUESTION}))

        assert "Yes (n " in found.text or "yes (n " in found.text
        assert "not determined (n " in found.text

    def test_shows_the_average_score_where_the_figure_is_unknown(self, as_alice, project, calls):
        found = page(as_alice.get(f"/report/trend/?project_id={project.pk}&figure=nonsense"))

        assert [each["value"] for each in found.all("option", value="average_score")]
        assert "Average score" in found.text

    def test_keeps_the_figure_when_the_window_changes(self, as_alice, project, calls):
        found = page(as_alice.get(f"/report/trend/?project_id={project.pk}&figure=calls"))

        assert found.all("input", name="figure", value="calls")

    def test_says_that_no_call_answers(self, as_carol, carol):
        project = create_project(carol, "Unanswered", document=CONFIGURATION)
        said = {"answer": "not determined", "quotes": []}
        bring(project, line(1, custom_questions={"answers": {"Was a refund promised?": said}}))

        found = page(as_carol.get("/report/trend/", {"project_id": project.pk, "figure": QUESTION}))

        assert "No call in this period answers this question." in found.text
        assert "needs a language model" in found.text
        assert "0.0 %" not in found.text.split("Trend by week")[0]
