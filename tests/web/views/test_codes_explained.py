"""What pages say of codes: that a new name starts a new reason, and what is left to do."""

import pytest

from callscope.contact_reasons.codes.proposal import has_candidates, list_candidates
from callscope.contact_reasons.models import ContactReason, ReasonChange
from callscope.projects.services import configure_project, share_project
from tests.web.conftest import bring, line, page, visitor_of

pytestmark = pytest.mark.django_db


def use_codes(project, *codes):
    """Let the project have these codes, names or dictionaries."""
    given = [each if isinstance(each, dict) else {"code": each} for each in codes]
    reasons = {"mode": "predefined", "codes": given}
    configure_project(project, {"contact_reasons": reasons}, by=project.owner)


@pytest.fixture
def ids(project):
    """One call about a bill and one about access, with the ids of their reasons by name."""
    bring(
        project,
        *(
            line(number, topic=f"topic {number}", contact_reason=reason)
            for number, reason in enumerate(("Billing", "Access"), start=1)
        ),
    )
    return dict(ContactReason.objects.filter(project=project).values_list("name", "pk"))


@pytest.fixture
def here(project):
    return f"/projects/{project.pk}/reasons/"


class TestANewName:
    def test_is_said_to_start_a_new_reason(self, as_alice, project, here, ids):
        use_codes(project, "Billing", "Access")

        listed, code = page(as_alice.get(here)).text, page(as_alice.get(f"{here}{ids['Billing']}/")).text
        saved = page(as_alice.get(f"/projects/{project.pk}/settings/reasons/")).text

        says = "starts a new reason: the calls of {} one keep it until they are moved"
        assert "A new name of a code " + says.format("the old") in listed
        assert "A new name there starts a new reason: the calls of this one keep it" in code
        assert "starts a new reason, too: the calls of the old one keep it" in saved

    def test_is_explained_in_spanish_with_the_word_of_the_button(self, alice, project, here, ids):
        use_codes(project, "Billing", "Access")
        spanish = visitor_of(alice, headers={"accept-language": "es"})

        listed, code = (page(spanish.get(each)).text for each in (here, f"{here}{ids['Billing']}/"))

        assert "excluir un código: los informes dejan de contarlo" in listed
        assert "Excluir" in code and "apartar" not in (listed + code).casefold()

    def test_leaves_a_reason_whose_page_does_not_say_that_it_is_from_before_the_codes(
        self, as_alice, project, here, ids
    ):
        use_codes(project, "Billing", "Access")
        use_codes(project, "Invoices", "Access")

        listed, left = page(as_alice.get(here)).text, page(as_alice.get(f"{here}{ids['Billing']}/")).text

        assert "1 call keeps a reason that is not, or no longer, one of these codes." in listed
        assert "where a code gets a new name, the calls of the old one stay" in left
        assert "analyzed before" not in listed + left


class TestTheTwoTexts:
    def test_are_labeled_by_their_use(self, as_alice, project, here, ids):
        use_codes(project, {"code": "Billing", "description": "Anything about a bill"}, "Access")

        code, bare = (page(as_alice.get(f"{here}{ids[name]}/")).text for name in ("Billing", "Access"))
        saved = as_alice.get(f"/projects/{project.pk}/settings/reasons/").content.decode()

        assert "Note for readers optional" in code and "Description" not in code
        assert "Settings What it means, for judging: “Anything about a bill”" in code
        assert "for judging" not in bare
        assert "<label>What it means, for judging" in saved and "<label>Description" not in saved
        assert "Here you can change notes for readers, the parent reason" in page(as_alice.get(here)).text

    def test_do_not_mix(self, as_alice, project, here, ids):
        use_codes(project, {"code": "Billing", "description": "Anything about a bill"})

        as_alice.post(f"{here}{ids['Billing']}/", {"do": "edit", "description": "Seen most in March"})

        project.refresh_from_db()
        [code] = project.configuration.contact_reasons.codes
        assert code.description == "Anything about a bill"
        shown = page(as_alice.get(f"{here}{ids['Billing']}/")).text
        assert "“Anything about a bill”" in shown and "Seen most in March" in shown
        assert "The note for readers of “Billing” was changed." in page(as_alice.get(here)).text


class TestWhereNoReasonIsLeft:
    def test_the_settings_do_not_offer_to_make_codes(self, as_alice, project, here, ids):
        def links():
            found = page(as_alice.get(f"/projects/{project.pk}/settings/reasons/"))
            return [a["href"] for a in found.all("a")]

        assert f"{here}codes/" in links()
        use_codes(project, "Billing")
        assert f"{here}codes/" in links()  # for the other reason
        use_codes(project, "Billing", "Access")
        assert f"{here}codes/" not in links()

    @pytest.mark.parametrize("mark", ["is_set_aside", "is_heading"])
    def test_what_cannot_become_a_code_counts_for_nothing(self, project, ids, mark):
        use_codes(project, "Billing")
        assert has_candidates(project)
        ContactReason.objects.filter(pk=ids["Access"]).update(**{mark: True})
        assert not has_candidates(project)
        assert list_candidates(project) == []

    def test_the_page_that_makes_codes_says_so_and_leads_to_the_settings(self, as_alice, project, here, ids):
        assert "The phrases below are typical topics" in page(as_alice.get(f"{here}codes/")).text
        use_codes(project, "Billing", "Access")

        found = page(as_alice.get(f"{here}codes/"))

        assert "All contact reasons are codes. Edit the codes in the settings" in found.text
        assert "The phrases below" not in found.text
        edit = [a["href"] for a in found.all("a") if a["href"].endswith("/settings/reasons/")]
        assert edit == [f"/projects/{project.pk}/settings/reasons/"]


class TestCodesThatCannotBeUndone:
    def make(self, client, here, reason, **fields):
        sent = {"reason": [reason], f"phrases-{reason}": "one", "mode": "predefined", **fields}
        assert client.post(f"{here}codes/", sent).status_code == 302
        return ReasonChange.objects.order_by("-pk").values_list("pk", flat=True)[0]

    def test_say_that_the_settings_were_edited_since(self, as_alice, as_carol, project, carol, here, ids):
        share_project(project, carol, "viewer")
        change = self.make(as_alice, here, ids["Billing"])
        project.refresh_from_db()
        version = project.config_version
        assert "No “Undo” now" not in page(as_alice.get(here)).text
        use_codes(project, "Billing", "More")

        found = page(as_alice.get(here))
        refused = as_alice.post(f"{here}changes/{change}/undo/", follow=True)

        why = (
            f"The contact reasons in the settings were edited after change {change}. "
            f"Restore version {version} of the settings first."
        )
        assert f"No “Undo” now: {why}" in found.text
        assert why in [str(each) for each in refused.context["messages"]]
        assert found.all("form", action=f"{here}changes/{change}/undo/") == []
        assert "No “Undo” now" not in page(as_carol.get(here)).text  # who could not undo it anyway

    def test_name_the_codes_that_were_made_after_them(self, as_alice, here, ids):
        """Both changed the codes in the settings, though of other reasons."""
        first = self.make(as_alice, here, ids["Billing"], mode="open_ended")
        later = self.make(as_alice, here, ids["Access"], mode="open_ended")

        found = page(as_alice.get(here)).text

        why = f"Change {later} affected the same contact reasons after change {first}. Undo that one first."
        assert f"No “Undo” now: {why}" in found
        as_alice.post(f"{here}changes/{later}/undo/")
        assert "No “Undo” now" not in page(as_alice.get(here)).text
