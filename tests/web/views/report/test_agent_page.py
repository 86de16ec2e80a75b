"""The page of one agent: the way back, and each figure next to that of all calls."""

import copy
import datetime as dt

import pytest
from django.utils import timezone

from callscope.analysis.models import CallAnalysis
from callscope.calls.own_calls import link_user
from callscope.projects.services import configure_project
from callscope.reports.details.agent_moments import find_agent_moments
from callscope.reports.models import CallFact
from callscope.reports.window import Window
from callscope.reviews.appeals.filing import file_appeal
from callscope.reviews.calibration.sessions import CalibrationPlan, open_calibration
from tests.web.conftest import CONFIGURATION, bring, line, page, visitor_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def agent_address(world, project):
    return f"/agents/{world[0].agent_id}/?project_id={project.pk}"


class TestAgentPage:
    def test_leads_back_to_all_agents_of_its_period(self, as_alice, agent_address, project):
        found = page(as_alice.get(f"{agent_address}&start_date=2026-03-01&end_date=2026-03-31"))

        [back] = [a["href"] for a in found.all("a") if a["href"].startswith("/report/agents/")]
        assert back == f"/report/agents/?project_id={project.pk}&start_date=2026-03-01&end_date=2026-03-31"
        assert as_alice.get(back).status_code == 200
        assert [a["href"] for a in found.all("a", **{"aria-current": "page"})] == [
            f"/report/?project_id={project.pk}&start_date=2026-03-01&end_date=2026-03-31"
        ]

    def test_shows_each_figure_with_that_of_all_calls(self, as_alice, agent_address):
        text = page(as_alice.get(agent_address)).text

        # Ana's two calls earned 30 and 25 of 30 points; the third call is Ben's: 10 points, a critical error.
        assert "Average score % 91.7 all calls: 72.2 (n 3) of 2 scored calls" in text
        assert "Critical errors % 0.0 all calls: 33.3 (n 3) of 2 scored calls" in text

    def test_has_the_figures_of_the_row_that_leads_to_it(self, as_alice, world, project, agent_address):
        days = "start_date=2026-03-01&end_date=2026-03-01"
        row = page(as_alice.get(f"/report/agents/?project_id={project.pk}&{days}"))

        [link] = {a["href"] for a in row.all("a") if a["href"].startswith(f"/agents/{world[0].agent_id}/")}
        found = page(as_alice.get(link))

        assert link.endswith(f"?project_id={project.pk}&{days}")
        assert "Average score % 100.0" in found.text
        assert found.all("input", name="start_date", value="2026-03-01")
        assert "Average score % 91.7" in page(as_alice.get(agent_address)).text  # all time

    def test_says_how_many_calls_of_the_agent_are_unreliable_and_leads_to_them(
        self, as_alice, world, project, agent_address
    ):
        days = "start_date=2026-03-01&end_date=2026-03-02"
        assert "unreliable" not in page(as_alice.get(agent_address)).text
        CallFact.objects.update(half_heard=True)  # the third call of the project is not the agent's

        ever, early = (page(as_alice.get(each)) for each in (agent_address, f"{agent_address}&{days}"))

        assert "2 calls have unreliable transcripts. Only phrases" in ever.text
        assert "1 call has an unreliable transcript. Only phrases" in early.text
        links = [a["href"] for a in early.all("a") if "half_heard=true" in a["href"]]
        assert len(links) == 1
        listed = page(as_alice.get(links[0]))
        assert [a["title"] for a in listed.all("a", **{"class": "name"})] == ["call-1.wav"]

    def test_lists_all_weeks_of_the_period(self, as_alice, project):
        [first, *_others] = bring(
            project,
            *(
                line(n, call_datetime=f"{dt.date(2025, 1, 6) + dt.timedelta(weeks=n)}T10:00:00+00:00")
                for n in (*range(26), 30)
            ),
        )
        address = f"/agents/{first.agent_id}/?project_id={project.pk}"

        found = page(as_alice.get(address))

        assert found.text.replace("\xa0", " ").count("Jan 6, 2025: 100.0 %, 1 call") == 2  # of each criterion
        listed = (
            found.text.replace("\xa0", " ")
            .split("Calls that did not meet it: Verifies the caller", 1)[1]
            .split("Appeals")[0]
        )
        assert listed.count(" 2025: 100.0 %, 1 call") == 27 and "Aug 4, 2025: 100.0" in listed
        assert (
            "all weeks of this period with calls, from that of Jan 6, 2025 to that of Aug 4, 2025." in listed
        )
        assert "All weeks of this period in which a call has this criterion: Jan 6, 2025" in listed
        assert found.all("ul", **{"class": "weeks", "tabindex": "0"})
        days = "&start_date=2025-02-01&end_date=2025-02-28"
        text = page(as_alice.get(f"{address}{days}")).text
        assert "from that of Feb 3, 2025 to that of Feb 24, 2025." in text

    def test_names_the_calls_behind_what_to_talk_about(self, as_alice, alice, world, project, agent_address):
        assert (
            "What to talk about The latest 2 calls of this period." in page(as_alice.get(agent_address)).text
        )
        CallFact.objects.filter(call=world[0].pk).update(half_heard=True)

        answer = as_alice.get(agent_address)
        found = page(answer).text

        said = "The latest 1 call of this period. 1 call with an unreliable transcript is left out."
        assert f"What to talk about {said}" in found
        assert "What went well From the same calls." in found
        assert "Appeals Of all time, whatever the period" in found
        assert '<p class="compared of-weeks">By week: all weeks of this period' in answer.content.decode()

    def test_counts_calls_once_that_are_left_out_of_what_to_talk_about(self, as_alice, alice, project):
        calls = bring(project, *(line(number) for number in range(1, 5)))
        CallFact.objects.filter(call__in=[each.pk for each in calls[:2]]).update(half_heard=True)
        open_calibration(project, CalibrationPlan([calls[0].pk], [alice.email]), alice)

        text = page(as_alice.get(f"/agents/{calls[0].agent_id}/")).text

        assert "2 calls have unreliable transcripts." in text
        assert (
            "The latest 2 calls of this period. "
            "1 call that waits for your rating or blind review is left out. "
            "1 other call with an unreliable transcript is left out." in text
        )
        assert text.count("The latest 2 calls") == 1
        assert "What went well From the same calls." in text

    def test_names_calls_that_are_hidden_and_unreliable_as_hidden_alone(self, as_alice, alice, project):
        calls = bring(project, line(1), line(2))
        CallFact.objects.filter(call=calls[0].pk).update(half_heard=True)
        open_calibration(project, CalibrationPlan([calls[0].pk], [alice.email]), alice)

        text = page(as_alice.get(f"/agents/{calls[0].agent_id}/")).text
        assert "1 call that waits for your rating or blind review is left out." in text
        assert text.count("left out") == 1

    def test_says_that_calls_in_a_calibration_are_left_out(self, as_alice, alice, world, agent_address):
        open_calibration(world[0].project, CalibrationPlan([world[0].pk], [alice.email]), alice)

        found = page(as_alice.get(agent_address)).text

        said = (
            "The latest 1 call of this period. 1 call that waits for your rating or blind review is left out."
        )
        assert f"What to talk about {said}" in found

    def test_says_that_appeals_of_calls_in_a_calibration_are_not_counted(
        self, as_alice, alice, carol, world, project, agent_address
    ):
        link_user(project, carol.email, world[0].agent)
        file_appeal(world[0], "greeting", "I did.", carol)
        open_calibration(project, CalibrationPlan([world[0].pk], [alice.email]), alice)

        found = page(as_alice.get(agent_address)).text

        said = "1 appeal about a call that waits for your rating or blind review is not counted here."
        assert f"Appeals Of all time, whatever the period {said}" in found
        assert "No appeal is about" not in found
        theirs = page(visitor_of(carol).get(f"/agents/{world[0].agent_id}/")).text
        assert said not in theirs

    def test_does_not_say_that_nothing_was_missed_where_no_call_was_read(
        self, as_alice, world, agent_address
    ):
        CallFact.objects.update(half_heard=True)

        found = page(as_alice.get(agent_address)).text

        assert "Nothing was missed" not in found
        assert found.count("No call of this period can be quoted here yet.") == 2
        assert "From the same calls" not in found

    def test_says_that_dates_cannot_be_used(self, as_alice, agent_address):
        answer = as_alice.get(f"{agent_address}&start_date=yesterday")

        assert answer.status_code == 400
        assert "The dates cannot be used" in page(answer, 400).text

    def test_keeps_dates_that_cannot_be_used_and_shows_no_figures(self, as_alice, agent_address):
        found = page(as_alice.get(f"{agent_address}&start_date=2026-05-05&end_date=2026-01-01"), 400)

        assert "The last day (Jan 1, 2026) is before the first (May 5, 2026)." in found.text
        fields = [(a["name"], a["value"], a["aria-invalid"]) for a in found.all("input", type="date")]
        assert fields == [("start_date", "2026-05-05", "true"), ("end_date", "2026-01-01", "true")]
        assert "Average score" not in found.text
        assert "All time ·" not in found.text

    def test_says_of_a_period_without_calls_where_they_are(self, as_alice, agent_address):
        found = page(as_alice.get(f"{agent_address}&start_date=2001-01-01&end_date=2001-01-31"))

        assert "0 calls in this period, 2 outside it Show all time" in found.text
        assert "Nothing was missed" not in found.text
        assert "Average score" not in found.text
        (everything,) = [a["href"] for a in found.all("a", **{"class": "button"}) if "/agents/" in a["href"]]
        assert "Average score % 91.7" in page(as_alice.get(everything)).text

    def test_leads_to_the_calls_that_missed_the_goal(self, as_alice, project):
        calls = bring(project, line(1, goal_reached=True), line(2, goal_reached=False))

        found = page(as_alice.get(f"/agents/{calls[0].agent_id}/?project_id={project.pk}"))

        (missed,) = [a["href"] for a in found.all("a") if "goal=false" in a["href"]]
        listed = page(as_alice.get(missed))
        assert [a["title"] for a in listed.all("a", **{"class": "name"})] == ["call-2.wav"]

    def test_marks_criteria_that_differ_from_all_calls_and_lists_the_weakest_first(self, as_alice, project):
        weak = [line(n, greeting=10, identity=0) for n in range(1, 13)]
        others = [line(n, greeting=0, agent_name="Ben Okafor") for n in range(13, 25)]
        calls = bring(project, *weak, *others)
        address = f"/agents/{calls[0].agent_id}/?project_id={project.pk}"

        rubric, by_gap = (
            page(as_alice.get(f"{address}{order}")).text.split("By week", 1)[1]
            for order in ("&start_date=2026-03-01", "&start_date=2026-03-01&order=gap")
        )

        assert rubric.index("Greets") < rubric.index("Verifies the caller")
        assert by_gap.index("Verifies the caller") < by_gap.index("Greets")
        assert "50.0 % (n 24) better than all calls" in rubric
        assert "50.0 % (n 24) worse than all calls" in rubric
        found = page(as_alice.get(f"{address}&order=gap"))
        assert found.all("input", type="hidden", name="order", value="gap")
        assert "those furthest below all calls first" in found.text

    def test_shows_agents_themselves_alone(self, carol, world, project, agent_address):
        from callscope.calls.models import AgentUser

        AgentUser.objects.create(
            project=project, email=carol.email, agent=world[0].agent, created_at=timezone.now()
        )
        found = page(visitor_of(carol).get(agent_address))

        assert "Average score % 91.7" in found.text
        assert "all calls:" not in found.text
        assert "By gap to all calls" not in found.text
        assert not [a for a in found.all("a") if a["href"].startswith("/report/agents/")]


class TestMoments:
    def section(self, client, agent, title):
        """Return the text of a section of the page of an agent."""
        text = page(client.get(f"/agents/{agent}/")).text
        after = {"What to talk about": "What went well", "What went well": "Criteria"}
        return text.split(title, 1)[1].split(after[title], 1)[0]

    def test_to_talk_about_are_there_without_a_quote_too(self, as_alice, project):
        calls = bring(project, line(1), line(2, greeting=0), line(3, greeting=0))

        text = self.section(as_alice, calls[0].agent_id, "What to talk about")

        assert "Greets not met in 2 of 3 calls Looked for: The agent greets. call-3.wav" in text
        assert "call-2.wav" not in text  # the latest stands for both

    def test_to_talk_about_say_what_the_version_that_judged_the_call_looked_for(
        self, as_alice, project, django_assert_max_num_queries
    ):
        document = copy.deepcopy(CONFIGURATION)
        for number in (2, 3):
            for each in document["rubric"]["sections"]:
                each["criteria"][0]["guideline"] = f"What version {number} asks for."
            configure_project(project, document)
        calls = bring(project, line(1, identity=0), line(2, greeting=0), line(3))
        judged = CallAnalysis.objects.filter(project=project)
        judged.filter(call=calls[0]).update(config_version=2)
        judged.filter(call=calls[1]).update(config_version=1)

        text = self.section(as_alice, calls[0].agent_id, "What to talk about")

        assert "Greets not met in 1 of 3 calls Looked for: The agent greets. call-2.wav" in text
        assert (
            "Verifies the caller not met in 1 of 3 calls critical error Looked for: What version 2 asks for."
            in text
        )
        assert "version 3" not in text
        agent = calls[0].agent
        with django_assert_max_num_queries(2):
            find_agent_moments(project, agent, Window(), ahead={})

    def test_to_talk_about_begin_with_critical_errors_then_what_was_missed_in_most_calls(
        self, as_alice, project
    ):
        rude = {"mistakes": [{"id": "rude", "description": "Is rude", "quote": "[00:10] Calm down."}]}
        calls = bring(
            project,
            line(1, identity=0), line(2, greeting=0),
            line(3, greeting=0, no_protocol={**rude, "missing_prompts": []}),
        )  # fmt: skip

        text = self.section(as_alice, calls[0].agent_id, "What to talk about")

        places = [
            text.index(each)
            for each in (
                "Verifies the caller not met in 1 of 3 calls critical error",
                "Greets not met in 2",
                "Is rude in 1",
            )
        ]
        assert places == sorted(places)

    def test_say_of_a_criterion_that_earned_a_part_that_it_was_not_fully_met(self, as_alice, project):
        calls = bring(project, line(1, greeting=5), line(2, greeting=0), line(3))

        text = self.section(as_alice, calls[0].agent_id, "What to talk about")

        assert "Greets not fully met in 2 of 3 calls" in text

    def test_that_went_well_come_from_different_calls(self, as_alice, project):
        lines = [line(1), line(2)]
        for each in lines:
            each["copc"]["criterion_scores"][1]["quote"] = "[00:09] your date of birth"
        calls = bring(project, *lines)

        text = self.section(as_alice, calls[0].agent_id, "What went well")

        assert text.count("call-1.wav") == text.count("call-2.wav") == 1
        assert "good morning" in text
        assert "your date of birth" in text

    def test_that_went_well_say_in_how_many_calls_and_are_not_to_talk_about(self, as_alice, project):
        missed = bring(project, *(line(n, greeting=10 if n > 2 else 0) for n in range(1, 8)))
        met = bring(project, *(line(n, agent_name="Eva Lang") for n in range(21, 26)))

        to_talk_about, went_well, of_other = (
            self.section(as_alice, calls[0].agent_id, title)
            for calls, title in (
                (missed, "What to talk about"), (missed, "What went well"), (met, "What went well")
            )
        )  # fmt: skip

        assert "Greets not met in 2 of 7 calls" in to_talk_about
        assert "Greets" not in went_well
        assert "Greets met in 5 of 5 calls" in of_other

    def test_that_went_well_are_none_where_the_agent_stands_below_all_calls(self, as_alice, carol, project):
        rows = [line(n, greeting=n % 4 and 10, agent_name="Ben Okafor") for n in range(1, 9)]
        for each in rows:  # so that there is more to talk about than has room
            each["no_protocol"]["mistakes"] = [{"id": f"m{n}", "description": f"Fault {n}"} for n in range(5)]
        calls = bring(project, *rows, *(line(n, agent_name="Ana Ruiz") for n in range(11, 20)))

        text = self.section(as_alice, calls[0].agent_id, "What went well")

        assert "met in most of these calls and at least as well as in all calls of the project." in text
        assert "Greets" not in text
        link_user(project, carol.email, calls[0].agent)
        assert "Greets met in 6 of 8 calls" in self.section(
            visitor_of(carol), calls[0].agent_id, "What went well"
        )
        assert "Greets met in 9 of 9 calls" in self.section(as_alice, calls[-1].agent_id, "What went well")

    def test_that_went_well_quote_the_phrase_before_words_that_mean_it(self, as_alice, project):
        lines = [line(n) for n in range(1, 5)]
        for each, (quote, margin) in zip(
            lines,
            (("you too", 0.3), ("good day to you", None), ("welcome here", 0.8), ("so it is you", 0.1)),
            strict=True,
        ):
            score = each["copc"]["criterion_scores"][0]
            score |= {"quote": f"[00:03] {quote}"} | ({} if margin is None else {"margin": margin})
        calls = bring(project, *lines)

        assert "good day to you" in self.section(as_alice, calls[0].agent_id, "What went well")
        calls[1].delete()
        assert "welcome here" in self.section(as_alice, calls[0].agent_id, "What went well")

    def test_that_nothing_was_missed_is_said(self, as_alice, project):
        calls = bring(project, line(1))

        assert "Nothing was missed in these calls." in self.section(
            as_alice, calls[0].agent_id, "What to talk about"
        )


SAYS_LITTLE = "So few calls say little about a person"


class TestFewCalls:
    """Five or more may differ from all others beyond chance: then it is not said that they say little."""

    @pytest.fixture
    def shown(self, as_alice, project):
        def text_of(agent):
            address = f"/agents/{agent.pk}/?project_id={project.pk}"
            report = page(as_alice.get(f"/report/agents/?project_id={project.pk}&date_range="))
            return report.text, page(as_alice.get(address)).text

        return text_of

    @pytest.fixture
    def bring_agents(self, project):
        def bring_in(points, identity):
            others = [line(n, agent_name="Others", greeting=n % 3 + 7) for n in range(1, 21)]
            few = [line(20 + n, agent_name="Ana", greeting=points, identity=identity) for n in range(1, 7)]
            return bring(project, *others, *few)[-1].agent

        return bring_in

    def test_say_something_about_an_agent_below_the_others(self, shown, bring_agents):
        report, agent = shown(bring_agents(2, 4))

        assert "Ana below the others" in report
        assert SAYS_LITTLE not in agent
        assert "There are few calls: use the figures to start a conversation." in agent
        assert agent.count("beyond chance") == 1
        assert "below the others, beyond chance · all calls:" in agent

    def test_say_little_about_an_agent_like_the_others(self, shown, bring_agents):
        report, agent = shown(bring_agents(8, 20))

        assert "Ana few calls" in report
        assert SAYS_LITTLE in agent
        assert "the others" not in agent

    def test_say_little_to_agents_themselves_who_see_no_others(self, carol, project, bring_agents):
        found = bring_agents(2, 4)
        link_user(project, carol.email, found)

        text = page(visitor_of(carol).get(f"/agents/{found.pk}/?project_id={project.pk}")).text

        assert SAYS_LITTLE in text
        assert "the others" not in text
