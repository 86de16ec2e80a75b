"""Setting up in a real browser, a real server and workers behind it: from an empty instance to the report."""

import uuid

import browser as browsers
import httpx2
import pytest
from journeys_server import OWNER, PASSWORD, Installation

from callscope.interfaces.web.settings_parts.catalog import PARTS
from tests.effort import take_share

pytestmark = [pytest.mark.journey, pytest.mark.one_database]
VIEWER = "viewer@example.com"
FILES = 8
MOST_HEIGHT_OF_AN_EVENT = 80  # pixels of three lines; with all details it takes 95


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("setup") / "data"
    installation = Installation(
        folder, CALLSCOPE_EMBEDDER="built-in"
    )  # as in an installation without settings
    installation.owner_with_key()
    installation.json("user", "create", VIEWER, "--password-stdin", stdin=f"{PASSWORD}\n")
    with installation.served() as server:
        yield server.url


@pytest.fixture(scope="module")
def signed_in():
    """The cookies of each user's last sign-in: its pages and its hashing cost more than most tests."""
    return {}


@pytest.fixture
def visit(chromium, site, signed_in):
    """Return a function that opens a signed-in page; script errors on any of them fail the test."""
    opened, wrong = [], []

    def open_page(email=OWNER, *, theme="light", width=1440):
        page = browsers.open_page(chromium, viewport={"width": width, "height": 900}, color_scheme=theme)
        opened.append(page.context)
        page.on("pageerror", lambda error: wrong.append(str(error)))
        if not browsers.use_session(page, site, signed_in.get(email, [])):
            browsers.sign_in(page, site, email, PASSWORD)
            signed_in[email] = page.context.cookies()
        return page

    yield open_page
    for context in opened:
        context.close()
    assert wrong == []


@pytest.fixture(scope="module")
def star(shared_data):
    files = sorted((shared_data / "star" / "transcripts").glob("*.srt"))[:FILES]
    return files, shared_data / "star" / "manifest.csv"


@pytest.fixture(scope="module")
def filled(chromium, site, star):
    """The instance after the first run; returns the project's id and what the upload page said."""
    files, manifest = star
    page = browsers.open_page(chromium, viewport={"width": 1440, "height": 900})
    browsers.sign_in(page, site, OWNER, PASSWORD)
    assert page.url == f"{site}/start/"
    page.fill("[name=name]", "Service line")
    page.click("text=Create the project")
    page.click("main a:has-text('Upload')")

    broken = iter(range(2))  # the first two files meet a broken line

    def pass_on(route):
        if route.request.method == "POST" and next(broken, None) is not None:
            route.abort("connectionreset")
        else:
            route.continue_()

    page.route("**/api/files/", pass_on)
    page.set_input_files("#u-manifest", manifest)
    page.locator("[data-manifest-tally]").wait_for()
    page.set_input_files("#u-files", files)
    page.locator("[data-report]").wait_for(timeout=240_000)
    shown = {
        "project": int(page.get_attribute("#upload", "data-project")),
        "counts": {
            each.get_attribute("data-count"): int(each.inner_text())
            for each in page.query_selector_all("[data-count]")
        },
        "matched": page.inner_text("[data-matched]"),
        "unmatched": page.inner_text("[data-unmatched]"),
    }
    assert page.inner_text("[data-report]") == "Every file is done: see the report"
    page.click("[data-report]")
    page.wait_for_url("**/report/*")
    page.click(".tabs a:has-text('Criteria')")
    page.wait_for_url("**/report/criteria/*")
    shown["report"] = page.inner_text("main")
    page.context.close()
    return shown


class TestFirstRun:
    def test_goes_from_sign_in_to_the_report_in_three_steps(self, filled):
        assert filled["counts"] == {"all": FILES, "arrived": FILES, "ready": FILES, "there": 0, "failed": 0}
        assert filled["matched"] == str(FILES)  # their files came after it
        assert "Scorecard" in filled["report"]
        assert "Asks for a security detail" in filled["report"]

    def test_gives_the_calls_what_the_manifest_gave(self, filled, visit, site):
        page = visit()
        page.goto(f"{site}/report/agents/?project_id={filled['project']}")

        assert "No call in this period is linked to an agent" not in page.inner_text("main")


class TestUploading:
    def test_leaves_out_what_is_there_and_tells_what_is_wrong(self, filled, visit, site, star, tmp_path):
        files, _ = star
        wrong = tmp_path / "notes.srt"
        wrong.write_text("no transcript at all")
        manifest = tmp_path / "bad.csv"
        manifest.write_text(
            f"filename,call_datetime,direction\n{files[0].name},,sideways\n{files[1].name},,inbound\n"
        )
        page = visit()
        page.goto(f"{site}/upload/?project_id={filled['project']}")

        page.set_input_files("#u-files", [*files[:3], wrong, manifest])
        page.locator("[data-report]").wait_for()

        assert page.locator("[data-state]", has_text="Already in the project").count() == 3
        assert "a text without time lines" in page.inner_text("tr:has-text('notes.srt')")
        assert page.inner_text("tr:has-text('notes.srt') [data-size]") == "20 bytes"
        assert page.inner_text("[data-outcome-words]") == "0 analyzed, 1 failed."
        assert page.inner_text("[data-sent]") == "Sent: 1 of 1 (100\u00a0%)"  # the others are skipped
        page.click("[data-failed-only]")
        assert page.locator("[data-rows] tr:visible [data-name]").all_inner_texts() == ["notes.srt"]
        page.click("[data-failed-only]")
        assert page.locator("[data-rows] tr:visible").count() == 4
        assert page.inner_text("[data-report]") == "See the report"
        assert page.inner_text("[data-matched]") == "1"
        assert "sideways" in page.inner_text("[data-errors-list]")

        page.click(f"tr:has-text('{files[0].name}') button:has-text('Upload again')")
        page.locator(f"tr:has-text('{files[0].name}') .mark.good:not(:has-text('Already'))").wait_for()

    def test_names_the_rows_of_a_manifest_that_it_skips(self, filled, visit, site, star, tmp_path):
        page = visit()
        page.goto(f"{site}/upload/?project_id={filled['project']}")
        wrong = [f"none-{n}.wav,,sideways" for n in range(103)]
        manifests = {"all.csv": wrong, "some.csv": [*wrong[:2], f"{star[0][1].name},,inbound"]}
        for name, rows in manifests.items():
            (tmp_path / name).write_text("\n".join(["filename,call_datetime,direction", *rows]))

        page.set_input_files("#u-manifest", tmp_path / "all.csv")
        page.locator("[data-errors-list] li").first.wait_for()
        lines = page.locator("[data-errors-list] li").all_inner_texts()
        assert page.inner_text("[data-manifest-notice]") == "all.csv: The CSV has no valid rows."
        assert lines[0].startswith("Row 2, none-0.wav: ") and len(lines) == 101
        assert lines[-1] == "and 3 more"

        page.set_input_files("#u-manifest", tmp_path / "some.csv")
        page.locator("[data-manifest-tally]").wait_for()
        browsers.until(page, "document.querySelectorAll('[data-errors-list] li').length === 2")
        assert page.inner_text("[data-errors]") == "2"
        assert "some.csv: some rows were skipped." in page.inner_text("[data-manifest-notice]")
        assert "allowed values: inbound, outbound" in page.inner_text("[data-errors-list]")

    def test_takes_what_was_chosen_before_its_code_was_loaded(self, filled, visit, site, star):
        page = visit()
        held = []
        page.route("**/upload*.js", lambda route: held.append(route))
        with page.expect_request("**/upload*.js"):
            page.goto(f"{site}/upload/?project_id={filled['project']}", wait_until="commit")

        page.set_input_files("#u-files", star[0][:2])
        held.pop().continue_()

        page.locator("[data-report]").wait_for()
        assert page.locator("[data-state]", has_text="Already in the project").count() == 2

    def test_goes_on_by_itself_after_a_sign_in_in_another_tab(self, filled, visit, site, star):
        page = visit()
        page.goto(f"{site}/upload/?project_id={filled['project']}")
        page.context.clear_cookies()
        page.set_input_files("#u-files", star[0][2])
        page.locator(".toast:has-text('You have been signed out')").wait_for()
        second_tab = page.context.new_page()
        browsers.sign_in(second_tab, site, OWNER, PASSWORD)
        second_tab.close()

        page.evaluate("window.dispatchEvent(new Event('focus'))")

        page.locator(f"tr:has-text('{star[0][2].name}') a:has-text('Open the call')").wait_for()
        assert page.locator(".toast").count() == 0

    def test_can_be_done_by_keyboard(self, filled, visit, site):
        page = visit()
        page.on("filechooser", lambda _: None)  # known to the browser well before the key that opens it
        page.goto(f"{site}/upload/?project_id={filled['project']}")
        page.focus("h1 ~ .actions a >> nth=-1")
        for _ in range(6):
            page.keyboard.press("Tab")
            if page.evaluate("document.activeElement.id") == "u-files":
                break
        else:
            pytest.fail("the choice of files is not reached by Tab")

        with page.expect_file_chooser():
            page.keyboard.press("Enter")


class TestParts:
    def test_open_from_a_button_that_names_the_part_on_a_phone(self, filled, visit, site):
        page = visit(width=390, theme="dark")
        page.goto(f"{site}/projects/{filled['project']}/settings/targets/")
        switch, parts = page.locator(".contents-switch"), page.locator(".contents")
        assert switch.inner_text() == "Part of the settings: Targets of the report"
        assert not parts.is_visible()
        assert page.locator("#part-title").bounding_box()["y"] < 400

        switch.press("Enter")
        assert parts.locator("a:visible").count() == len(PARTS)
        assert parts.locator("[aria-current]").inner_text() == "Targets of the report"
        assert (browsers.violations(page), browsers.overflow(page)) == ("", 0)
        page.keyboard.press("Escape")
        assert not parts.is_visible()
        assert page.evaluate("document.activeElement.matches('.contents-switch')")

        switch.press("Enter")
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.matches('[aria-current]')")
        page.keyboard.press("ArrowDown")
        page.keyboard.press("Enter")
        page.wait_for_url("**/settings/reviews/")

    def test_stand_next_to_what_is_set_where_there_is_room(self, visit, filled, site):
        page = visit()
        page.goto(f"{site}/projects/{filled['project']}/settings/targets/")

        assert page.locator(".contents a:visible").count() == len(PARTS)
        assert not page.locator(".contents-switch").is_visible()


class TestEditor:
    def test_prints_the_rubric_as_a_list_of_its_criteria(self, filled, visit, site):
        page = visit()
        page.goto(f"{site}/projects/{filled['project']}/", wait_until="networkidle")
        page.emulate_media(media="print")

        assert page.locator("summary:has-text('Greets the caller')").is_visible()
        assert not page.locator("details.criterion [data-field=max_points] >> nth=0").is_visible()
        assert not page.locator(".yaml-fold, .tools").first.is_visible()

    def test_shows_errors_next_to_their_fields_tries_and_saves(self, filled, visit, site, star):
        page = visit()
        page.goto(f"{site}/projects/{filled['project']}/")
        page.click("summary:has-text('Greets the caller')")
        criterion = page.locator("details.criterion[open]")
        points = criterion.locator("[data-field=max_points] input")

        points.fill("none")
        criterion.locator("[data-field=max_points] .error").wait_for()
        assert points.get_attribute("aria-invalid") == "true"
        assert criterion.locator("[data-field=max_points] .error").inner_text()[0].isupper()
        assert page.inner_text("[data-save-state]") == "1 thing to fix"
        page.locator("[data-show-first]").click()
        assert points.evaluate("element => element === document.activeElement")

        points.fill("30")
        page.locator("[data-save-state]:has-text('not saved')").wait_for()
        page.fill("#t-call", "no such call")
        page.click("[data-try-form] button")
        page.locator("#t-call-error:has-text('Choose a call of this project')").wait_for()
        assert page.locator(".toast").count() == 0
        page.fill("#t-call", star[0][0].name)
        page.click("[data-try-form] button")
        page.locator("[data-trial] h3").wait_for()
        assert page.inner_text("#t-call-error") == ""
        assert "of 30" in page.inner_text("[data-trial]")

        page.click("[data-save-button]")
        page.locator(".toast:has-text('Saved.')").wait_for()
        page.reload()
        assert "Points: 115" in page.inner_text("[data-rubric-sum]")

    def test_offers_codes_where_they_are_used_and_shows_all_phrases(self, filled, visit, site):
        page = visit()
        page.goto(f"{site}/projects/{filled['project']}/settings/reasons/")
        mode, add = page.locator("[data-field=mode] select"), page.locator("[data-list=codes] > [data-add]")

        mode.select_option("open_ended")
        assert not add.is_visible()
        assert "primary" not in page.get_attribute("[data-save-button]", "class")
        with page.expect_response("**/check/"):
            mode.select_option("predefined")
        assert page.locator("[data-list=codes] [data-item]").count() == 1
        assert page.locator(".error").count() == 0
        assert "primary" in page.get_attribute("[data-save-button]", "class")
        mode.select_option("open_ended")
        assert page.locator("[data-list=codes] [data-item]").count() == 0
        assert not page.locator(".codes-unused").is_visible()  # where there are none
        mode.select_option("predefined")
        assert not page.locator(".codes-unused").is_visible()
        page.click("[data-save-button]")
        page.locator("[data-field=code] .error").wait_for()
        page.locator("[data-field=code] input").fill("billing")
        mode.select_option("open_ended")
        assert add.is_visible()
        unused = page.locator(".codes-unused")
        assert unused.is_visible()
        ends = mode.evaluate("field => field.getBoundingClientRect().bottom")
        assert 0 <= unused.bounding_box()["y"] - ends < 20  # right below the choice

        phrases = page.locator("[data-list=codes] textarea")
        phrases.fill("\n".join(f"phrase {number}" for number in range(9)))
        assert phrases.evaluate("box => box.scrollHeight <= box.offsetHeight")

    def test_offers_the_ids_of_other_criteria_with_their_names(self, filled, visit, site):
        page = visit()
        page.goto(f"{site}/projects/{filled['project']}/settings/rubric/")
        browsers.open_folds(page)
        first = page.locator("details.criterion").first
        side = first.locator("[data-optional=before]")
        side.locator("[data-switch]").check()

        side.locator("[data-field=criterion] input").focus()

        offered = page.locator("#criterion-ids option").evaluate_all(
            "all => all.map((o) => [o.value, o.text])"
        )
        names = page.locator(".criterion-name").all_inner_texts()
        assert [name for _id, name in offered] == names[1:]
        assert all(each for each, _name in offered)

    def test_stands_fields_of_several_lines_next_to_each_other(self, filled, visit, site):
        page = visit()
        page.goto(f"{site}/projects/{filled['project']}/settings/goal/")
        reached, phrases = (page.locator(f"[data-field={name}]") for name in ("description", "phrases"))

        phrases.locator("textarea").fill("\n".join(f"phrase {number}" for number in range(14)))

        assert reached.bounding_box()["y"] == phrases.bounding_box()["y"]

    def test_explains_kappa_where_it_decides(self, filled, visit, site):
        page = visit()
        page.goto(f"{site}/projects/{filled['project']}/settings/reviews/")
        weak, kappa = page.locator("[data-field=weak_criteria] select"), page.locator(".part-fields > .aside")
        weak.select_option("count")
        assert kappa.is_hidden()
        weak.select_option("ask_a_person")
        assert kappa.is_visible()

    def test_keeps_the_focus_and_gives_back_what_was_removed(self, filled, visit, site, star):
        page = visit()
        page.goto(f"{site}/projects/{filled['project']}/")
        page.click("#t-call")
        page.keyboard.type(star[0][0].name)
        page.click("[data-try-form] button")
        page.locator("[data-trial] h3").wait_for()
        assert star[0][0].name in page.inner_text("[data-trial] h3")
        assert page.evaluate("document.activeElement.textContent.trim()") == "Try"

        names = page.locator(".criterion-name").all_inner_texts()
        page.locator(f"button[aria-label='Remove: {names[0]}']").dispatch_event("click")
        assert page.locator(".criterion-name").all_inner_texts() == names[1:]
        page.click(".toast button:has-text('Undo')")
        assert page.locator(".criterion-name").all_inner_texts() == names
        assert "not saved" not in page.inner_text("[data-save-state]")

    def test_shows_the_points_in_words_and_nothing_for_what_is_no_number(self, filled, visit, site):
        page = visit()
        page.goto(f"{site}/projects/{filled['project']}/")
        page.click("summary:has-text('Greets the caller')")
        points = page.locator("details.criterion[open] [data-field=max_points] input")
        saved = points.input_value()
        for typed, shown in (("none", "–"), ("1,000", "–"), ("1", "1 point"), ("2,5", "2.5 points")):
            points.fill(typed)
            said = page.locator("details[open] [data-shows-points]").inner_text()
            assert said == (shown if shown == "–" else f"{saved} → {shown}")
        page.once("dialog", lambda dialog: dialog.accept())

    def test_saves_once_and_after_the_server_was_away(self, filled, visit, site):
        page = visit()
        saves = []
        page.on(
            "request",
            lambda r: saves.append(r) if r.url.endswith("/transcription/") and r.method == "POST" else None,
        )
        page.goto(f"{site}/projects/{filled['project']}/settings/transcription/")
        page.fill("[data-field=vocabulary] textarea", "fibre")
        page.route("**/settings/transcription/", lambda route: route.abort("connectionrefused"))
        page.click("[data-save-button]")
        page.locator(".toast:has-text('did not respond')").wait_for()

        page.unroute("**/settings/transcription/")
        # The answer waits for the second click, however slowly a busy machine clicks.
        held = []
        page.route("**/settings/transcription/", lambda route: held.append(route))
        page.dblclick("[data-save-button]")
        browsers.let_requests_arrive(page)
        browsers.wait_for(page, lambda: held, "a save that is held back")
        for route in held:
            route.continue_()
        page.locator(".toast:has-text('Saved.')").wait_for()
        assert len(saves) == 2
        assert page.locator(".toast").count() == 1

    @pytest.mark.parametrize("part", [each.slug for each in PARTS.values() if each.keys])
    def test_saves_when_enter_is_pressed_in_a_field_as_its_button_does(self, filled, visit, site, part):
        page = visit()
        page.goto(f"{site}/projects/{filled['project']}/settings/{part}/")
        field = page.locator("[data-editor] :is(input:not([type]), input[type=checkbox]):visible").first
        if not field.count():
            page.locator(
                "[data-editor] [data-add]:visible, [data-editor] :is(select, textarea):visible"
            ).first.wait_for()
            return

        field.press("Enter")

        page.locator(".toast:has-text('There were no changes to save.')").wait_for()

    def test_stores_what_was_typed_before_enter(self, filled, visit, site):
        page = visit()
        page.goto(f"{site}/projects/{filled['project']}/settings/targets/")
        page.fill("[data-field=goal_reached_pct] input", "70")

        page.locator("[data-field=goal_reached_pct] input").press("Enter")

        page.locator(".toast:has-text('Saved.')").wait_for()
        page.reload()
        assert page.input_value("[data-field=goal_reached_pct] input") == "70"

    def test_writes_numbers_as_the_language_does_and_takes_them_back(self, filled, visit, site):
        page = visit()
        page.context.set_extra_http_headers({"Accept-Language": "es"})
        page.goto(f"{site}/projects/{filled['project']}/settings/transcription/")

        assert "," in page.input_value("[data-field=min_known_words] input")
        assert page.inner_text("[data-save-state]") == ""

    def test_says_while_it_is_typed_how_long_a_day_over_midnight_is(self, filled, visit, site):
        page = visit()
        page.goto(f"{site}/projects/{filled['project']}/settings/calls/")
        notice = page.locator("[data-over-midnight] .notice")
        start, end = (page.locator(f"[data-field={name}] input") for name in ("day_start", "day_end"))
        assert not notice.is_visible()

        start.fill("22")
        end.fill("21")
        assert notice.inner_text() == "The day then runs over midnight and has 23 hours."
        end.fill("6")
        assert notice.inner_text() == "The day then runs over midnight and has 8 hours."
        for hour in ("23", "0", "22", "", "six"):
            end.fill(hour)
            assert not notice.is_visible()

    def test_asks_before_days_of_retention_are_saved_that_remove_something(self, filled, visit, site):
        page = visit()
        address = f"{site}/projects/{filled['project']}/settings/retention/"
        answer = {"errors": [], "sentence": "It will remove 5.", "question": "Delete results of 5 calls?"}
        answer |= {"counts": [0, 0, 5], "until": 7}
        forecast = f"{site}/projects/{filled['project']}/retention/"
        page.route(forecast, lambda route: route.fulfill(json=answer))
        page.goto(address)
        page.fill("[data-field=results_days] input", "3000")

        page.click("[data-save-button]")
        page.locator("dialog[open] h2:has-text('Delete results of 5 calls?')").wait_for()
        page.click("dialog[open] [value=no]")
        assert page.inner_text(".notice.warn:visible") == "It will remove 5."
        assert page.inner_text("[data-save-state]") == "There are changes that are not saved."
        page.click("[data-save-button]")
        page.locator("dialog[open]").wait_for()
        answer |= {"question": "Delete results of 9 calls?", "counts": [0, 0, 9]}
        page.click("dialog[open] [value=yes]")  # to less than falls due by now
        page.locator("dialog[open] h2:has-text('Delete results of 9 calls?')").wait_for()
        assert page.inner_text("[data-save-state]") == "There are changes that are not saved."
        page.click("dialog[open] [value=yes]")
        page.locator(".toast:has-text('Saved.')").wait_for()
        page.unroute(forecast)
        page.fill("[data-field=results_days] input", "")
        page.click("[data-save-button]")
        browsers.until(page, "document.querySelector('[data-save-state]').textContent === ''")

    def test_shows_what_was_saved_when_somebody_goes_back_to_it(self, filled, visit, site):
        page = visit()
        words = "[data-field=vocabulary] textarea"
        page.goto(f"{site}/projects/{filled['project']}/settings/transcription/")
        page.fill(words, "before")
        page.click("[data-save-button]")
        page.locator(".toast:has-text('Saved.')").wait_for()
        page.click(".places a:has-text('Report')")
        page.wait_for_url("**/report/**")
        page.go_back()
        page.locator("#settings:not([data-filling])").wait_for()
        assert page.input_value(words) == "before"

        page.fill(words, "after")
        page.click("[data-save-button]")
        page.locator(".toast:has-text('Saved.')").wait_for()

    def test_loses_nothing_when_the_session_ends_and_another_tab_signs_in(self, filled, visit, site):
        page = visit()
        page.goto(f"{site}/projects/{filled['project']}/settings/transcription/")
        page.fill("[data-field=vocabulary] textarea", "fibre\ncopper")
        page.context.clear_cookies()
        page.click("[data-save-button]")
        page.locator(".toast:has-text('You have been signed out')").wait_for()

        second_tab = page.context.new_page()
        browsers.sign_in(second_tab, site, OWNER, PASSWORD)
        page.click("[data-save-button]")
        page.locator(".toast:has-text('Saved.')").wait_for()
        second_tab.goto(f"{site}/projects/{filled['project']}/settings/transcription/")
        assert second_tab.input_value("[data-field=vocabulary] textarea") == "fibre\ncopper"

    def test_takes_yaml_in_and_gives_it_out(self, filled, visit, site):
        page = visit()
        page.goto(f"{site}/projects/{filled['project']}/")
        page.click("[data-list=sections] > [data-add]")
        page.keyboard.type("Extra")
        page.locator("[data-field=name] input:focus").wait_for()
        page.locator("[data-list=criteria] [data-fresh] [data-field=name] input").fill("Says <b>thanks</b>")
        page.click(".yaml-fold summary")
        page.click("[data-yaml-out]")
        browsers.until(page, "document.getElementById('yaml').value.includes('Says <b>thanks</b>')")

        changed = page.input_value("#yaml").replace("Says <b>thanks</b>", "Thanks the caller")
        page.fill("#yaml", changed)
        page.click("[data-yaml-in]")
        page.locator(".criterion-name:has-text('Thanks the caller')").wait_for()

        page.fill("#yaml", "rubric:\n  sections: []\n")
        page.click("[data-yaml-in]")
        page.locator("[data-rubric-sum]:has-text('no criteria yet')").wait_for()
        page.once("dialog", lambda dialog: dialog.accept())


class TestKeys:
    def test_are_made_shown_once_and_open_the_api(self, filled, visit, site):
        page = visit()
        page.goto(f"{site}/keys/")
        page.fill("[name=name]", "robot")
        page.click("text=Create the key")
        key = page.input_value("[data-key]")

        answer = httpx2.get(f"{site}/calls/api/report/", headers={"Authorization": f"Api-Key {key}"})

        assert answer.json()["headline"]["total_calls"] == FILES
        page.goto(f"{site}/keys/")
        assert page.locator("[data-key]").count() == 0
        page.click("tbody button:has-text('Revoke')")
        assert page.inner_text("#confirm h2") == "Revoke the key robot?"
        assert page.inner_text("#confirm [data-confirm-text]").startswith("Programs that use it")
        page.click("#confirm button[value=yes]")
        page.locator("tbody :text('revoked')").wait_for()
        refused = httpx2.get(f"{site}/calls/api/report/", headers={"Authorization": f"Api-Key {key}"})
        assert refused.status_code == 403


class TestATeam:
    def test_asks_before_it_makes_an_admin_a_member_only(self, filled, visit, site):
        page = visit()
        page.goto(f"{site}/teams/")
        page.fill("[name=name]", "Asks first")
        page.click("main button:text-is('Create the team')")
        page.locator("h1:text-is('Asks first')").wait_for()
        email = page.locator("tbody th").first.inner_text()
        asks = page.locator("button[value=member]")

        asks.click()
        shown = (page.inner_text("#confirm h2"), page.inner_text("#confirm button[value=yes]"))
        page.click("#confirm button[value=no]")
        kept = page.locator("tbody td:text-is('Admin')").count()
        asks.click()
        page.click("#confirm button[value=yes]")
        page.get_by_text("A team needs an admin. Make someone else an admin first.").wait_for()

        assert shown == (f"Remove {email} as admin?", "Remove as admin")
        assert kept == 1


class TestAPageThatAsksByItself:
    def test_says_once_that_the_server_is_away_and_takes_it_back(self, filled, visit, site):
        page = visit()
        page.goto(f"{site}/report/", wait_until="networkidle")
        away = page.locator(".toast:has-text('is not responding')")
        page.evaluate(
            """() => {
                const asking = document.getElementById("progress");
                asking.setAttribute("hx-get", "/report/progress/?again=1");
                asking.setAttribute("hx-trigger", "every 200ms");
                asking.setAttribute("hx-swap", "none");
                htmx.process(asking);
            }"""
        )

        page.route("**/report/progress/*", lambda route: route.fulfill(status=502))
        away.wait_for()
        page.wait_for_timeout(600)
        assert away.count() == 1
        page.unroute("**/report/progress/*")
        away.wait_for(state="detached")


class TestForms:
    def test_go_out_once_however_often_they_are_pressed(self, filled, visit, site):
        page = visit()
        page.goto(f"{site}/keys/")
        page.fill("[name=name]", "pressed twice")
        page.dblclick("text=Create the key")
        page.locator("[data-key]").wait_for()

        assert page.locator("tbody th:text-is('pressed twice')").count() == 1


class TestDrawing:
    def test_counts_calls_and_reviewers_again_at_every_change(self, filled, visit, site):
        page = visit()
        page.goto(f"{site}/projects/{filled['project']}/samples/")
        figures = page.locator("[data-drawable]")
        before = figures.inner_text().split()
        boxes = [page.locator(f"[name={name}]").bounding_box() for name in ("per_agent", "uncertain_pct")]

        page.fill("[name=per_agent]", "1")
        agents = int(page.locator("#s-per_agent-hint").inner_text().split()[0])
        after = figures.inner_text().split()
        page.locator("[name=reviewer]:checked").uncheck()
        without = figures.inner_text().split()
        page.fill("[name=per_agent]", "1.5")

        assert (before[3], before[5], before[-1]) == (str(FILES), "1", str(FILES))  # whose page it is
        assert (without[5], without[-1]) == ("0", "–")
        assert (after[3], after[5], after[-1]) == (str(agents), "1", str(agents))
        assert figures.locator("[data-calls]").inner_text() == "–"
        assert abs(boxes[0]["y"] - boxes[1]["y"]) < 1  # also below a label of two lines

    def test_takes_back_what_was_wrong_once_it_was_changed(self, filled, visit, site):
        page = visit()
        address = f"{site}/projects/{filled['project']}/samples/"
        page.goto(address)
        first, last, calls = (
            page.locator(f"[name={name}]") for name in ("start_date", "end_date", "per_agent")
        )
        reviewer = page.locator("[name=reviewer]").first
        first.fill("2026-03-02")
        last.fill("2026-03-01")
        calls.fill("none")
        reviewer.uncheck()
        button = page.locator("main form button.primary")
        button.press("Enter")
        page.locator("#s-reviewers-error").wait_for()
        place = button.bounding_box()
        assert page.locator("p.error:visible").count() == 3

        reviewer.check()
        assert page.locator("p.error:visible").count() == 2
        last.fill("2026-03-03")
        last.blur()
        assert page.locator("p.error:visible").count() == 1
        calls.fill("1")
        calls.press("Tab")
        assert page.locator("p.error:visible").count() == 0
        assert page.locator("[aria-invalid], .wrong").count() == 0
        assert calls.get_attribute("aria-describedby") == "s-per_agent-hint"
        assert button.bounding_box() == place  # it may be pressed just then

        first.fill("2001-01-01")
        last.fill("2001-01-02")
        button.click()
        page.locator(".notice.bad:has-text('No call')").wait_for()
        last.fill("2030-01-02")
        last.blur()
        assert not page.locator(".notice.bad").is_visible()


class TestSharing:
    def test_lets_a_viewer_see_and_not_write(self, filled, visit, site):
        owner = visit()
        owner.goto(f"{site}/projects/{filled['project']}/people/")
        owner.fill("[name=email]", OWNER)
        owner.click("main button:text-is('Share')")
        owner.locator("[name=email][aria-invalid=true]:focus").wait_for()
        owner.fill("[name=email]", VIEWER)
        owner.click("main button:text-is('Share')")
        owner.locator(f"tbody th:has-text('{VIEWER}')").wait_for()

        viewer = visit(VIEWER)
        viewer.goto(f"{site}/invitations/")
        viewer.click("main button:text-is('Accept')")
        viewer.locator("h1").wait_for()
        viewer.goto(f"{site}/upload/?project_id={filled['project']}")
        assert viewer.locator("input[type=file]").count() == 0
        viewer.goto(f"{site}/projects/{filled['project']}/")
        assert viewer.locator("[data-editor] .all-fields input").first.is_disabled()
        assert viewer.locator("[data-save-button]").count() == 0
        status = viewer.evaluate(
            """async (id) => (await fetch(`/projects/${id}/save/`, {
                method: "POST", body: JSON.stringify({document: {}, version: 1}),
                headers: {"X-CSRFToken": JSON.parse(document.body.getAttribute("hx-headers"))["X-CSRFToken"]},
            })).status""",
            filled["project"],
        )
        assert status == 403


class TestPages:
    def addresses(self, project):
        lists = ("files/", "people/", "reasons/", "reasons/codes/", "agreement/", "probes/", "versions/")
        lists += (
            "reviews/",
            "samples/",
            "sampling-plans/",
            "calibrations/",
            "calibrations/?count=5&how=spread",
        )
        parts = ("", *lists, *(f"settings/{part}/" for part in PARTS))
        return [
            "/start/", "/upload/", "/projects/", "/projects/new/", "/teams/", "/keys/", "/usage/",
            "/account/", "/account/second-factor/", "/invitations/", "/audit/",
            "/questions/?project_id=", "/nowhere/",
            "/report/mails/", "/shares/", f"/shares/?project_id={project}", "/appeals/", "/users/",
            "/users/1/", "/shared/nothing/", "/invitation/nothing/",
            *(f"/projects/{project}/{part}" for part in parts),
        ]  # fmt: skip

    def states(self, page, site, project, call):
        """Bring the page into each state that no address leads to; yield what it shows."""
        page.goto(f"{site}/teams/")
        team = f"Coaching {uuid.uuid4().hex[:8]}"  # a name is taken once
        page.fill("[name=name]", team)
        page.click("main button:text-is('Create the team')")
        page.locator(f"h1:text-is('{team}')").wait_for()
        yield "a team"
        page.goto(f"{site}/keys/")
        page.fill("[name=name]", "robot")
        page.click("text=Create the key")
        page.locator("[data-key]").wait_for()
        yield "a fresh key"
        page.goto(f"{site}/keys/")
        page.fill("[name=name]", "late robot")
        page.fill("[name=expires]", "2001-01-01")
        page.click("text=Create the key")
        page.locator(".error").first.wait_for()
        yield "a form that was refused"
        page.goto(f"{site}/projects/{project}/settings/questions/")
        page.click("details:has(#t-call) > summary")
        page.fill("#t-call", call)
        page.click("[data-try-form] button")
        page.locator("[data-trial] h3").wait_for()
        page.fill("[data-field=custom_questions] textarea", "Why?\nWhy?")
        page.locator(".save-bar.is-wrong").wait_for()
        yield "a trial and wrong settings"
        page.once("dialog", lambda dialog: dialog.accept())
        page.goto(f"{site}/keys/")
        page.click("tbody button:has-text('Revoke')")
        page.locator("#confirm[open]").wait_for()
        yield "a question before something is taken away"
        page.goto(f"{site}/account/")
        page.evaluate(
            """() => document.body.append(Object.assign(
                document.createElement("form"), {id: "forged", method: "post", action: "/logout/"}))"""
        )
        page.evaluate("document.getElementById('forged').submit()")
        page.locator("h1:text-is('This form has expired')").wait_for()
        yield "a form without its token"

    @pytest.mark.parametrize(
        ("width", "theme"),
        [
            pytest.param(1440, "light", marks=pytest.mark.slow),
            pytest.param(390, "dark", marks=pytest.mark.slow),
            pytest.param(1440, "dark", marks=pytest.mark.slow),
            pytest.param(390, "light", marks=pytest.mark.slow),
        ],
    )
    def test_have_no_accessibility_violation_and_fit(self, filled, visit, site, star, theme, width):
        page = visit(theme=theme, width=width)
        for address in self.addresses(filled["project"]):
            page.goto(site + address)
            self.check(page, address)
        for state in self.states(page, site, filled["project"], star[0][0].name):
            self.check(page, state)

    def test_keep_what_was_typed_in_a_form_that_was_refused(self, visit, site):
        page = visit()
        page.goto(f"{site}/keys/")
        page.fill("[name=name]", "typed once")
        # A sign-in in another tab leaves this one with an old token.
        page.evaluate(
            "document.querySelectorAll('[name=csrfmiddlewaretoken]').forEach((f) => f.value = 'x'.repeat(64))"
        )
        page.click("text=Create the key")

        page.click("text=Back to the form")

        page.wait_for_url(f"{site}/keys/")
        assert page.input_value("[name=name]") == "typed once"
        page.click("text=Create the key")
        page.locator("[data-key]").wait_for()

    def test_fold_the_details_of_an_event_on_a_phone(self, filled, visit, site):
        page = visit(width=390)
        page.goto(f"{site}/audit/")
        row = page.locator(".events tbody tr:has(td.extra .detail)").first
        details = row.locator("td.extra")
        assert not details.is_visible()
        assert row.bounding_box()["height"] < MOST_HEIGHT_OF_AN_EVENT

        page.check("[data-all-details]")
        assert details.is_visible()
        assert browsers.violations(page) == ""

    def test_show_whole_who_did_it_on_a_phone(self, filled, visit, site):
        page = visit(width=390)
        page.goto(f"{site}/audit/")

        who, choice = page.locator(".events td.by", has_text=OWNER).first, page.locator("#f-project")

        assert who.evaluate("(cell) => cell.scrollWidth <= cell.clientWidth + 1")
        assert choice.bounding_box()["width"] > 160  # "All projects", and the same in longer languages

    def test_have_no_accessibility_violation_on_a_phone(self, filled, visit, site, star):
        page = visit(width=390)
        for address in take_share(self.addresses(filled["project"]), 0, one_in=2):
            page.goto(site + address)
            self.check(page, address, without=browsers.COLOR_RULES)
        for state in self.states(page, site, filled["project"], star[0][0].name):
            self.check(page, state, without=browsers.COLOR_RULES)

    @pytest.mark.parametrize("theme", browsers.THEMES)
    def test_have_readable_colors_and_fit_a_wide_screen(self, filled, visit, site, theme):
        page = visit(theme=theme)
        place = 2 * browsers.THEMES.index(theme) + 1
        for address in take_share(self.addresses(filled["project"]), place, one_in=4):
            page.goto(site + address)
            self.check(page, address, rules=browsers.COLOR_RULES)

    def test_hold_the_place_of_buttons_that_scripts_serve(self, filled, visit, site):
        page = visit()
        page.route("**/app*.js", lambda route: route.abort())
        page.goto(f"{site}/projects/{filled['project']}/probes/")

        assert page.locator("[data-of-all]").is_visible()

    def test_do_not_move_after_they_were_shown(self, filled, visit, site):
        page = visit()
        page.add_init_script(browsers.WATCH_SHIFTS)
        for address in take_share(self.addresses(filled["project"]), 1, one_in=2):
            page.goto(site + address, wait_until="networkidle")
            assert page.evaluate("window.shifts") == [], address

    def check(self, page, name, **options):
        browsers.open_folds(page)
        assert browsers.violations(page, **options) == "", name
        assert (browsers.overflow(page), browsers.misplaced(page)) == (0, []), name


class TestReference:
    """The API reference sends requests for real."""

    def test_asks_before_it_deletes_and_finds_operations_in_both_lists(self, visit, site):
        page = visit()
        page.goto(f"{site}/api/docs/")
        page.fill("#find-operation", "delete projects")
        for each in (".reference-nav li > a:visible", ".operation:visible"):
            assert 0 < page.locator(each).count() < 10

        operation = page.locator(".operation[data-method=DELETE][data-path='/api/projects/{project_id}/']")
        operation.locator("summary").first.click()
        operation.locator(".try input").first.fill("999999")
        operation.locator(".try button").click()
        page.locator("#confirm[open]:has-text('cannot be restored')").wait_for()
        assert operation.locator("output p").count() == 0
        page.keyboard.press("Escape")
        assert operation.locator("output p").count() == 0
        operation.locator(".try button").click()
        page.locator("#confirm[open] [value=yes]").click()

        operation.locator("output:has-text('404')").wait_for()
