"""A manager changes rules and a rubric in a real browser.

The editor of rules shows and keeps every part of a rule. A changed rubric is checked, replayed, read,
published and taken back.
"""

import re

import browser as browsers
import pytest
from axe_playwright_python.sync_playwright import Axe
from journeys_server import OWNER, PASSWORD, Installation, create_project

from callscope.interfaces.web.settings_parts.starts import load_starter
from callscope.projects import configuration
from tests.pipeline.conftest import TALK, srt

pytestmark = [pytest.mark.journey, pytest.mark.one_database]
CRITERION = {
    "id": "greeting",
    "name": "Greets and offers help",
    "max_points": 10,
    "rule": {"any_of": ["good morning"]},
}
MOST_STOPS = 45  # of the Tab key on the page of a rubric, however long
RUBRIC = {"rubric": {"sections": [{"name": "Opening", "criteria": [CRITERION]}]}}
NO_HELP = [("Agent", "Good morning, this is Ana speaking."), *TALK[1:]]
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
EVERY_PART = {
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
def signed_in(tmp_path_factory, chromium):
    """A page on which the owner is signed in, the address of its server, and a client of the owner's."""
    installation = Installation(tmp_path_factory.mktemp("rubric") / "data")
    key = installation.owner_with_key()
    with installation.served() as server, server.client(key) as client:
        page = browsers.open_page(chromium, viewport={"width": 1440, "height": 900})
        browsers.sign_in(page, server.url, OWNER, PASSWORD)
        yield page, server.url, client
        page.context.close()


@pytest.fixture(scope="module")
def editor(signed_in):
    """The signed-in page, and the address of the settings of a project with every part of a rule."""
    page, site, client = signed_in
    return page, f"{site}/projects/{create_project(client, 'Rules', EVERY_PART)}/"


@pytest.fixture
def page(editor):
    """The editor with the first rule of the project open."""
    page, url = editor
    page.goto(url)
    page.locator("[data-list=criteria] details").first.locator("summary").first.click()
    page.locator(".more-rule[open] > summary:visible").first.wait_for()  # it holds a part of the rule
    yield page
    page.evaluate("onbeforeunload = null")
    page.once("dialog", lambda dialog: dialog.accept())


@pytest.fixture
def judged(signed_in):
    """A page, and the settings of a project with two calls: one offers help, one only greets."""
    first_page, site, client = signed_in
    page = first_page.context.new_page()
    project = create_project(client, "Rubric", RUBRIC)
    for name, lines in (("help.srt", TALK), ("no-help.srt", NO_HELP)):
        data = {"project": str(project)}
        answer = client.post("/api/files/", data=data, files={"file": (name, srt(lines))})
        assert answer.status_code == 201, answer.text
    browsers.wait_for(page, lambda: count_calls(client, project) == 2, "both calls are analyzed")
    return page, f"{site}/projects/{project}/"


def count_calls(client, project) -> int:
    return client.get("/calls/api/report/", params={"project_id": project}).json()["total_calls_all_time"]


def given_out(page):
    """Return the document that the fields show, as YAML gives it out."""
    page.evaluate("document.getElementById('yaml').value = ''")
    page.evaluate("document.querySelector('.yaml-fold').open = true")
    page.click("[data-yaml-out]")
    browsers.until(page, "document.getElementById('yaml').value.length > 0")
    return configuration.parse_yaml(page.input_value("#yaml"))


class TestUnsavedChanges:
    """What somebody changes is marked until it is as it was, or saved."""

    def test_are_marked_at_their_fields_and_heads_until_they_are_taken_back(self, judged):
        page, url = judged
        page.goto(f"{url}settings/rubric/")
        head = page.locator("details.criterion > summary").first
        head.click()
        points = page.locator("details.criterion").first.locator("[data-field=max_points] input")
        marked = page.locator("[data-draft-tag]:visible, [data-change-tag]:visible")
        assert marked.count() == 0

        points.fill("4")
        assert marked.all_inner_texts() == ["changed, not saved", "not saved"]
        assert head.locator("[data-shows-points]").inner_text() == "10 → 4 points"
        points.fill("10")
        assert marked.count() == 0

        page.click("[data-list=criteria] > [data-add]")
        assert marked.all_inner_texts() == ["added, not saved"]
        page.locator("details.criterion").last.locator("[data-tool=remove]").click()
        assert marked.count() == 0
        page.locator("details.criterion").first.locator("[data-tool=remove]").click()
        assert page.locator("[data-list-change]").inner_text() == (
            "Removed, not saved: Greets and offers help"
        )
        page.locator("button:has-text('Undo')").last.click()
        assert page.locator("[data-list-change]").count() == 0

    def test_are_marked_no_longer_once_they_are_saved(self, judged):
        page, url = judged
        page.goto(f"{url}settings/goal/")
        page.fill("[data-field=description] textarea", "Sold")
        assert page.locator("[data-change-tag]").inner_text() == "not saved"
        page.click("[data-save-button]")
        page.locator("[data-change-tag]").wait_for(state="detached")


class TestTwoWindows:
    """The same part of the settings is open twice."""

    def test_keep_what_both_changed_and_ask_where_both_changed_the_same(self, judged, signed_in, chromium):
        page, url = judged
        _, site, client = signed_in
        other = browsers.open_page(chromium, viewport={"width": 1440, "height": 900})
        wrong = []
        for each in (page, other):
            each.on("pageerror", lambda error: wrong.append(str(error)))
        browsers.sign_in(other, site, OWNER, PASSWORD)
        for each in (page, other):
            each.goto(f"{url}settings/rubric/")
            each.locator("details.criterion > summary").first.click()

        self.field(other, "max_points").fill("7")
        self.saves(other)
        self.field(page, "guideline").fill("Names the company.")
        page.click("[data-save-button]")

        said = "Saved, together with what you changed in another window, in version 2."
        page.locator(f".toast:has-text('{said}')").wait_for()
        page.locator("details.criterion > summary").first.click()
        assert self.field(page, "max_points").input_value() == "7"
        assert self.field(page, "guideline").input_value() == "Names the company."

        self.field(other, "max_points").fill("8")
        other.click("[data-save-button]")  # comes in on top of version 3
        other.locator(".toast:has-text('in another window, in version 3.')").wait_for()
        self.field(page, "max_points").fill("4")
        self.field(page, "guideline").fill("Names the company and the caller.")
        self.field(page, "name").fill("Greets")
        self.field(page, "name").press("Enter")

        notice = page.locator("[data-conflict] [role=alert]")
        notice.wait_for()
        assert page.evaluate("document.activeElement.role") == "alert"
        assert "You saved these settings in another window: version 4" in notice.inner_text()
        assert notice.locator("li").all_inner_texts() == [
            "Criterion “Greets and offers help” · Points: saved 8, yours 4"
        ]
        assert browsers.violations(page) == ""
        assert self.field(page, "max_points").input_value() == "4"

        with page.expect_response(lambda response: response.status == 409):
            self.field(page, "name").press("Enter")  # is the button of the form, not that of the notice
        browsers.until(page, "document.activeElement.role === 'alert'")
        assert self.points(client, url) == 8
        page.click("button:has-text('Save mine over it')")
        page.locator(".toast:has-text('Saved. Calls that are analyzed')").wait_for()
        assert notice.count() == 0 and self.points(client, url) == 4
        assert wrong == []
        other.context.close()

    def field(self, page, name):
        return page.locator("details.criterion").first.locator(f"[data-field={name}] :is(input, textarea)")

    def saves(self, page):
        page.click("[data-save-button]")
        page.locator(".toast.good").wait_for()

    def points(self, client, url):
        project = url.rstrip("/").rsplit("/", 1)[1]
        config = client.get(f"/api/projects/{project}/").json()["config"]
        return config["rubric"]["sections"][0]["criteria"][0]["max_points"]


class TestTheRuleEditor:
    def test_keeps_every_part_of_a_document(self, editor, page):
        assert given_out(page) == configuration.parse_sent({"rubric": EVERY_PART["rubric"]})

        page.goto(f"{editor[1]}settings/trackers/")
        assert given_out(page) == configuration.parse_sent({"trackers": EVERY_PART["trackers"]})

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
        assert wrong.inner_text() == "Line 2: this pattern is not valid: missing ): ("

    def test_is_accessible_with_its_parts_open(self, page):
        for width in (1440, 390):
            page.set_viewport_size({"width": width, "height": 900})
            found = Axe().run(page)
            assert found.violations_count == 0, found.generate_report()
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


class TestTheOrder:
    def names(self, page):
        return [name for name in page.locator(".criterion-name").all_inner_texts() if name]

    def drag(self, page, moved, onto, *, below=False):
        grip = page.locator(f"summary:has-text('{moved}') [data-grip]")
        start, end = grip.bounding_box(), page.locator(f"summary:has-text('{onto}')").bounding_box()
        page.mouse.move(start["x"] + 8, start["y"] + 8)
        page.mouse.down()
        page.mouse.move(end["x"] + 40, end["y"] + (end["height"] - 2 if below else 2), steps=5)

    @pytest.fixture
    def page(self, editor):
        page, url = editor
        page.set_viewport_size({"width": 1440, "height": 1400})
        page.goto(url)
        yield page
        page.evaluate("onbeforeunload = null")
        page.once("dialog", lambda dialog: dialog.accept())

    def test_changes_by_dragging_and_is_announced(self, page):
        self.drag(page, "Holds", "Greets")
        page.mouse.up()

        assert self.names(page) == ["Holds", "Greets and names Acme", "Offers"]
        assert page.inner_text("#announcement") == "Holds: now 1 of 3"
        assert page.locator("details.criterion[open]").count() == 0
        document = given_out(page)
        assert [each.id for _, each in document.rubric.criteria()] == ["holds", "c", "other"]

    def test_changes_by_a_finger_that_drags(self, page):
        session = page.context.new_cdp_session(page)
        session.send("Emulation.setTouchEmulationEnabled", {"enabled": True})
        start = page.locator("summary:has-text('Holds') [data-grip]").bounding_box()
        end = page.locator("summary:has-text('Greets')").bounding_box()
        path = [(start["x"] + 8, start["y"] + 8)]
        path += [
            (start["x"] + 8, start["y"] + 8 - step * (start["y"] - end["y"]) / 5) for step in range(1, 5)
        ]
        path.append((end["x"] + 40, end["y"] + 2))
        before = page.evaluate("scrollY")

        for kind, (x, y) in zip(["touchStart", *["touchMove"] * 5], path, strict=True):
            session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x, "y": y}]})
        session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})

        assert self.names(page) == ["Holds", "Greets and names Acme", "Offers"]
        assert page.inner_text("#announcement") == "Holds: now 1 of 3"
        assert page.evaluate("scrollY") == before, "the page does not scroll under the finger"

    def test_stays_when_escape_is_pressed_or_nothing_is_under_it(self, page):
        self.drag(page, "Greets", "Holds", below=True)
        page.keyboard.press("Escape")
        page.mouse.up()
        assert self.names(page) == ["Greets and names Acme", "Offers", "Holds"]

        self.drag(page, "Greets", "Holds", below=True)
        page.mouse.move(3, 3)
        page.mouse.up()
        assert self.names(page) == ["Greets and names Acme", "Offers", "Holds"]

    def test_changes_by_keys_and_is_announced(self, page):
        page.locator("summary:has-text('Offers')").click()
        own = "details.criterion[open] > .criterion-body > [data-tools] button:has-text('Move down')"
        page.locator(own).focus()
        page.keyboard.press("Enter")

        assert self.names(page) == ["Greets and names Acme", "Holds", "Offers"]
        assert page.inner_text("#announcement") == "Offers: now 3 of 3"
        assert page.evaluate("document.activeElement.textContent") == "Move down"


class TestTheKeys:
    @pytest.fixture
    def long(self, signed_in):
        """A page with the rubric of 60 criteria in five sections, all folded."""
        page, site, client = signed_in
        sections = [
            {
                "name": f"Section {n}",
                "criteria": [
                    {**CRITERION, "id": f"c{n}_{k}", "name": f"Criterion {n}.{k}"} for k in range(1, 13)
                ],
            }
            for n in range(1, 6)
        ]
        project = create_project(client, "Long", {"rubric": {"sections": sections}})
        page.goto(f"{site}/projects/{project}/")
        browsers.until(page, "document.querySelectorAll('.criterion').length === 60")
        return page

    def test_pass_a_rubric_of_60_criteria_in_45_stops(self, long):
        stops = 0
        while stops <= MOST_STOPS:
            long.keyboard.press("Tab")
            if long.evaluate("document.activeElement === document.body"):
                break
            stops += 1

        assert 30 < stops <= MOST_STOPS

    def test_reach_each_criterion_and_the_buttons_of_its_section(self, long):
        focused = "document.activeElement.getAttribute('aria-label') ?? document.activeElement.innerText"

        long.focus(".part-section:first-child .criteria [tabindex='0']")
        seen = []
        for _ in range(12):
            seen.append(long.evaluate(focused).split("\n")[0])
            long.keyboard.press("ArrowDown")
        long.keyboard.press("Enter")
        long.keyboard.press("Tab")

        assert [name.split("\u2003")[0] for name in seen] == [f"Criterion 1.{k}" for k in range(1, 13)]
        assert long.evaluate("document.activeElement.value") == "Criterion 1.12"
        long.focus(".part-section:first-child > .item-head [tabindex='0']")
        assert long.evaluate(focused) == "Move up: Section 1"
        long.keyboard.press("End")
        assert long.evaluate(focused) == "Remove: Section 1"
        found = Axe().run(long)
        assert found.violations_count == 0, found.generate_report()

    def test_reach_the_parts_of_the_settings_from_the_one_that_is_shown(self, long):
        long.focus(".contents [tabindex='0']")
        shown = long.evaluate("document.activeElement.textContent")
        long.keyboard.press("ArrowDown")
        long.keyboard.press("Enter")

        long.wait_for_url("**/settings/reasons/")
        assert shown == "Rubric"


class TestAnEmptyRubric:
    def test_is_filled_with_a_starter_and_saved_by_its_button_alone(self, signed_in):
        first_page, site, client = signed_in
        page = first_page.context.new_page()
        project = create_project(client, "Empty", {})
        address = f"{site}/projects/{project}/settings/rubric/"
        page.goto(address)

        page.click("[data-start]")
        page.wait_for_selector(".criterion")
        filled = given_out(page)
        stored = page.request.get(address).text().count('data-document="{')
        is_empty = "&quot;max_points&quot;" not in page.request.get(address).text()
        page.click("[data-save-button]")
        page.wait_for_selector("[data-save-bar]:not(.is-dirty)")
        page.locator("#toasts .toast:has-text('Saved')").wait_for()
        toasts = page.locator("#toasts .toast").count()
        saved = page.request.get(address).text()
        page.context.pages[-1].close()

        assert toasts == 1  # not that nothing is saved yet, too
        assert stored == 1
        assert is_empty
        assert filled.rubric == configuration.parse_sent({"rubric": load_starter("en")["rubric"]}).rubric
        assert "&quot;max_points&quot;" in saved
        assert "data-start" not in saved


class TestACriterion:
    def test_gets_its_id_from_its_name_and_keeps_it_under_advanced(self, editor):
        page, url = editor
        page.goto(url)
        page.locator("[data-list=criteria] > [data-add]").click()
        page.keyboard.type("Thanks the caller")

        made = page.locator("[data-fresh] [data-field=id] input")
        assert made.input_value() == "thanks_the_caller"
        assert not made.is_visible()
        page.locator("[data-fresh] .advanced > summary").first.click()
        assert made.is_visible()
        page.evaluate("onbeforeunload = null")
        page.once("dialog", lambda dialog: dialog.accept())

    def test_is_tried_on_the_newest_calls_next_to_its_fields(self, judged):
        page, url = judged
        page.goto(url)
        page.locator("[data-list=criteria] details").first.locator("summary").first.click()
        page.locator("[data-field=any_of]:visible textarea").first.fill("how can I help you")

        page.click("[data-try-criterion]:visible")

        page.locator("[data-summary]:has-text('differ: 1 of 2 calls')").wait_for()
        assert (
            "100.0\u00a0% with version 1, 50.0\u00a0% with these settings (−50.0, n\u00a02)"
            in page.inner_text("[data-summary]")
        )
        differs = page.inner_text("[data-differs]")
        assert "no-help.srt" in differs
        assert "10 of 10" in differs
        assert "0 of 10" in differs
        assert "how can I help you" not in page.evaluate("fetch(location.href).then((r) => r.text())")
        for width in (1440, 390):
            page.set_viewport_size({"width": width, "height": 900})
            found = Axe().run(page)
            assert found.violations_count == 0, found.generate_report()
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")

        page.locator("[data-field=any_of]:visible textarea").first.fill("good morning")
        page.locator("[data-field=max_points]:visible input").first.fill("30")
        assert page.is_visible("[data-stale]")
        page.click("[data-try-criterion]:visible")
        page.locator("[data-summary]:has-text('differ: 0 of 2 calls')").wait_for()
        summary = page.inner_text("[data-summary]")
        assert "with these settings (±0.0, n\u00a02)" in summary
        assert "same answer but other points or critical errors: 2." in summary
        assert page.locator("[data-differs] tr, .is-changed").count() == 0
        assert page.inner_text("[data-same]").count("same answer, other points") == 2
        page.evaluate("onbeforeunload = null")
        page.once("dialog", lambda dialog: dialog.accept())

    def test_says_how_many_calls_are_compared_with_results_of_other_versions(self, judged):
        page, url = judged

        def hold_older_results(route):
            answer = route.fetch()
            route.fulfill(response=answer, body=answer.text().replace("<tr", "<tr data-apart"))

        page.route("**/try-criterion/", hold_older_results)
        page.goto(url)
        page.locator("[data-list=criteria] details").first.locator("summary").first.click()
        page.click("[data-try-criterion]:visible")

        page.locator("[data-summary]:has-text('of 2 calls')").wait_for()
        assert "or of a version that judges otherwise: 2." in page.inner_text("[data-summary]")

    def test_says_that_a_change_is_rounded_by_itself_where_it_is_not_that_of_the_figures(self, judged):
        page, url = judged

        def say_other_scores(route):
            answer = route.fetch()
            body = re.sub(r'data-before="[^"]+" data-after="[^"]+"', "", answer.text())
            route.fulfill(
                response=answer, body=body.replace("<tr", '<tr data-before="68.46" data-after="68.54"')
            )

        page.route("**/try-criterion/", say_other_scores)
        page.goto(url)
        page.locator("[data-list=criteria] details").first.locator("summary").first.click()
        page.click("[data-try-criterion]:visible")

        page.locator("[data-summary]:has-text('(+0.1, n\u00a02)')").wait_for()
        assert "Differences are rounded separately." in page.inner_text("[data-summary]")


class TestAWrongField:
    def test_is_said_at_the_button_that_it_stops_and_found_from_there(self, judged):
        page, url = judged
        page.goto(url)
        page.locator("[data-list=criteria] details").first.locator("summary").first.click()
        points = page.locator("details[open] [data-field=max_points] input")
        points.fill("-5")

        for tool in ("#s-lint", "#s-try", "#s-replay"):
            page.click(f"{tool} button.button:visible")
            said = page.locator(f"{tool} [data-first-fix]")
            said.wait_for()
            assert said.inner_text().split("\n") == ["First fix 1 thing.", "Show the first"]
            assert said.get_attribute("role") == "alert"
            held, line = page.locator(f"{tool} button.button:visible").bounding_box(), said.bounding_box()
            assert 0 <= line["y"] - held["y"] - held["height"] < 40
        page.click("#s-lint button.button")
        assert page.locator("#s-lint [data-first-fix]").count() == 1

        page.locator("details[open] [data-field=name] input").fill("")
        page.locator("#s-try [data-first-fix]:has-text('First fix 2 things.')").wait_for()
        page.click("#s-try [data-first-fix] button")
        assert page.evaluate("document.activeElement.closest('[data-field]').dataset.field") == "name"
        page.keyboard.type("Greets")
        points.fill("5")
        page.locator("[data-first-fix]").first.wait_for(state="detached")
        assert page.locator("[data-first-fix]").count() == 0

    @pytest.mark.parametrize(
        ("part", "field", "typed"),
        [("rubric", "max_points", "-5"), ("goal", "phrases", "/(/"), ("calls", "day_start", "25")],
    )
    def test_has_a_red_border_and_a_sign_before_its_message(self, judged, part, field, typed):
        page, url = judged
        page.goto(f"{url}settings/{part}/")
        for summary in page.locator("[data-list=criteria] details > summary").all()[:1]:
            summary.click()
        page.locator(f"[data-field={field}]:visible").locator("input, textarea").fill(typed)
        message = page.locator(f"[data-field={field}] .error")
        message.wait_for()

        red = message.evaluate("each => getComputedStyle(each).color")
        wrong = page.locator("[aria-invalid=true]")
        assert message.locator("svg.icon").is_visible()
        wrong.blur()
        assert wrong.evaluate("each => getComputedStyle(each).borderTopColor") == red

    def test_in_the_yaml_of_a_project_can_be_saved_once_something_changed(self, judged):
        page, url = judged
        page.goto(f"{url}settings/yaml/")
        save = page.locator("[data-save-button]")
        is_main = "each => each.matches('.primary')"

        before = save.evaluate(is_main)
        text = page.input_value("#yaml")
        page.fill("#yaml", f"{text}\n# ")
        changed = save.evaluate(is_main)
        page.fill("#yaml", text)

        assert [before, changed, save.evaluate(is_main)] == [False, True, False]

    def test_of_a_tracker_without_phrases_are_its_phrases(self, judged):
        page, url = judged
        page.goto(f"{url}settings/trackers/")
        page.click("[data-list=trackers] > [data-add]")
        page.locator("[data-list=trackers] [data-field=name] input").fill("Rivals")
        tops = "(each) => [...each.querySelectorAll('details')].map((fold) => fold.className)"
        assert page.locator("[data-list=trackers] [data-item]").evaluate(tops) == ["more-rule", "advanced"]
        page.click("[data-save-button]")

        wrong = page.locator("[aria-invalid=true]")
        wrong.wait_for()

        assert wrong.evaluate("each => each === document.activeElement")
        assert wrong.evaluate("each => each.closest('[data-field]').dataset.field") == "any_of"
        page.evaluate("onbeforeunload = null")

    def test_marks_the_head_of_its_criterion_in_words_and_counts_no_points(self, judged):
        page, url = judged
        page.goto(url)
        page.locator("[data-list=criteria] details").first.locator("summary").first.click()
        page.fill("details[open] [data-field=max_points] input", "-5")

        head = page.locator("details.has-wrong > summary")
        head.locator("text=to fix").wait_for()
        assert head.locator("[data-shows-points]").inner_text() == "–"
        assert page.inner_text("[data-rubric-sum]") == "Criteria: 1 · Points: 0"
        page.fill("details[open] [data-field=max_points] input", "5")
        head.locator("text=to fix").wait_for(state="detached")


class TestAnotherPart:
    def test_counts_what_is_found_in_the_rubric_and_says_what_comes_next(self, judged):
        page, url = judged
        page.set_viewport_size({"width": 390, "height": 900})
        page.goto(f"{url}settings/goal/")
        page.fill("[data-field=description] textarea", "The caller knows what comes next")

        page.click("[data-save-button]")

        page.locator("[data-lint-result] a:has-text('in Rubric')").wait_for()
        assert page.inner_text("[data-save-state]") == ""
        saved = page.locator(".toast.good")
        assert saved.locator("a").get_attribute("href").startswith("/calls/?project_id=")
        assert saved.bounding_box()["height"] < 200  # its sentence has room next to what can be done
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        page.click("[data-save-button]")
        page.locator(".toast:not(.good):has-text('There were no changes to save.')").wait_for()


class TestAChangedRubric:
    def test_is_checked_replayed_read_published_and_taken_back(self, judged):
        page, url = judged
        page.goto(url)
        page.locator("[data-list=criteria] details").first.locator("summary").first.click()

        page.click("[data-lint-button]")  # met by half of its name
        page.locator("[data-lint-result]:has-text('promises 2 things')").wait_for()
        assert re.fullmatch(r"\d+ findings?", page.inner_text("[data-save-state]"))
        assert "rubric.sections" not in page.inner_text("[data-lint-result]")
        page.locator("[data-lint-place$='criteria[0].rule']").first.click()
        assert page.evaluate("document.activeElement.closest('[data-list=criteria] details')?.open")

        page.locator(".more-rule > summary:visible").first.click()
        page.locator("[data-field=any_of]:visible textarea").first.fill("")
        groups = page.locator("[data-list=all_of]:visible").first
        groups.locator(":scope > [data-add]").click()
        page.keyboard.type("good morning")
        groups.locator(":scope > [data-add]").click()
        page.keyboard.type("how can I help you")
        page.click("[data-lint-button]")
        page.locator("[data-lint-result]:not(:has-text('promises 2 things')):has-text(' ')").wait_for()

        page.fill("#r-sample", "10")
        page.click("[data-replay-form] button")
        page.locator("[data-replay-cost]:has-text('no model is used')").wait_for()
        form, stated = page.locator("[data-replay-form]"), page.locator("[data-replay-estimate]")
        ends = form.bounding_box()["y"] + form.bounding_box()["height"]
        assert stated.bounding_box()["y"] >= ends  # not printed across the form
        start = page.locator("[data-replay-start]")
        bar = page.locator("[data-save-bar]").bounding_box()
        assert start.bounding_box()["y"] + start.bounding_box()["height"] <= bar["y"]  # not below the bar
        page.fill("#r-sample", "9")
        stated.wait_for(state="hidden")  # it was the cost of another replay
        page.click("[data-replay-form] button")
        stated.wait_for()
        page.locator("[data-field=any_of]:visible textarea").first.fill("good day")
        stated.wait_for(state="hidden")
        page.locator("[data-field=any_of]:visible textarea").first.fill("")
        page.click("[data-replay-form] button")
        stated.wait_for()
        asked = []
        page.on("dialog", lambda dialog: (asked.append(dialog.type), dialog.accept()))
        page.click("[data-replay-start]")
        page.wait_for_url("**/replays/*/")
        assert asked == []  # the replay has what the page would lose
        page.locator("h2:has-text('Calls that change most')").wait_for()
        body = page.inner_text("#replay")
        assert "met → not met:\N{NO-BREAK SPACE}1" in body
        assert "no-help.srt" in body
        assert "help.srt" not in body.replace("no-help.srt", "")

        self.goes_back_to_the_draft(page)

        self.asks_before_results_change(page)
        page.check("[name=rescore][value=none]")
        page.click("button:has-text('Publish')")
        page.wait_for_url("**/versions/")
        assert "The draft is version 2 of the settings." in page.inner_text("body")

        page.click("button:has-text('Restore')")
        page.click("dialog[open] button[value=yes]")
        page.locator("text=Version 1 is restored as version 3.").wait_for()
        page.goto(url)
        assert "how can I help you" not in page.get_attribute("#settings", "data-document")

    def test_is_replayed_with_what_its_draft_changes_in_other_parts(self, judged, signed_in):
        page, url = judged
        _, _, client = signed_in
        project = int(url.rstrip("/").rsplit("/", 1)[1])
        draft = {**client.get(f"/api/projects/{project}/").json()["config"], "goal": {"description": "Sold"}}
        draft["rubric"]["sections"][0]["criteria"][0]["max_points"] = 4
        answer = client.post(f"/api/projects/{project}/replays/", json={"config": draft, "sample": 1})
        assert answer.status_code in (201, 202), answer.text
        first = answer.json()["id"]

        page.goto(f"{url}settings/goal/?draft={first}")
        page.locator("text=The draft also changes: Rubric").wait_for()
        assert "use the whole draft" in page.text_content("details.more")
        page.locator("#s-replay").evaluate("tool => { tool.closest('details').open = true; }")
        page.fill("#r-sample", "2")
        page.click("[data-replay-form] button")
        page.click("[data-replay-start]")
        page.wait_for_url(re.compile(rf"/replays/(?!{first}/)\d+/$"))

        changes = page.locator("summary:has-text('What the draft changes in version 1: 2 settings')")
        changes.wait_for()
        assert "Points: 10 → 4" in page.inner_text("#replay")

    def test_marks_the_criteria_that_its_draft_changes_and_shows_what_is_saved(self, judged, signed_in):
        page, url = judged
        _, _, client = signed_in
        project = int(url.rstrip("/").rsplit("/", 1)[1])
        config = client.get(f"/api/projects/{project}/").json()["config"]
        criteria = config["rubric"]["sections"][0]["criteria"]
        criteria.append({**CRITERION, "id": "same", "name": "Same"})
        criteria.append({**CRITERION, "id": "gone", "name": "Says goodbye"})
        client.patch(f"/api/projects/{project}/", json={"config": config}).raise_for_status()
        criteria.pop()
        criteria[0]["max_points"] = 4
        criteria.append({**CRITERION, "id": "new", "name": "New one"})
        answer = client.post(f"/api/projects/{project}/replays/", json={"config": config, "sample": 1})
        assert answer.status_code in (201, 202), answer.text

        page.goto(f"{url}settings/rubric/?draft={answer.json()['id']}")

        heads = page.locator("details.criterion > summary")
        heads.locator("[data-draft-tag]:has-text('changed')").first.wait_for()
        tags = [head.locator("[data-draft-tag]:visible").all_inner_texts() for head in heads.all()]
        assert tags == [["changed"], [], ["added"]]
        assert heads.first.locator("[data-shows-points]").inner_text() == "10 → 4 points"
        assert page.locator("text=The draft removes: Says goodbye").is_visible()
        asked = []
        page.on("dialog", lambda dialog: (asked.append(dialog.type), dialog.accept()))
        page.click("text=Show what is saved")
        page.wait_for_url(lambda address: "draft" not in address)
        assert asked == []  # the replay keeps the draft
        assert page.locator("[data-draft-tag]:visible").count() == 0

    @pytest.mark.parametrize(
        ("part", "settings", "label", "said"),
        [
            (
                "goal",
                {"goal": {"description": "Sold", "phrases": []}},
                "Reached when",
                "Saved: The caller's issue is resolved in this call",
            ),
            ("questions", {"custom_questions": ["Why?"]}, "Asked about every call", "Added: Why?"),
            (
                "trackers",
                {"trackers": [{"id": "t", "name": "Rivals", "rule": {"any_of": ["Acme"]}}]},
                "Name",
                None,
            ),
        ],
    )
    def test_marks_what_its_draft_changes_in_every_part(self, judged, signed_in, part, settings, label, said):
        page, url = judged
        _, _, client = signed_in
        project = int(url.rstrip("/").rsplit("/", 1)[1])
        config = {**client.get(f"/api/projects/{project}/").json()["config"], **settings}
        answer = client.post(f"/api/projects/{project}/replays/", json={"config": config, "sample": 1})

        page.goto(f"{url}settings/{part}/?draft={answer.json()['id']}")

        tag = page.locator("[data-change-tag]")
        tag.first.wait_for()
        assert tag.all_inner_texts() == ["changed" if said else "added"]
        assert page.locator("label:has([data-change-tag])").inner_text().startswith(label)
        assert page.locator("[data-was]").all_inner_texts() == ([said] if said else [])
        page.locator("[data-field]:has([data-change-tag]) :is(input, textarea)").fill("Mine")
        assert tag.all_inner_texts() == ["not saved" if said else "added"]
        assert page.locator("[data-was]").count() == 0
        page.evaluate("onbeforeunload = null")

    def goes_back_to_the_draft(self, page):
        """Open the draft in the editor, by its button and by going back, and return to its replay."""
        changed = "[data-save-state]:has-text('not saved')"
        page.click("a:has-text('Open the draft in the settings')")
        page.locator(changed).wait_for()
        rules = "[...document.querySelectorAll('[data-list=all_of] textarea')].map((each) => each.value)"
        assert page.evaluate(rules) == ["good morning", "how can I help you"]
        page.click("text=the replay of")
        page.locator("h2:has-text('Calls that change most')").wait_for()
        page.go_back()
        page.locator(changed).wait_for()
        page.go_back()
        page.locator("h2:has-text('Calls that change most')").wait_for()
        page.go_back()
        page.locator(changed).wait_for()
        page.locator("text=The fields show the draft").wait_for()
        page.go_forward()
        page.locator("h2:has-text('Calls that change most')").wait_for()

    def asks_before_results_change(self, page):
        question, no = page.locator("dialog[open] h2"), page.locator("dialog[open] button:not([value=yes])")
        page.check("[name=rescore][value=all]")
        page.click("button:has-text('Publish')")
        assert re.fullmatch(r"Publish version 2 and score \d+ calls again\?", question.inner_text())
        no.click()
        latest = page.get_attribute("[name=start_date]", "max")
        page.fill("[name=start_date]", latest)  # and means this choice
        assert page.is_checked("[name=rescore][value=from]")
        page.locator("#day-calls:has-text('scored again.')").wait_for()
        page.click("button:has-text('Publish')")
        assert re.fullmatch(r"Publish version 2 and score \d+ calls? again\?", question.inner_text())
        no.click()
        page.fill("[name=start_date]", "2090-01-01")
        page.locator("#day-calls:has-text('Choose that day or an earlier one.')").wait_for()
        page.click("button:has-text('Publish')")
        assert page.locator("dialog[open]").count() == 0  # the field says what is wrong
        page.fill("[name=start_date]", "")
