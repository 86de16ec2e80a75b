"""The pages of contact reasons: what they show and do, for whom, and that the report follows at once."""

import datetime as dt
import re
from dataclasses import replace

import pytest
from django.conf import settings
from django.contrib.messages import get_messages
from django.utils import timezone

from callscope.contact_reasons.editing import edit_reason
from callscope.contact_reasons.models import CallReason, ContactReason, ReasonChange, Regrouping
from callscope.interfaces.web.presenters.reasons import draw_weeks, list_passages, write_confidence
from callscope.projects.models import Project
from callscope.projects.services import configure_project
from callscope.reports.details.reason_detail import Passage, Rate, Week, load_reason_detail
from callscope.reports.models import CallFact
from callscope.reports.overview.course import CHANCE
from callscope.reports.window import day_of
from tests.web.conftest import bring, line, page, visitor_of
from tests.web.views.test_every_page import take_hostile

pytestmark = pytest.mark.django_db

ABSENT = 10**17


@pytest.fixture
def calls(project):
    """Two calls about bills, one about access and one that was nothing."""
    reasons = ("Billing", "Billing", "Access", "Wrong number")
    return bring(
        project,
        *(
            line(number, topic=f"topic {number}", contact_reason=reason)
            for number, reason in enumerate(reasons, start=1)
        ),
    )


@pytest.fixture
def ids(project, calls):
    return dict(ContactReason.objects.filter(project=project).values_list("name", "pk"))


@pytest.fixture
def here(project):
    return f"/projects/{project.pk}/reasons/"


@pytest.fixture
def as_viewer(carol, project):
    from callscope.projects.services import share_project

    share_project(project, carol, "viewer")
    return visitor_of(carol)


def use_codes(project):
    """Make the project's reasons its codes."""
    codes = {"mode": "predefined", "codes": [{"code": "Billing"}, {"code": "Access"}]}
    configure_project(project, {"contact_reasons": codes}, by=project.owner)


def said(answer):
    return " ".join(str(message) for message in get_messages(answer.wsgi_request))


def read_form(found):
    """Return what a browser would send of the form."""
    form: dict[str, list[str]] = {}
    for each in found.all("input"):
        is_unset = each.get("type") in ("checkbox", "radio") and "checked" not in each
        if each.get("name") and not is_unset:
            form.setdefault(each["name"], []).append(each.get("value", ""))
    return form


def volumes(client):
    """Return the calls of each reason as the JSON report has them."""
    return {row["topic"]: row["calls"] for row in client.get("/calls/api/report/").json()["contact_reasons"]}


def latest_change():
    return ReasonChange.objects.order_by("-pk").first()


class TestWeeks:
    def test_are_drawn_with_the_interval_of_those_with_calls_enough(self):
        weeks = [
            Week(dt.date(2026, 3, 2), 5, Rate(20, 5, 25.0, 11.2, 46.9)),
            Week(dt.date(2026, 3, 9), 0, Rate(20, 0, 0.0, 0.0, 16.1)),
            Week(dt.date(2026, 3, 16), 0, Rate(0, 0, None, None, None)),
            Week(dt.date(2026, 3, 23), 1, Rate(2, 1, 50.0, 9.4, 90.6)),
        ]

        chart = draw_weeks(weeks, "/calls/?reason=1", today=dt.date(2026, 3, 25))

        assert (chart.has_band, chart.has_pale, chart.has_firm, chart.has_part) == (True, True, True, True)
        assert chart.svg.count("<polygon") == 1
        assert "60 %" in chart.ticks  # above the highest value and interval, of the two weeks with 20 calls
        said = chart.slots[0].said.replace("\N{NO-BREAK SPACE}", " ")
        assert "25.0 % (5 of 20 calls), 95 % interval 11.2–46.9" in said
        assert chart.slots[2].said.endswith("no call has a contact reason")
        assert chart.slots[3].said.endswith("part of the week")
        assert chart.slots[0].url == "/calls/?reason=1&start_date=2026-03-02&end_date=2026-03-08"

    def test_are_not_drawn_without_a_call(self):
        none = Week(dt.date(2026, 3, 9), 0, Rate(4, 0, 0.0, 0.0, 49.0))

        assert draw_weeks([none], "/calls/?reason=1", today=dt.date(2026, 3, 25)) is None


class TestList:
    def test_shows_each_reason_with_its_calls(self, as_alice, project, here, ids):
        found = page(as_alice.get(here))

        assert found.text.index("Billing") < found.text.index("Access")
        [link] = found.all("a", **{"aria-label": "2 calls of Billing"})
        assert link["href"] == f"/calls/?project_id={project.pk}&reason={ids['Billing']}"
        listed = page(as_alice.get(link["href"])).text
        assert "call-1.wav" in listed
        assert "call-3.wav" not in listed

    def test_shows_the_share_of_each_and_its_weeks_in_words(self, as_alice, project, here):
        today = timezone.now().isoformat()
        names = ("Billing", "Billing", "Access", "Wrong number")
        bring(
            project, *(line(n, contact_reason=name, call_datetime=today) for n, name in enumerate(names, 1))
        )
        noise = ContactReason.objects.get(project=project, name="Wrong number").pk
        as_alice.post(f"{here}{noise}/mark/", {"do": "set-aside"})

        text = page(as_alice.get(here)).text

        assert "Calls Share % 12 weeks First seen" in text
        assert "2 66.7 Calls by week, of those with a reason:" in text  # 2 of 3: noise is left out
        assert "1 33.3 Calls by week" in text
        assert "Shares of 3 calls with a reason, of all time." in text
        row = text[text.index("Wrong number set aside") :]
        assert row.startswith("Wrong number set aside 1 – Reports leave it out as a reason")

    def test_marks_what_is_new_and_what_grows_as_the_page_of_the_reason_does(
        self, as_alice, project, here, monkeypatch
    ):
        now, past = timezone.now(), timezone.now() - dt.timedelta(days=40)
        recent = [("Billing", past, 20), ("Billing", now, 2), ("Access", now, 40), ("Access", past, 1)]
        lines = [
            line(1, file_name=f"{number}.wav", contact_reason=name, call_datetime=day.isoformat())
            for number, (name, day) in enumerate((n, d) for n, d, calls in recent for _ in range(calls))
        ]
        bring(project, *lines)
        marks = {}
        for name, pk in ContactReason.objects.filter(project=project).values_list("name", "pk"):
            row = page(as_alice.get(here)).text.split(name, 1)[1][:40]
            marks[name] = next((word for word in ("growing", "shrinking", "new") if word in row), "")
            assert marks[name] in page(as_alice.get(f"{here}{pk}/")).text

        assert marks == {"Billing": "shrinking", "Access": "growing"}

    def test_says_what_can_be_done_to_those_who_may(self, as_alice, as_viewer, here, ids):
        asked = "Select the reasons that are the same"

        assert asked in page(as_alice.get(here)).text
        assert asked not in page(as_viewer.get(here)).text

    def test_puts_a_reason_below_its_parent(self, as_alice, here, ids):
        as_alice.post(f"{here}{ids['Wrong number']}/", {"do": "edit", "parent": ids["Billing"]})

        found = page(as_alice.get(here))

        assert len(found.all("th", scope="row", **{"class": "below"})) == 1
        assert "below Billing" in found.text
        assert f"{here}{ids['Wrong number']}/" in [a["href"] for a in found.all("a")]

    def test_is_linked_from_project_and_report(self, as_alice, project, here, calls):
        for address in (f"/projects/{project.pk}/files/", f"/report/reasons/?project_id={project.pk}"):
            assert here in [a["href"] for a in page(as_alice.get(address)).all("a")], address

    def test_without_reasons_says_so(self, as_alice, here):
        assert "No call has a contact reason yet" in page(as_alice.get(here)).text


class TestRenaming:
    def test_is_in_the_report_at_once_and_undone_in_one_step(self, as_alice, here, ids):
        answer = as_alice.post(
            f"{here}{ids['Billing']}/", {"do": "edit", "name": " Invoices ", "description": "a\r\nb"}
        )

        assert said(answer) == "“Invoices” was saved."
        assert volumes(as_alice) == {"Invoices": 2, "Access": 1, "Wrong number": 1}
        assert ContactReason.objects.get(pk=ids["Billing"]).description == "a\nb"
        listed = page(as_alice.get(here)).text
        assert "“Billing” is now “Invoices”." in listed
        assert "The note for readers of “Invoices” was changed." in listed
        assert "alice@example.com" in listed

        answer = as_alice.post(f"{here}changes/{latest_change().pk}/undo/")

        assert said(answer) == f"Change {latest_change().pk} was undone."
        assert volumes(as_alice) == {"Billing": 2, "Access": 1, "Wrong number": 1}
        assert "undone" in page(as_alice.get(here)).text

    @pytest.mark.parametrize("name", ["", " \t", "x" * 256, "a\x00b", "bell\x07", "access"])
    def test_to_a_wrong_name_is_answered_in_words(self, as_alice, here, ids, name):
        answer = as_alice.post(
            f"{here}{ids['Billing']}/", {"do": "edit", "name": name, "description": "Kept while typing"}
        )

        text = page(answer).text
        assert "1 to 255 characters" in text or "Another contact reason" in text
        assert "Kept while typing" in text
        assert volumes(as_alice) == {"Billing": 2, "Access": 1, "Wrong number": 1}

    @pytest.mark.parametrize("parent", ["x", "-1", "9" * 400, str(ABSENT)])
    def test_under_a_reason_that_is_not_there_is_refused(self, as_alice, here, ids, parent):
        answer = as_alice.post(f"{here}{ids['Billing']}/", {"do": "edit", "parent": parent})

        assert "No contact reason of this project" in page(answer).text


class TestMarks:
    def test_are_set_and_taken_off(self, as_alice, here, ids):
        address = f"{here}{ids['Wrong number']}/mark/"

        as_alice.post(address, {"do": "set-aside"})
        assert volumes(as_alice) == {"Billing": 2, "Access": 1}
        as_alice.post(address, {"do": "pin"})
        found = page(as_alice.get(here)).text
        assert "pinned" in found
        assert "set aside" in found

        as_alice.post(address, {"do": "take-back"})
        as_alice.post(address, {"do": "unpin"})
        assert volumes(as_alice) == {"Billing": 2, "Access": 1, "Wrong number": 1}
        reason = ContactReason.objects.get(pk=ids["Wrong number"])
        assert (reason.is_pinned, reason.is_set_aside) == (False, False)

    def test_are_set_on_the_page_of_the_reason_too(self, as_alice, as_viewer, here, ids):
        address = f"{here}{ids['Billing']}/"
        answer = as_alice.post(f"{address}mark/", {"do": "pin", "back": "reason"})

        assert answer["Location"] == address
        shown = page(as_alice.get(address))
        assert {each["value"] for each in shown.all("button", name="do")} >= {"unpin", "set-aside"}
        assert not page(as_viewer.get(address)).all("button", name="do", value="unpin")

    def test_another_word_changes_nothing(self, as_alice, here, ids):
        before = ReasonChange.objects.count()

        assert as_alice.post(f"{here}{ids['Billing']}/mark/", {"do": "explode"}).status_code == 302
        assert ReasonChange.objects.count() == before


class TestMerging:
    def test_is_in_the_report_at_once_and_undone(self, as_alice, here, ids):
        chosen = [ids["Access"], ids["Wrong number"], ids["Billing"]]

        answer = as_alice.post(f"{here}merge/", {"into": ids["Billing"], "reason": chosen})

        assert said(answer) == "2 contact reasons were merged into “Billing”."
        assert volumes(as_alice) == {"Billing": 4}
        listed = page(as_alice.get(here)).text
        assert "“Access” no longer exists." in listed
        assert "1 call: “Access” → “Billing”." in listed
        as_alice.post(f"{here}changes/{latest_change().pk}/undo/")
        assert volumes(as_alice) == {"Billing": 2, "Access": 1, "Wrong number": 1}

    @pytest.mark.parametrize(
        ("into", "chosen", "words"),
        [
            ("", ["Access"], "Choose the contact reason to keep."),
            ("x" * 50, ["Access"], "Choose the contact reason to keep."),
            (str(ABSENT), ["Access"], "Choose the contact reason to keep."),
            ("Billing", [], "Choose at least one contact reason"),
            ("Billing", ["Billing"], "Choose at least one contact reason"),
            ("Billing", ["-4", "\x00", "²"], "Choose at least one contact reason"),
            ("Billing", [str(ABSENT)], "No contact reason of this project has the id"),
        ],
    )
    def test_of_what_is_not_there_is_answered_in_words(self, as_alice, here, ids, into, chosen, words):
        answer = as_alice.post(
            f"{here}merge/", {"into": ids.get(into, into), "reason": [ids.get(each, each) for each in chosen]}
        )

        assert words in said(answer)
        assert volumes(as_alice) == {"Billing": 2, "Access": 1, "Wrong number": 1}

    def test_takes_no_reason_of_another_project(self, as_alice, bob, here, ids):
        from callscope.projects.services import create_project

        foreign = ContactReason.objects.create(project=create_project(bob, "Other"), name="SECRET")

        merged = as_alice.post(f"{here}merge/", {"into": ids["Billing"], "reason": [foreign.pk]})
        into = as_alice.post(f"{here}merge/", {"into": foreign.pk, "reason": [ids["Billing"]]})
        moved = as_alice.post(f"{here}{ids['Billing']}/", {"do": "move", "into": foreign.pk, "call": "1"})

        assert "No contact reason of this project has the id" in said(merged)
        assert "Choose the contact reason to keep." in said(into)
        assert "No contact reason of this project has the id" in page(moved).text
        assert "SECRET" not in said(merged) + said(into)
        assert as_alice.get(f"{here}{foreign.pk}/").status_code == 404
        assert ContactReason.objects.filter(pk=foreign.pk).exists()


class TestSplitting:
    def test_is_in_the_report_at_once_and_undone(self, as_alice, project, here, ids, calls):
        address = f"{here}{ids['Billing']}/"
        shown = page(as_alice.get(address))
        assert {a["value"] for a in shown.all("input", name="call")} == {str(c.pk) for c in calls[:2]}
        assert "topic 1" in shown.text

        answer = as_alice.post(address, {"do": "split", "call": calls[0].pk, "new_name": "Late fees"})

        new = ContactReason.objects.get(project=project, name="Late fees")
        assert answer["Location"] == f"{here}{new.pk}/"
        assert said(answer) == "1 call is now in “Late fees”."
        assert volumes(as_alice) == {"Billing": 1, "Late fees": 1, "Access": 1, "Wrong number": 1}
        as_alice.post(f"{here}changes/{latest_change().pk}/undo/")
        assert volumes(as_alice) == {"Billing": 2, "Access": 1, "Wrong number": 1}

    def test_what_cannot_be_split_is_answered_in_words(self, as_alice, here, ids, calls):
        address = f"{here}{ids['Billing']}/"
        for sent, words in (
            ({"call": calls[0].pk, "new_name": " "}, "Give the new reason a name."),
            ({"call": calls[0].pk, "new_name": "x" * 256}, "1 to 255 characters"),
            ({"call": calls[0].pk, "new_name": "access"}, "Another contact reason"),
            ({"new_name": "New"}, "Select at least one call above."),
            ({"call": [calls[0].pk, calls[1].pk], "new_name": "New"}, "These are all calls"),
            ({"call": calls[2].pk, "new_name": "New"}, "does not have contact reason"),
            ({"call": [ABSENT, "x", "-1", "9" * 50], "new_name": "New"}, "does not have contact reason"),
        ):
            answer = as_alice.post(address, {"do": "split", **sent})
            assert words in page(answer).text, sent
        assert volumes(as_alice) == {"Billing": 2, "Access": 1, "Wrong number": 1}

    @pytest.mark.parametrize(
        ("sent", "field", "words"),
        [
            ({"do": "split", "call": "1"}, "new_name", "Give the new reason a name."),
            ({"do": "move", "call": "1", "into": ""}, "into", "Choose a reason."),
            ({"do": "move", "into": ""}, "call", "Select at least one call above."),
            ({"do": "split", "new_name": "New"}, "call", "Select at least one call above."),
        ],
    )
    def test_says_at_the_field_what_is_missing(self, as_alice, here, ids, sent, field, words):
        shown = page(as_alice.post(f"{here}{ids['Billing']}/", sent))

        assert words in shown.text
        fields = [*shown.all("input"), *shown.all("select")]
        [wrong] = [each for each in fields if "aria-invalid" in each or "data-wrong" in each]
        assert wrong["name"] == field  # has the cursor

    @pytest.mark.parametrize(
        ("sent", "field"),
        [
            ({"do": "edit", "name": "Access"}, "name"),
            ({"do": "edit", "name": "Billing", "description": "x" * 10_000}, "description"),
            ({"do": "edit", "name": "Billing", "parent": str(ABSENT)}, "parent"),
            ({"do": "split", "call": str(ABSENT), "new_name": "New"}, "call"),
        ],
    )
    def test_says_at_the_field_what_is_wrong(self, as_alice, here, ids, sent, field):
        shown = page(as_alice.post(f"{here}{ids['Billing']}/", sent))

        fields = [each for tag in ("input", "textarea", "select") for each in shown.all(tag)]
        [wrong] = [each for each in fields if "aria-invalid" in each or "data-wrong" in each]
        assert wrong["name"] == field
        assert len(shown.all("p", id="s-lacking" if field == "call" else "e-lacking")) == 1

    def test_keeps_what_was_chosen_when_it_is_refused(self, as_alice, here, ids, calls):
        answer = as_alice.post(
            f"{here}{ids['Billing']}/", {"do": "split", "call": calls[0].pk, "new_name": "Access"}
        )

        found = page(answer)
        [checked] = [a for a in found.all("input", name="call") if "checked" in a]
        assert checked["value"] == str(calls[0].pk)
        assert found.all("input", name="new_name")[0]["value"] == "Access"

    def test_single_calls_are_moved(self, as_alice, here, ids, calls):
        as_alice.post(f"{here}{ids['Billing']}/", {"do": "move", "call": calls[0].pk, "into": ids["Access"]})

        assert volumes(as_alice) == {"Access": 2, "Billing": 1, "Wrong number": 1}
        assert CallReason.objects.get(call=calls[0]).is_fixed


class TestUndoing:
    def test_says_which_change_comes_first(self, as_alice, here, ids):
        as_alice.post(f"{here}{ids['Billing']}/", {"do": "edit", "name": "Invoices"})
        first = latest_change().pk
        as_alice.post(f"{here}{ids['Billing']}/", {"do": "edit", "name": "Money"})

        answer = as_alice.post(f"{here}changes/{first}/undo/")

        assert "Undo that one first" in said(answer)
        assert volumes(as_alice)["Money"] == 2
        undo = [a["action"] for a in page(as_alice.get(here)).all("form") if "undo" in a.get("action", "")]
        assert f"{here}changes/{latest_change().pk}/undo/" in undo
        assert f"{here}changes/{first}/undo/" not in undo

    def test_a_second_time_is_answered_in_words(self, as_alice, here, ids):
        as_alice.post(f"{here}{ids['Billing']}/", {"do": "edit", "name": "Invoices"})
        address = f"{here}changes/{latest_change().pk}/undo/"
        as_alice.post(address)

        answer = as_alice.post(address, headers={"accept-language": "es"})

        assert "ya" in said(answer)
        assert volumes(as_alice)["Billing"] == 2

    def test_reads_a_long_history_in_parts(self, as_alice, here, ids):
        for number in range(23):
            as_alice.post(f"{here}{ids['Billing']}/", {"do": "edit", "name": f"Name {number}"})

        newest = page(as_alice.get(here))
        [older] = [a["href"] for a in newest.all("a") if "before=" in a["href"]]
        oldest = page(as_alice.get(older))

        assert "“Name 21” is now “Name 22”." in newest.text
        assert "“Billing” is now “Name 0”." not in newest.text
        assert "“Billing” is now “Name 0”." in oldest.text
        assert page(as_alice.get(f"{here}?before=9{'9' * 60}")).text  # of no number: the newest


class TestRegrouping:
    def test_is_asked_for(self, as_alice, project, here, ids):
        answer = as_alice.post(f"{here}regroup/")

        assert "are being regrouped" in said(answer)
        assert Regrouping.objects.filter(project=project).exists()
        assert "are being regrouped" in page(as_alice.get(here)).text


class TestCodes:
    def test_what_the_settings_name_is_not_changed_here(self, as_alice, project, here, ids, calls):
        use_codes(project)

        listed = page(as_alice.get(here))
        shown = page(as_alice.get(f"{here}{ids['Billing']}/"))

        assert "are its codes: they are edited in the settings" in listed.text
        assert listed.all("input", name="reason") == []
        assert "Regroup now" not in listed.text
        assert "codes, which are edited in the settings" in shown.text
        assert shown.all("input", name="name") == shown.all("input", name="new_name") == []
        for address, sent in (
            (f"{here}{ids['Billing']}/", {"do": "edit", "name": "Invoices"}),
            (f"{here}{ids['Billing']}/", {"do": "split", "call": calls[0].pk, "new_name": "New"}),
            (f"{here}merge/", {"into": ids["Billing"], "reason": ids["Access"]}),
            (f"{here}regroup/", {}),
        ):
            assert "codes" in said(as_alice.post(address, sent)), (address, sent)
        assert set(volumes(as_alice)) >= {"Billing", "Access"}

    def test_say_which_reasons_are_none_of_them(self, as_alice, project, here, ids):
        codes = {"mode": "predefined", "codes": [{"code": "Billing"}, {"code": "Returns"}]}
        configure_project(project, {"contact_reasons": codes}, by=project.owner)

        listed = page(as_alice.get(here))
        old, code = (page(as_alice.get(f"{here}{ids[name]}/")) for name in ("Access", "Billing"))

        assert "Codes that no call has yet: Returns." in listed.text
        assert "keep reasons that are not, or no longer, among these codes" in listed.text
        assert f"{here}codes/" in [a["href"] for a in listed.all("a")]
        assert listed.text.count("no code") == len(ids) - 1
        assert "is not, or no longer, one of the project's codes" in old.text
        assert "This is one of the project's codes" not in old.text
        assert "This is one of the project's codes" in code.text

    def test_have_no_pins_as_nothing_is_regrouped(self, as_alice, project, here, ids):
        ContactReason.objects.update(is_pinned=True)
        before = page(as_alice.get(here)).text
        use_codes(project)

        listed, code = page(as_alice.get(here)).text, page(as_alice.get(f"{here}{ids['Billing']}/")).text

        assert "pinned" in before and "Unpin" in before
        assert "pinned" not in listed + code and "Unpin" not in listed + code
        assert "Set aside" in listed and "Set aside" in code

    def test_that_no_call_has_yet_take_calls(self, as_alice, project, here, ids, calls):
        codes = {"mode": "predefined", "codes": [{"code": "Billing"}, {"code": "Returns"}]}
        configure_project(project, {"contact_reasons": codes}, by=project.owner)
        old = f"{here}{ids['Access']}/"
        [held] = CallReason.objects.filter(reason=ids["Access"]).values_list("call_id", flat=True)[:1]

        offered = [each["value"] for each in page(as_alice.get(old)).all("option")]
        answer = as_alice.post(old, {"do": "move", "call": held, "into": "code:Returns"})

        assert {"code:Billing", "code:Returns", "code:Other"} <= set(offered)
        assert "1 call is now in “Returns”." in said(answer)
        assert CallReason.objects.get(call=held).reason.name == "Returns"
        assert "Codes that no call has yet" not in page(as_alice.get(here)).text
        refused = as_alice.post(old, {"do": "move", "call": held, "into": "code:Nothing"})
        assert "code:Nothing" in said(refused)  # no call is left here, so the page has no field for it

    def test_that_no_call_has_yet_get_no_reason_by_a_refused_move(self, as_alice, project, here, ids, calls):
        use_codes(project)
        names = set(ContactReason.objects.values_list("name", flat=True))

        answer = as_alice.post(f"{here}{ids['Access']}/", {"do": "move", "call": 10**9, "into": "code:Other"})

        assert "1000000000" in page(answer).text
        assert "Other" not in names
        assert set(ContactReason.objects.values_list("name", flat=True)) == names

    def test_that_were_taken_out_meanwhile_get_no_calls(self, alice, project, ids, calls):
        from callscope.contact_reasons.editing import InvalidReason
        from callscope.pipeline.decisions.reason_edits import move_calls_to_code

        use_codes(project)
        read_earlier = Project.objects.get(pk=project.pk)
        project.refresh_from_db()
        configure_project(project, {"contact_reasons": {"mode": "open_ended"}}, by=project.owner)

        with pytest.raises(InvalidReason, match="code:Other"):
            move_calls_to_code(read_earlier, "Other", [calls[0].pk], alice)
        assert not ContactReason.objects.filter(name="Other").exists()

    def test_of_a_project_that_was_deleted_meanwhile_are_gone(self, alice, project, ids, calls):
        from callscope.pipeline.decisions.reason_edits import move_calls_to_code

        gone = Project(pk=project.pk + 1)
        with pytest.raises(ContactReason.DoesNotExist):
            move_calls_to_code(gone, "Billing", [calls[0].pk], alice)

    def test_descriptions_and_marks_are(self, as_alice, project, here, ids):
        use_codes(project)

        as_alice.post(f"{here}{ids['Billing']}/", {"do": "edit", "description": "About money"})
        as_alice.post(f"{here}{ids['Billing']}/mark/", {"do": "pin"})

        reason = ContactReason.objects.get(pk=ids["Billing"])
        assert (reason.description, reason.is_pinned, reason.name) == ("About money", True, "Billing")


class TestAccess:
    def test_viewers_read_and_do_not_write(self, as_alice, as_viewer, here, ids, calls):
        as_alice.post(f"{here}{ids['Billing']}/", {"do": "edit", "description": "About money"})
        change = latest_change().pk

        for address in (here, f"{here}{ids['Billing']}/"):
            found = page(as_viewer.get(address))
            assert "About money" in found.text
            main = [a["action"] for a in found.all("form") if here in a.get("action", "")]
            assert main == []
            assert found.all("input", type="checkbox") == []
        for part in (
            f"{ids['Billing']}/", f"{ids['Billing']}/mark/", "merge/", "regroup/", f"changes/{change}/undo/",
        ):  # fmt: skip
            answer = as_viewer.post(here + part, {"do": "pin", "into": ids["Billing"]})
            assert answer.status_code == 403, part
        assert ReasonChange.objects.filter(pk__gt=change).count() == 0

    @pytest.mark.parametrize(("role", "buttons"), [("viewer", 0), ("editor", 1)])
    def test_only_who_may_regroup_is_offered_it(self, project, calls, here, carol, role, buttons):
        from callscope.projects.services import share_project

        share_project(project, carol, role)
        as_carol = visitor_of(carol)

        assert len(page(as_carol.get(here)).all("form", action=f"{here}regroup/")) == buttons
        assert as_carol.post(f"{here}regroup/").status_code == (302 if buttons else 403)

    def test_others_find_nothing(self, as_carol, here, ids):
        parts = ("", f"{ids['Billing']}/", f"{ids['Billing']}/mark/", "merge/", "regroup/", "changes/1/undo/")
        for part in parts:
            assert as_carol.post(here + part).status_code in (404, 405), part
            assert as_carol.get(here + part).status_code in (404, 405), part

    def test_ids_of_nothing_are_not_found(self, as_alice, here, ids):
        for number in (ABSENT, 10**40):
            for part in (f"{number}/", f"{number}/mark/", f"changes/{number}/undo/"):
                assert as_alice.post(here + part, {"do": "pin"}).status_code == 404, part
            assert as_alice.get(f"{here}{number}/").status_code == 404

    def test_forms_need_their_token(self, alice, here, ids):
        strict = visitor_of(alice, enforce_csrf_checks=True)
        for part in (f"{ids['Billing']}/", f"{ids['Billing']}/mark/", "merge/", "regroup/"):
            assert strict.post(here + part, {"do": "pin", "into": ids["Access"]}).status_code == 403, part
        assert not ContactReason.objects.get(pk=ids["Billing"]).is_pinned


class TestHostileTexts:
    def test_stay_texts(self, as_alice, here, ids):
        def shapes(text):
            ContactReason.objects.filter(pk=ids["Billing"]).update(name=text[:250], description="")
            as_alice.post(f"{here}{ids['Billing']}/", {"do": "edit", "description": f"{text} again"})
            ReasonChange.objects.exclude(pk=latest_change().pk).delete()
            return [
                [(tag, sorted(attributes)) for tag, attributes in page(as_alice.get(address)).elements]
                for address in (here, f"{here}{ids['Billing']}/", f"{here}{ids['Access']}/")
            ]

        plain = shapes("plain")
        for text in take_hostile(2):
            assert shapes(text) == plain, text


class TestTheFiguresOfAReason:
    def test_stand_on_its_page(self, as_alice, here, ids):
        shown = as_alice.get(f"{here}{ids['Billing']}/").content.decode()

        assert "Share of the last 28 days" in shown
        assert "2 calls" in shown

    def test_name_the_interval_next_to_a_share(self, as_alice, project, here, ids):
        CallFact.objects.filter(project=project).update(day=day_of(timezone.now()))

        shown = page(as_alice.get(f"{here}{ids['Billing']}/")).text

        assert re.search(r"Share of the last 28 days 50\.0\W% 95\W% interval \S+–\S+ · 2 of 4", shown)

    def test_name_no_parent_in_the_gender_of_the_word(self, as_alice, here, ids):
        as_alice.cookies[settings.LANGUAGE_COOKIE_NAME] = "es"

        shown = page(as_alice.get(f"{here}{ids['Billing']}/"))

        assert "Motivo superior ninguno" in shown.text

    def test_say_the_calls_of_a_change_and_judge_none_of_few(self, as_alice, project, here, ids):
        first, *others = (
            CallFact.objects.filter(project=project).order_by("call").values_list("pk", flat=True)
        )
        CallFact.objects.filter(pk=first).update(day=day_of(timezone.now()) - 40)
        CallFact.objects.filter(pk__in=others).update(day=day_of(timezone.now()))

        shown = page(as_alice.get(f"{here}{ids['Billing']}/")).text

        assert re.search(
            r"Share of the last 28 days [\d.]+ % 95 % interval [\d.]+–[\d.]+ · \d+ of \d+", shown
        )
        assert shown.index(" of 2 Split the selected") < shown.index("Move the selected"), "at their table"
        # Three reasons are judged at once: 100 - 5/3.
        assert "too few calls to say 1 of 1 calls in the 28 days before" in shown
        assert "The 98.3 % interval of the trend goes from" in shown
        assert "The small range next to a share or an average is its 95 % interval." in shown
        assert "The interval of the trend is wider, because the 3 reasons of this project" in shown
        assert "steady" not in shown

    @pytest.mark.parametrize(
        ("reasons", "said"), [(1, "95"), (8, "99.4"), (10, "99.5"), (60, "99.92"), (200, "99.975")]
    )
    def test_write_the_confidence_so_that_it_is_never_100(self, ids, reasons, said):
        found = load_reason_detail(ContactReason.objects.get(pk=ids["Billing"]))
        of_many = replace(found, compared_reasons=reasons, change_confidence_pct=100 * (1 - CHANCE / reasons))

        assert write_confidence(of_many) == said

    def test_say_which_calls_count_on_the_day_of_their_upload(self, as_alice, project, here, ids, calls):
        CallFact.objects.filter(project=project).update(day=day_of(timezone.now()), hour=9)
        assert "day of their upload" not in page(as_alice.get(f"{here}{ids['Billing']}/")).text
        CallFact.objects.filter(pk__in=[calls[0].pk, calls[3].pk]).update(hour=None)

        shown = page(as_alice.get(f"{here}{ids['Billing']}/")).text

        assert (
            "Calls without a call time count on the day of their upload: "
            "1 of 2 with this reason in these weeks, 2 of 4 in all." in shown
        )

    def test_have_shares_of_the_calls_with_a_reason_as_in_the_report(
        self, as_alice, project, here, ids, calls
    ):
        CallFact.objects.filter(project=project).update(day=day_of(timezone.now()))
        CallFact.objects.filter(pk=calls[3].pk).update(topic=None)

        found = load_reason_detail(ContactReason.objects.get(pk=ids["Billing"]))

        assert (found.share.count, found.share.n, found.weeks[-1].share.n) == (2, 3, 3)
        assert "Shares of this reason are of the calls that have a contact reason, as in the report." in (
            page(as_alice.get(f"{here}{ids['Billing']}/")).text
        )

    def test_have_a_share_that_is_set_aside_too(self, as_alice, project, ids):
        CallFact.objects.filter(project=project).update(day=day_of(timezone.now()))
        reason = ContactReason.objects.get(pk=ids["Billing"])
        edit_reason(reason, {"is_set_aside": True}, None)
        reason.refresh_from_db()

        found = load_reason_detail(reason)

        assert (found.share.count, found.share.n) == (2, 4)

    def test_have_no_interval_of_two_scores(self, as_alice, here, ids):
        shown = page(as_alice.get(f"{here}{ids['Billing']}/")).text

        assert "Average score 100.0 % 2 calls" in shown
        assert "One of the two spans has no calls to compare." in shown

    def test_are_linked_from_the_report(self, as_alice, project, here, ids):
        shown = as_alice.get(f"/report/reasons/?project_id={project.pk}")
        addresses = {attributes.get("href") for _, attributes in page(shown).elements}

        assert f"{here}{ids['Billing']}/" in addresses

    def test_passages_open_the_call_where_they_were_said(self):
        (shown,) = list_passages([Passage(3, "c3.wav", "[01:05] my bill is wrong")])

        assert (shown.text, shown.url) == ("my bill is wrong", "/calls/3/#t=65")


class TestMakingCodes:
    """Reasons become the codes of the project, on a page of their own."""

    def send(self, client, here, ids, *names, **fields):
        chosen = {"reason": [ids[name] for name in names], "mode": "predefined"}
        phrases = {
            f"phrases-{ids[name]}": "first phrase\n\n second  phrase\r\nfirst phrase" for name in names
        }
        return client.post(f"{here}codes/", {**chosen, **phrases, **fields})

    def codes(self, project):
        reasons = Project.objects.get(pk=project.pk).configuration.contact_reasons
        return reasons.mode, [(each.code, each.phrases) for each in reasons.codes]

    def test_are_offered_with_phrases_and_all_selected_where_nothing_is_pinned(self, as_alice, here, ids):
        assert f"{here}codes/" in [a["href"] for a in page(as_alice.get(here)).all("a")]

        found = page(as_alice.get(f"{here}codes/"))

        boxes = found.all("input", name="reason")
        assert {int(box["value"]) for box in boxes} == set(ids.values())
        assert all("checked" in box for box in boxes)
        assert not [radio for radio in found.all("input", name="mode") if "checked" in radio]
        assert "Without phrases, new calls get this code by their topic alone." not in found.text
        assert "topic 1" in found.text

    def test_without_phrases_say_what_they_go_by(self, as_alice, here, ids):
        answer = self.send(as_alice, here, ids, "Billing", mode="", **{f"phrases-{ids['Billing']}": ""})

        assert "Without phrases, new calls get this code by their topic alone." in page(answer, 400).text

    def test_are_the_pinned_ones_where_some_are(self, as_alice, here, ids):
        as_alice.post(f"{here}{ids['Access']}/mark/", {"do": "pin"})

        boxes = page(as_alice.get(f"{here}codes/")).all("input", name="reason")

        assert [int(box["value"]) for box in boxes if "checked" in box] == [ids["Access"]]

    def test_are_in_report_and_settings_at_once_and_undone_in_one_step(self, as_alice, project, here, ids):
        before = volumes(as_alice)

        answer = self.send(as_alice, here, ids, "Billing", "Access")

        assert answer["Location"] == here
        assert "2 contact reasons are now codes. Calls that keep their reason: 3" in said(answer)
        phrases = ["first phrase", "second phrase"]
        assert self.codes(project) == ("predefined", [("Billing", phrases), ("Access", phrases)])
        assert volumes(as_alice) == {"Billing": 2, "Access": 1, "Other": 1}
        listed = page(as_alice.get(here)).text
        assert "Codes in the settings: Billing, Access." in listed
        assert "regrouping ended" in listed
        assert "Regroup now" not in listed

        as_alice.post(f"{here}changes/{latest_change().pk}/undo/")

        assert volumes(as_alice) == before
        assert self.codes(project) == ("open_ended", [])
        again = as_alice.post(f"{here}changes/{latest_change().pk}/undo/")
        assert "already undone" in said(again)

    def test_are_only_saved_where_the_visitor_says_so(self, as_alice, project, here, ids):
        before = volumes(as_alice)

        answer = self.send(as_alice, here, ids, "Billing", mode="open_ended")

        assert said(answer) == "1 code was saved in the settings. Calls keep their contact reasons."
        assert volumes(as_alice) == before
        assert self.codes(project)[0] == "open_ended"
        found = page(as_alice.get(f"{here}codes/"))
        assert "The settings have 1 code already" in found.text
        self.send(as_alice, here, ids, "Access", existing="replace")
        assert [name for name, _ in self.codes(project)[1]] == ["Access"]

    @pytest.mark.parametrize(
        ("fields", "sentence"),
        [
            ({"mode": ""}, "Choose what happens to the calls."),
            ({"mode": "frozen"}, "Choose what happens to the calls."),
            ({"reason": []}, "Select at least one contact reason"),
            ({"reason": ["9" * 400, "x", str(ABSENT)]}, "No contact reason of this project"),
        ],
    )
    def test_that_cannot_be_made_are_answered_on_the_page(
        self, as_alice, project, here, ids, fields, sentence
    ):
        answer = self.send(as_alice, here, ids, "Billing", **fields)

        found = page(answer, 400)
        assert sentence in found.text
        assert "first phrase second phrase" in found.text  # what was typed is still there
        assert self.codes(project) == ("open_ended", [])

    @pytest.mark.parametrize(
        ("fields", "wrong"),
        [
            ({"reason": []}, {"reason"}),
            ({"mode": ""}, {"mode"}),
            ({"phrases": "fine\n/(/"}, {"phrases-{Billing}"}),
        ],
    )
    def test_mark_the_field_at_which_something_is_wrong(self, as_alice, here, ids, fields, wrong):
        if phrases := fields.get("phrases"):
            fields = {f"phrases-{ids['Billing']}": phrases}

        found = page(self.send(as_alice, here, ids, "Billing", **fields), 400)

        marked = [each for tag in ("input", "textarea") for each in found.all(tag) if "aria-invalid" in each]
        marked += [{**each, "name": "mode"} for each in found.all("fieldset") if "data-wrong" in each]
        assert {each["name"] for each in marked} == {each.format(**ids) for each in wrong}
        [said] = {each["aria-describedby"] for each in marked}
        assert found.all("p", id=said)

    def test_mark_the_row_of_a_reason_that_can_be_no_code(self, as_alice, project, here, ids):
        self.send(as_alice, here, ids, "Billing", mode="open_ended")

        found = page(self.send(as_alice, here, ids, "Access", "Billing", existing="keep"), 400)

        [box] = [each for each in found.all("input", name="reason") if "aria-invalid" in each]
        assert int(box["value"]) == ids["Billing"]
        assert found.all("p", id=box["aria-describedby"])

    def test_take_a_line_between_slashes_for_a_pattern(self, as_alice, project, here, ids):
        answer = self.send(as_alice, here, ids, "Billing", **{f"phrases-{ids['Billing']}": "/bill(s)?/\n/(/"})
        assert "Line 2: " in page(answer, 400).text

        self.send(as_alice, here, ids, "Billing", **{f"phrases-{ids['Billing']}": "/bill(s)?/\nmy bill"})

        project.refresh_from_db()
        [code] = project.config["contact_reasons"]["codes"]
        assert code["phrases"] == [{"pattern": "bill(s)?"}, "my bill"]

    def test_with_a_phrase_that_is_too_long_are_refused_in_words(self, as_alice, project, here, ids):
        answer = self.send(as_alice, here, ids, "Billing", **{f"phrases-{ids['Billing']}": "x" * 501})

        assert "Line 1: " in page(answer, 400).text
        assert self.codes(project) == ("open_ended", [])

    def test_are_added_in_a_project_that_has_some(self, as_alice, project, here, ids):
        self.send(as_alice, here, ids, "Billing")
        ContactReason.objects.create(project=project, name="New")
        new = ContactReason.objects.get(name="New").pk

        found = page(as_alice.get(f"{here}codes/"))
        self.send(as_alice, here, {"New": new}, "New")

        assert "This project already uses codes." in found.text
        assert [name for name, _ in self.codes(project)[1]] == ["Billing", "New"]

    def test_are_not_made_by_viewers_nor_by_strangers(self, as_viewer, bob, project, here, ids):
        assert self.send(as_viewer, here, ids, "Billing").status_code == 403
        assert as_viewer.get(f"{here}codes/").status_code == 403
        assert f"{here}codes/" not in [a["href"] for a in page(as_viewer.get(here)).all("a")]
        assert visitor_of(bob).get(f"{here}codes/").status_code == 404
        assert self.codes(project) == ("open_ended", [])

    def test_without_reasons_says_so(self, as_alice, here):
        assert "There is no contact reason that is not a code yet" in page(as_alice.get(f"{here}codes/")).text

    def test_keeps_filter_and_selection_where_few_reasons_are_left(self, as_alice, here, ids):
        sent = {"reason": [ids["Billing"]], f"phrases-{ids['Billing']}": "one", "q": "access", "page": "2"}

        found = page(as_alice.post(f"{here}codes/", sent))

        form = read_form(found)
        assert form["q"] == ["access"]
        assert form["reason"] == [str(ids["Billing"])]
        assert form[f"phrases-{ids['Billing']}"] == ["one"]
