"""Weekly samples on their pages: what the list says of one, and how one is changed."""

import pytest
from django.utils import timezone

from callscope.accounts.models import AuditEvent
from callscope.projects.services import share_project
from callscope.reviews.models import ReviewSample, SamplingPlan
from callscope.reviews.sampling.plans import NewPlan, create_plan, end_plan
from tests.web.conftest import bring, line, page, visitor_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def plan(project, alice, bob):
    share_project(project, bob, role="editor")
    wanted = NewPlan(3, None, [bob.email], uncertain_pct=20, filters={"max_score": "60"}, due_days=9, seed=7)
    return create_plan(project, wanted, alice, today=timezone.localdate())


@pytest.fixture
def url(project, plan):
    return f"/projects/{project.pk}/sampling-plans/{plan.pk}/"


def filled(client, url):
    """Return what the form of the page sends as it is."""
    shown = page(client.get(url))
    inputs = [box for box in shown.all("input") if box.get("type") != "checkbox" or "checked" in box]
    return {each["name"]: each.get("value", "on") for each in inputs if each.get("name")}


def test_are_listed_with_their_days_and_lead_to_their_samples(as_alice, project, plan, url):
    listed = f"/projects/{project.pk}/sampling-plans/"
    before = page(as_alice.get(listed))
    ReviewSample.objects.create(
        project=project, plan=plan, seed=1, per_agent=3, uncertain_pct=20, candidates=4,
        first_day="2026-03-02", created_at=timezone.now(),
    )  # fmt: skip
    after = page(as_alice.get(listed))
    shown = page(as_alice.get(url))

    assert "Days to review" in before.text
    assert "Only calls drawn at random before are left out" in before.text
    assert "20 % 9 bob@" in before.text
    assert before.all("a", href=url)  # to be changed
    assert not before.all("a", href=f"{url}#samples-title")
    assert after.all("a", href=f"{url}#samples-title")
    assert shown.all("h2", id="samples-title")
    assert f"Sample {ReviewSample.objects.get().pk}" in shown.text


def test_are_changed_from_the_next_sample_on(as_alice, alice, project, plan, url):
    sent = filled(as_alice, url)
    shown = {name: value for name, value in sent.items() if name not in ("csrfmiddlewaretoken", "next")}
    assert shown == {
        "amount": "3", "uncertain_pct": "20", "due_days": "9", "max_score": "60", "min_score": "",
        "min_length": "", "max_length": "", "reviewer": "bob@example.com",
    }  # fmt: skip
    changes = {"amount": "25", "unit": "share", "due_days": "3", "max_score": "", "reviewer": alice.email}

    said = page(as_alice.post(url, sent | changes, follow=True)).text

    changed = SamplingPlan.objects.get()
    assert (changed.per_agent, changed.share_pct, changed.uncertain_pct) == (None, 25, 20)
    assert (changed.due_days, changed.filters) == (3, {})
    assert [each.user for each in changed.reviewers.all()] == [alice]
    kept = ("seed", "next_week", "created_at", "created_by")
    assert [getattr(changed, name) for name in kept] == [getattr(plan, name) for name in kept]
    assert "The weekly sample is saved." in said
    event = AuditEvent.objects.get(action="sampling_plan.changed")
    assert (event.actor, event.subject) == (alice, f"sampling plan {plan.pk}")
    assert "Weekly review sample changed" in page(as_alice.get("/audit/")).text


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"amount": "0"}, "“0” is not allowed. Type a whole number from 1 to 1,000."),
        ({"due_days": "91"}, "“91” is not allowed. Type a whole number from 1 to 90."),
        ({"reviewer": []}, "Choose at least one reviewer."),
        ({"reviewer": "carol@example.com"}, "carol@example.com"),
        ({"min_score": "many"}, "many"),
    ],
)
def test_are_not_changed_by_what_the_form_of_a_new_one_refuses(as_alice, carol, plan, url, change, sentence):
    answer = as_alice.post(url, filled(as_alice, url) | change)

    assert sentence in page(answer, 400).text
    kept = SamplingPlan.objects.get()
    assert (kept.per_agent, kept.due_days, kept.filters) == (3, 9, {"max_score": "60"})
    assert [each.user.email for each in kept.reviewers.all()] == ["bob@example.com"]
    assert not AuditEvent.objects.filter(action="sampling_plan.changed").exists()


def test_keep_filters_that_have_no_control(as_alice, project, plan, url):
    bring(project, line(1))
    SamplingPlan.objects.update(filters={"criterion": "greeting", "result": "failed"})

    assert "Criterion: Greets" in page(as_alice.get(url)).text
    as_alice.post(url, filled(as_alice, url))

    assert SamplingPlan.objects.get().filters == {"criterion": "greeting", "result": "failed"}


def test_drop_who_can_no_longer_review(as_alice, bob, project, plan, url):
    share_project(project, bob, role="viewer")

    shown = page(as_alice.get(url))

    assert "bob@example.com can no longer review and is not kept." in shown.text
    assert "reviewer" not in filled(as_alice, url)


def test_that_ended_are_shown_and_stay_as_they_are(as_alice, alice, plan, url):
    sent = filled(as_alice, url)
    end_plan(plan, alice)

    assert "This weekly sample has ended." in page(as_alice.get(url)).text
    assert as_alice.post(url, sent | {"amount": "5"}).status_code == 404
    assert SamplingPlan.objects.get().per_agent == 3


def test_are_for_those_who_may_change_the_project(as_carol, carol, project, plan, url):
    assert as_carol.get(url).status_code == 404
    share_project(project, carol, role="viewer")

    assert [visitor_of(carol).get(url).status_code, as_carol.post(url).status_code] == [403, 403]
