"""A manager edits contact reasons in a browser and undoes it; the report says the same at once."""

import json

import browser as browsers
import pytest
from journeys_server import OWNER, PASSWORD, Installation, create_project

pytestmark = [pytest.mark.journey, pytest.mark.one_database]
CALLS = (
    [("wrong invoice", "Billing")] * 3 + [("forgot password", "Access")] * 2 + [("late parcel", "Parcels")]
)
HEADING = "Everything about money"
REASONS = 1_200  # more than one request may name: 1,000


@pytest.fixture(scope="module")
def installation(tmp_path_factory):
    return Installation(tmp_path_factory.mktemp("reasons") / "data")


def import_calls(installation, project: int, rows: list[dict[str, str]]) -> None:
    lines = installation.folder / "calls.jsonl"
    lines.write_text("\n".join(map(json.dumps, rows)))
    done = installation.run("calls", "import", str(project), str(lines))
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def signed_in(installation, chromium):
    """A page of the owner's, its server, a client, and a project with calls under three reasons."""
    key = installation.owner_with_key()
    with installation.served(workers=0) as server, server.client(key) as client:
        project = create_project(client, "Reasons")
        rows = [
            {"file_name": f"c{number}.wav", "topic": topic, "contact_reason": reason}
            for number, (topic, reason) in enumerate(CALLS)
        ]
        import_calls(installation, project, rows)
        page = browsers.open_page(chromium, viewport={"width": 1440, "height": 900})
        browsers.sign_in(page, server.url, OWNER, PASSWORD)
        yield page, server.url, client, project
        page.context.close()


@pytest.fixture
def here(signed_in):
    page, site, _, project = signed_in
    page.goto(f"{site}/projects/{project}/reasons/")
    return page


@pytest.fixture
def read_report(signed_in):
    """Return a function: the calls of each reason by API, once the page of the report says the same."""
    page, site, client, project = signed_in

    def read() -> dict[str, int]:
        answer = client.get("/calls/api/report/", params={"project_id": project})
        rows = {row["topic"]: row["calls"] for row in answer.json()["contact_reasons"]}
        report = page.context.new_page()
        report.goto(f"{site}/report/reasons/?project_id={project}")
        shown = report.locator("main").inner_text()
        names = {"Billing", "Invoices", "Access", "Parcels", "Logins", "Other", HEADING}
        assert {name for name in names if name in shown} == rows.keys()
        report.close()
        return rows

    return read


def undo_newest(page) -> None:
    page.locator("button[aria-label^='Undo change']").first.click()
    page.get_by_text("was undone.").wait_for()


def test_the_reasons_are_one_tab_stop_and_arrows_pass_what_cannot_have_the_focus(here):
    stops = "table.reason-rows :is(a, button, input:not([type=hidden]))"
    assert here.locator(stops).count() > 10
    assert here.locator(f"{stops}:not([tabindex='-1'])").count() == 1

    here.locator("table.reason-rows input[name=reason]").first.focus()
    passed = []
    for _step in range(5):
        here.keyboard.press("ArrowRight")
        passed.append(here.evaluate("document.activeElement.textContent.trim()"))

    assert passed == ["Billing", "3", "Pin", "Set aside", "Edit"]


class TestTheReport:
    def test_follows_a_rename_a_merge_a_split_and_their_undoing(self, here, read_report):
        page, before = here, read_report()
        assert before == {"Billing": 3, "Access": 2, "Parcels": 1}

        page.get_by_role("link", name="Edit Billing").click()
        page.fill("#r-name", "Invoices")
        page.click("button[value=edit]")
        page.get_by_text("“Invoices” was saved.").wait_for()
        assert read_report() == {"Invoices": 3, "Access": 2, "Parcels": 1}

        page.locator("[name=call]").first.check()
        page.fill("#s-name", "Logins")
        page.click("button[value=split]")
        page.get_by_text("1 call is now in “Logins”.").wait_for()
        assert read_report() == {"Invoices": 2, "Access": 2, "Parcels": 1, "Logins": 1}

        page.get_by_role("link", name="All contact reasons").click()
        page.get_by_role("checkbox", name="Select Parcels").check()
        page.select_option("#m-into", label="Access")
        page.locator("#merge button").click()
        page.get_by_text("was merged into “Access”.").wait_for()
        assert read_report() == {"Invoices": 2, "Access": 3, "Logins": 1}

        undo_newest(page)
        assert read_report() == {"Invoices": 2, "Access": 2, "Parcels": 1, "Logins": 1}
        undo_newest(page)
        assert read_report() == {"Invoices": 3, "Access": 2, "Parcels": 1}
        undo_newest(page)
        assert read_report() == before

    def test_follows_reasons_that_become_codes_and_their_undoing(self, here, read_report, signed_in):
        page, _, client, project = signed_in
        before = read_report()
        assert before == {"Billing": 3, "Access": 2, "Parcels": 1}
        page.get_by_role("link", name="Turn reasons into codes").click()
        page.get_by_role("checkbox", name="Select Parcels").uncheck()
        page.get_by_role("textbox", name="Phrases of Access").fill("cannot log in\nforgot my password")
        page.get_by_role("radio", name="Use the codes from now on").check()
        page.get_by_role("button", name="Make codes").click()
        page.get_by_text("contact reasons are now codes.").wait_for()

        assert read_report() == {"Billing": 3, "Access": 2, "Other": 1}
        config = client.get(f"/api/projects/{project}/").json()["config"]["contact_reasons"]
        assert config["mode"] == "predefined"
        phrases = {each["code"]: each["phrases"] for each in config["codes"]}
        assert phrases["Access"] == ["cannot log in", "forgot my password"]

        undo_newest(page)
        assert read_report() == before
        config = client.get(f"/api/projects/{project}/").json()["config"]["contact_reasons"]
        assert config == {"mode": "open_ended", "codes": []}

    def test_keeps_a_reason_under_the_one_that_was_chosen(self, here, read_report, signed_in):
        page, _, client, project = signed_in
        for name, parent in (("Access", "Billing"), ("Parcels", "Billing")):
            page.get_by_role("link", name=f"Edit {name}").click()
            page.select_option("#r-parent", label=parent)
            page.click("button[value=edit]")
            page.get_by_text(f"“{name}” was saved.").wait_for()
            page.get_by_role("link", name="All contact reasons").click()
        page.get_by_role("link", name="Edit Billing").click()
        page.fill("#r-name", HEADING)
        page.click("button[value=edit]")
        page.get_by_text(f"“{HEADING}” was saved.").wait_for()

        report = client.get("/calls/api/report/", params={"project_id": project}).json()

        assert HEADING in {row["name"] for row in report["reason_groups"]}
        assert read_report() == {HEADING: 3, "Access": 2, "Parcels": 1}

    @pytest.mark.parametrize("width", [1440, 390])
    def test_is_made_of_codes_on_a_page_that_everybody_can_use(self, here, width):
        page = here
        page.set_viewport_size({"width": width, "height": 900})
        page.get_by_role("link", name="Turn reasons into codes").click()
        page.get_by_role("radio", name="Only save the codes").wait_for()
        assert browsers.violations(page) == ""
        assert browsers.overflow(page) <= 0
        page.set_viewport_size({"width": 1440, "height": 900})

    @pytest.mark.parametrize("width", [1440, 390])
    def test_is_edited_on_pages_that_everybody_can_use(self, here, width):
        page = here
        page.set_viewport_size({"width": width, "height": 900})
        for is_list in (True, False):
            if not is_list:
                page.locator("a.name").first.click()
                page.locator("#r-name").wait_for()
            browsers.open_folds(page)
            assert browsers.violations(page) == ""
            assert browsers.overflow(page) <= 0
        page.set_viewport_size({"width": 1440, "height": 900})


class TestCodesOfThousandsOfReasons:
    def test_are_selected_in_several_portions_and_made_with_the_phrases_that_were_typed(
        self, signed_in, installation
    ):
        page, site, client, _ = signed_in
        project = create_project(client, "Thousands")
        rows = [
            {"file_name": f"c{number}.wav", "topic": f"refund of order {number:04d}", "contact_reason": name}
            for number, name in enumerate(f"Refund of order {number:04d}" for number in range(REASONS))
        ]
        import_calls(installation, project, rows)
        page.goto(f"{site}/projects/{project}/reasons/codes/")
        page.get_by_text("1 – 50 of 1,200").wait_for()
        boxes = page.locator("input[type=checkbox][name=reason]:checked")
        assert boxes.count() == 50
        boxes.evaluate_all("found => found.forEach((box) => box.click())")
        page.get_by_label("Select Refund of order 0007").check()
        page.get_by_label("Phrases of Refund of order 0007, one per line").fill("money back\nseventh order")

        page.get_by_role("button", name="Next").click()
        page.get_by_text("1 reason that is not shown here is selected too.").wait_for()
        page.get_by_text("51 – 100 of 1,200").wait_for()
        page.get_by_label("Words of the name").fill("ORDER 1198")
        page.get_by_label("Words of the name").press("Enter")
        page.get_by_label("Select Refund of order 1198").check()
        page.get_by_label("Words of the name").fill("")
        page.get_by_label("Only selected reasons").check()
        page.get_by_role("button", name="Filter").click()
        page.get_by_label("Select Refund of order 0007").wait_for()
        typed = page.get_by_label("Phrases of Refund of order 0007, one per line").input_value()
        page.get_by_label("Only save the codes in the settings").check()
        page.get_by_role("button", name="Make codes").click()

        page.get_by_text("2 codes were saved in the settings.").wait_for()
        assert typed == "money back\nseventh order"
        settings = client.get(f"/api/projects/{project}/").json()["config"]["contact_reasons"]
        assert [(code["code"], code["phrases"][:1]) for code in settings["codes"]] == [
            ("Refund of order 0007", ["money back"]),
            ("Refund of order 1198", ["refund of order 1198"]),
        ]
