"""What waits for a reviewer in all projects, on one page."""

import datetime as dt
import html
import re

import pytest

from callscope.interfaces.web.waiting import count_waiting
from callscope.pipeline.decisions.calibration_edits import open_calibration
from callscope.pipeline.decisions.filtered_draws import draw_filtered
from callscope.projects.models import Project
from callscope.projects.services import create_project, share_project
from callscope.reviews.calibration.sessions import CalibrationPlan
from callscope.reviews.models import SampledCall
from callscope.reviews.sampling.draw import SamplePlan
from callscope.reviews.waiting import Work, count_work_by_project
from tests.web.conftest import CONFIGURATION, bring, line, page, visitor_of
from tests.web.test_waiting import appeal
from tests.web.views.reviewing.test_samples import judge

pytestmark = pytest.mark.django_db


def draw(project, reviewer, due=None):
    return draw_filtered(project, SamplePlan(per_agent=5, reviewers=[reviewer.email], due=due), None)


@pytest.fixture
def other(alice):
    return create_project(alice, "Sales <line>", document=CONFIGURATION)


def rows(client):
    """Return the text of each row of calls that wait, and the addresses in all of them."""
    shown = page(client.get("/reviews/"))
    links = [each["href"] for each in shown.all("a") if each.get("href", "").endswith("/review/")]
    return links, " ".join(shown.text.split())


def read_table(answer, caption):
    """Return the words of each row of the table with this caption, its head first."""
    table = answer.content.decode().partition(f">{caption}</caption>")[2].partition("</table>")[0]
    rows = [re.findall(r"<(t[hd])\b.*?>(.*?)</\1>", row, re.DOTALL) for row in table.split("<tr>")[1:]]
    return [[html.unescape(re.sub(r"<[^>]*>", "", cell)).strip() for _tag, cell in row] for row in rows]


class TestQueue:
    def test_lists_the_calls_of_all_projects_the_first_due_first(self, as_alice, alice, project, other):
        late, soon = bring(project, line(1)), bring(other, line(2))
        draw(project, alice, dt.date(2026, 5, 1))
        draw(other, alice, dt.date(2026, 4, 1))

        links, text = rows(as_alice)

        assert links == [f"/calls/{call.pk}/review/" for call in (*soon, *late)]
        assert "Sales <line>" in text and "overdue" in text
        shown = as_alice.get("/reviews/").content.decode()
        assert '<span class="of-project">Sales &lt;line&gt;</span></th>' in shown, (
            "for a tablet, below the name"
        )

    def test_names_every_sample_of_a_call(self, as_alice, alice, project, other):
        [call] = bring(project, line(1))
        soon, later = draw(project, alice, dt.date(2026, 4, 1)), draw(project, alice, dt.date(2026, 5, 1))
        SampledCall.objects.create(sample=later, call=call, position=1, reviewer=alice, reason="chosen")

        shown = page(as_alice.get("/reviews/"))

        assert f"Sample {soon.pk} , Sample {later.pk}" in " ".join(shown.text.split())
        for sample in (soon, later):
            assert shown.all("a", href=f"/projects/{project.pk}/samples/{sample.pk}/")

    def test_begins_no_line_with_a_comma(self, as_alice, alice, bob, project, other):
        [call] = bring(project, line(1))
        share_project(project, bob, role="editor")
        _soon, later = draw(project, alice, dt.date(2026, 4, 1)), draw(project, alice, dt.date(2026, 5, 1))
        SampledCall.objects.create(sample=later, call=call, position=1, reviewer=alice, reason="chosen")
        plan = CalibrationPlan([call.pk], [alice.email, bob.email], "", None)
        open_calibration(project.pk, plan, alice)

        shown = as_alice.get("/reviews/").content.decode()

        tasks = shown.partition('<span class="tasks">')[2].partition("</td>")[0]
        kept = re.findall(r'<span class="whole"><a [^>]*>([^<]*)</a>([^<]*)</span>', tasks)
        assert [words.split()[0] + after for words, after in kept] == [
            "Calibration, then", "Sample,", "Sample",
        ]  # fmt: skip

    def test_drops_what_was_reviewed(self, as_alice, alice, project, other):
        [call] = bring(project, line(1))
        draw(project, alice)
        judge(call, alice, "met")

        assert rows(as_alice)[0] == []
        assert "There are no calls for you to review." in rows(as_alice)[1]

    def test_holds_calls_to_rate(self, as_alice, alice, bob, project, other):
        share_project(other, bob, role="editor")
        [call] = bring(other, line(1))
        plan = CalibrationPlan([call.pk], [alice.email, bob.email], "", None)
        calibration = open_calibration(other.pk, plan, alice)

        links, text = rows(as_alice)

        assert links == [f"/calls/{call.pk}/review/"]
        assert f"Calibration {calibration.pk}" in text

    def test_says_in_the_project_that_a_calibration_is_overdue(self, as_alice, alice, project):
        [call] = bring(project, line(1))
        plans = [CalibrationPlan([call.pk], [alice.email], "", due) for due in (dt.date(2026, 4, 1), None)]
        late, _ = [open_calibration(project.pk, plan, alice) for plan in plans]

        text = page(as_alice.get(f"/projects/{project.pk}/reviews/")).text

        listed = text.partition("Calibrations, newest first")[2]
        assert listed.count("open overdue") == 1
        assert f"Calibration {late.pk} open overdue" in listed

    def test_has_verbs_for_what_can_be_done(self, alice, project):
        bring(project, line(1))
        draw(project, alice)

        text = page(
            visitor_of(alice, headers={"accept-language": "es"}).get(f"/projects/{project.pk}/reviews/")
        ).text

        assert "Revisar" in text

    def test_holds_appeals_so_that_its_rows_are_as_many_as_the_badge_counts(
        self, as_alice, alice, bob, project, other
    ):
        bring(other, line(1, agent_name="Ben Okafor"), line(2))
        draw(other, alice)
        [appealed_call] = bring(other, line(3))
        appealed = appeal(appealed_call, bob)

        shown = page(as_alice.get("/reviews/"))

        assert "Ben Okafor" in shown.text and "1:00" in shown.text
        assert shown.all("a", href=f"/appeals/?appeal={appealed.pk}#appeal-{appealed.pk}")
        rows = [a for a in shown.all("a") if a["href"].endswith("/review/") or "#appeal-" in a["href"]]
        assert len(rows) == sum(count_waiting(alice)) == 3

    def test_has_one_row_for_a_call_to_rate_and_to_review_and_counts_both(
        self, as_alice, alice, bob, project, other
    ):
        share_project(other, bob, role="editor")
        both, only = bring(other, line(1), line(2))
        sample = draw(other, alice, dt.date(2026, 5, 1))
        SampledCall.objects.filter(call=only).delete()
        plans = [CalibrationPlan([both.pk, only.pk], [alice.email, bob.email], "", None) for _ in range(2)]
        first, second = [open_calibration(other.pk, plan, alice) for plan in plans]

        links, text = rows(as_alice)

        assert links == [f"/calls/{both.pk}/review/", f"/calls/{only.pk}/review/"]
        assert "1 call to review, 2 calls to rate." in text
        assert "1 call is to be rated and then reviewed: it has one row." in text
        said = f"Calibration {first.pk} , Calibration {second.pk} , then Sample {sample.pk} May 1, 2026"
        assert said in text
        assert f"Rate {both.file_name}" in as_alice.get("/reviews/").content.decode()
        assert (count_waiting(alice).reviews, count_waiting(alice).ratings) == (1, 2)
        assert count_work_by_project(alice, Project.objects.all()) == {other.pk: Work(1, 2, 1, 0)}

    def test_counts_each_kind_for_each_project(self, as_alice, alice, bob, project, other):
        share_project(other, bob, role="editor")
        called = bring(other, line(1), line(2), line(3))
        bring(project, line(4))
        draw(other, alice)
        draw(project, alice)
        open_calibration(other.pk, CalibrationPlan([called[0].pk], [alice.email, bob.email], "", None), alice)

        [head, *counted] = read_table(as_alice.get("/reviews/"), "Projects whose calls you can review")
        here = page(as_alice.get(f"/projects/{project.pk}/reviews/")).text

        assert head == ["Project", "To review", "To rate", "Appeals"]
        assert counted == [["Sales <line>", "3", "1", "0"], ["Service line", "1", "0", "0"]]
        assert "Sales <line> (3 calls to review, 1 call to rate)" in " ".join(here.split())

    def test_tells_appeals_about_one_call_apart_by_their_criteria(self, as_alice, bob, project, other):
        [call] = bring(other, line(1))
        for criterion in ("greeting", "identity"):
            appeal(call, bob, criterion_id=criterion, criterion_name=f"About {criterion}")

        shown = page(as_alice.get("/reviews/"))

        assert "Appeal About greeting" in shown.text and "Appeal About identity" in shown.text
        assert {a["aria-label"] for a in shown.all("a") if "#appeal-" in a["href"]} == {
            "Decide the appeal about call-1.wav: About greeting",
            "Decide the appeal about call-1.wav: About identity",
        }

    def test_shows_nothing_of_projects_that_the_visitor_may_not_write(self, alice, carol, project, other):
        share_project(project, carol, role="editor")
        share_project(other, carol, role="viewer")
        create_project(carol, "Carol's own")
        bring(other, line(1))
        draw(other, alice)

        links, text = rows(visitor_of(carol))

        assert (links, "Sales" in text) == ([], False)
        assert "Service line" in text and "Carol's own" in text

    def test_asks_as_often_for_many_projects_as_for_two(
        self, as_alice, alice, project, other, django_assert_max_num_queries
    ):
        for n in range(5):
            more = create_project(alice, f"More {n}", document=CONFIGURATION)
            bring(more, line(n + 1))
            draw(more, alice)

        with django_assert_max_num_queries(16):
            assert len(rows(as_alice)[0]) == 5


class TestTheListOfOneProject:
    def test_has_the_columns_and_kinds_of_the_list_of_all(self, as_alice, alice, bob, project, other):
        share_project(other, bob, role="editor")
        calls = bring(other, line(1, agent_name="Ben Okafor"), line(2))
        bring(project, line(4, agent_name="Somebody Else"))
        draw(project, alice)
        sample = draw(other, alice)
        [appealed_call] = bring(other, line(3))
        appealed = appeal(appealed_call, bob)
        plan = CalibrationPlan([calls[1].pk], [alice.email, bob.email], "", None)
        calibration = open_calibration(other.pk, plan, alice)

        shown = page(as_alice.get(f"/projects/{other.pk}/reviews/"))

        [table] = [each for each in shown.text.split("Waiting for you") if "Ben Okafor" in each]
        rows = " ".join(table.split())
        for text in (
            "Agent Length What for Due",
            "1:00",
            f"Sample {sample.pk}",
            f"Calibration {calibration.pk}",
        ):
            assert text in rows
        assert "Somebody Else" not in rows
        assert shown.all("a", href=f"/appeals/?appeal={appealed.pk}#appeal-{appealed.pk}")
        own = [a for a in shown.all("a") if a["href"].endswith("/review/") or "#appeal-" in a["href"]]
        assert len(own) == 3  # to review, to rate and then to review, and an appeal
        assert f"Calibration {calibration.pk} , then Sample {sample.pk}" in rows

    def test_says_how_many_wait_where_it_shows_fewer(self, as_alice, alice, project, monkeypatch):
        monkeypatch.setattr("callscope.interfaces.web.views.reviewing.overview.WORK_SHOWN", 1)
        bring(project, line(1), line(2))
        draw(project, alice)

        shown = page(as_alice.get(f"/projects/{project.pk}/reviews/"))

        assert "The first 1 of 2, those that are due first." in shown.text
