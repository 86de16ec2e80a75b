"""The report page: what it shows, and that every figure leads to its calls."""

import copy
import csv
import datetime as dt
import io
import re

import pytest
from django.utils import timezone

from callscope.accounts.models import AuditEvent
from callscope.analysis.models import CallAnalysis
from callscope.projects import configuration
from callscope.projects.models import ConfigVersion, Project
from callscope.projects.services import configure_project, create_project
from callscope.reports.overview.glossary import DEFINITIONS
from tests.web.conftest import CONFIGURATION, bring, line, page, set_target

PARTS = ("/report/", "/report/criteria/", "/report/agents/", "/report/reasons/", "/report/trend/")
MARCH = "start_date=2026-03-01&end_date=2026-03-31"


def figures(found, label):
    """Return the links of the tile with this name."""
    return [a["href"] for a in found.all("a") if a.get("class") == "figure" and label in a["href"]]


@pytest.mark.django_db
@pytest.mark.parametrize("address", ["/report/", "/calls/", "/questions/", "/usage/"])
def test_dates_in_the_wrong_order_are_kept_to_be_corrected(as_alice, world, address):
    found = page(as_alice.get(f"{address}?start_date=2026-05-05&end_date=2026-01-01"), 400)

    assert "The last day (Jan 1, 2026) is before the first (May 5, 2026)." in found.text
    fields = [(a["name"], a["value"], a["aria-invalid"]) for a in found.all("input", type="date")]
    assert fields == [("start_date", "2026-05-05", "true"), ("end_date", "2026-01-01", "true")]


@pytest.mark.django_db
class TestReportPage:
    def test_shows_the_headline_figures_of_the_json_report(self, as_alice, world):
        found = page(as_alice.get("/report/?project_id="))

        # 30, 10 and 25 of 30 points
        assert "Calls 3" in found.text
        assert "Average score % 72.2" in found.text
        assert "Critical errors % 33.3" in found.text
        assert (
            "Compliance-critical accuracy % 66.7" in page(as_alice.get("/report/criteria/?project_id=")).text
        )

    def test_groups_the_scorecard_by_section_with_both_readings_of_not_applicable(self, as_alice, world):
        found = page(as_alice.get("/report/criteria/?project_id="))

        row = found.text[found.text.index("Verifies the caller") :]
        # weight, where it applies and with n/a as full points, critical, evaluated, n/a, calls
        missed = "Calls that did not meet it: Verifies the caller"
        assert re.match(
            rf"Verifies the caller few calls, n 2 66\.7 {missed} 50\.0 66\.7 over all calls 1 2 1 3", row
        ), row[:120]

    def test_explains_the_figures_of_agents_and_not_those_of_criteria(self, as_alice, world):
        found = page(as_alice.get("/report/agents/?project_id=")).text
        explained = found.split("What these figures mean")[1]

        for name in ("critical_error_pct", "negative_sentiment_pct", "goal_reached_pct"):
            assert DEFINITIONS[name].meaning in explained
        assert DEFINITIONS["critical_errors"].meaning not in explained

    def test_says_on_a_phone_why_an_accuracy_could_not_be_measured(self, as_alice, world):
        html = as_alice.get("/report/criteria/?project_id=").content.decode()

        assert 'narrow-only" aria-hidden="true">No criterion of the rubric looks for this kind' in html

    def test_has_one_percentage_of_a_criterion_where_both_readings_are_the_same(self, as_alice, world):
        found = page(as_alice.get("/report/criteria/?project_id=")).text
        table = found[found.index("Points earned %") :]

        assert "Average %" not in table.split("What these figures mean")[0]
        assert re.search(
            r"Greets few calls, n 3 33\.3 \D+ 83\.3 – It is not a critical criterion\. 3 0 3", table
        )

    def test_has_one_percentage_where_calls_to_which_it_does_not_apply_change_nothing(
        self, as_alice, project
    ):
        bring(project, line(1), line(2, applies=False))

        found = page(as_alice.get("/report/criteria/?project_id=")).text

        assert "Verifies the caller few calls, n 1" in found
        assert "over all calls" not in found

    def test_says_of_a_criterion_whose_applicability_is_not_known_what_its_figure_is_over(
        self, as_alice, project
    ):
        calls = [line(1), line(2, identity=0)]
        for each in calls:
            each["copc"]["criterion_scores"][1]["applicability"] = None
        bring(project, *calls)

        found = page(as_alice.get("/report/criteria/?project_id=")).text

        assert "50.0 over all calls: which it applies to is not known" in found

    @pytest.mark.parametrize("part", ["/report/", "/report/criteria/"])
    def test_says_at_the_dots_of_criteria_what_a_hollow_one_is(self, as_alice, project, part):
        bring(project, line(1, identity=0))

        alone, compared = (page(as_alice.get(f"{part}?{days}")).text for days in ("project_id=", MARCH))

        said = "share of points where it applies, and its 95 % interval"
        assert f"{said} · all rows from 0 to 100" in alone
        assert f"{said} · in the period before · all rows from 0 to 100" in compared

    def test_leads_to_the_calls_that_missed_the_goal(self, as_alice, world):
        html = as_alice.get("/report/?project_id=").content.decode()

        [address] = re.findall(
            r'<dd class="missed no-print"><a href="([^"]+)">Calls that did not reach it', html
        )
        found = page(as_alice.get(address.replace("&amp;", "&"))).text
        assert "call-2.wav" in found
        assert "call-1.wav" not in found

    def test_says_how_many_calls_were_half_heard(self, as_alice, world):
        from callscope.analysis.models import CallAnalysis
        from callscope.reports.store import facts

        assert "unreliable transcript" not in page(as_alice.get("/report/?project_id=")).text
        analysis = CallAnalysis.objects.get(call=world[1])
        analysis.insights["transcript_quality"] = {"ok": False, "reasons": [], "half_heard": True}
        analysis.save()
        facts.refresh([world[1].pk])

        inside, outside = (
            page(as_alice.get(f"/report/?{window}")).text
            for window in (MARCH, "start_date=2026-03-03&end_date=2026-03-31")
        )

        assert "1 call has an unreliable transcript. Only phrases found in it" in inside
        assert "so its score can be too high" in inside
        assert "unreliable transcript" not in outside
        other = page(as_alice.get(f"/report/criteria/?{MARCH}"))
        assert "1 call has an unreliable transcript. See this call" in other.text  # said in full once
        assert [a for a in other.all("a") if "half_heard=true" in a.get("href", "")]

    def test_says_of_which_half_heard_calls_a_person_gave_the_score(self, as_alice, alice, project, world):
        from callscope.reports.models import CallFact
        from tests.web.views.reviewing.test_samples import judge

        judge(world[0], alice, "met")
        CallFact.objects.filter(call__in=[call.pk for call in world[:2]]).update(half_heard=True)
        found = page(as_alice.get(f"/report/?{MARCH}")).text
        agents = page(as_alice.get(f"/report/agents/?{MARCH}")).text
        CallFact.objects.filter(call=world[1].pk).update(half_heard=False)
        alone = page(as_alice.get(f"/report/?{MARCH}")).text
        CallFact.objects.filter(call=world[0].pk).update(max_points=10_000_000)  # what the machine judged
        other = page(as_alice.get(f"/report/?{MARCH}")).text

        assert (
            "2 calls have unreliable transcripts. The score of 1 of them comes from answers of people"
            in found
        )
        assert (
            "Of the other one, only phrases found in it word for word were judged, so its score can" in found
        )
        assert agents.count("1 unreliable call") == 1  # the other agent has the one that a person scored
        said = "1 call has an unreliable transcript. Its score comes from answers of people alone."
        assert said in alone
        assert "too high" not in alone
        assert "so its score can be too high" in other
        assert "Reviewed by people 1 of 3 calls" in alone

    def test_says_whether_points_need_a_quote(self, as_alice, alice, project, world):
        def rule(count: bool, where):
            where.config = {**where.config, "rubric": {"on_unverified": "count" if count else "refuse"}}
            where.save()
            return page(as_alice.get("/report/?project_id=")).text

        assert "Points need a quote from the transcript." in rule(False, project)
        assert "In these settings, points of a language model also count" in rule(True, project)
        other = Project.objects.create(name="Other", owner=alice)
        assert "In the settings of some of these projects, points" in rule(False, other)

    def test_says_of_no_restored_rubric_that_it_judged_no_call(self, as_alice, project, world):
        document = copy.deepcopy(CONFIGURATION)
        document["rubric"]["sections"][0]["criteria"][0]["max_points"] = 5
        configure_project(project, document)
        changed_at = dt.datetime(2026, 3, 11, 9, tzinfo=dt.UTC)
        ConfigVersion.objects.filter(project=project, number=2).update(created_at=changed_at)
        said = "no call here was judged by it yet"
        pages = [f"/report/{part}?{MARCH}" for part in ("", "trend/", "criteria/")]
        before = [page(as_alice.get(each)).text for each in pages]
        configure_project(project, CONFIGURATION)
        ConfigVersion.objects.filter(project=project, number=3).update(created_at=changed_at)

        after = [page(as_alice.get(each)).text for each in pages]

        assert all(said in text for text in before)
        assert not [text for text in after if said in text]

    def test_marks_the_week_and_the_criterion_whose_rubric_changed(self, as_alice, project, world):
        [call] = bring(project, line(4, call_datetime="2026-03-12T10:00:00+00:00"))
        trend, criteria = (f"/report/{part}/?{MARCH}" for part in ("trend", "criteria"))
        before = page(as_alice.get(trend))
        document = copy.deepcopy(CONFIGURATION)
        document["rubric"]["sections"][0]["criteria"][0]["max_points"] = 5
        configure_project(project, document)
        changed_at = dt.datetime(2026, 3, 11, 9, tzinfo=dt.UTC)
        ConfigVersion.objects.filter(project=project, number=2).update(created_at=changed_at)
        unjudged, rows = page(as_alice.get(trend)), page(as_alice.get(criteria)).text
        first = page(as_alice.get(f"/report/?{MARCH}"))
        judged_at = dt.datetime(2026, 3, 12, 10, tzinfo=dt.UTC)
        CallAnalysis.objects.filter(call=call).update(config_version=2, completed_at=judged_at)

        found = page(as_alice.get(trend))

        assert "rubric changed" not in before.text
        assert not before.all("line", **{"class": "mark"})
        assert "The rubric changed" not in unjudged.text
        assert not unjudged.all("line", **{"class": "mark"})
        assert rows.count("Greets changed in version 2: no call here was judged by it yet") == 1
        said = "Version 2 of Mar 11, 2026 changed the rubric: no call here was judged by it yet."
        assert said in first.text and said in unjudged.text
        assert said not in page(as_alice.get(f"/report/?{MARCH}")).text + found.text
        assert "The rubric changed: version 2 on Mar 11, 2026" in found.text
        assert found.text.count("Mar 9, 2026 the rubric changed") == 1
        assert len(found.all("line", **{"class": "mark"})) == 3, "one in each chart"
        rows = page(as_alice.get(criteria)).text
        assert rows.count("Greets changed in version 2 on Mar 11, 2026") == 1
        assert "judged by it yet" not in rows
        overview = f"/report/?{MARCH}"
        said = "The rubric changed: version 2 on Mar 11, 2026. Version 2 judged 1 of 4 scored calls, earlier"
        assert said in found.text and said in page(as_alice.get(overview)).text

        late = CallAnalysis.objects.filter(
            call__project=project, call__fact__day__gte=dt.date(2026, 3, 3).toordinal()
        )
        CallAnalysis.objects.filter(call__project=project).update(config_version=1)
        late.update(config_version=2, completed_at=judged_at)
        found = page(as_alice.get(trend))
        assert found.text.count("Mar 2, 2026 the rubric changed") == 1, "where the calls are judged by it"
        assert "Mar 9, 2026 the rubric changed" not in found.text

        CallAnalysis.objects.filter(call__project=project).update(config_version=2, completed_at=judged_at)

        said = "2026. Version 2 judged all scored calls, those of earlier days too."
        found = page(as_alice.get(trend))
        assert said in found.text and said in page(as_alice.get(overview)).text
        assert not found.all("line", **{"class": "mark"})

    def test_orders_the_criteria_by_the_rubric_or_by_points_lost(self, as_alice, project, world):
        address = f"/report/criteria/?project_id={project.pk}"
        report = as_alice.get(f"/calls/api/report/?project_id={project.pk}").json()
        lost = [
            (row["weight_pct"] * (100 - row["average_pct"]), row["name"])
            for row in report["scorecard"]
            if row["average_pct"] is not None
        ]

        shown = [
            as_alice.get(address + more).content.decode() for more in ("", "&order=lost", "&order=%22%3E")
        ]
        by_rubric, by_lost, odd = (
            [
                row["name"]
                for row in sorted(report["scorecard"], key=lambda row: html.index(f'"row">{row["name"]}'))
            ]
            for html in shown
        )

        assert by_rubric == odd == [row["name"] for row in report["scorecard"]]
        assert by_lost[0] == max(lost)[1] != by_rubric[0]
        assert "costs" in shown[1]
        assert shown[0].count('<svg class="dots few"') == len(by_rubric)

    def test_keeps_the_order_when_days_are_chosen(self, as_alice, project, world):
        shown = as_alice.get(f"/report/criteria/?project_id={project.pk}&order=lost").content.decode()

        assert (
            f"/report/criteria/?project_id={project.pk}&amp;order=lost&amp;date_range=last_30_days" in shown
        )
        assert '<input type="hidden" name="order" value="lost">' in shown

    @pytest.mark.parametrize(
        ("sort", "names"),
        [
            ("", ["Cleo", "Dora", "Abe", "Bea"]),
            ("agent", ["Abe", "Bea", "Cleo", "Dora"]),
            ("-agent", ["Dora", "Cleo", "Bea", "Abe"]),
            ("calls", ["Bea", "Abe", "Dora", "Cleo"]),
            ("average_score", ["Dora", "Abe", "Cleo", "Bea"]),  # Bea has few calls, and the lowest score
            ("-average_score", ["Cleo", "Abe", "Dora", "Bea"]),
            ("-critical_error_pct", ["Cleo", "Dora", "Abe", "Bea"]),
            ("salary", ["Cleo", "Dora", "Abe", "Bea"]),
        ],
    )
    def test_sorts_agents_as_the_address_asks(self, as_alice, project, sort, names):
        scores = {"Abe": (10, 5), "Bea": (2, 0), "Cleo": (12, 10), "Dora": (11, 0)}
        bring(
            project,
            *(
                line(n, greeting=greeting, agent_name=name, file_name=f"{name}-{n}.wav")
                for name, (calls, greeting) in scores.items()
                for n in range(1, calls + 1)
            ),
        )

        response = as_alice.get(f"/report/agents/?project_id={project.pk}&sort={sort}")
        html = response.content.decode()

        found = page(response)
        rows = html.split('id="agents-title"')[1].split("</section>")[0]
        people = re.findall(r'<th scope="row"><a class="name" href="(/agents/\d+/)[^"]*">(\w+)</a>', rows)
        assert [name for _page, name in people][: len(names)] == names
        heads = [head.get("aria-sort") for head in found.all("th", scope="col")]
        assert heads.count("ascending") + heads.count("descending") == 1
        assert '<tr class="all-calls"><th scope="row">All calls</th>' in html
        assert "All calls 35" in found.text

    def test_names_agents_of_few_calls_who_differ_from_all_others_beyond_chance(self, as_alice, project):
        scores = {"Abe": (9, 0), "Bea": (4, 0), "Cleo": (30, 10), "Dora": (30, 10)}
        bring(
            project,
            *(
                line(n, greeting=each, identity=2 * each, agent_name=name, file_name=f"{name}-{n}.wav")
                | {"call_datetime": "2026-03-05T10:00:00+00:00"}
                for name, (calls, each) in scores.items()
                for n in range(1, calls + 1)
            ),
        )

        html = as_alice.get(f"/report/agents/?project_id={project.pk}&sort=average_score").content.decode()

        rows = html.split('id="agents-title"')[1].split("</section>")[0]
        shown = re.findall(r">(Abe|Bea|Cleo|Dora)</a>(?: <span class=\"tag\"[^>]*>([^<]*)</span>)?", rows)
        assert shown[:4] == [
            ("Abe", "below the others"),
            ("Cleo", "above the others"),
            ("Dora", "above the others"),
            ("Bea", "few calls"),
        ]

    def test_ends_the_bars_of_contact_reasons_at_a_round_share_that_it_names(self, as_alice, project):
        bring(project, *(line(n, topic=f"reason {n % 8}", file_name=f"{n}.wav") for n in range(1, 17)))

        found = page(as_alice.get(f"/report/reasons/?project_id={project.pk}"))

        assert "Share as a bar 0 15 % 12 weeks" in found.text  # each reason has 12.5 %
        assert {bar["width"] for bar in found.all("rect", height="100%")} == {"83.3333%"}

    def test_grays_a_shift_of_few_calls_and_says_how_many(self, as_alice, project):
        day = [line(n, call_datetime="2026-03-05T10:00:00+00:00") for n in range(1, 13)]
        night = [line(n, call_datetime="2026-03-05T23:00:00+00:00", greeting=0) for n in (20, 21)]
        bring(project, *day, *night)

        response = as_alice.get(f"/report/trend/?project_id={project.pk}")

        shifts = page(response).text.split("Day minus night")[1]
        assert re.search(r"Average score\s% 100\.0 \S+–100\.0 66\.7 n 2 \+33\.3 few calls", shifts), shifts[
            :300
        ]
        html = response.content.decode().split('id="shifts-title"')[1].split("</section>")[0]
        assert (
            html.count('<td class="n few">') == 2 * 5
        )  # night's five shares and means, and their differences

    @pytest.mark.parametrize(("end", "said"), [(21, "21:00 of the next day."), (23, "23:00."), (0, "00:00.")])
    def test_says_that_a_day_over_midnight_ends_on_the_next(self, as_alice, project, end, said):
        configure_project(project, {**CONFIGURATION, "shift_hours": {"day_start": 22, "day_end": end}})
        bring(project, line(1, call_datetime="2026-03-05T10:00:00+00:00"))

        shown = page(as_alice.get(f"/report/trend/?project_id={project.pk}"))

        assert f"Day from 22:00 to {said}" in shown.text

    def test_has_a_sign_for_a_difference_of_shifts_that_may_be_chance(self, as_alice, project):
        for shift, hour in (("day", 10), ("night", 23)):
            moment = f"2026-03-05T{hour}:00:00+00:00"
            bring(
                project,
                *(
                    line(n, call_datetime=moment, greeting=n % 2, file_name=f"{shift}-{n}.wav")
                    for n in range(1, 13)
                ),
            )

        html = as_alice.get(f"/report/trend/?project_id={project.pk}").content.decode()

        shifts = html.split('id="shifts-title"')[1].split("</section>")[0]
        assert '<small class="behind" data-short="~">within the margin of error</small>' in shifts
        assert "~ within the margin of error</p>" in shifts
        assert 'Average score\u00a0<span class="unit">%</span></button>' in shifts  # on one line

    @pytest.mark.parametrize(("calls", "verdict"), [(9, "few calls"), (10, "on target")])
    def test_gives_no_verdict_on_few_calls(self, as_alice, project, calls, verdict):
        set_target(project, 50)
        bring(project, *(line(n, file_name=f"{n}.wav") for n in range(1, calls + 1)))

        html = as_alice.get(f"/report/?project_id={project.pk}").content.decode()

        hero = html.partition('class="tile hero"')[2].partition('class="tile"')[0]
        assert [each for each in ("few calls", "on target") if each in hero] == [verdict]

    def test_gives_no_verdict_on_agents_with_few_calls(self, as_alice, project):
        set_target(project, 50)
        for name, calls in (("Abe", 10), ("Bea", 9)):
            bring(
                project, *(line(n, agent_name=name, file_name=f"{name}-{n}.wav") for n in range(1, calls + 1))
            )

        html = as_alice.get(f"/report/agents/?project_id={project.pk}").content.decode()

        rows = {name: html.partition(f">{name}</a>")[2].partition("</tr>")[0] for name in ("Abe", "Bea")}
        assert ["on target" in row for row in rows.values()] == [True, False]

    def test_turns_the_order_of_agents_round_at_a_second_click(self, as_alice, project, world):
        address = f"/report/agents/?project_id={project.pk}"
        heads = [
            [a["href"] for a in page(as_alice.get(address + more)).all("a", **{"class": "sort"})]
            for more in ("", "&sort=average_score", "&sort=-average_score&agents=all")
        ]

        assert heads[0][2] == f"{address}&sort=average_score"
        assert heads[0][1] == f"{address}&sort=calls"
        assert heads[1][2] == f"{address}&sort=-average_score"
        assert heads[1][1] == address, "most calls first"
        assert heads[2][2] == f"{address}&sort=average_score&agents=all"

    def test_compares_with_the_window_before(self, as_alice, project):
        now = [line(n, call_datetime="2026-03-10T10:00:00+00:00", greeting=0) for n in range(10)]
        bring(project, *now, *[line(n, call_datetime="2026-02-10T10:00:00+00:00") for n in range(20, 31)])

        found = page(as_alice.get("/report/?start_date=2026-03-01&end_date=2026-03-28"))

        assert "Average score % 66.7 −33.3" in found.text
        assert "Compared with Feb 1, 2026 – Feb 28, 2026." in found.text
        assert found.all("span", **{"class": "delta down bad"})
        assert "10 calls now, 11 before" in found.text

    def test_does_not_judge_a_change_against_a_few_calls(self, as_alice, project):
        bring(project, line(1, call_datetime="2026-03-10T10:00:00+00:00", greeting=0))
        bring(project, line(2, call_datetime="2026-02-10T10:00:00+00:00"))

        found = page(as_alice.get("/report/?start_date=2026-03-01&end_date=2026-03-28"))

        assert not found.all("span", **{"class": "delta down bad"})
        assert found.all("span", **{"class": "delta down few"})
        assert "1 call now, 1 before" in found.text

    def test_says_of_a_change_whether_it_may_be_chance(self, as_alice, project):
        lines = []
        for n in range(24):
            moment = f"2026-0{3 - n % 2}-11T10:00:00+00:00"
            lines.append(line(n, call_datetime=moment, greeting=0 if n % 5 < 2 or n == 2 else 10))
        bring(project, *lines)

        found = page(as_alice.get("/report/?start_date=2026-03-01&end_date=2026-03-28"))

        assert "within the margin of error" in found.text
        assert "95 % interval" in found.text
        assert not found.all("span", **{"class": "delta down bad"})

    def test_shows_a_dash_with_its_reason_for_what_was_not_measured(self, as_alice, project):
        bring(project, line(1, copc=None, sentiment=None))

        found = page(as_alice.get("/report/?project_id="))

        titles = [a.get("title") for a in found.all("span", **{"class": "gap"})]
        assert "No call in this period was scored." in titles
        assert "No call in this period has a known sentiment." in titles

    def test_says_how_many_calls_a_share_covers(self, as_alice, project):
        bring(project, line(1), line(2, sentiment=None), line(3, sentiment="negative", goal_reached=None))

        found = page(as_alice.get("/report/?project_id="))

        assert re.search(r"Negative sentiment % 50\.0 .{0,40}known for 2 of 3 calls", found.text)
        assert re.search(r"Goal reached % .{0,60}known for 2 of 3 calls", found.text)

    def test_says_what_hides_the_calls_when_the_window_is_empty(self, as_alice, world):
        found = page(as_alice.get("/report/?start_date=2020-01-01&end_date=2020-01-31"))

        assert "0 calls in this period, 3 outside it" in found.text
        assert found.all("a", href="/report/?project_id=")

    def test_says_what_to_do_when_there_is_nothing(self, as_alice, project, as_carol):
        nothing = page(as_alice.get("/report/?project_id="))
        assert "No analyzed calls yet" in nothing.text
        assert "has no criteria" not in nothing.text
        assert "There are no call projects yet" in page(as_carol.get("/report/?project_id=")).text

    def test_leads_from_a_project_without_criteria_to_its_rubric(self, as_alice, alice):
        bare = create_project(alice, "Bare")

        found = page(as_alice.get(f"/report/?project_id={bare.pk}"))

        assert "The rubric has no criteria yet" in found.text
        [link] = found.all("a", href=f"/projects/{bare.pk}/settings/rubric/")
        assert "so calls are not scored. Add criteria" in found.text
        assert as_alice.get(link["href"]).status_code == 200

    def test_shows_only_what_the_visitor_may_see(self, as_carol, world, project):
        assert "Calls 3" not in page(as_carol.get("/report/?project_id=")).text
        assert as_carol.get(f"/report/?project_id={project.pk}").status_code == 404

    def test_writes_figures_as_the_language_does(self, as_alice, world):
        found = page(as_alice.get("/report/?project_id=", headers={"accept-language": "es"}))

        assert "Puntuación media % 72,2" in found.text

    def test_gives_htmx_the_fragment_of_the_same_page(self, as_alice, world):
        fragment = as_alice.get("/report/?project_id=", headers={"hx-request": "true"})

        assert not page(fragment).all("html")
        assert "Average score" in page(fragment).text
        assert "HX-Request" in fragment["Vary"]

    def test_sends_htmx_to_the_sign_in_page_when_the_session_has_ended(self, visitor, db):
        answer = visitor.get(
            "/report/", headers={"hx-request": "true", "hx-current-url": "http://testserver/report/?team=1"}
        )

        assert answer["HX-Redirect"] == "/login/?next=%2Freport%2F%3Fteam%3D1"

    def test_takes_about_as_many_queries_for_many_projects_as_for_one(
        self, as_alice, alice, world, django_assert_max_num_queries
    ):
        from callscope.projects.services import create_project

        for number in range(5):
            create_project(alice, f"Other {number}")

        with django_assert_max_num_queries(30):
            as_alice.get("/report/?project_id=")


@pytest.mark.django_db
@pytest.mark.one_database
class TestParts:
    def test_have_addresses_and_keep_projects_and_days(self, as_alice, project, world):
        for part, said in zip(
            PARTS,
            ("Summary", "Scorecard", "Agents and their figures", "Contact reasons by", "Trend by week"),
            strict=True,
        ):
            found = page(as_alice.get(f"{part}?project_id={project.pk}&{MARCH}"))

            tabs = [link for link in found.all("a") if (link.get("href") or "").split("?")[0] in PARTS]
            current = [link["href"] for link in tabs if link.get("aria-current") == "page"]
            query = f"?project_id={project.pk}&start_date=2026-03-01&end_date=2026-03-31"
            assert {each + query for each in PARTS} <= {link["href"] for link in tabs}
            assert part + query in current
            assert said in found.text
            assert "Agents and their figures" not in found.text or part == "/report/agents/"

    def test_explain_the_figures_that_they_show(self, as_alice, world):
        weight, share = (str(DEFINITIONS[name].meaning) for name in ("weight_pct", "volume_pct"))

        def meanings(part):
            found = page(as_alice.get(f"/report/{part}?project_id=")).text
            return weight in found, share in found

        assert meanings("criteria/") == (True, False)
        assert meanings("reasons/") == (False, True)

    def test_keep_the_part_when_days_are_chosen(self, as_alice, world):
        found = page(as_alice.get("/report/trend/?project_id="))

        assert found.all("a", href="/report/trend/?date_range=last_30_days")
        assert found.all("form", action="/report/trend/")

    def test_are_for_who_sees_the_project(self, as_carol, project, world):
        for part in PARTS:
            assert as_carol.get(f"{part}?project_id={project.pk}").status_code == 404

    def test_say_on_top_what_changed_with_links_to_the_calls(self, as_alice, project):
        days = [(f"2026-03-{n:02d}T10:00:00+00:00", 0 if n % 8 else 10) for n in range(1, 25)]
        days += [(f"2026-02-{n:02d}T10:00:00+00:00", 10) for n in range(1, 25)]
        moments = enumerate(days)
        bring(project, *[line(n, call_datetime=at, greeting=points) for n, (at, points) in moments])

        found = page(as_alice.get("/report/?start_date=2026-03-01&end_date=2026-03-28"))

        assert re.search(
            r"Average score fell by 29\.2 points to 70\.8 % since .{0,40}24 calls now, 24 before", found.text
        )
        assert "“Greets” fell by 87.5 points to 12.5 % (24 calls now, 24 before)." in found.text
        window = "start_date=2026-03-01&end_date=2026-03-28"
        link = found.all("a", href=f"/calls/?{window}&criterion=greeting&result=not_met")[0]
        assert "1 – 21 of 21" in page(as_alice.get(link["href"])).text

    def test_say_whether_targets_are_met(self, as_alice, project, world):
        document = {**project.config, "targets": {"average_score": 85, "critical_error_pct": 40}}
        document["rubric"]["sections"][0]["criteria"][0]["target_pct"] = 90
        project.config = configuration.parse(document).as_document()
        project.save()

        overview, criteria = (page(as_alice.get(f"{part}?project_id=")).text for part in PARTS[:2])

        assert "72.2 Target 85 %: missed by 12.8 points" in overview
        assert "33.3 Target 40 %: met" in overview
        assert "Greets Target 90 %: missed by 6.7 points" in criteria  # 10, 10 and 5 of 10 points

    def test_several_projects_share_the_target_of_those_with_calls_in_the_period(
        self, as_alice, alice, project, world
    ):
        project.config = configuration.parse(
            {**project.config, "targets": {"average_score": 80}}
        ).as_document()
        project.save()
        other = Project.objects.create(name="Nothing uploaded yet", owner=alice)
        bring(project, *(line(3, file_name=f"more-{n}.wav") for n in range(8)))
        none = "the projects have no target in common"

        overview, _criteria, agents = (page(as_alice.get(f"{part}?project_id=")).text for part in PARTS[:3])
        assert "Target 80 %" in overview
        assert none not in f"{overview} {agents}".lower()

        bring(other, line(1))
        assert none in page(as_alice.get("/report/?project_id=")).text
        assert none in page(as_alice.get(f"{PARTS[2]}?project_id=")).text.lower()
        days = "project_id=&start_date=2026-03-02&end_date=2026-03-03"  # its call is of the day before
        assert none not in page(as_alice.get(f"{PARTS[2]}?{days}")).text.lower()


@pytest.mark.django_db
@pytest.mark.one_database
class TestFirstReport:
    def test_is_of_the_last_project_and_30_days(self, as_alice, alice, project):
        other = Project.objects.create(name="Newer", owner=alice)
        bring(other, line(1))
        bring(project, line(1, call_datetime=timezone.now().isoformat()))

        assert as_alice.get("/")["Location"] == f"/report/?project_id={other.pk}"
        as_alice.get(f"/report/agents/?project_id={project.pk}")
        assert as_alice.get("/")["Location"] == f"/report/?project_id={project.pk}&date_range=last_30_days"

    def test_is_of_a_project_with_calls_where_there_is_one(self, as_alice, alice, project):
        newer = Project.objects.create(name="Newer", owner=alice)
        assert as_alice.get("/")["Location"] == f"/report/?project_id={newer.pk}"

        bring(project, line(1, call_datetime=timezone.now().isoformat()))

        assert as_alice.get("/")["Location"].startswith(f"/report/?project_id={project.pk}&")

    def test_is_opened_by_the_bare_address_of_each_part_too(self, as_alice, as_carol, project, world):
        asked = f"?project_id={project.pk}"
        assert [as_alice.get(part)["Location"] for part in PARTS] == [part + asked for part in PARTS]
        assert page(as_carol.get("/report/"))  # nothing to choose

    def test_leads_to_all_projects_and_all_time_and_stays_there(self, as_alice, alice, project, world):
        bring(Project.objects.create(name="Newer", owner=alice), line(1))

        found = page(as_alice.get("/report/?project_id="))

        assert "Calls 4" in found.text
        addresses = {a["href"] for a in found.all("a") if a.get("href", "").startswith("/report/")}
        assert {f"{part}?project_id=" for part in PARTS} <= addresses
        assert not addresses & set(PARTS)
        assert {form.get("data-short-address") for form in found.all("form", method="get")} == {"project_id"}

    @pytest.mark.parametrize("remembered", ["x", "0", "9" * 40, "-1", "1;2"])
    def test_opens_whatever_the_browser_remembers(self, as_alice, project, remembered):
        as_alice.cookies["callscope_project"] = remembered

        assert as_alice.get("/")["Location"] == f"/report/?project_id={project.pk}"

    def test_is_none_of_a_project_out_of_sight(self, as_carol, carol, project):
        own = Project.objects.create(name="Own", owner=carol)
        as_carol.cookies["callscope_project"] = str(project.pk)

        assert as_carol.get("/")["Location"] == f"/report/?project_id={own.pk}"

    def test_keeps_what_the_address_asks_for(self, as_alice, project):
        assert as_alice.get("/?date_range=ytd")["Location"] == "/report/?date_range=ytd"

    def test_is_chosen_again_by_the_navigation_of_pages_without_a_project(self, as_alice, project):
        assert page(as_alice.get("/projects/")).all("a", href="/")
        assert page(as_alice.get("/calls/?date_range=ytd")).all("a", href="/report/?date_range=ytd")


@pytest.mark.django_db
class TestFigures:
    @pytest.fixture
    def many(self, project):
        lines = [
            line(
                n,
                greeting=(n * 3) % 11,
                identity=20 * (n % 3 > 0 or n % 4 == 0),
                applies=n % 4 > 0,
                agent_name=["Ana Ruiz", "Ben Okafor", ""][n % 3],
                sentiment=["negative", "positive", None][n % 3],
                goal_reached=[True, False, None][n % 3],
                topic=["late fee", "outage"][n % 2],
                call_datetime=f"2026-03-{n:02d}T{(n * 5) % 24:02d}:00:00+00:00",
                call_datetime_source="api" if n % 5 else "upload_time",
            )
            for n in range(1, 28)
        ]
        lines[4]["copc"] = None
        return bring(project, *lines)

    def test_lead_to_as_many_calls_as_they_count(self, as_alice, many):
        """Follow every link of a count and compare it with the number of calls that its list shows."""
        markup = "".join(as_alice.get(f"{part}?{MARCH}").content.decode() for part in PARTS)
        links = re.findall(
            r'<a class="figure[^"]*"\s+href="([^"]+)">\s*(?:<svg.*?</svg>)?\s*([\d,]+)\s*</a>', markup
        )

        assert len(links) > 20
        for href, shown in links:
            found = page(as_alice.get(href.replace("&amp;", "&"))).text
            counted = re.search(r"\d+ – \d+ of (\d+)", found)
            assert int(counted[1] if counted else 0) == int(shown), href

    def test_keep_the_window_and_the_project(self, as_alice, project, many):
        query = f"{MARCH}&project_id={project.pk}"
        markup = "".join(as_alice.get(f"{part}?{query}").content.decode() for part in PARTS)

        for href in re.findall(r'class="figure" href="([^"]+)"', markup):
            assert f"project_id={project.pk}" in href
            assert "start_date=2026-03-" in href


@pytest.mark.django_db
class TestCsv:
    def rows(self, answer):
        text = b"".join(answer.streaming_content).decode()
        assert text.startswith("\ufeff")
        return list(csv.DictReader(io.StringIO(text.removeprefix("\ufeff"))))

    @pytest.mark.parametrize(
        "table",
        [
            *("headline", "scorecard", "trend", "contact-reasons", "agents", "shifts"),
            *("agent-criteria", "week-hours"),
        ],
    )
    def test_has_a_file_for_every_table(self, as_alice, world, table):
        answer = as_alice.get(f"/report/{table}.csv")

        assert self.rows(answer)
        assert answer["Content-Security-Policy"].startswith("sandbox;")
        assert answer["X-Content-Type-Options"] == "nosniff"
        name = f"callscope-{'summary' if table == 'headline' else table}-service-line-whole-history.csv"
        assert answer["Content-Disposition"] == f'attachment; filename="{name}"'

    def test_is_named_after_its_days(self, as_alice, world):
        name = as_alice.get(f"/report/scorecard.csv?{MARCH}")["Content-Disposition"]

        assert "callscope-scorecard-service-line-2026-03-01-to-2026-03-31.csv" in name

    def test_holds_the_figures_in_full(self, as_alice, world):
        [row] = self.rows(as_alice.get("/report/headline.csv"))

        assert row["average_score"] == "72.22"

    def test_leaves_empty_what_was_not_measured(self, as_alice, project):
        bring(project, line(1, copc=None))

        [row] = self.rows(as_alice.get("/report/headline.csv"))

        assert row["average_score"] == ""

    @pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t=", " ="])
    def test_defuses_texts_that_a_spreadsheet_would_run(self, as_alice, project, start):
        bring(project, line(1, agent_name=f"{start}HYPERLINK(1)"))

        [row] = self.rows(as_alice.get("/report/agents.csv"))

        assert row["agent"].startswith("'") or row["agent"][0] not in "=+-@\t\r"

    def test_knows_no_other_tables(self, as_alice, world):
        assert as_alice.get("/report/secrets.csv").status_code == 404


@pytest.mark.django_db
class TestProgress:
    def test_says_nothing_when_nothing_is_on_its_way(self, as_alice, world):
        found = page(as_alice.get("/report/progress/?project_id="))

        assert found.text == ""
        assert not found.all("p", **{"hx-trigger": "every 5s"})

    def test_counts_the_calls_that_are_being_analysed_and_asks_again(self, as_alice, world):
        from callscope.analysis.models import AnalysisState, CallAnalysis

        CallAnalysis.objects.filter(call=world[0]).update(copc_state=AnalysisState.QUEUED)

        found = page(as_alice.get("/report/progress/?date_range=ytd"))

        assert found.text == "1 call is being analyzed"
        assert found.all("p", **{"hx-get": "/report/progress/?date_range=ytd&seen=1"})

    def test_offers_the_new_results_when_they_are_there(self, as_alice, world):
        found = page(as_alice.get("/report/progress/?seen=1"))

        assert found.all("a", href="/report/?project_id=")

    def test_is_for_who_sees_the_project(self, as_carol, world, project):
        assert as_carol.get(f"/report/progress/?project_id={project.pk}").status_code == 404


@pytest.mark.django_db
class TestRegrouping:
    def regroupings(self):
        from callscope.contact_reasons.models import Regrouping

        return list(Regrouping.objects.values_list("project", flat=True))

    def test_is_asked_for_by_a_button(self, as_alice, world, project):
        shown = page(as_alice.get(f"/report/reasons/?project_id={project.pk}"))
        assert shown.all("form", action=f"/report/regroup/?project_id={project.pk}")

        answer = as_alice.post(f"/report/regroup/?project_id={project.pk}")

        assert answer["Location"] == f"/report/reasons/?project_id={project.pk}"
        assert self.regroupings() == [project.pk]
        asked = AuditEvent.objects.get(action="project.regrouped")
        assert asked.actor_id == project.owner_id

    def test_is_not_offered_for_several_projects_at_once(self, as_alice, alice, world):
        from callscope.projects.services import create_project

        create_project(alice, "Back office")

        assert "/report/regroup/" not in as_alice.get("/report/reasons/?project_id=").content.decode()

    def test_is_not_for_viewers(self, world, project, bob):
        from callscope.projects.models import ProjectShare
        from tests.web.conftest import visitor_of

        ProjectShare.objects.create(project=project, user=bob, role="viewer")
        as_bob = visitor_of(bob)

        assert (
            "/report/regroup/" not in as_bob.get(f"/report/reasons/?project_id={project.pk}").content.decode()
        )
        as_bob.post("/report/regroup/")
        assert self.regroupings() == []

    def test_is_asked_for_in_one_project_at_a_time(self, as_alice, alice, world):
        create_project(alice, "Another line", document=CONFIGURATION)

        shown = page(as_alice.get("/report/reasons/?project_id="))

        assert not shown.all("form", action="/report/regroup/")

    def test_is_no_link(self, as_alice, world):
        assert as_alice.get("/report/regroup/?project_id=").status_code == 405
