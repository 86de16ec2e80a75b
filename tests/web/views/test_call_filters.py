"""Filters of the call list that are chosen from the names of a project, and marks of poor transcripts."""

import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from callscope.contact_reasons.models import ContactReason
from callscope.projects.services import configure_project, share_project
from callscope.reports.models import CallFact
from callscope.reviews.findings import GivenFinding
from tests.web.conftest import CONFIGURATION, Page, bring, give_transcript, line, page, visitor_of
from tests.web.views.reviewing.test_samples import judge

pytestmark = pytest.mark.django_db
RUDE = {"id": "rude", "description": "Is rude"}


@pytest.fixture
def calls(project):
    findings = {"mistakes": [{"id": "rude", "text": "Is rude", "any_of": ["whatever"]}]}
    configure_project(project, {**CONFIGURATION, "no_protocol": {**CONFIGURATION["no_protocol"], **findings}})
    return bring(
        project,
        line(1, no_protocol={"mistakes": [RUDE], "missing_prompts": []}),
        line(2, greeting=0, no_protocol={"mistakes": [], "missing_prompts": [{"id": "recording"}]}),
        line(3, identity=0, contact_reason="Billing"),
    )


def listed(client, project, **query):
    answer = client.get("/calls/", {"project_id": project.pk, **query})
    found = page(answer)
    form = answer.content.decode().split('class="filters narrowing"')[1].split("</form>")[0]
    found.hidden = {each.get("name") for each in Page(form).all("input", type="hidden")}
    return [a["title"] for a in found.all("a", **{"class": "name"})], found


def count_bands(found):
    """Return how many scores of the list have a word for how they stand to the target."""
    in_legend = 4
    return sum("band" in (each.get("class") or "").split() for each in found.all("span")) - in_legend


def options(found, name):
    """Return the options of the select of this name, value → whether it is chosen."""
    tags = iter(found.elements)
    for tag, attributes in tags:
        if tag == "select" and attributes.get("name") == name:
            taken = {}
            for tag, attributes in tags:
                if tag != "option":
                    return taken
                taken[attributes["value"]] = "selected" in attributes
    return {}


class TestFold:
    def test_says_how_many_filters_are_in_use(self, as_alice, project, calls):
        project_alone = listed(as_alice, project)[1].text
        two = listed(as_alice, project, mistake="rude", sentiment="neutral")[1].text

        assert "Filters : Service line · All time" in project_alone.replace("Filters:", "Filters :")
        assert " active" not in project_alone.split("Project", 1)[0]
        assert "All time · 2 active" in two


class TestChoices:
    @pytest.mark.parametrize(
        ("query", "name"),
        [
            ({"failed_criterion": "not_met:greeting"}, "call-2.wav"),
            ({"failed_criterion": "not_met:identity"}, "call-3.wav"),
            ({"mistake": "rude"}, "call-1.wav"),
            ({"prompt": "recording"}, "call-2.wav"),
        ],
    )
    def test_choose_the_calls_and_stay_chosen(self, as_alice, project, calls, query, name):
        names, found = listed(as_alice, project, **query)

        assert names == [name]
        for field, value in query.items():
            assert options(found, field)[value] is True
            assert field not in found.hidden  # else no choice could undo it
        assert not found.hidden & {"criterion", "result"}
        _, unfiltered = listed(as_alice, project)
        for field, value in query.items():
            assert options(unfiltered, field)[value] is False

    def test_name_the_contact_reasons(self, as_alice, project, calls):
        reason = ContactReason.objects.create(project=project, name="Refunds")

        names, found = listed(as_alice, project, reason=str(reason.pk))

        assert names == []
        assert options(found, "reason")[str(reason.pk)] is True

    def test_of_agents_and_reasons_come_after_the_page(self, as_alice, project, calls):
        reason = ContactReason.objects.create(project=project, name="Refunds <b>")
        agents = {str(call.agent_id) for call in calls}

        _, found = listed(as_alice, project)
        [form] = [each for each in found.all("form") if "data-choices" in each]
        rest = page(as_alice.get(form["data-choices"]))

        assert list(options(found, "agent")) == ["", "none"]
        assert list(options(found, "reason")) == [""]
        assert [tag["data-for"] for tag in rest.all("template")] == ["f-agent", "f-reason"]
        offered = [each["value"] for each in rest.all("option")]
        assert set(offered) >= {*agents, str(reason.pk)}
        assert "Refunds <b>" in rest.text

    @pytest.mark.parametrize("how", ["by a filter", "without scripts"])
    def test_of_agents_and_reasons_are_there(self, as_alice, project, calls, how):
        reason = ContactReason.objects.create(project=project, name="Refunds")
        by_filter = {"HX-Request": "true"} if how == "by a filter" else {}
        query = {} if by_filter else {"choices": "all"}

        found = page(as_alice.get("/calls/", query, headers=by_filter))

        assert str(calls[0].agent_id) in options(found, "agent")
        assert str(reason.pk) in options(found, "reason")
        assert not [each for each in found.all("form") if "data-choices" in each]
        # htmx would take what is in a <noscript> for fields of the form.
        assert bool(found.all("input", name="choices")) is (how == "without scripts")

    def test_keep_what_the_address_asks_for_although_the_rubric_has_it_no_more(
        self, as_alice, project, calls
    ):
        configure_project(project, {})

        names, found = listed(as_alice, project, criterion="greeting", result="not_met")

        assert names == ["call-2.wav"]
        assert options(found, "failed_criterion") == {"": False, "not_met:greeting": True}

    def test_of_other_projects_are_not_offered(self, as_carol, carol, alice, project, calls):
        from callscope.projects.services import create_project

        other = create_project(alice, "Other", document=CONFIGURATION)
        ContactReason.objects.create(project=project, name="Secret reason")
        share_project(other, carol, role="viewer")

        found = page(visitor_of(carol).get("/calls/?project_id="))

        assert "Secret reason" not in found.text
        assert "Is rude" not in found.text

    @pytest.mark.parametrize(
        "value", ["not_met:", ":greeting", "met:greeting", "x", "not_met:\0", "partly:" + "x" * 9999]
    )
    def test_odd_values_break_nothing(self, as_alice, project, calls, value):
        assert as_alice.get("/calls/", {"failed_criterion": value}).status_code in (200, 400)


class TestPoorTranscripts:
    def test_are_marked_in_the_list(self, as_alice, project, calls):
        poor = {"ok": False, "reasons": ["Only one side speaks."]}
        give_transcript(calls[0], quality={**poor, "half_heard": True})
        give_transcript(calls[1], quality=poor)
        give_transcript(calls[2], quality={"ok": True, "reasons": []})
        CallFact.objects.filter(call=calls[0]).update(half_heard=True)

        _, found = listed(as_alice, project)
        names, marked = listed(as_alice, project, half_heard="true")
        items = as_alice.get(f"/calls/api/calls/?project_id={project.pk}").json()["results"]

        unreliable = page(as_alice.get(f"/calls/{calls[0].pk}/"))
        assert "points unreliable" in unreliable.text
        assert unreliable.all("p", **{"class": "call-score says-little"})
        assert "points unreliable" not in page(as_alice.get(f"/calls/{calls[1].pk}/")).text
        assert len(found.all("span", title="Unreliable transcript")) == 1
        assert found.text.count("poor transcript") == 1
        assert names == ["call-1.wav"]
        assert [count_bands(each) for each in (found, marked)] == [
            2,
            0,
        ]  # what an unreliable score is worth is unknown
        assert {each["file_name"]: each["is_half_heard"] for each in items} == {
            "call-1.wav": True,
            "call-2.wav": False,
            "call-3.wav": False,
        }

    def test_have_the_verdict_of_people_who_gave_every_answer(self, as_alice, alice, project, calls):
        CallFact.objects.filter(call__in=calls).update(half_heard=True)
        machines = listed(as_alice, project)[1]
        judge(calls[0], alice, "met", but={"greeting": "not_met"})
        of_one = count_queries(as_alice, project)
        judge(calls[1], alice, "met")
        CallFact.objects.filter(call__in=calls).update(half_heard=True)

        found = listed(as_alice, project)[1]
        of_two = count_queries(as_alice, project)
        spanish = page(visitor_of(alice, headers={"accept-language": "es"}).get("/calls/?project_id="))
        analysis = calls[0].analyses.get(is_live=True)
        analysis.copc["criterion_scores"][1]["source"] = "machine"  # as of a criterion added since the review
        analysis.save()
        other = listed(as_alice, project)[1]

        assert of_one == of_two
        scores = [
            [each["class"] for each in shown.all("td") if "c-score" in each["class"]]
            for shown in (machines, found)
        ]
        assert scores == [["c-score n quiet-text"] * 3, ["c-score n quiet-text", "c-score n", "c-score n"]]
        # One is the sign of a critical error.
        assert [count_bands(each) for each in (machines, found, other)] == [1, 3, 2]
        said = "The transcript of this call is unreliable, but a person gave every answer that counts."
        assert [len(each.all("span", title=said)) for each in (machines, found, other)] == [0, 2, 1]
        said = "La transcripción de esta llamada es poco fiable, pero"
        assert sum((each.get("title") or "").startswith(said) for each in spanish.all("span")) == 2

    def test_count_what_people_did_not_find(self, as_alice, alice, project, calls):
        unknown = "None was found, but the transcript is unreliable."
        CallFact.objects.filter(call__in=calls).update(half_heard=True)
        machines = cells_of(as_alice, project, calls[2])
        not_made, said = (
            GivenFinding("mistake", "rude", "not_made"),
            GivenFinding("prompt", "recording", "said"),
        )

        def answer(*findings):
            judge(calls[2], alice, "met", findings=findings)
            CallFact.objects.filter(call=calls[2]).update(half_heard=True)
            return cells_of(as_alice, project, calls[2])

        assert machines == (unknown, unknown)
        assert answer(not_made) == ("0", unknown)
        assert answer(said) == (unknown, "0")
        assert answer(not_made, said) == ("0", "0")
        project.refresh_from_db()
        findings = project.config["no_protocol"]
        goodbye = {"id": "goodbye", "text": "Says goodbye", "any_of": ["goodbye"]}
        findings = {**findings, "prompts": [*findings["prompts"], goodbye]}
        configure_project(project, {**project.config, "no_protocol": findings})
        assert cells_of(as_alice, project, calls[2]) == ("0", unknown)  # a prompt that nobody answered


def count_queries(client, project):
    with CaptureQueriesContext(connection) as queries:
        client.get("/calls/", {"project_id": project.pk})
        return len(queries)


def cells_of(client, project, call):
    """Return what the list has as mistakes and missed prompts of a call: a number, or why there is none."""
    html = client.get("/calls/", {"project_id": project.pk, "search": call.file_name}).content.decode()
    found = []
    for name in ("mistakes", "missed"):
        [cell] = re.findall(rf'<td class="c-{name} [^>]*>(.*?)</td>', html)
        reason = re.search(r'title="([^"]*)"', cell)
        found.append(reason[1] if reason else re.sub(r"<[^>]*>", "", cell))
    return tuple(found)
