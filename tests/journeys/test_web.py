"""The pages in a real browser: from sign-in to a quote that plays, by mouse and by keyboard."""

import copy
import functools
import io
import math
import re
import struct
import wave
from pathlib import Path

import browser as browsers
import pypdfium2
import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.utils import timezone
from web.conftest import CONFIGURATION, bring, give_transcript, line

from callscope.calls.models import UploadedFile
from callscope.interfaces.web import page_context
from callscope.interfaces.web.waiting import MOST, Waiting
from callscope.pipeline.decisions.calibration_edits import open_calibration
from callscope.pipeline.models import Probe, Replay
from callscope.pipeline.rubric_changes.probes.requests import plan_steadiness, request_probe
from callscope.pipeline.rubric_changes.replays.comparison import compare_answers
from callscope.projects.services import configure_project, create_project
from callscope.reviews.calibration.sessions import CalibrationPlan
from callscope.reviews.sampling.draw import collect_sample
from callscope.transcription.models import Transcript
from tests.effort import take_share

pytestmark = [pytest.mark.journey, pytest.mark.one_database]
PASSWORD = "alice-password"
SECONDS = 12
MOST_HEIGHT_OF_A_QUESTION = 100  # pixels of a review, folded; unfolded it takes 250
MOST_HEIGHT_OF_A_LINE = 40  # pixels of a row; of two lines it takes 53
MOST_HEIGHT_OF_A_ROW = 34  # pixels of a line of a table with its edge
MOST_LETTERS_OF_A_LINE = 95  # of a text, where they are as wide as on average
MOST_HEIGHT_OF_A_CARD = 86  # pixels of three lines


@functools.cache
def tone() -> bytes:
    """Return a stereo recording: the agent hums in the first half, the customer in the second."""
    rate = 8000
    frames = b"".join(
        struct.pack("<hh", *((level, 0) if i < rate * SECONDS / 2 else (0, level)))
        for i in range(rate * SECONDS)
        for level in [int(9000 * math.sin(i / 6))]
    )
    buffer = io.BytesIO()
    with wave.open(buffer, "wb") as file:
        file.setnchannels(2)
        file.setsampwidth(2)
        file.setframerate(rate)
        file.writeframes(frames)
    return buffer.getvalue()


@pytest.fixture
def calls(transactional_db, alice):
    """Thirty calls of Alice's, and a view of them saved; the newest has a recording that can be heard."""
    from callscope.interfaces.web.models import SavedView

    SavedView.objects.create(user=alice, name="Lowest scores", query="ordering=score_percentage")

    project = create_project(alice, "Service line", document=CONFIGURATION)
    found = bring(
        project,
        *(
            line(
                n,
                call_datetime=f"2026-{1 + n // 15:02d}-{1 + n % 15:02d}T{n % 24:02d}:00:00+00:00",
                greeting=10 * (n % 4 > 0),
                identity=20 * (n % 5 > 0),
                agent_name=["Ana Ruiz", "Ben Okafor", "Chloé Martin"][n % 3],
                sentiment=["negative", "neutral", "positive"][n % 3],
                topic=["late fee", "outage", "moving house"][n % 3],
            )
            for n in range(1, 31)
        ),
    )
    heard = found[-1]
    peaks = [
        {"speaker": "agent", "peaks": [60] * 50 + [0] * 50},
        {"speaker": "customer", "peaks": [0] * 50 + [60] * 50},
    ]
    transcript = give_transcript(heard, waveform=peaks)
    transcript.file.duration_us = SECONDS * 1_000_000
    transcript.file.storage_key = default_storage.save("1/heard.wav", ContentFile(tone()))
    transcript.file.save()
    return found


@pytest.fixture
def site(live_server, calls):
    return live_server.url


@pytest.fixture(params=browsers.THEMES)
def theme(request):
    return request.param


def play_slowly(page):
    """Let the recording play so slowly that a busy machine sees each moment of it."""
    page.evaluate("document.querySelector('audio').playbackRate = 1 / 16")


@pytest.fixture
def visit(lending, site, alice):
    """Return a function that gives a signed-in page; what goes wrong on any of them fails the test."""

    def open_page(*, theme="light", width=1440, signed_in=True, by_form=False):
        page = lending.lend(theme=theme, width=width)
        if by_form:
            browsers.sign_in(page, site, "alice@example.com", PASSWORD)
        elif signed_in:
            browsers.give_session(page, site, alice)
        return page

    yield open_page
    assert lending.take_back() == []


# How often Tab stops on the page: what can have the focus, is shown and in no closed part.
TAB_STOPS = """
[...document.querySelectorAll("a[href], button, input, select, textarea, summary, [tabindex]")]
    .filter((each) => each.tabIndex >= 0 && !each.disabled && each.type !== "hidden")
    .filter((each) => each.checkVisibility()).length
"""

# The letters that fit on the longest line of a text that is read: of two lines or more, so none is counted
# that could not be longer.
LONGEST_LINE = """
() => Math.max(0, ...[...document.querySelectorAll("main p:not(.legend)")]
    .filter((each) => each.checkVisibility() && each.getClientRects().length)
    .map((each) => {
        const range = document.createRange()
        range.selectNodeContents(each)
        const lines = new Set([...range.getClientRects()].map((box) => Math.round(box.bottom / 8)))
        return lines.size > 1 ? each.textContent.length / lines.size : each.textContent.trim().length
    }))
"""

# The parts of the headline that are printed across another one, or out of their tile.
CROSSED = """
() => [...document.querySelectorAll(".tile")].flatMap((tile) => {
    const edge = tile.getBoundingClientRect().right + 0.5
    const range = document.createRange()
    const parts = [...tile.querySelectorAll("dd")].map((part) => {
        range.selectNodeContents(part)
        return {text: part.textContent.trim(), box: range.getBoundingClientRect()}
    }).filter(({text}) => text)
    return parts.filter(({box}, at) => box.right > edge || parts.slice(0, at).some(({box: other}) =>
        box.left + 0.5 < other.right && other.left + 0.5 < box.right &&
        box.top + 3 < other.bottom && other.top + 3 < box.bottom)).map(({text}) => text)
})
"""
# The entries of the main menu that are cut by an edge.
CUT_ENTRIES = """
() => {
    const bar = document.querySelector(".places").getBoundingClientRect()
    return [...document.querySelectorAll(".places a")].filter((entry) => {
        const box = entry.getBoundingClientRect()
        return box.left < bar.left - 0.5 || box.right > bar.right + 0.5
    }).map((entry) => entry.textContent)
}
"""


def contrast(page, selector):
    """Return the ratio between the text of an element and what is behind it, as WCAG counts it."""
    colors = page.evaluate(
        """(selector) => {
            const style = getComputedStyle(document.querySelector(selector))
            return [style.color, style.backgroundColor]
        }""",
        selector,
    )
    light = []
    for color in colors:
        parts = [int(each) / 255 for each in re.findall(r"\d+", color)[:3]]
        red, green, blue = (
            each / 12.92 if each <= 0.04045 else ((each + 0.055) / 1.055) ** 2.4 for each in parts
        )
        light.append(0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05)
    return max(light) / min(light)


def addresses(calls):
    heard, plain = calls[-1].pk, calls[0].pk
    return {
        "report": "/report/",
        **{f"report-{part}": f"/report/{part}/" for part in ("criteria", "agents", "reasons", "trend")},
        "report-window": "/report/?start_date=2026-02-01&end_date=2026-02-28",
        "report-empty": "/report/?start_date=2020-02-01&end_date=2020-02-28",
        "calls": "/calls/?project_id=",
        "calls-filtered": "/calls/?criterion=identity&found=critical&ordering=score_percentage",
        "calls-empty": "/calls/?search=zzz",
        "questions": "/questions/?project_id=",
        "call-heard": f"/calls/{heard}/",
        "call": f"/calls/{plain}/",
        "review": f"/calls/{heard}/review/",
        "call-details": f"/calls/{heard}/details/",
        "agent": f"/agents/{calls[-1].agent_id}/",
    }


class TestPages:
    def test_have_no_accessibility_violation_and_fit(self, visit, site, calls):
        page = visit(width=browsers.WIDTHS["phone"])
        shown = take_share([*addresses(calls).items()], 0, one_in=2)
        self.check(page, site, shown, without=browsers.COLOR_RULES)

    def test_have_readable_colors_and_fit_a_wide_screen(self, visit, site, calls, theme):
        page = visit(theme=theme, width=browsers.WIDTHS["wide"])
        place = 2 * browsers.THEMES.index(theme) + 1
        shown = take_share([*addresses(calls).items()], place, one_in=4)
        self.check(page, site, shown, rules=browsers.COLOR_RULES)

    @pytest.mark.slow
    def test_have_no_accessibility_violation_on_a_wide_screen(self, visit, site, calls):
        self.check(visit(width=browsers.WIDTHS["wide"]), site, addresses(calls).items())

    def check(self, page, site, shown, **options):
        for name, address in shown:
            page.goto(site + address)
            assert (browsers.overflow(page), browsers.misplaced(page)) == (0, []), name
            browsers.open_folds(page)
            assert browsers.violations(page, **options) == "", name

    @pytest.mark.parametrize("width", [390, 820, 1440, 2560])
    def test_keep_words_inside_the_margins_and_out_of_the_way_of_others(self, visit, site, calls, width):
        page = visit(width=width)
        page.context.add_cookies([{"name": "django_language", "value": "es", "url": site}])
        place = [390, 820, 1440, 2560].index(width)
        for name, address in take_share([*addresses(calls).items()], place, one_in=4):
            page.goto(site + address)
            browsers.open_folds(page)
            assert browsers.misplaced(page) == [], name

    def test_use_the_width_of_a_very_wide_screen(self, visit, site, calls):
        page = visit(width=2560)
        project, heard = calls[0].project_id, calls[0].pk
        give_transcript(calls[0], audio=False)
        for address in (
            f"/calls/{heard}/",
            f"/calls/{heard}/review/",
            f"/projects/{project}/settings/rubric/",
            f"/projects/{project}/reviews/",
            f"/projects/{project}/probes/",
            f"/projects/{project}/sampling-plans/",
            f"/projects/{project}/files/",
            f"/projects/{project}/people/",
            f"/upload/?project_id={project}",
            "/projects/",
            "/teams/",
            "/audit/",
        ):
            page.goto(site + address, wait_until="networkidle")
            edges = page.locator("main :is(.said, .tools, .section, .findings, .drop, table)").evaluate_all(
                "(all) => all.map((each) => each.getBoundingClientRect().right)"
            )
            assert max(edges) > 2300, address

    @pytest.mark.parametrize("language", ["en", "es"])
    def test_take_no_font_of_the_system_for_a_sign(self, visit, site, calls, language):
        calls[0].project.config["targets"] = {"average_score": 68}
        calls[0].project.save()
        page = visit()
        page.context.add_cookies([{"name": "django_language", "value": language, "url": site}])
        page.goto(f"{site}/account/", wait_until="networkidle")  # brings the typeface
        place = ["es", "en"].index(language)  # the list of calls is the eighth page
        for name, address in take_share([*addresses(calls).items()], place, one_in=2):
            page.goto(site + address)
            browsers.open_folds(page)
            assert browsers.find_foreign_signs(page) == [], name
            if name == "calls":
                assert page.locator(".band.near").count() and page.locator(".band.critical").count()

    @pytest.mark.parametrize("language", ["en", "es"])
    def test_keep_each_part_of_the_headline_in_its_tile(self, visit, site, language):
        page = visit()
        page.context.add_cookies([{"name": "django_language", "value": language, "url": site}])
        page.goto(f"{site}/report/")
        assert page.locator(".tile.hero .usual").is_visible()
        for width in (390, 640, 820, 1024, 1280, 1440, 1920, 2560):
            page.set_viewport_size({"width": width, "height": 900})
            assert (width, page.evaluate(CROSSED)) == (width, [])
            assert (width, browsers.overflow(page)) == (width, 0)

    def test_begin_below_the_navigation_on_a_wide_screen(self, visit, site):
        page = visit()
        page.set_viewport_size({"width": 2560, "height": 900})

        def left(address):
            page.goto(f"{site}{address}")
            return page.evaluate("document.querySelector('main h1').getBoundingClientRect().left")

        lefts = {address: left(address) for address in ("/report/", "/calls/", "/projects/", "/account/")}

        brand = page.evaluate("document.querySelector('.top .brand').getBoundingClientRect().left")
        assert lefts == dict.fromkeys(lefts, brand)

    @pytest.mark.parametrize("language", ["en", "es"])
    def test_show_every_entry_of_the_menu_with_its_number(self, visit, site, monkeypatch, alice, language):
        monkeypatch.setattr(
            page_context, "count_waiting", lambda user: Waiting(reviews=MOST, failed=MOST), raising=True
        )
        alice.email = f"{'a' * 40}@example.com"
        alice.save()
        page = visit()
        page.context.add_cookies([{"name": "django_language", "value": language, "url": site}])
        page.goto(f"{site}/report/")
        assert (page.locator(".places a").count(), page.locator(".places .badge").count()) == (6, 2)
        for scheme in browsers.THEMES:
            page.emulate_media(color_scheme=scheme)
            assert contrast(page, ".badge.bad") >= 4.5
            assert contrast(page, ".badge:not(.bad)") >= 4.5
        for width in (820, 1024, 1280, 1440):
            page.set_viewport_size({"width": width, "height": 900})
            assert (width, page.evaluate(CUT_ENTRIES), browsers.overflow(page)) == (width, [], 0)

    def test_sign_in_has_no_accessibility_violation(self, visit, site, theme):
        page = visit(theme=theme, signed_in=False)
        page.goto(f"{site}/login/")
        page.evaluate("document.querySelector('[data-menu]').open = true")

        assert browsers.violations(page) == ""

    def test_do_not_move_after_they_were_shown(self, visit, site, calls):
        page = visit()
        page.goto(f"{site}/report/")
        page.add_init_script(browsers.WATCH_SHIFTS)
        for name, address in take_share([*addresses(calls).items()], 1, one_in=2):
            page.goto(site + address, wait_until="networkidle")
            assert page.evaluate("window.shifts") == [], name

    def test_do_not_move_while_files_are_worked_on(self, visit, site, calls):
        give_transcript(calls[0])
        UploadedFile.objects.filter(pk=calls[0].newest_file_id).update(status="transcribing")
        page = visit()
        page.goto(f"{site}/report/")
        page.add_init_script(browsers.WATCH_SHIFTS)

        page.goto(f"{site}/projects/{calls[0].project_id}/files/")
        page.locator("#file-rows[hx-trigger]").wait_for()
        UploadedFile.objects.filter(pk=calls[0].newest_file_id).update(status="transcribed")
        page.locator("#file-rows:not([hx-trigger])").wait_for()

        assert page.evaluate("window.shifts") == []

    def test_are_drawn_only_when_they_are_whole(self, visit, site, calls):
        page = visit()
        report = site + addresses(calls)["report"]
        page.goto(report)  # its scripts and styles are in the cache now
        browsers.slow_down(page)
        page.add_init_script(browsers.WATCH_ARRIVAL)
        page.goto(report)
        browsers.until(page, "performance.getEntriesByName('first-paint').length")
        drawn_ms = page.evaluate("performance.getEntriesByName('first-paint')[0].startTime")
        began_ms, whole_ms = page.evaluate("[window.mainBeganMs, window.mainEndedMs]")
        assert began_ms < whole_ms
        assert drawn_ms >= whole_ms - browsers.COARSE_MS

    @pytest.mark.parametrize("name", ["calls", "call", "report"])
    def test_are_not_laid_out_by_scripts_before_they_are_drawn(self, visit, site, calls, name):
        page = visit()
        page.add_init_script(browsers.WATCH_EARLY_LAYOUT)
        page.goto(site + addresses(calls)[name])
        browsers.until(page, "window.isDrawn")

        assert page.evaluate("window.askedEarly") == []
        assert page.locator("#tip").count() == 0  # comes with the first definition
        browsers.until(page, "!document.querySelector('[data-list-arrows]') || window.askedLate > 0")

    def test_weigh_at_most_100_kb_in_12_requests(self, visit, site, calls):
        page = visit()
        session = page.context.new_cdp_session(page)
        received, addresses = [], set()
        session.send("Network.enable")
        session.send("Network.setCacheDisabled", {"cacheDisabled": True})
        session.on("Network.loadingFinished", lambda event: received.append(event["encodedDataLength"]))
        page.on("request", lambda request: addresses.add(request.url))

        page.goto(f"{site}/report/", wait_until="networkidle")

        fetched = [
            address
            for address in addresses
            if address.startswith("http")  # not what the page contains
            and not address.endswith("/mark.svg")  # a browser with windows fetches it for its tab
        ]
        assert 10_000 < sum(received) < 100_000
        assert 3 < len(fetched) <= 12


class TestJourney:
    def test_from_sign_in_to_a_quote_that_plays(self, visit, site, calls):
        page = visit(by_form=True)
        assert page.title() == "Report · Callscope"

        page.click("a:text-is('All time')")
        page.wait_for_selector("a[aria-current]:text-is('All time')")  # the tabs lead to the same days then
        page.click(".tabs a:has-text('Agents')")
        page.click(
            "section[aria-labelledby=agents-title] tr:has(a.name:has-text('Ana Ruiz')) td a.figure >> nth=0"
        )
        page.wait_for_url(lambda url: "/calls/?" in url and "agent=" in url)
        page.click(f"a.name:has-text('{calls[-1].file_name}')")
        page.wait_for_selector("[data-player]")
        play_slowly(page)
        page.check("[data-open-all]")
        page.click("button.quote >> nth=0")
        browsers.until(page, "document.querySelector('audio').currentTime > 3.02")

        assert page.evaluate("document.querySelector('audio').currentTime") < SECONDS
        assert page.locator("li.now").inner_text().startswith("Agent")
        page.evaluate("document.activeElement.blur()")  # Space on the quote would play it again
        page.keyboard.press("Space")
        browsers.until(page, "document.querySelector('audio').paused")
        assert not page.evaluate("document.querySelector('audio').ended")

    def test_the_report_is_taken_away_as_pdf_and_csv(self, visit, site):
        page = visit()
        page.goto(f"{site}/report/")

        with page.expect_download() as paper:
            page.click(".actions a:has-text('PDF')")
        page.click(".actions summary")
        with page.expect_download() as table:
            page.click("text=Scorecard >> nth=0")

        assert Path(paper.value.path()).read_bytes().startswith(b"%PDF")
        assert Path(table.value.path()).read_text().startswith("\ufeffcriterion_id")

    def test_a_sentence_plays_from_where_it_was_said(self, visit, site, calls):
        page = visit()
        page.goto(f"{site}/calls/{calls[-1].pk}/")
        play_slowly(page)
        heard = "document.querySelector('audio').currentTime"

        page.click("li[data-start='3'] p")

        browsers.until(page, f"{heard} >= 3 && {heard} < 7.9")
        page.keyboard.press("ArrowRight")
        browsers.until(page, f"{heard} > 7.9")
        page.focus("[data-play]")
        page.keyboard.press("Enter")
        browsers.until(page, "document.querySelector('audio').paused")
        page.focus("[data-position]")
        page.keyboard.press("ArrowLeft")
        browsers.until(page, f"{heard} < 7.9")

    @pytest.mark.parametrize(("language", "marks"), [("es", '"«" "»" "“" "”"'), ("en", '"“" "”" "‘" "’"')])
    def test_quotes_are_marked_as_in_the_language_of_the_page(self, visit, site, calls, language, marks):
        page = visit()
        page.context.add_cookies([{"name": "django_language", "value": language, "url": site}])
        quoted = "getComputedStyle(document.body.appendChild(document.createElement('q'))).quotes"

        for address in ("/appeals/", f"/calls/{calls[-1].pk}/", "/questions/"):
            page.goto(f"{site}{address}")
            assert page.evaluate(quoted) == marks

    def test_an_address_that_is_edited_on_the_open_page_moves_there(self, visit, site, calls):
        page = visit()
        page.goto(f"{site}/calls/{calls[-1].pk}/#t=7.4")
        browsers.until(page, "document.querySelector('audio').currentTime === 7.4")

        page.evaluate("location.hash = '#t=0.5'")

        browsers.until(page, "document.querySelector('audio').currentTime === 0.5")
        browsers.until(page, "document.querySelector('.segments .shown').dataset.start === '0.5'")

    def test_a_call_without_results_has_a_wide_transcript_with_the_rest_next_to_it(
        self, visit, site, calls, alice
    ):
        collect_sample(calls[-1].project, [calls[-1].pk], alice)
        place = "(each) => document.querySelector(each).getBoundingClientRect()"
        page = visit()
        page.goto(f"{site}/calls/{calls[-1].pk}/")

        said, talk = (page.evaluate(place, each) for each in (".said", ".findings.others"))

        assert page.locator("text=Its results are hidden").is_visible()
        assert said["x"] < talk["x"] and said["width"] > 1.5 * talk["width"]
        assert abs(said["y"] - talk["y"]) < 2
        page.set_viewport_size({"width": browsers.WIDTHS["phone"], "height": 900})
        said, talk = (page.evaluate(place, each) for each in (".said", ".findings.others"))
        assert (said["x"], talk["y"] >= said["bottom"]) == (talk["x"], True)
        assert browsers.overflow(page) == 0

    def test_a_note_takes_the_time_of_the_player(self, visit, site, calls):
        page = visit()
        page.goto(f"{site}/calls/{calls[-1].pk}/#t=7.4")
        browsers.until(page, "document.querySelector('audio').currentTime === 7.4")
        page.click("summary:has-text('Write a note')")
        page.focus("[data-take-time]")
        page.keyboard.press("Enter")
        assert page.evaluate("[document.activeElement.id, document.activeElement.value]") == [
            "note-at",
            "0:07",
        ]

        page.fill("#note-text", "Slower here")
        page.click("text=Save note")

        page.click("button.quote:has-text('0:07')")
        browsers.until(page, "document.querySelector('audio').currentTime >= 7")

    def test_without_a_recording_a_quote_is_shown_in_the_transcript(self, visit, site, calls):
        give_transcript(calls[0], audio=False)
        page = visit()
        page.goto(f"{site}/calls/{calls[0].pk}/")

        page.keyboard.press("Escape")
        page.check("[data-open-all]")
        if page.locator("button.quote").count():
            page.click("button.quote >> nth=0")
            page.wait_for_selector("li.shown")

    def test_words_of_a_search_are_found_in_the_transcript_until_others_are_typed(self, visit, site, calls):
        Transcript.objects.update(language="en")
        page = visit()
        found = "[...CSS.highlights.get('found-words')].map(String).join()"

        page.goto(f"{site}/calls/{calls[-1].pk}/?transcript=mornings")
        browsers.until(page, f"{found} === 'morning'")  # another form of the word
        assert page.inner_text("[data-found]") == "1 of 1"

        page.fill("#find-said", "hel")
        browsers.until(page, f"{found} === 'Hel'")

        page.fill("#find-said", "mornings")
        browsers.until(page, f"{found} === 'morning'")

    def test_a_criterion_unfolds_its_evidence_by_keyboard(self, visit, site, calls):
        page = visit(width=browsers.WIDTHS["phone"])
        page.goto(f"{site}/calls/{calls[-1].pk}/")
        quotes = page.locator(".card button.quote")
        assert quotes.count()
        assert not quotes.first.is_visible()

        page.focus(".card .fold > summary >> nth=0")
        page.keyboard.press("Enter")
        assert quotes.first.is_visible()

        page.keyboard.press("Enter")
        page.emulate_media(media="print")
        assert quotes.first.is_visible(), "paper shows all evidence"

    def test_arrows_move_between_the_criteria_of_a_call(self, visit, site, calls):
        page = visit()
        page.goto(f"{site}/calls/{calls[-1].pk}/", wait_until="networkidle")
        folds = page.locator(".card .fold > summary")
        assert page.locator(".card .fold > summary[tabindex='0']").count() == 1

        page.focus(".card .fold > summary >> nth=0")
        page.keyboard.press("End")

        last = folds.nth(folds.count() - 1).inner_text()
        assert page.evaluate("document.activeElement.innerText") == last

    def test_the_window_is_chosen_without_leaving_the_page(self, visit, site):
        page = visit()
        page.goto(f"{site}/report/")

        page.fill("#f-from", "2026-02-01")
        page.fill("#f-to", "2026-02-28")
        page.click(".dates button")
        page.wait_for_url(re.compile(r"/report/\?.*start_date=2026-02-01&end_date=2026-02-28$"))

        page.wait_for_selector("li:has-text('Compared with Jan 4, 2026')")
        page.go_back()
        page.wait_for_selector(".tile .value a:text-is('30')")

        assert "start_date" not in page.url

    def test_search_follows_the_typing_and_stands_in_the_address(self, visit, site):
        page = visit()
        page.goto(f"{site}/calls/?project_id=")

        page.keyboard.press("/")
        page.keyboard.type("outage", delay=20)
        page.wait_for_url("**/calls/?search=outage")

        browsers.until(page, "document.querySelectorAll('tbody tr').length === 10")
        browsers.until(page, "document.activeElement.id === 'f-search'")
        assert page.input_value("#f-search") == "outage"

    def test_long_lists_of_filters_come_after_the_page_and_filter_as_ever(self, visit, site):
        page = visit()
        page.goto(f"{site}/calls/?project_id=")
        browsers.until(page, "document.querySelectorAll('#f-agent option').length > 2")
        [agent] = page.locator("#f-agent option").all()[2:3]
        name = agent.inner_text()

        page.focus("#f-agent")
        page.keyboard.type(name)
        page.keyboard.press("Enter")
        page.wait_for_url("**/calls/?agent=*")

        browsers.until(page, "document.activeElement.id === 'f-agent'")
        chosen = "document.querySelector('#f-agent').selectedOptions[0].text"
        assert page.evaluate(chosen) == name
        page.reload()
        assert page.evaluate(chosen) == name

    def test_the_list_says_what_its_columns_leave_out_below_a_call(self, visit, site, calls):
        page = visit()
        page.goto(f"{site}/calls/?project_id=")
        for width in (640, 820, 1024, 1152, 1280, 1440, 2560):
            page.set_viewport_size({"width": width, "height": 900})
            for name, column in (("topic", "topic"), ("goal", "goal")):
                row = page.locator(f"table.calls tbody tr:has(.b-{name})").first
                shown = [row.locator(each).first.is_visible() for each in (f".b-{name}", f"td.c-{column}")]
                assert (width, name, sum(shown)) == (width, name, 1)
                assert row.bounding_box(timeout=9000)["height"] < 2 * MOST_HEIGHT_OF_A_LINE

    def test_the_transcript_shows_that_more_follows_until_its_end(self, visit, site, calls):
        give_transcript(calls[0], audio=False)
        page = visit()
        page.goto(f"{site}/calls/{calls[0].pk}/")
        fade = "getComputedStyle(document.querySelector('.segments'), '::after').opacity"
        page.evaluate("document.querySelector('.segments').style.setProperty('max-block-size', '4rem')")
        browsers.until(page, f"{fade} === '1'")

        page.locator(".segments").evaluate("(box) => box.scrollTo(0, box.scrollHeight)")
        browsers.until(page, f"{fade} === '0'")

        page.emulate_media(media="print")
        assert page.evaluate(fade.replace("opacity", "content")) == "none"

    def test_a_row_that_is_selected_and_in_focus_has_one_color(self, visit, site):
        page = visit()
        page.goto(f"{site}/calls/?project_id=", wait_until="networkidle")
        page.keyboard.press("j")
        page.keyboard.press("x")
        row = page.locator("tr.at:has([name=call]:checked)")

        colors = row.locator("> *").evaluate_all(
            "(all) => all.map((c) => getComputedStyle(c).backgroundColor)"
        )
        edge = row.locator("> :last-child").evaluate("(cell) => getComputedStyle(cell).boxShadow")

        assert len(set(colors)) == 1
        assert edge == "none"  # no color sticks out of the table

    @pytest.mark.parametrize("language", ["en", "es"])
    def test_an_agent_of_the_report_has_one_line_where_there_is_room(self, visit, site, language):
        page = visit()
        page.context.add_cookies([{"name": "django_language", "value": language, "url": site}])
        page.goto(f"{site}/report/agents/?project_id=&start_date=2026-01-09&end_date=2026-01-15")
        for width in (820, 1024, 1440, 1900, 2560):
            page.set_viewport_size({"width": width, "height": 900})
            rows = page.locator(".agents-table tbody tr").all()
            heights = [row.bounding_box()["height"] for row in rows]
            assert len(heights) == 4
            lines = 1 if width > 820 else 2  # figures on one line would touch each other
            assert (width, max(heights) <= lines * MOST_HEIGHT_OF_A_ROW) == (width, True)
            table, frame = (page.locator(each).bounding_box() for each in (".agents-table", ".agents-frame"))
            assert (width, table["width"] <= frame["width"]) == (width, True)
            for each in page.locator(".agents-table tbody tr:last-child td:has(.interval)").all():
                place = each.evaluate("(cell) => cell.cellIndex + 1")
                head = page.locator(f".agents-table th:nth-child({place}) a").bounding_box()
                figure = each.locator("> :is(.figure, .gap)").bounding_box()
                is_below = head["x"] < figure["x"] + figure["width"] <= head["x"] + head["width"] + 1
                assert (width, place, is_below) == (width, place, True)
        shown = page.locator(".agents-table tbody td:has(> .delta)").first.inner_text()
        assert re.search(r"\(\d+", shown)  # the calls are in words, too, for who is read the page

    @pytest.mark.parametrize("language", ["en", "es"])
    def test_a_phone_has_the_change_of_an_agent_in_signs_on_one_line(self, visit, site, language):
        page = visit(width=390)
        page.context.add_cookies([{"name": "django_language", "value": language, "url": site}])
        page.goto(f"{site}/report/agents/?project_id=&start_date=2026-01-09&end_date=2026-01-15")

        changes = page.locator(".agents-table tbody td:has(> .delta)").all()
        heights = [each.bounding_box()["height"] for each in changes]
        one_line = page.locator(".agents-table tbody td:not(:has(> .delta))").first.bounding_box()["height"]
        signs = (
            changes[0]
            .locator(".behind")
            .evaluate_all(
                "(all) => all.map((each) => getComputedStyle(each, '::after').content.split('\"')[1])"
            )
        )
        sizes = (
            changes[0]
            .locator(".behind")
            .evaluate_all("(all) => all.map((each) => getComputedStyle(each).fontSize)")
        )

        assert max(heights) < 1.5 * one_line
        assert re.fullmatch(r"n \d+ → \d+", signs[0])
        assert set(sizes) == {"0px"}
        assert re.search(r"\(\d+", changes[0].inner_text())  # in words for who is read the page

    @pytest.mark.parametrize(
        ("width", "table", "name"), [(820, ".scorecard", "Greets"), (390, ".findings", "rude")]
    )
    def test_narrow_rows_have_what_is_behind_a_change_in_signs_below_it(
        self, visit, site, calls, width, table, name
    ):
        rude = {"mistakes": [{"id": "rude", "description": "Is rude", "quote": ""}], "missing_prompts": []}
        for day in (5, 12):
            moment = f"2026-01-{day:02d}T10:00:00+00:00"
            bring(calls[0].project, line(day, file_name=f"{day}.wav", call_datetime=moment, no_protocol=rude))
        page = visit(width=width)
        page.context.add_cookies([{"name": "django_language", "value": "es", "url": site}])
        page.goto(f"{site}/report/criteria/?project_id=&start_date=2026-01-09&end_date=2026-01-15")
        row = page.locator(f"{table} tbody tr", has=page.locator(f"th:has-text('{name}')"))
        change = row.locator("td.change")

        said = change.locator(".behind").first
        sign = said.evaluate("(each) => each.textContent + getComputedStyle(each, '::after').content")

        assert re.search(r"n \d+ → \d+", sign)
        assert "llamadas" in change.inner_text()  # in words for who is read the page
        assert row.bounding_box()["height"] < 2.8 * 20  # two lines and what is around them
        assert browsers.overflow(page) == 0

    def test_a_tablet_has_the_dots_of_the_scorecard_or_all_counts(self, visit, site):
        page = visit(width=820)
        page.goto(f"{site}/report/criteria/?project_id=&start_date=2026-01-09&end_date=2026-01-15")

        def shown(part):
            return page.locator(f".scorecard.compared {part}").first.is_visible()

        assert (shown(".dots"), shown("td:nth-child(7)"), shown("td:nth-child(8)")) == (True, False, False)

        page.check("[data-all-figures]")

        assert (shown(".dots"), shown("td:nth-child(7)"), shown("td:nth-child(8)")) == (False, True, True)

    @pytest.mark.parametrize(
        ("address", "table", "most"),
        [
            ("/report/reasons/?project_id=", ".courses", 1220),
            ("/report/criteria/?project_id=", ".findings", 1090),
            ("/reviews/", "#projects-title ~ table", 640),
        ],
    )
    def test_few_columns_do_not_part_a_figure_from_its_name(self, visit, site, calls, address, table, most):
        rude = {"mistakes": [{"id": "rude", "description": "Is rude", "quote": ""}], "missing_prompts": []}
        bring(calls[0].project, line(31, file_name="rude.wav", no_protocol=rude))
        create_project(calls[0].project.owner, "Another line", document=CONFIGURATION)
        page = visit()
        for width in (1440, 2560):
            page.set_viewport_size({"width": width, "height": 900})
            page.goto(f"{site}{address}")
            assert page.locator(table).first.bounding_box()["width"] <= most

    def test_the_scale_of_the_bars_ends_ahead_of_the_next_head(self, visit, site):
        page = visit()
        page.goto(f"{site}/report/reasons/?project_id=")
        ends = page.locator(".courses .dots-axis > :last-child").bounding_box()
        starts = page.locator(".courses thead th").last.bounding_box()

        # Within its cell, so that the space of both cells is between it and the words of the next one.
        assert ends["x"] + ends["width"] <= starts["x"] - 7

    def test_a_question_without_answers_shows_no_lone_dash_on_a_phone(self, visit, site, calls):
        unanswered = {"answers": {"Was a competitor named?": {"answer": "Not determined", "quotes": []}}}
        unanswered["answers"]["Why?"] = {"answer": "A bill", "quotes": []}  # without any, there is no column
        project = create_project(calls[0].project.owner, "Another line", document=CONFIGURATION)
        bring(project, line(1, custom_questions=unanswered))
        page = visit()
        page.goto(f"{site}/questions/?project_id={project.pk}")
        dash = page.locator(".tallies td.wide .gap")
        assert dash.is_visible()  # in a table it stands below the head of its column

        page.set_viewport_size({"width": browsers.WIDTHS["phone"], "height": 900})

        assert not dash.is_visible()

    def test_the_box_of_a_call_is_level_with_its_name(self, visit, site, calls):
        bring(calls[0].project, line(31, file_name="untimed.wav", call_datetime=None))
        page = visit()
        page.goto(f"{site}/calls/?project_id=")

        for row in (page.locator("tr", has_text="upload time"), page.locator(".calls tbody tr").last):
            box, name = row.locator("input").bounding_box(), row.locator("a.name").bounding_box()
            middles = [each["y"] + each["height"] / 2 for each in (box, name)]
            assert abs(middles[0] - middles[1]) <= 2

    def test_cards_of_a_phone_begin_apart_from_what_stands_above_them(self, visit, site, calls):
        page = visit(width=browsers.WIDTHS["phone"])
        for address, above in (
            ("/calls/?project_id=", ".above-rows"),
            (f"/projects/{calls[0].project_id}/files/", ".above-rows"),
        ):
            page.goto(f"{site}{address}")
            upper = page.locator(above).bounding_box()
            name = page.locator(f"{above} ~ * tbody a.name, {above} ~ table a.name").first.bounding_box()
            assert name["y"] - upper["y"] - upper["height"] >= 12, address

    def test_a_map_fades_at_its_end_until_it_was_scrolled_there(self, visit, site):
        page = visit(width=browsers.WIDTHS["phone"])
        page.goto(f"{site}/report/trend/?project_id=")
        frame = page.locator(".map-frame").first
        fade = "getComputedStyle(document.querySelector('.map-frame')).getPropertyValue('--more-follows')"
        browsers.until(page, f"{fade} === '1'")

        frame.evaluate("(frame) => { frame.scrollLeft = frame.scrollWidth }")
        browsers.until(page, f"{fade} === '0'")

        page.set_viewport_size({"width": browsers.WIDTHS["wide"], "height": 900})
        browsers.until(page, f"{fade} === '0'")  # all of it is shown

    def test_a_wrong_number_of_a_weekly_draw_marks_no_unit(self, visit, site, calls):
        page = visit()
        page.goto(f"{site}/projects/{calls[0].project_id}/sampling-plans/")
        wrong = page.locator("[name=amount]")
        # As it comes back with a fault; the refusal itself is an error in the console of the browser.
        wrong.evaluate("each => { each.ariaInvalid = 'true'; each.closest('.field').classList.add('wrong') }")

        color = "each => getComputedStyle(each).borderTopColor"
        assert page.locator("[name=unit]").evaluate(color) != wrong.evaluate(color)
        assert page.locator("[name=unit]").evaluate(color) == page.locator("[name=due_days]").evaluate(color)

    @pytest.mark.parametrize("form", ["samples", "sampling-plans"])
    def test_filters_of_a_draw_stand_in_columns_above_its_button(self, visit, site, calls, form):
        page = visit()
        page.goto(f"{site}/projects/{calls[0].project_id}/{form}/")
        page.locator("main summary").first.click()

        for width, least in ((1440, 3), (820, 2)):
            page.set_viewport_size({"width": width, "height": 900})
            boxes = {
                name: page.locator(f"main form [name={name}]").bounding_box()
                for name in ("agent", "sentiment", "min_score", "max_score", "max_length", "reviewer")
                if page.locator(f"main form [name={name}]").count() == 1
            }
            row = page.locator(".draw-filters").evaluate(
                """(all) => new Set([...all.children].filter((each) =>
                    each.offsetTop === all.firstElementChild.offsetTop)).size"""
            )
            button = page.locator("main form .button.primary").bounding_box()
            assert row >= least, width
            assert boxes["min_score"]["y"] == boxes["max_score"]["y"]
            assert button["y"] > max(box["y"] for box in boxes.values())
            assert button["x"] == boxes["agent"]["x"]
            assert page.evaluate("document.documentElement.scrollWidth") <= width

    def test_a_probe_is_stopped_after_a_question_that_outlives_its_refresh(self, visit, site, calls):
        project = calls[0].project
        give_transcript(calls[0], audio=False)
        probe = request_probe(project, plan_steadiness(project), by=project.owner)
        url = f"{site}/projects/{project.pk}/probes/{probe.pk}/"
        page = visit()
        page.goto(url)
        page.click("main button:has-text('Stop')")
        with page.expect_response(url):  # the page asks how far it is
            pass

        page.click("#confirm button[value=yes]")

        page.locator("main .notice:has-text('Stopped after 0 of')").wait_for()
        assert page.locator(".probe-stop").count() == 0

    def test_a_fold_brings_what_a_copy_changed(self, visit, site, calls):
        project, call = calls[0].project, calls[0]
        give_transcript(call, audio=False)
        answers = {"score": 50.0, "has_critical_error": False, "criteria": {"greeting": "met"}, "times": {}}
        after = {**answers, "criteria": {"greeting": "not_met"}}
        moved = {"call_id": call.pk, "group": "repeat", "criterion_id": "greeting", "before": "met",
                 "after": "not_met", "score_before": 50.0, "score_after": 50.0}  # fmt: skip
        probe = Probe.objects.create(
            kind="fairness", project=project, config=project.config, config_version=1,
            variants=["original", "repeat"], estimate={"calls": 1}, completed_at=timezone.now(),
            outcome={"calls": 1, "groups": [], "moved": [moved]},
        )  # fmt: skip
        for variant, found in (("original", answers), ("repeat", after)):
            judgment = {"answers": found, "is_same": False}
            probe.judged.create(call=call, variant=variant, judgment=judgment)
        page = visit()
        page.goto(f"{site}/projects/{project.pk}/probes/{probe.pk}/")

        page.click("summary:has-text('What was changed')")

        page.locator(".copy-change:has-text('No word differs')").wait_for()
        assert page.locator(".copy-lines tbody th").all_inner_texts() == ["Greets"]

    def test_each_figure_of_a_probe_has_its_label_on_a_phone(self, visit, site, calls):
        page = visit(width=browsers.WIDTHS["phone"])
        page.goto(f"{site}/projects/{calls[0].project_id}/probes/")
        labels = page.evaluate(  # a row as in projects/probe_row.html; measuring one takes many judgments
            """() => {
                const cells = ["Calls", "Changed calls", "Share", "95 % interval"].map((label) =>
                    `<td class="n${label.includes("interval") ? " range" : ""}" data-label="${label}">5`);
                const row = `<tr><th scope="row">Greets</th>${cells.join("")}</tr>`;
                const table = `<table class="cards probe-figures"><tbody>${row}</tbody></table>`;
                document.querySelector("main").insertAdjacentHTML("beforeend", table);
                return [...document.querySelectorAll(".probe-figures td")].map((cell) =>
                    getComputedStyle(cell, "::before").content.replaceAll('"', ""));
            }"""
        )

        assert labels == ["Calls", "Changed calls", "Share", "95 % interval"]

    def test_a_replay_shows_the_calls_below_the_scores_they_change(self, visit, site, calls):
        before = {"score": 50.0, "has_critical_error": False, "criteria": {"greeting": "met"}}
        replay = Replay.objects.create(
            project=calls[0].project,
            config=calls[0].project.config,
            config_version=calls[0].project.config_version,
            completed_at=timezone.now(),
            outcome=compare_answers(
                [(call.pk, {"before": before, "after": {**before, "score": 70.0}}) for call in calls]
            ),
        )
        page = visit()
        page.goto(f"{site}/projects/{calls[0].project_id}/replays/{replay.pk}/")
        scores = page.locator("table", has_text="Average score")
        moved = page.locator("section:has(> h2:text('Calls that change most'))")

        for width in (1440, 1024):
            page.set_viewport_size({"width": width, "height": 900})
            above, below = scores.bounding_box(), moved.bounding_box()
            assert below["y"] > above["y"] + above["height"]
            assert below["width"] > above["width"]

    @pytest.mark.parametrize("width", [browsers.WIDTHS["phone"], 820, 1440])
    @pytest.mark.parametrize(
        ("address", "button"),
        [("/calls/{call}/review/", "[value=submit]"), ("/projects/{project}/settings/rubric/", ".save-bar")],
    )
    def test_a_message_covers_no_button_that_ends_a_form(self, visit, site, calls, width, address, button):
        page = visit(width=width)
        page.goto(site + address.format(call=calls[0].pk, project=calls[0].project_id))
        page.evaluate(
            "document.getElementById('toasts').append("
            "document.getElementById('toast-template').content.cloneNode(true))"
        )
        toast, buttons = page.locator(".toast"), page.locator(f"{button} >> visible=true").first

        for end in (0, 1_000_000):  # the buttons stay at the lower edge, and come to rest at the end
            page.evaluate("(end) => scrollTo(0, end)", end)
            page.wait_for_timeout(100)
            said, below = toast.bounding_box(), buttons.bounding_box()
            assert said["y"] + said["height"] <= below["y"], (end, said, below)

    def test_lines_of_text_are_short_on_wide_screens(self, visit, site, calls):
        page = visit(width=2560)
        project = calls[0].project_id
        for address in ("/report/", "/report/agents/", "/report/reasons/", f"/projects/{project}/reasons/"):
            page.goto(f"{site}{address}?project_id={project}")
            letters = page.evaluate(LONGEST_LINE)
            assert (address, letters <= MOST_LETTERS_OF_A_LINE) == (address, True), letters

    @pytest.mark.parametrize("width", [browsers.WIDTHS["phone"], 820, 1200])
    def test_filters_give_way_to_calls_until_they_are_asked_for(self, visit, site, width):
        page = visit(width=width)
        page.goto(f"{site}/calls/?search=call")
        search, chips = page.locator("#f-search"), page.locator(".chips a")
        assert (search.is_visible(), chips.first.is_visible()) == (False, True)
        assert "All projects · All time · 1 active" in page.locator(".filters-shown").inner_text()

        page.keyboard.press("/")
        assert (page.is_checked("#f-shown"), page.evaluate("document.activeElement.id")) == (True, "f-search")
        page.select_option("#f-sentiment", "positive")
        page.wait_for_url("**sentiment=positive**")

        browsers.until(page, "document.querySelector('#f-sentiment').value === 'positive'")
        assert search.is_visible()

    @pytest.mark.parametrize("width", [640, 820, 1024, 1180, 1280, 1440])
    def test_the_list_of_calls_cuts_no_name_and_no_reason(self, visit, site, width):
        page = visit(width=width)
        page.goto(f"{site}/calls/?project_id=")
        page.evaluate(
            """() => {
                const write = (selector, words) => document.querySelectorAll(selector)
                    .forEach((each) => { each.textContent = words; });
                write(".calls a.name", "0138-outage-credit-small-business.vtt");
                write(":is(.c-topic, .b-topic)", "Technician appointments of small businesses");
            }"""
        )

        cut = page.evaluate(
            """() => [...document.querySelectorAll(".calls tbody :is(a.name, .c-topic, .b-topic, .c-when)")]
                .filter((each) => each.checkVisibility())
                .filter((each) => {
                    const cell = each.closest("td, th"), words = document.createRange();
                    words.selectNodeContents(each);
                    const end = each.className === "b-topic" ? document.body : cell;
                    return words.getBoundingClientRect().right > end.getBoundingClientRect().right + 1;
                })
                .map((each) => each.textContent)"""
        )
        assert cut == []

    def test_a_reason_shows_its_course_on_a_phone(self, visit, site):
        page = visit(width=browsers.WIDTHS["phone"])
        page.goto(f"{site}/report/reasons/?start_date=2026-02-01&end_date=2026-02-28")

        row = page.locator(".courses tbody tr").first

        assert row.locator(".spark").is_visible()
        assert row.bounding_box()["height"] < MOST_HEIGHT_OF_A_CARD

    def test_the_list_is_walked_by_keyboard(self, visit, site):
        page = visit()
        page.goto(f"{site}/calls/?project_id=")
        names = page.locator("tbody a.name").all_inner_texts()

        for key in "jjk":
            page.keyboard.press(key)
        assert page.evaluate("document.activeElement.textContent") == names[0]
        page.keyboard.press("j")
        page.keyboard.press("Enter")
        page.wait_for_url("**/calls/*/")
        page.wait_for_selector(f"h1:text-is('{names[1]}')")
        page.keyboard.press("j")
        page.wait_for_selector(f"h1:text-is('{names[2]}')")

    def test_single_keys_lead_to_places_parts_and_sections(self, visit, site, calls):
        page = visit()
        page.goto(f"{site}/report/")
        page.keyboard.press("3")
        page.wait_for_url("**/report/agents/*")
        for key in "gc":
            page.keyboard.press(key)
        page.wait_for_url("**/calls/*")
        page.goto(f"{site}/calls/{calls[-1].pk}/")
        focused = "document.activeElement.textContent.trim()"

        page.keyboard.press("s")
        assert page.evaluate(focused) == page.locator("h1").inner_text()
        page.keyboard.press("s")
        assert page.evaluate(focused) == "Scorecard"
        page.keyboard.press("S")
        assert page.evaluate(focused) == page.locator("h1").inner_text()
        page.keyboard.press("w")
        page.keyboard.type("g s ? 3")  # in a field they are letters
        assert page.evaluate("document.activeElement.value").endswith("g s ? 3")

    def test_a_list_of_the_keys_comes_by_a_key_and_by_the_menu(self, visit, site):
        page = visit(width=browsers.WIDTHS["phone"])
        page.goto(f"{site}/calls/?project_id=")
        keys = page.locator("#shortcuts[open]")

        page.keyboard.press("?")
        assert "next and previous row" in keys.inner_text()
        assert (browsers.violations(page), browsers.overflow(page)) == ("", 0)
        page.keyboard.press("Escape")
        assert keys.count() == 0

        page.goto(f"{site}/account/")
        page.click("main form[action*='shortcuts'] button:text-is('Off')")
        page.keyboard.press("?")
        assert keys.count() == 0
        page.click("header [data-menu] summary")
        page.click("[data-shortcuts]")
        assert keys.count() == 1

    def test_a_view_is_saved_by_typing_and_no_key_acts_behind_a_menu(self, visit, site):
        page = visit()
        page.goto(f"{site}/calls/?project_id=&sentiment=neutral")
        here = page.url
        page.click("summary:has-text('Save this view')")
        page.wait_for_function("document.activeElement.id === 'view-name'")
        page.keyboard.type("jng c")
        assert page.input_value("#view-name") == "jng c"

        page.evaluate("document.querySelector('[data-menu][open] summary').focus()")
        for key in ("j", "x", "g", "r", "?", "/"):
            page.keyboard.press(key)
        assert page.url == here
        assert page.locator("tr.at, dialog[open], [data-rows] :checked").count() == 0
        assert page.evaluate("document.activeElement.tagName") == "SUMMARY"

        page.click("#view-name")
        page.keyboard.press("Enter")
        page.wait_for_selector("text=The view was saved.")
        assert page.locator(".views a:has-text('jng c')").count() == 1

    def test_a_score_that_is_none_is_refused_in_words(self, visit, site):
        page = visit()
        page.goto(f"{site}/calls/?project_id=")
        page.fill("#f-min", "150")
        page.keyboard.press("Tab")

        page.wait_for_selector("[role=alert]:has-text('This filter cannot be used')")
        assert page.input_value("#f-min") == "150"

    def test_pages_turn_by_keyboard(self, visit, site):
        page = visit()
        page.goto(f"{site}/calls/?project_id=")

        page.keyboard.press("n")
        page.wait_for_url("**/calls/?page=2")

        browsers.until(page, "document.querySelectorAll('tbody tr').length === 5")

    def test_arrows_move_in_tables_that_are_one_tab_stop(self, visit, site):
        page = visit()
        for part in ("criteria", "agents"):
            asked = []
            page.on("request", lambda request, asked=asked: asked.append(request.url))
            page.goto(f"{site}/report/{part}/?project_id=", wait_until="networkidle")

            assert page.evaluate(TAB_STOPS) <= 40
            assert len(asked) <= 12, asked
            page.focus("table[data-arrows] [tabindex='0']")
            places = [page.evaluate("document.activeElement.closest('tr').rowIndex")]
            for key in ("ArrowDown", "ArrowDown", "ArrowUp"):
                page.keyboard.press(key)
                places.append(page.evaluate("document.activeElement.closest('tr').rowIndex"))
            assert places[0] < places[1] < places[2] > places[3] == places[1]
            page.keyboard.press("Tab")
            first = "document.querySelector('table[data-arrows]')"
            assert not page.evaluate(f"{first}.contains(document.activeElement)")

    def test_arrows_pass_criteria_that_are_hidden(self, visit, site, calls):
        judged = line(28, identity=10, file_name="judged.wav")
        judged["copc"]["criterion_scores"][1]["justification"] = "The caller was not asked."
        [call] = bring(calls[0].project, judged)
        page = visit()
        page.goto(f"{site}/calls/{call.pk}/", wait_until="networkidle")
        stops = "[...document.querySelectorAll('.card .fold > summary')]"
        shown = f"{stops}.filter((each) => each.checkVisibility())"
        everything = page.evaluate(f"{shown}.length")

        page.check("[data-only-failed]")

        assert (everything, page.evaluate(f"{shown}.length")) == (2, 1)
        assert page.evaluate(f"{shown}.filter((each) => each.tabIndex === 0).length") == 1
        page.focus(".card .fold > summary[tabindex='0']")
        for key in ("ArrowUp", "End", "Home"):
            page.keyboard.press(key)
            assert page.evaluate(f"{shown}.includes(document.activeElement)"), key
        page.uncheck("[data-only-failed]")
        assert page.evaluate(f"{stops}.filter((each) => each.tabIndex === 0).length") == 1

    def test_what_a_week_says_leaves_room_for_the_legend_on_a_tablet(self, visit, site):
        page = visit(width=820)
        page.goto(f"{site}/report/trend/?project_id=", wait_until="networkidle")

        said, legend = (
            page.locator(f".wide-trend {each}").bounding_box() for each in (".latest", "figcaption")
        )

        assert said["y"] + said["height"] <= legend["y"]

    def test_calls_are_printed_with_their_scores_on_the_sheet(self, visit, site):
        page = visit(width=680)  # of a sheet without its margins
        page.goto(f"{site}/calls/?project_id=", wait_until="networkidle")
        page.emulate_media(media="print")

        table = page.locator("table.calls").bounding_box()
        score = page.locator("tbody td.c-score >> nth=0").bounding_box()

        assert score["x"] + score["width"] <= table["x"] + table["width"] <= 680

    def test_the_map_of_agents_is_printed_with_all_of_its_criteria(self, visit, site):
        page = visit()
        page.goto(f"{site}/report/agents/?project_id=", wait_until="networkidle")
        page.evaluate(  # the map of a rubric with more criteria than the project has
            """() => document.querySelectorAll(".map tr").forEach((row) => {
                for (let i = 0; i < 30; i++) row.append(row.lastElementChild.cloneNode(true));
                if (row.matches("tbody tr")) row.lastElementChild.textContent = "zz9";
                for (const head of row.querySelectorAll(".turned-head > span"))
                    head.textContent = "Asks for something that only the owner of the account knows";
            })"""
        )

        sheets = pypdfium2.PdfDocument(page.pdf(format="A4", prefer_css_page_size=True))

        assert any("zz9" in sheet.get_textpage().get_text_bounded() for sheet in sheets)

    def test_the_map_of_hours_begins_on_a_phone_at_the_first_busy_one(self, visit, site):
        page = visit()
        page.set_viewport_size({"width": browsers.WIDTHS["phone"], "height": 900})
        page.goto(f"{site}/report/trend/?project_id=", wait_until="networkidle")
        page.evaluate(  # the map of a longer day
            """() => {
                for (const row of document.querySelectorAll(".map.hours tr"))
                    for (let i = 0; i < 30; i++) row.append(row.lastElementChild.cloneNode(true));
                document.querySelector(".map.hours thead th:nth-child(12)").setAttribute("data-begin", "");
                const loaded = { bubbles: true, detail: { elt: document.body } };
                document.body.dispatchEvent(new CustomEvent("htmx:load", loaded));
            }"""
        )

        names = page.locator(".map.hours tbody th").first.bounding_box()
        began = page.locator(".map.hours thead th:nth-child(12)").bounding_box()
        assert abs(began["x"] - names["x"] - names["width"]) < 2

    @pytest.mark.parametrize("address", ["/calls/?project_id=", "/calls/?criterion=greeting"])
    def test_lines_below_calls_take_no_room_from_their_names(self, visit, site, address):
        page = visit()
        page.goto(f"{site}{address}", wait_until="networkidle")
        page.evaluate(  # as below a call that its reader rates in a calibration
            """() => {
                const columns = document.querySelectorAll(".calls col").length;
                const below = `<tr class="snippets"><td colspan="${columns}">Hidden</td></tr>`;
                document.querySelector(".calls tbody tr").insertAdjacentHTML("afterend", below);
            }"""
        )
        for width in (700, 820, 900, 1024, 1152, 1280, 1440, 1920):
            page.set_viewport_size({"width": width, "height": 900})
            name, table = (page.locator(each).bounding_box() for each in (".c-file >> nth=0", "table.calls"))
            ends = [
                each.bounding_box()
                for each in page.locator("table.calls thead th").all()
                if each.is_visible()
            ]
            edge = max(each["x"] + each["width"] for each in ends)
            assert (width, name["width"] >= 128) == (width, True)  # 16 letters
            assert abs(edge - table["x"] - table["width"]) < 1.5, width

    @pytest.mark.parametrize("language", ["en", "es"])
    def test_list_of_calls_fits_its_window(self, visit, site, language):
        page = visit()
        page.context.add_cookies([{"name": "django_language", "value": language, "url": site}])
        page.goto(f"{site}/calls/?project_id=", wait_until="networkidle")
        for is_selected in (False, True):
            page.locator('[name="call"]').first.set_checked(is_selected, force=True)
            for width in (390, 640, 820, 1001, 1024, 1100, 1160, 1200, 1280):
                page.set_viewport_size({"width": width, "height": 900})
                assert (width, is_selected, browsers.overflow(page)) == (width, is_selected, 0)
                last = page.locator("#chosen button:visible").last
                if is_selected and last.count():
                    box = last.bounding_box()
                    assert box["x"] + box["width"] <= width, width

    def test_files_are_selected_by_keys_and_stay_so_when_the_list_renews_itself(self, visit, site, calls):
        project = calls[0].project_id
        UploadedFile.objects.filter(pk=calls[0].newest_file_id).update(status="uploaded")
        page = visit()
        page.goto(f"{site}/projects/{project}/files/", wait_until="networkidle")
        bar = page.locator("#chosen")
        assert not bar.is_visible()

        for key in "jxjx":
            page.keyboard.press(key)
        assert (bar.is_visible(), page.inner_text("[data-picked]")) == (True, "Selected: 2")
        chosen = "[...document.querySelectorAll('[name=file]:checked')].map((each) => each.value).join()"
        before = page.evaluate(chosen)
        page.evaluate("document.getElementById('file-rows').dataset.old = 'yes'")
        browsers.until(page, "!document.getElementById('file-rows').dataset.old")

        assert page.evaluate(chosen) == before
        assert page.inner_text("[data-picked]") == "Selected: 2"
        page.keyboard.press("x")
        assert page.inner_text("[data-picked]") == "Selected: 1"
        bar.locator("[value=delete]").press("Enter")
        assert page.inner_text("dialog [data-confirm-title]") == "Delete 1 file?"
        assert browsers.violations(page) == ""
        page.keyboard.press("Escape")
        assert UploadedFile.objects.filter(project=project).count() == 30

    def test_choices_of_filters_stay_those_of_the_rows_when_the_server_is_away(self, chromium, site, alice):
        page = browsers.open_page(chromium)  # not watched: what goes wrong is on purpose
        browsers.give_session(page, site, alice)
        page.goto(f"{site}/calls/?project_id=&sentiment=positive", wait_until="networkidle")
        page.route("**/calls/?*", lambda route: route.abort())

        page.click("[name=critical]")  # taken back at once
        page.wait_for_selector("text=The server did not respond")
        browsers.until(page, "!document.querySelector('[name=critical]').checked")
        page.select_option("#f-sentiment", "negative")
        browsers.until(page, "document.querySelector('#f-sentiment').value === 'positive'")
        page.context.close()

    def test_calls_are_selected_by_keys_and_no_row_moves(self, visit, site):
        page = visit()
        page.goto(f"{site}/calls/?project_id=", wait_until="networkidle")
        assert page.evaluate(TAB_STOPS) <= 60
        signs = page.locator(".above-rows .band-legend")
        assert "critical error: whatever the score" in signs.inner_text()  # where the bar will be
        assert "below: more than 10 points below" in signs.inner_text()
        page.keyboard.press("j")
        before = page.locator("tbody tr >> nth=1").bounding_box()

        for key in "xjx":
            page.keyboard.press(key)

        assert page.locator("tbody tr >> nth=1").bounding_box() == before
        assert page.inner_text("[data-picked]") == "Selected: 2"
        assert not signs.is_visible()
        for scrolled in (0, 400):
            page.evaluate(f"scrollTo(0, {scrolled})")
            bar, head, box = (
                page.locator(each).bounding_box() for each in ("#chosen", "thead .c-when", "[data-pick-all]")
            )
            assert bar["y"] + bar["height"] <= head["y"] + 0.5  # which stays in sight
            assert head["y"] < box["y"] < box["y"] + box["height"] < head["y"] + head["height"]
        page.evaluate("scrollTo(0, 0)")
        names = page.locator("tbody tr:has(:checked) a.name").all_inner_texts()
        page.locator("#chosen [value=delete]").press("Enter")
        assert page.inner_text("#confirm h2") == "Delete 2 calls?"
        assert page.inner_text("dialog [data-confirm-names]") == ", ".join(names)
        page.keyboard.press("Escape")
        page.locator("#chosen [value=sample]").press("Enter")
        assert page.locator("dialog [data-confirm-names]").is_hidden()
        assert page.inner_text("#confirm h2") == "Add to a review sample?"
        assert page.inner_text("dialog [data-confirm-text]").startswith("Selected: 2. ")
        assert page.inner_text("dialog [value=yes]") == "Add to a review sample"
        assert (browsers.violations(page), browsers.overflow(page)) == ("", 0)
        page.keyboard.press("Escape")
        page.check("tbody [name=call] >> nth=2")  # where the focus is in a box, keys go on
        page.keyboard.press("x")
        assert page.inner_text("[data-picked]") == "Selected: 2"
        page.goto(f"{site}/report/", wait_until="networkidle")
        page.go_back(wait_until="networkidle")
        assert page.inner_text("[data-picked]") == "Selected: 2"
        of_all = page.locator("[data-pick-all]")
        assert of_all.evaluate("(box) => box.indeterminate")
        of_all.check()
        page.uncheck("tbody [name=call] >> nth=0")
        assert not of_all.is_checked()
        page.check("tbody [name=call] >> nth=0")
        assert of_all.is_checked() and not of_all.evaluate("(box) => box.indeterminate")

    def test_weeks_of_the_wide_trend_are_one_tab_stop_and_say_their_values(self, visit, site):
        page = visit()
        page.goto(f"{site}/report/trend/?project_id=", wait_until="networkidle")
        seen = "getComputedStyle(document.activeElement.querySelector('span')).opacity"

        assert page.evaluate(TAB_STOPS) <= 60
        page.focus(".slots [tabindex='0']")
        first = page.evaluate("document.activeElement.textContent")
        page.keyboard.press("End")
        last = page.evaluate("document.activeElement.textContent")
        page.keyboard.press("ArrowLeft")

        assert "(n\u00a0" in first
        assert "(n\u00a0" in last
        assert page.evaluate("document.activeElement.textContent") not in ("", last)
        assert page.evaluate(seen) == "1"
        page.keyboard.press("Tab")
        assert not page.evaluate("document.querySelector('.slots').contains(document.activeElement)")

    def test_the_trend_shows_another_figure_without_leaving_the_page(self, visit, site):
        page = visit()
        page.goto(f"{site}/report/trend/?project_id=", wait_until="networkidle")

        page.focus("select[name=figure]")
        page.select_option("select[name=figure]", "criterion:greeting")

        page.wait_for_url("**figure=criterion%3Agreeting**")
        browsers.until(page, "document.querySelector('#wide-trend-title').textContent.startsWith('Greets')")
        browsers.until(page, "document.activeElement.name === 'figure'")  # once htmx has settled

    def test_the_focus_stays_where_it_was_when_a_part_is_replaced(self, visit, site):
        page = visit()
        focused = (
            "(document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent).trim()"
        )
        for address, selector, key, words in (
            ("/report/", ".choice a:text-is('90 days')", "Enter", "90 days"),
            ("/report/?start_date=2026-01-01", ".dates button", "Enter", "Show"),
            ("/calls/?project_id=", "a.sort:has-text('Score')", "Enter", "Score %"),
        ):
            page.goto(site + address, wait_until="networkidle")
            page.focus(selector)
            with page.expect_response(lambda r: "hx-request" in r.request.headers):
                page.keyboard.press(key)
            browsers.until(page, f"{focused} === '{words}'")
        page.goto(f"{site}/calls/?project_id=")
        page.focus("[name=critical]:not([type=hidden])")
        page.keyboard.press("Space")
        page.wait_for_url("**/calls/?critical=true")
        browsers.until(page, "document.activeElement.name === 'critical' && document.activeElement.checked")

    def test_a_page_that_was_turned_begins_at_its_first_call(self, visit, site):
        page = visit()
        page.goto(f"{site}/calls/?project_id=")
        page.focus("[rel=next]")
        page.keyboard.press("Enter")
        page.wait_for_url("**/calls/?page=2")

        browsers.until(page, "document.activeElement === document.querySelector('tbody a.name')")

    def test_what_a_search_finds_is_said_to_who_cannot_see_it(self, visit, site):
        page = visit()
        page.goto(f"{site}/calls/?project_id=")
        said = "document.getElementById('announcement').textContent"

        page.fill("#f-search", "outage")
        browsers.until(page, f"{said} === 'Calls 1 to 10 of 10'")
        page.fill("#f-search", "nothing like it")
        browsers.until(page, f"{said} === 'None of the 30 calls match'")

    def test_a_menu_closes_when_the_focus_leaves_it(self, visit, site):
        page = visit()
        page.goto(f"{site}/report/")
        page.focus(".top [data-menu] > summary")
        page.keyboard.press("Enter")
        page.focus(".top [data-menu] button:text-is('Sign out')")
        page.keyboard.press("Tab")

        browsers.until(page, "!document.querySelector('.top [data-menu]').open")

    def test_single_keys_do_nothing_once_they_are_turned_off(self, visit, site):
        page = visit()
        page.goto(f"{site}/account/")
        page.click("button[name=shortcuts][value=off]")
        page.wait_for_selector("html[data-keys=off]")
        page.goto(f"{site}/calls/?project_id=")
        for key in "jn/":
            page.keyboard.press(key)

        assert page.evaluate("document.activeElement === document.body")
        assert page.url == f"{site}/calls/?project_id="
        assert page.locator("#keys").is_hidden()

    def test_definitions_come_by_keyboard_and_go_with_escape(self, visit, site):
        page = visit()
        page.goto(f"{site}/report/")

        page.focus("button.term:text-is('Calls') >> nth=0")
        assert page.locator("#tip").inner_text() == "Calls in this period whose analysis is complete."
        page.keyboard.press("Escape")
        assert page.locator("#tip").is_hidden()

    def test_speaks_spanish_from_then_on(self, visit, site):
        page = visit()
        page.goto(f"{site}/report/")

        page.click(".top [data-menu] > summary")
        page.click("text=Español")
        page.wait_for_selector("text=Puntuación media")

        page.goto(f"{site}/calls/?project_id=")
        assert page.locator("h1").inner_text() == "Llamadas"

    def test_changes_the_theme_without_a_reload_and_keeps_it(self, visit, site):
        page = visit(theme="light")
        page.goto(f"{site}/report/")
        paper = "getComputedStyle(document.documentElement).backgroundColor"
        light = page.evaluate(paper)

        page.click(".top [data-menu] > summary")
        with page.expect_response("**/preferences/theme/"):
            page.click("text=Dark")
        browsers.until(page, f"{paper} !== '{light}'")

        page.goto(f"{site}/calls/?project_id=")
        assert page.evaluate(paper) != light

    def test_works_without_scripts(self, chromium, site):
        page = browsers.open_page(chromium, java_script_enabled=False)
        browsers.sign_in(page, site, "alice@example.com", PASSWORD)

        page.click(".places a:has-text('Calls')")
        page.wait_for_url(lambda url: "/calls/" in url)
        page.fill("#f-search", "outage")
        page.click(".narrowing button")
        page.wait_for_url(lambda url: "search=outage" in url)

        assert page.locator("tbody tr").count() == 10
        page.context.close()

    def test_signs_out(self, visit, site):
        page = visit()
        page.goto(f"{site}/report/")

        page.click(".top [data-menu] > summary")
        page.click("text=Sign out")
        page.wait_for_url("**/login/")
        page.goto(f"{site}/report/")

        assert "/login/" in page.url


class TestReview:
    @pytest.mark.parametrize(("theme", "width"), [("dark", "phone"), ("light", "wide")])
    def test_is_made_by_keyboard_without_a_violation(self, visit, site, calls, theme, width):
        page = visit(theme=theme, width=browsers.WIDTHS[width])
        page.goto(f"{site}/calls/{calls[-1].pk}/")
        page.locator("#review-title + p a").press("Enter")
        page.locator("[name='answer:greeting'][value=met]").press("Space")
        page.keyboard.press("q")
        page.keyboard.type("good morning")
        page.locator("[name='answer:identity'][value=not_applicable]").press("Space")
        page.get_by_role("button", name="Submit").press("Enter")
        page.locator("details:has(.revisions) > summary").press("Enter")
        page.locator(".revisions").wait_for()
        assert (browsers.violations(page), browsers.overflow(page)) == ("", 0)

        page.get_by_role("button", name="Withdraw revision 1").press("Enter")
        page.locator("dialog[open] [value=yes]:text-is('Withdraw')").press("Enter")
        page.get_by_text("The review of this call was withdrawn.").wait_for()

    def test_is_answered_by_digits(self, visit, site, calls):
        page = visit()
        page.goto(f"{site}/calls/{calls[-1].pk}/review/")
        chosen = "[...document.querySelectorAll('[name^=\"answer:\"]:checked')].map((one) => one.value)"

        for key in "29":  # there is no ninth answer
            page.keyboard.press(key)
        assert page.evaluate(chosen) == ["not_met"]
        page.keyboard.press("1")
        assert page.evaluate(chosen) == ["not_met", "met"]
        page.keyboard.press("Shift+Tab")
        page.keyboard.press("q")
        page.keyboard.type("2")  # a digit of a quote
        assert page.evaluate(chosen) == ["not_met", "met"]
        page.fill("input:focus", "")
        page.keyboard.press("Control+Enter")
        page.wait_for_url(lambda url: "/review/" not in url)

    def test_folds_comment_and_quote_until_they_are_wanted(self, visit, site, calls):
        page = visit(width=browsers.WIDTHS["wide"])
        page.goto(f"{site}/calls/{calls[-1].pk}/review/")
        greeting, identity, *_ = page.locator(".review-criterion").all()
        assert page.locator(".review-criterion details[open]").count() == 0
        assert greeting.bounding_box()["height"] < MOST_HEIGHT_OF_A_QUESTION

        greeting.locator("[value=met]").press("c")
        assert page.evaluate("document.activeElement.name") == "comment:greeting"
        page.keyboard.type("c is a letter here")
        assert page.evaluate("document.activeElement.value") == "c is a letter here"
        page.evaluate("getSelection().selectAllChildren(document.querySelector('[data-segments] p'))")
        said = page.evaluate("getSelection().toString()")
        identity.locator("[value=met]").press("q")
        assert page.evaluate("document.activeElement.name") == "quote:identity"
        assert page.evaluate("document.activeElement.value") == said != ""

        for row in (greeting, identity):
            row.locator("summary").press("Enter")  # folded, a row says what is in it
        assert greeting.locator(".with-comment").is_visible()
        assert not greeting.locator(".with-quote").is_visible()
        assert identity.locator(".with-quote").is_visible()
        assert (browsers.violations(page), browsers.overflow(page)) == ("", 0)

    def test_keeps_the_transcript_in_sight_on_a_phone(self, chromium, visit, site, calls, alice):
        page = visit(width=browsers.WIDTHS["phone"])
        without_scripts = browsers.open_page(
            chromium, viewport={"width": 390, "height": 900}, java_script_enabled=False
        )
        browsers.give_session(without_scripts, site, alice)
        for each in (page, without_scripts):
            each.goto(f"{site}/calls/{calls[-1].pk}/review/")
            said, button = each.locator(".segments li").first, each.get_by_role("button", name="Submit")
            assert said.bounding_box()["y"] < 900
            assert button.bounding_box()["y"] < each.locator(".said").bounding_box()["y"]

            each.get_by_label("Transcript", exact=True).and_(each.locator("input")).press("Space")
            assert not said.is_visible()
            assert button.bounding_box()["y"] > 800
        without_scripts.context.close()

    def test_keeps_a_long_transcript_in_sight_as_high_as_the_window(self, visit, site, calls):
        page = visit()
        page.set_viewport_size({"width": 1440, "height": 500})
        page.goto(f"{site}/calls/{calls[-1].pk}/review/")
        page.evaluate(
            """() => {
                const lines = document.querySelector("[data-segments]");
                for (let n = 0; n < 30; n++) lines.append(lines.firstElementChild.cloneNode(true));
                document.querySelector(".said-head").after("What the recognizer knows. ".repeat(8));
            }"""
        )

        page.evaluate("document.querySelector('.review-rows').scrollIntoView()")

        box = page.locator(".said").bounding_box()
        assert 0 < box["y"] < 200
        assert 500 - 40 < box["y"] + box["height"] <= 500
        last = page.locator(".segments li").last
        page.locator(".segments").evaluate("(lines) => lines.scrollTo(0, lines.scrollHeight)")
        assert last.bounding_box()["y"] + last.bounding_box()["height"] <= 500
        assert (browsers.violations(page), browsers.overflow(page)) == ("", 0)

    def test_shows_errors_without_a_violation(self, chromium, site, calls, theme):
        # The browser reports the status 400 as an error, so nobody watches this page.
        page = browsers.open_page(chromium, viewport={"width": 390, "height": 900}, color_scheme=theme)
        browsers.sign_in(page, site, "alice@example.com", PASSWORD)
        page.goto(f"{site}/calls/{calls[-1].pk}/review/")
        page.locator("[name='answer:greeting'][value=met]").press("Space")
        page.keyboard.press("q")
        page.keyboard.type("never said")
        page.get_by_role("button", name="Submit").press("Enter")
        page.locator("[role=alert]").wait_for()

        assert page.get_by_label("Quote: words of the transcript").first.is_visible()
        assert page.locator("p.error").count() == 2
        assert (browsers.violations(page), browsers.overflow(page)) == ("", 0)
        page.context.close()


# Where the words of elements begin, from the top of the window.
TOPS = """
(nodes) => nodes.map((node) => {
    const range = document.createRange()
    range.selectNodeContents(node)
    return Math.round(range.getClientRects()[0].top)
})
"""
BASE_OF_WORDS = """
(node) => {
    const range = document.createRange()
    range.selectNodeContents(node)
    return range.getBoundingClientRect().bottom
}
"""
RIGHT_OF_WORDS = """
(node) => {
    const range = document.createRange()
    range.selectNodeContents(node)
    return range.getBoundingClientRect().right
}
"""


class TestLayout:
    @pytest.mark.parametrize("language", ["en", "es"])
    def test_a_sentence_about_a_criterion_wraps_on_a_tablet(self, visit, site, calls, language):
        document = copy.deepcopy(CONFIGURATION)
        document["rubric"]["sections"][0]["criteria"][0]["max_points"] = 5
        configure_project(calls[0].project, document)
        page = visit(width=820)
        page.context.add_cookies([{"name": "django_language", "value": language, "url": site}])

        page.goto(f"{site}/report/criteria/?project_id={calls[0].project_id}")

        note = page.locator(".scorecard tbody th > .tag", has_text="2:")
        assert note.bounding_box()["height"] > 30  # of two lines
        assert (browsers.overflow(page), browsers.misplaced(page)) == (0, [])
        frame = page.locator(".scrolling:has(.scorecard)")
        assert frame.evaluate("(node) => node.scrollWidth <= node.clientWidth")

    @pytest.mark.parametrize("language", ["en", "es"])
    def test_why_results_are_hidden_stands_clear_of_what_a_narrow_list_leaves_out(
        self, visit, site, calls, alice, language
    ):
        plan = CalibrationPlan(call_ids=[each.pk for each in calls[-2:]], raters=[alice.email])
        open_calibration(calls[0].project_id, plan, alice)
        page = visit()
        page.context.add_cookies([{"name": "django_language", "value": language, "url": site}])
        page.goto(f"{site}/calls/?project_id={calls[0].project_id}")
        for width in (640, 768, 820, 1000):
            page.set_viewport_size({"width": width, "height": 900})
            row = page.locator("tr:has(.c-hidden)").first

            brief, why = row.locator(".brief").bounding_box(), row.locator(".c-hidden span").bounding_box()

            assert brief["x"] + brief["width"] <= why["x"], width
            assert browsers.overflow(page) == 0

    def test_the_line_below_the_navigation_crosses_a_very_wide_window(self, visit, site, calls):
        page = visit(width=2800)
        page.goto(f"{site}/calls/{calls[-1].pk}/")
        for selector in (".top", ".player"):
            box = page.locator(selector).bounding_box()
            line = box["y"] + box["height"] - 1

            def point(x, y):
                return page.screenshot(clip={"x": x, "y": y, "width": 1, "height": 1})

            assert point(2, line) == point(1400, line) != point(2, line + 4), selector

    def test_the_results_of_a_call_stand_on_the_lines_of_their_names(self, visit, site, calls):
        page = visit()
        page.goto(f"{site}/calls/{calls[0].pk}/")
        rows = page.locator(".card tbody tr:has(> th > .fold)")
        assert rows.count()
        for row in rows.all():
            tops = row.locator("summary, td").evaluate_all(TOPS)
            assert max(tops) - min(tops) <= 1

    @pytest.mark.parametrize("width", [390, 820, 1440, 2560])
    def test_what_was_measured_of_a_talk_stands_in_rows_of_a_length(self, visit, site, calls, width):
        page = visit(width=width)
        page.context.add_cookies([{"name": "django_language", "value": "es", "url": site}])
        page.goto(f"{site}/calls/{calls[-1].pk}/")

        values = page.locator(".facts.even dd").evaluate_all(TOPS)

        assert len(values) == 6
        assert len({values.count(each) for each in values}) == 1, "as many in each row, at a height"

    def test_signs_of_an_axis_stand_at_their_lines_on_a_tablet(self, visit, site):
        page = visit(width=820)
        page.goto(f"{site}/report/?project_id=")
        axis = page.locator(".brief .dots-axis").first.bounding_box()
        ends = page.locator(".brief .dots-axis > :last-child").first.evaluate(RIGHT_OF_WORDS)
        middle = page.locator(".brief .dots-axis > :nth-child(2)").first.bounding_box()

        assert abs(middle["x"] - axis["x"] - axis["width"] / 2) <= 1
        assert abs(ends - axis["x"] - axis["width"]) <= 1

    def test_files_of_a_project_stand_on_the_line_of_its_name(self, visit, site):
        page = visit()
        page.goto(f"{site}/projects/")
        cells = page.locator("tbody tr").first.locator("a.name, a.figure, td:nth-child(2)").all()

        bottoms = [each.evaluate(BASE_OF_WORDS) for each in cells]

        assert len(bottoms) == 3
        assert max(bottoms) - min(bottoms) < 0.3, bottoms

    def test_the_heads_of_answers_have_one_line(self, visit, site, calls):
        answers = {"answers": {"Was a competitor named?": {"answer": "No", "quotes": []}}}
        bring(calls[0].project, line(31, file_name="asked.wav", **answers))
        page = visit()
        page.goto(f"{site}/questions/?project_id={calls[0].project_id}")

        assert page.locator(".tallies thead th", has_text="With a quote").is_visible()
        assert page.locator(".tallies thead tr").bounding_box()["height"] < MOST_HEIGHT_OF_A_LINE
