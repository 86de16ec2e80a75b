"""The editor of rules in a real browser: it shows and keeps every part of a rule."""

import browser as browsers
import pytest
import yaml
from axe_playwright_python.sync_playwright import Axe
from conftest import missing
from journeys_server import Installation

from callscope.projects import configuration

pytestmark = [pytest.mark.journey, pytest.mark.one_database]
OWNER, PASSWORD = "owner@example.com", "a-long-password"
WHOLE = {
    "any_of": ["offer", {"pattern": r"order \d+/x"}, "/said with slashes/"],
    "none_of": [{"pattern": "calm (down|yourself)"}],
    "all_of": [["good morning", {"pattern": "^hello"}], ["Acme"]],
    "at_least": 1,
    "before": {"criterion": "other"},
    "after": {"any_of": ["welcome"]},
    "not_within": {"seconds": 10, "any_of": ["discount"]},
    "no_silence": {"over_seconds": 60, "after": ["one moment"]},
}
DOCUMENT = {
    "rubric": {
        "sections": [
            {
                "name": "All",
                "criteria": [
                    {"id": "c", "name": "Greets and names Acme", "max_points": 10, "rule": WHOLE},
                    {"id": "other", "name": "Offers", "max_points": 5, "rule": {"any_of": ["offer"]}},
                    {
                        "id": "holds",
                        "name": "Holds",
                        "max_points": 5,
                        "rule": {"any_of": ["hold"], "at_most": 2},
                    },
                ],
            }
        ]
    },
    "trackers": [
        {"id": "t", "name": "Competitor", "rule": {"speaker": "customer", "all_of": [["Vodafone"]]}}
    ],
}


@pytest.fixture(scope="module")
def opened(tmp_path_factory):
    """The address of the settings of a project with every part of a rule, and a signed-in page."""
    if not browsers.executable():
        missing(f"no browser: {', '.join(browsers.BROWSERS)}")
    folder = tmp_path_factory.mktemp("rules")
    installation = Installation(folder / "data")
    installation.json("init")
    installation.json("user", "create", OWNER, "--password-stdin", stdin=f"{PASSWORD}\n")
    (folder / "rules.yaml").write_text(yaml.safe_dump(DOCUMENT), encoding="utf-8")
    made = installation.json(
        "project", "create", "Rules", "--owner", OWNER, "--config", str(folder / "rules.yaml")
    )
    with installation.served() as server, browsers.chromium() as chromium:
        page = browsers.open_page(chromium, viewport={"width": 1440, "height": 900})
        browsers.sign_in(page, server.url, OWNER, PASSWORD)
        yield page, f"{server.url}/projects/{made['id']}/"
        page.context.close()


@pytest.fixture
def page(opened):
    page, url = opened
    page.goto(url)
    page.locator("[data-list=criteria] details").first.locator("summary").first.click()
    page.locator(".more-rule > summary:visible").first.click()
    yield page
    page.evaluate("onbeforeunload = null")
    page.once("dialog", lambda dialog: dialog.accept())


def given_out(page):
    """Return the document that the fields show, as YAML gives it out."""
    page.evaluate("document.getElementById('yaml').value = ''")
    page.click("[data-yaml-out]")
    browsers.until(page, "document.getElementById('yaml').value.length > 0")
    return configuration.parse_yaml(page.input_value("#yaml"))


class TestTheRuleEditor:
    def test_keeps_every_part_of_a_document(self, page):
        assert given_out(page) == configuration.parse(DOCUMENT)

    def test_adds_and_removes_groups_and_writes_patterns(self, page):
        groups = page.locator("[data-list=all_of]:visible").first
        groups.locator(":scope > [data-add]").click()
        page.keyboard.type("at your service\n/help(s|ed)?/")
        groups.locator("[data-tools] button:has-text('Remove')").first.click()

        rule = given_out(page).rubric.criteria()[0][1].rule

        words = [[str(phrase) for phrase in group] for group in rule.all_of]
        assert words == [["Acme"], ["at your service", "/help(s|ed)?/"]]

    def test_says_what_is_wrong_next_to_the_group(self, page):
        page.locator("[data-list=all_of]:visible textarea").first.fill("fine\n/(/")

        wrong = page.locator("[data-list=all_of]:visible [data-field-error]")

        wrong.wait_for()
        assert wrong.inner_text() == "2: is not a pattern that RE2 reads: missing ): ("

    def test_is_accessible_with_its_parts_open(self, page):
        for width in (1440, 390):
            page.set_viewport_size({"width": width, "height": 900})
            found = Axe().run(page)
            assert found.violations_count == 0, found.generate_report()
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
