"""Plans that draw every week: what they draw, from which seed, when, and what is refused."""

import datetime as dt
from collections import Counter

import pytest
from django.utils import translation

from callscope.accounts.models import AuditEvent
from callscope.calls.models import Call
from callscope.interfaces.web.templatetags.setup import week_of
from callscope.pipeline.decisions.weekly_draws import draw_due_weeks
from callscope.projects.services import share_project, unshare_project
from callscope.reviews.models import ReviewSample, SamplingPlan
from callscope.reviews.sampling.plans import find_seed
from tests.api.review_samples import review
from tests.api.views.test_review_samples import line, load

pytestmark = pytest.mark.django_db

URL = "/calls/api/sampling-plans/"
WEEK = dt.date(2026, 3, 2)  # a Monday; the calls are of that day
MONDAY = dt.datetime(2026, 3, 9, 7, tzinfo=dt.UTC)


@pytest.fixture
def project(project):
    load(
        project,
        [line(f"{who}-{n}.wav", who) for who, count in (("ana", 10), ("ben", 3)) for n in range(count)],
    )
    return project


@pytest.fixture
def plan(as_alice, alice, project):
    """Set up a plan on a day of the week of the calls."""

    def plan(status=201, **fields):
        body = {"project_id": project.pk, "reviewers": [alice.email], **fields}
        answer = as_alice.post(URL, body, format="json")
        assert answer.status_code == status, answer.content
        SamplingPlan.objects.filter(pk=answer.json().get("id")).update(next_week=WEEK)
        return answer.json()

    return plan


class TestAPlan:
    def test_draws_among_what_its_filters_leave(self, as_alice, plan, project):
        agent = Call.objects.filter(file_name="ben-0.wav").get().agent_id
        made = plan(per_agent=2, filters={"agent": agent})

        draw_due_weeks(MONDAY)

        sample = ReviewSample.objects.get()
        names = set(sample.calls.values_list("call__file_name", flat=True))
        assert made["filters"] == sample.filters == {"agent": str(agent)}
        assert (len(names), {name[:3] for name in names}, sample.candidates) == (2, {"ben"}, 3)
        assert "Ana" in plan(400, per_agent=2, filters={"agent": "Ana"})["filters"][0]

    def test_draws_the_week_before_on_monday_and_never_twice(self, as_alice, alice, bob, plan, project):
        share_project(project, bob, role="editor")
        made = plan(per_agent=4, due_days=5, seed=7, reviewers=[alice.email, bob.email])

        assert draw_due_weeks(MONDAY - dt.timedelta(hours=2)) == 0  # it is night still
        assert (draw_due_weeks(MONDAY), draw_due_weeks(MONDAY)) == (1, 0)

        (row,) = as_alice.get(URL, {"project_id": project.pk}).json()
        assert (row["id"], row["next_draw"], len(row["samples"])) == (made["id"], "2026-03-16", 1)
        drawn = as_alice.get(f"/calls/api/review-samples/{row['samples'][0]}/").json()
        kept = {n: drawn[n] for n in ("start_date", "end_date", "due", "seed", "plan_id", "created_by")}
        assert kept == {"start_date": "2026-03-02", "end_date": "2026-03-08", "due": "2026-03-14",
                        "seed": find_seed(7, WEEK), "plan_id": made["id"], "created_by": None}  # fmt: skip
        names = dict(Call.objects.values_list("pk", "file_name"))
        assert Counter(names[c["call_id"]][:3] for c in drawn["calls"]) == {"ana": 4, "ben": 3}
        per_reviewer = Counter(c["reviewer"] for c in drawn["calls"])
        assert sorted(per_reviewer.values()) == [3, 4]
        again = as_alice.post(
            "/calls/api/review-samples/",
            {"project_id": project.pk, "per_agent": 4, "seed": drawn["seed"], "start_date": "2026-03-02",
             "end_date": "2026-03-08", "reviewers": [alice.email, bob.email]}, format="json",
        ).json()  # fmt: skip
        assert again["calls"] == drawn["calls"]

    def test_leaves_out_what_another_one_drew(self, plan):
        plan(share_pct=50)
        plan(share_pct=100)
        draw_due_weeks(MONDAY)

        first, second = ReviewSample.objects.order_by("pk")
        assert (first.left_out, second.left_out) == (0, 5 + 2)
        held = [set(each.calls.values_list("call", flat=True)) for each in (first, second)]
        assert (len(held[0] & held[1]), len(held[0] | held[1])) == (0, 13)

    def test_draws_a_share_of_each_agents_calls_rounded_up(self, plan):
        plan(share_pct=25)
        draw_due_weeks(MONDAY)

        sample = ReviewSample.objects.get()
        assert (sample.share_pct, sample.calls.count()) == (25, 3 + 1)

    def test_catches_up_four_weeks_after_an_outage(self, plan):
        plan(per_agent=1)

        assert draw_due_weeks(MONDAY + dt.timedelta(weeks=10)) == 4
        assert SamplingPlan.objects.get().next_week == WEEK + dt.timedelta(weeks=11)
        days = ReviewSample.objects.values_list("first_day", "due")
        assert len({first for first, _due in days}) == 4
        assert {due for _first, due in days} == {dt.date(2026, 5, 25)}  # drawn on the 18th

    def test_leaves_out_who_may_not_review_any_more(self, as_alice, alice, bob, plan, project):
        share_project(project, bob, role="editor")
        plan(per_agent=4, reviewers=[bob.email, alice.email])
        plan(per_agent=4, reviewers=[bob.email])
        unshare_project(project, bob)

        draw_due_weeks(MONDAY)
        sample = ReviewSample.objects.get()
        assert {call.reviewer for call in sample.calls.all()} == {alice}

    def test_waits_while_nobody_can_review(self, as_alice, bob, plan, project):
        share_project(project, bob, role="editor")
        plan(per_agent=4, reviewers=[bob.email])
        unshare_project(project, bob)

        assert [draw_due_weeks(MONDAY + dt.timedelta(weeks=n)) for n in range(2)] == [0, 0]
        assert SamplingPlan.objects.get().next_week == WEEK
        share_project(project, bob, role="editor")

        assert draw_due_weeks(MONDAY + dt.timedelta(weeks=1)) == 2
        weeks = ReviewSample.objects.order_by("first_day").values_list("first_day", flat=True)
        assert list(weeks) == [WEEK, WEEK + dt.timedelta(weeks=1)]
        assert {call.reviewer for call in ReviewSample.objects.order_by("first_day")[0].calls.all()} == {bob}

    def test_ends(self, as_alice, plan, project):
        made = plan(per_agent=1)

        assert [as_alice.delete(f"{URL}{made['id']}/").status_code for _ in range(2)] == [204, 204]
        assert draw_due_weeks(MONDAY) == 0
        (row,) = as_alice.get(URL).json()
        assert (row["next_draw"], row["ended_at"] is None) == (None, False)
        kinds = AuditEvent.objects.filter(action__startswith="sampling_plan").values_list("action", flat=True)
        assert sorted(kinds) == ["sampling_plan.created", "sampling_plan.ended"]

    @pytest.mark.parametrize(
        ("fields", "wrong"),
        [
            ({}, "per_agent"),
            ({"per_agent": 2, "share_pct": 5}, "per_agent"),
            ({"share_pct": 101}, "share_pct"),
            ({"per_agent": 0}, "per_agent"),
            ({"per_agent": 1, "due_days": 91}, "due_days"),
            ({"per_agent": 1, "reviewers": ["nobody@example.com"]}, "reviewers"),
            ({"per_agent": 1, "reviewers": []}, "reviewers"),
            ({"per_agent": 1, "project_id": 10**9}, "project_id"),
        ],
    )
    def test_is_refused_by_name(self, plan, fields, wrong):
        assert list(plan(status=400, **fields)) == [wrong]
        assert not SamplingPlan.objects.exists()

    def test_is_for_writers(self, as_bob, bob_views, as_carol, bob, plan, project):
        made = plan(per_agent=1)
        body = {"project_id": project.pk, "per_agent": 1, "reviewers": [bob.email]}

        assert as_bob.post(URL, body, format="json").status_code == 403
        assert [c.delete(f"{URL}{made['id']}/").status_code for c in (as_bob, as_carol)] == [403, 404]
        assert as_bob.get(URL).json() == []


class TestTheReport:
    def test_estimates_the_true_score_from_the_random_part(self, as_alice, client, alice, plan, project):
        plan(per_agent=3)
        draw_due_weeks(MONDAY)
        answers = {"ana": ["met", "not_met", "met"], "ben": ["met", "met", "met"]}
        client.force_login(alice, backend="callscope.accounts.sign_in.EmailBackend")
        said = []
        for row in ReviewSample.objects.get().calls.select_related("call").order_by("position"):
            criteria = [{"criterion_id": "greeting", "answer": answers[row.call.file_name[:3]].pop()}]
            assert review(as_alice, row.call_id, criteria=criteria).status_code == 201
            page = client.get(f"/report/?project_id={project.pk}").content.decode()
            said.append("People would score" in page)

        assert said == [False] * 4 + [True] * 2  # an estimate without an interval says nothing
        shown = as_alice.get("/calls/api/report/").json()["reviews"]

        # Two thirds of Ana's 10 calls and all of Ben's 3.
        assert (shown["true_score"], shown["sampled_calls"]) == (round(100 * (20 / 3 + 3) / 13, 2), 6)
        low, high = shown["true_score_interval"]
        assert 0 <= low < shown["true_score"] < high <= 100
        assert "People would score these calls 74.4\u00a0% on average, estimated from 6 calls" in page
        lead = page.partition('<section class="highlights"')[2].partition("</section>")[0]
        assert "estimated from 6 calls" in lead
        assert f'href="/projects/{project.pk}/agreement/">See where machine and people differ</a>' in lead
        assert page.count("People would score") == 1
        assert "</svg>machine and people differ" not in page

    def test_names_people_who_differ_in_place_of_a_verdict(self, as_alice, client, alice, plan, project):
        plan(per_agent=10)
        project.config["reviews"] = {"counts": "machine"}
        project.config["targets"] = {"average_score": 60}
        project.save(update_fields=["config"])
        draw_due_weeks(MONDAY)
        for row in ReviewSample.objects.get().calls.all():
            criteria = [{"criterion_id": "greeting", "answer": "not_met"}]
            assert review(as_alice, row.call_id, criteria=criteria).status_code == 201
        client.force_login(alice, backend="callscope.accounts.sign_in.EmailBackend")

        page = client.get(f"/report/?project_id={project.pk}").content.decode()

        hero = page.split('<div class="tile hero"')[1].split("</div>")[0]
        assert "machine and people differ" in hero
        assert "People: 0.0\u00a0% (n 13)" in hero
        assert "on target" not in hero
        assert "Target 60\u00a0%: met" not in hero


class TestThePage:
    def test_sets_up_and_ends_a_plan(self, client, alice, project):
        client.force_login(alice, backend="callscope.accounts.sign_in.EmailBackend")
        url = f"/projects/{project.pk}/sampling-plans/"
        wrong = client.post(url, {"amount": "0", "unit": "share", "uncertain_pct": "x", "due_days": "7"})
        assert (wrong.status_code, wrong.content.decode().count('class="error"')) == (400, 3)

        sent = {
            "amount": "10",
            "unit": "share",
            "uncertain_pct": "20",
            "due_days": "7",
            "reviewer": alice.email,
        }
        page = client.post(url, sent, follow=True).content.decode()

        plan = SamplingPlan.objects.get()
        assert (plan.share_pct, plan.per_agent, plan.uncertain_pct) == (10, None, 20)
        assert "10\u00a0%" in page
        assert 'data-confirm="End this weekly sample? No more calls are drawn.' in page
        assert '<dialog id="confirm"' in page
        client.post(f"{url}{plan.pk}/end/")
        assert SamplingPlan.objects.get().ended_at is not None

    def test_names_the_week_of_each_sample(self, client, alice, plan, project):
        plan(per_agent=1)
        draw_due_weeks(MONDAY)
        client.force_login(alice, backend="callscope.accounts.sign_in.EmailBackend")

        sample = ReviewSample.objects.get()
        listed = client.get(f"/projects/{project.pk}/reviews/").content.decode()
        alone = client.get(f"/projects/{project.pk}/samples/{sample.pk}/").content.decode()

        assert "week of Mar 2 to 8 · up to 1 call of each agent" in listed
        assert f"Sample {sample.pk}, week of Mar 2 to 8</h2>" in alone
        title = alone.partition("<title>")[2].partition("</title>")[0]
        assert f"Sample {sample.pk} of {project.name}, week of Mar 2 to 8" in title

    @pytest.mark.parametrize(
        ("language", "first", "text"),
        [
            ("en", dt.date(2026, 11, 30), "week of Nov 30 to Dec 6"),
            ("es", dt.date(2026, 11, 9), "semana del 9 al 15 nov"),
            ("es", dt.date(2026, 11, 30), "semana del 30 nov al 6 dic"),
        ],
    )
    def test_names_weeks_as_the_language_does(self, language, first, text):
        with translation.override(language):
            assert week_of(first) == text

    def test_marks_who_is_left_out(self, client, alice, bob, plan, project):
        share_project(project, bob, role="editor")
        plan(per_agent=1, reviewers=[alice.email, bob.email])
        client.force_login(alice, backend="callscope.accounts.sign_in.EmailBackend")
        url = f"/projects/{project.pk}/sampling-plans/"
        before = client.get(url).content.decode()

        share_project(project, bob, role="viewer")
        after = client.get(url).content.decode().replace("<wbr>", "")  # in an address

        assert (before.count("left out: can"), after.count("left out: can no longer review")) == (0, 1)
        assert (
            after.index(alice.email) < after.index(bob.email) < after.index("left out: can no longer review")
        )

    def test_says_that_it_waits_where_nobody_can_review(self, client, alice, bob, plan, project):
        share_project(project, bob, role="editor")
        plan(per_agent=1, reviewers=[bob.email])
        client.force_login(alice, backend="callscope.accounts.sign_in.EmailBackend")
        url = f"/projects/{project.pk}/sampling-plans/"
        before = client.get(url).content.decode()

        share_project(project, bob, role="viewer")
        after = client.get(url).content.decode()

        assert ("Mar 9, 2026" in before, "Mar 9, 2026" in after) == (True, False)
        assert (before.count("waits: nobody"), after.count("waits: nobody here can review")) == (0, 1)
