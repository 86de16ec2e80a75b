"""What a shared call shows of its reviews: answers that count, never who gave them or what they wrote."""

import pytest
from django.test import Client

from callscope.analysis.models import CallAnalysis
from callscope.contact_reasons.models import CallReason, ContactReason
from callscope.pipeline.decisions.review_edits import create_review
from callscope.projects import services
from callscope.reviews.answers import GivenAnswer
from callscope.reviews.findings import GivenFinding
from callscope.reviews.revisions import GivenReview
from tests.web.conftest import bring, give_transcript, line, page
from tests.web.views.sharing.test_share_links import share

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]

WRITTEN = "The words are harmless, the tone is not."
MACHINES = "Said at the start."


@pytest.fixture
def call(project):
    """A call whose mistake, and whose criteria, have reasons of the machine."""
    judged = line(1)
    identity = judged["copc"]["criterion_scores"][1]
    identity |= {"justification": "She gave her name.", "quote": "[00:03] Good morning"}
    mistake = {"id": "tone", "description": "Dismisses", "quote": "", "justification": "Interrupts her."}
    judged["no_protocol"] = {"mistakes": [mistake], "missing_prompts": []}
    [brought] = bring(project, judged)
    give_transcript(brought)
    return brought


def review(call, by, *answers, **fields):
    create_review(call.pk, GivenReview(answers, submits=True, is_partial=True, **fields), by)


class TestAReviewedCall:
    def test_shows_neither_comments_nor_who_reviewed(self, as_alice, bob, project, call):
        services.share_project(project, bob, role="editor")
        address = share(as_alice, f"call={call.pk}")
        review(
            call,
            bob,
            GivenAnswer("greeting", "not_met", comment=WRITTEN, quote="Good morning, Ana here."),
            comment=WRITTEN,
            findings=[
                GivenFinding("mistake", "tone", "made", comment=WRITTEN, quote="Ana here."),
                GivenFinding("prompt", "recording", "missed", comment=WRITTEN),
            ],
        )

        shown = page(Client().get(address))
        of_project = page(as_alice.get(f"/calls/{call.pk}/")).text

        assert of_project.count(WRITTEN) == 4
        assert bob.email in of_project
        html = Client().get(address).content.decode()
        for hidden in (WRITTEN, bob.email, MACHINES, "Interrupts her."):
            assert hidden not in html
        assert shown.text.count("by a person") == 4  # the score, the criterion, the mistake and the prompt
        for stays in ("not met", "Good morning, Ana here.", "Dismisses", "She gave her name."):
            assert stays in shown.text
        assert CallAnalysis.objects.get(call=call).copc["criterion_scores"][0]["justification"] == WRITTEN

    def test_has_reasons_of_the_machine_for_its_own_answers_alone(self, as_alice, alice, call):
        address = share(as_alice, f"call={call.pk}")
        # Both earn as many points as the machine gave, and one is another answer.
        review(
            call,
            alice,
            GivenAnswer("greeting", "met"),
            GivenAnswer("identity", "not_applicable"),
            findings=[GivenFinding("mistake", "tone", "made", quote="Good morning, Ana here.")],
        )

        text = page(Client().get(address)).text

        assert f"The machine: {MACHINES}" in text
        assert "not applicable" in text
        assert "She gave her name." not in text
        assert "Interrupts her." in text
        assert "She gave her name." in page(as_alice.get(f"/calls/{call.pk}/")).text

    def test_says_nothing_of_the_reason_that_a_person_replaced(self, as_alice, alice, project, call):
        address = share(as_alice, f"call={call.pk}")
        analysis = CallAnalysis.objects.get(call=call)
        analysis.insights |= {"contact_reason_code": "late fee", "contact_reason_confidence": 0.87}
        analysis.save()
        before = page(Client().get(address)).text
        for name in ("late fee", "outage"):
            ContactReason.objects.create(project=project, name=name)
        CallReason.objects.create(
            project=project, call=call, reason=ContactReason.objects.get(name="late fee")
        )
        review(call, alice, sent_placements={"contact_reason": "outage"})

        text = page(Client().get(address)).text

        assert "87 % sure" in before
        assert "outage" in text
        assert "sure" not in text
        assert "late fee" not in text

    def test_is_announced_as_such(self, as_alice, bob, project, call):
        before = page(as_alice.get(f"/shares/?call={call.pk}")).text
        services.share_project(project, bob, role="editor")
        review(call, bob, GivenAnswer("greeting", "not_met"))

        of_call = page(as_alice.get(f"/shares/?call={call.pk}")).text
        of_report = page(as_alice.get(f"/shares/?project_id={project.pk}")).text

        assert "the results; where people" not in before
        assert "the results; where people corrected them, their answers count" in of_call
        assert "comments and names of reviewers" in of_call
        assert "single reviews and appeals" in of_report
