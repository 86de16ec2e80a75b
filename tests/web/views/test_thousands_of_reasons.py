"""The list of contact reasons and the page that makes codes of them, where a project has thousands."""

import copy

import pytest
from django.conf import settings
from django.db import connection
from django.test.utils import CaptureQueriesContext

from callscope.accounts.models import User
from callscope.contact_reasons.models import ContactReason
from callscope.interfaces.web.views.reasons.code_choice import PORTION
from callscope.projects.models import Project
from callscope.projects.services import create_project, share_project
from tests.web.conftest import CONFIGURATION, bring, line, page, visitor_of
from tests.web.views.test_reasons import read_form, said


@pytest.fixture(scope="module")
def made(rows_of_module):
    """A project of Alice's with 3,000 contact reasons, and their ids by name."""
    with rows_of_module():
        alice = User.objects.create_user("alice@example.com", "alice-password")
        project = create_project(alice, "Service line", document=CONFIGURATION)
        names = [f"Refund of order {number:04d}" for number in range(2999)]
        ContactReason.objects.bulk_create(
            ContactReason(project=project, name=name) for name in [*names, "Avería del teléfono"]
        )
        return project, dict(ContactReason.objects.values_list("name", "pk"))


@pytest.fixture
def project(made, db):
    return copy.deepcopy(made[0])


@pytest.fixture
def alice(project):
    return project.owner


@pytest.fixture
def many(made):
    return made[1]


@pytest.fixture
def here(project):
    return f"/projects/{project.pk}/reasons/"


class TestListOfThousands:
    """The list shows a portion of the reasons, and remembers which ones are selected in the others."""

    def read(self, found):
        """Return the reasons that the table shows, and what a browser would send of the form."""
        boxes = found.all("input", type="checkbox", name="reason")
        names = [a["aria-label"].removeprefix("Select ") for a in boxes if "aria-label" in a]
        return names, [int(a["value"]) for a in boxes if "checked" in a]

    def test_is_read_in_portions_with_as_few_queries_as_that_of_a_few(self, as_alice, here, many):
        as_alice.get(here)
        with CaptureQueriesContext(connection) as of_many:
            first = as_alice.get(here)
        last = page(as_alice.get(f"{here}?page=60"))
        ContactReason.objects.exclude(name="Refund of order 0000").delete()
        with CaptureQueriesContext(connection) as of_few:
            as_alice.get(here)

        assert len(of_many) == len(of_few)
        assert len(first.content) < 150_000
        assert "1 – 50 of 3,000" in page(first).text
        assert "2,951 – 3,000 of 3,000" in last.text

    def test_finds_names_without_regard_to_accents(self, as_alice, here, many):
        found = page(as_alice.get(f"{here}?q=+AVERIA+"))

        assert self.read(found)[0] == ["Avería del teléfono"]
        assert found.all("input", name="q")[0]["value"] == "AVERIA"
        assert "No contact reason is like that" in page(as_alice.get(f"{here}?q=nothing+like+it")).text

    @pytest.mark.parametrize("number", ["0", "-1", "x", "9" * 400, "1000"])
    def test_takes_any_number_of_a_portion(self, as_alice, here, many, number):
        assert self.read(page(as_alice.get(f"{here}?page={number}")))[0]

    def test_merges_reasons_of_several_portions_and_returns_to_the_one_that_was_shown(
        self, as_alice, here, many
    ):
        first, last = many["Refund of order 0000"], many["Refund of order 2998"]

        found = page(as_alice.get(f"{here}?reason={first}&into=&page=60"))
        [button] = found.all("button", formmethod="post")
        sent = {"reason": [first, last], "into": first, "page": "60", button["name"]: button["value"]}
        answer = as_alice.post(button["formaction"], sent)

        assert "1 reason that is not shown here is selected too. Refund of order 0000" in found.text
        assert self.read(found)[1] == [first]
        assert str(first) in [option["value"] for option in found.all("option")]
        assert said(answer) == "1 contact reason was merged into “Refund of order 0000”."
        assert answer["Location"] == f"{here}?page=60"

    def test_keeps_the_token_of_the_form_out_of_addresses(self, as_alice, here, many):
        """A button of the form that turns pages puts its fields into the address."""
        found = page(as_alice.get(here))

        [form] = found.all("form", id="find")
        assert form["method"] == "get"
        [button] = [each for each in found.all("button", form="find") if each["name"] != "page"]
        assert (button["name"], button["formmethod"]) == ("csrfmiddlewaretoken", "post")
        assert len(found.all("input", name="csrfmiddlewaretoken", form="find")) == 0

    def test_names_the_parent_that_stands_in_another_portion(self, as_alice, here, many):
        ContactReason.objects.filter(name__startswith="Refund").exclude(
            pk=many["Refund of order 0000"]
        ).update(parent=many["Refund of order 0000"])

        second = as_alice.get(f"{here}?page=2").content.decode()

        assert '<p class="reason">below Refund of order 0000</p>' in second
        assert '<p class="reason">below' not in as_alice.get(here).content.decode()

    def test_is_read_by_viewers_too(self, carol, project, here, many):
        share_project(project, carol, "viewer")

        found = page(visitor_of(carol).get(f"{here}?q=2998"))

        assert "Refund of order 2998" in found.text
        assert "Refund of order 2997" not in found.text
        assert found.all("button", formmethod="post") == []

    def test_returns_to_its_portion_from_a_mark(self, as_alice, here, many):
        found = page(as_alice.get(f"{here}?q=2998"))
        [form] = [each for each in found.all("form") if "/mark/" in each.get("action", "")]

        answer = as_alice.post(form["action"], {"do": "pin"})

        assert answer["Location"] == f"{here}?q=2998"


class TestMakingCodesOfThousands:
    """The page shows a portion of the reasons, and remembers what is selected in the others."""

    def test_shows_a_portion_and_selects_only_what_it_shows(self, as_alice, here, many):
        found = page(as_alice.get(f"{here}codes/"))

        sent = read_form(found)
        assert len(sent["reason"]) == PORTION
        assert f"1 – {PORTION} of 3,000" in found.text
        assert len(found.all("textarea")) == PORTION

    def test_remembers_what_was_selected_and_typed_in_another_portion(self, as_alice, project, here, many):
        first, last = many["Refund of order 0000"], many["Refund of order 2998"]
        sent = {"reason": [first], f"phrases-{first}": "one\ntwo words", "q": "ORDER 2998", "page": "1"}

        found = page(as_alice.post(f"{here}codes/", sent))

        assert "1 reason that is not shown here is selected too." in found.text
        form = read_form(found)
        assert form["reason"] == [str(first)]
        assert form[f"phrases-{first}"] == ["one\ntwo words"]
        assert f"phrases-{last}" in {each["name"] for each in found.all("textarea")}
        form["reason"].append(str(last))
        form |= {f"phrases-{last}": ["three"], "mode": ["open_ended"]}
        as_alice.post(f"{here}codes/", form)
        codes = Project.objects.get(pk=project.pk).configuration.contact_reasons.codes
        assert [(each.code, each.phrases) for each in codes] == [
            ("Refund of order 0000", ["one", "two words"]),
            ("Refund of order 2998", ["three"]),
        ]

    def test_finds_names_without_regard_to_accents_and_can_show_only_what_is_selected(
        self, as_alice, here, many
    ):
        fault, first = many["Avería del teléfono"], many["Refund of order 0000"]

        found = page(as_alice.post(f"{here}codes/", {"q": "averia", "page": "1"}))
        assert [int(box["value"]) for box in found.all("input", name="reason")] == [fault]
        found = page(
            as_alice.post(f"{here}codes/", {"reason": [fault, first], "only": "selected", "page": "1"})
        )
        assert [int(box["value"]) for box in found.all("input", name="reason")] == [fault, first]
        found = page(as_alice.post(f"{here}codes/", {"q": "nothing like it", "page": "1"}))
        assert "No contact reason is like that" in found.text

    def test_remembers_phrases_typed_for_a_reason_that_is_not_selected(self, as_alice, here, many):
        """Another one, whose proposed phrases nobody changed, takes no field of the next portion."""
        typed, untouched = many["Refund of order 0000"], many["Refund of order 0001"]
        found = page(as_alice.get(f"{here}codes/"))
        form = read_form(found)
        form["reason"].remove(str(typed))
        form["reason"].remove(str(untouched))
        form |= {f"phrases-{typed}": ["one\r\ntwo"], f"phrases-{untouched}": [""], "page": ["2"]}

        second = read_form(page(as_alice.post(f"{here}codes/", form)))
        third = page(as_alice.post(f"{here}codes/", {**second, "page": ["3"]}))
        first = page(as_alice.post(f"{here}codes/", {**read_form(third), "page": ["1"]}))

        assert str(typed) not in second["reason"]
        assert f"phrases-{untouched}" not in second
        assert f"{PORTION - 2} reasons that are not shown here are selected too." in third.text
        assert "one two" in first.text
        assert str(typed) not in read_form(first)["reason"]

    def test_skips_no_selected_reason_when_some_are_taken_out(self, as_alice, here, many):
        selected = sorted(many.values())[:120]
        found = page(
            as_alice.post(f"{here}codes/", {"reason": selected, "only": "selected", "page": "filter"})
        )
        form = read_form(found)
        boxes = [int(box["value"]) for box in found.all("input", type="checkbox", name="reason")]
        form["reason"] = [each for each in form["reason"] if int(each) not in boxes[:40]]

        second = page(as_alice.post(f"{here}codes/", {**form, "page": ["2"]}))
        again = page(as_alice.post(f"{here}codes/", {**read_form(second), "page": ["filter"]}))

        shown = [int(box["value"]) for box in second.all("input", type="checkbox", name="reason")]
        assert boxes + shown == selected[: 2 * PORTION]
        assert f"51 – {2 * PORTION} of 120" in second.text
        assert f"1 – {PORTION} of 80" in again.text

    def test_gives_proposed_phrases_to_selected_reasons_that_were_never_shown(
        self, as_alice, project, here, many
    ):
        bring(project, line(topic="topic 1", contact_reason="Billing"))
        billing = ContactReason.objects.get(name="Billing")

        as_alice.post(f"{here}codes/", {"reason": [billing.pk], "mode": "open_ended"})

        [code] = Project.objects.get(pk=project.pk).configuration.contact_reasons.codes
        assert "topic 1" in code.phrases

    def test_takes_no_phrases_from_a_link(self, as_alice, here, many):
        shown, elsewhere = many["Refund of order 0060"], many["Refund of order 0000"]

        link = f"{here}codes/?page=2&phrases-{shown}=planted&phrases-{elsewhere}=planted"

        found = page(as_alice.get(link))

        assert f"phrases-{shown}" in {each["name"] for each in found.all("textarea")}
        form = read_form(found)
        assert str(elsewhere) in form["reason"]
        assert f"phrases-{elsewhere}" not in form
        assert "planted" not in found.text

    def test_shows_only_selected_reasons_as_long_as_they_are_too_many(self, as_alice, here, many):
        sent = {"reason": sorted(many.values())[:501], "page": "7", "q": "2998"}

        found = page(as_alice.post(f"{here}codes/", sent), 400)
        assert "A project has at most 500 codes. With these there would be 501." in found.text
        form = read_form(page(as_alice.post(f"{here}codes/", {**sent, "q": ""}), 400))
        assert len(form["reason"]) == 501
        assert sum(map(len, form.values())) < settings.DATA_UPLOAD_MAX_NUMBER_FIELDS - 2 * PORTION
