"""The filters above lists in a real browser: what is typed in them stays while the server answers."""

import browser as browsers
import pytest
from test_web import calls, site, visit  # noqa: F401 - fixtures

from tests.effort import take_share

pytestmark = [pytest.mark.journey, pytest.mark.one_database]
FAR = 150  # milliseconds that an answer is on its way
AT_ONCE = 0
LATENCIES = [AT_ONCE, FAR]


def be_far(page, latency_ms):
    """Let every answer take as long as that of a server far away."""
    session = page.context.new_cdp_session(page)
    session.send("Network.enable")
    conditions = {"offline": False, "latency": latency_ms, "downloadThroughput": -1, "uploadThroughput": -1}
    session.send("Network.emulateNetworkConditions", conditions)


def rows(count):
    return f"document.querySelectorAll('tbody tr').length === {count}"


class TestTyping:
    @pytest.mark.parametrize("latency_ms", LATENCIES)
    def test_two_scores_in_a_row_are_both_asked_for(self, visit, site, latency_ms):  # noqa: F811
        page = visit()
        be_far(page, latency_ms)

        for pace_ms in take_share((60, 130, 180), LATENCIES.index(latency_ms), one_in=2):
            page.goto(f"{site}/calls/?project_id=")
            page.focus("#f-min")
            for key in ("2", "0", "Tab", "5", "0", "Enter"):
                page.keyboard.press(key)
                page.wait_for_timeout(pace_ms)
            page.wait_for_url("**min_score=20&max_score=50**")

            assert (page.input_value("#f-min"), page.input_value("#f-max")) == ("20", "50")
            browsers.until(page, "document.querySelectorAll('#chips .chip').length === 2")

    @pytest.mark.parametrize("latency_ms", LATENCIES)
    def test_a_score_typed_after_a_tick_stays(self, visit, site, latency_ms):  # noqa: F811
        page = visit()
        page.goto(f"{site}/calls/?project_id=")
        be_far(page, latency_ms)

        page.check("#narrowing [name=critical]")
        page.focus("#f-min")
        page.keyboard.type("30", delay=120)
        page.keyboard.press("Enter")
        page.wait_for_url("**min_score=30**")

        assert (page.input_value("#f-min"), page.is_checked("#narrowing [name=critical]")) == ("30", True)

    @pytest.mark.parametrize("latency_ms", LATENCIES)
    def test_a_search_is_asked_for_to_its_last_letter(self, visit, site, latency_ms):  # noqa: F811
        page = visit()
        be_far(page, latency_ms)

        for pace_ms in take_share((290, 300, 310, 320, 330), LATENCIES.index(latency_ms), one_in=2):
            page.goto(f"{site}/calls/?project_id=")
            page.focus("#f-search")
            page.keyboard.type("outage", delay=pace_ms)
            page.wait_for_url("**search=outage")

            browsers.until(page, rows(10))
            assert page.input_value("#f-search") == "outage"

    def test_words_typed_while_another_period_comes_are_asked_for(self, visit, site):  # noqa: F811
        page = visit()
        page.goto(f"{site}/calls/?project_id=")
        be_far(page, 2 * FAR)

        page.fill("#f-from", "2026-01-01")
        page.click(".dates button")
        page.focus("#f-search")
        page.keyboard.type("outage", delay=20)
        page.wait_for_url("**search=outage")

        browsers.until(page, rows(10))
        assert "start_date=2026-01-01" in page.url

    def test_another_page_of_the_list_leaves_what_is_being_typed(self, visit, site):  # noqa: F811
        page = visit()
        page.goto(f"{site}/calls/?project_id=")
        be_far(page, FAR)

        page.click("[data-pager] [rel=next]")
        page.focus("#f-min")
        page.keyboard.type("20", delay=130)
        page.wait_for_url("**page=2**")

        browsers.until(page, rows(5))
        assert page.input_value("#f-min") == "20"


class TestFields:
    """Fields follow the address where something else than their form changes it."""

    def test_are_blank_again_where_a_chip_or_all_filters_are_removed(self, visit, site):  # noqa: F811
        page = visit()
        page.goto(f"{site}/calls/?project_id=")
        page.fill("#f-min", "20")
        page.keyboard.press("Tab")
        page.wait_for_url("**min_score=20**")
        page.fill("#f-search", "outage")
        page.wait_for_url("**search=outage**")

        page.click("#chips .chip:has-text('Score from')")
        page.wait_for_url(lambda url: "min_score" not in url)
        assert (page.input_value("#f-min"), page.input_value("#f-search")) == ("", "outage")

        page.click("#chips .clear")
        page.wait_for_url(lambda url: "search" not in url)
        assert page.input_value("#f-search") == ""
        assert not page.is_visible("#chips")

    def test_are_asked_for_where_they_changed_before_their_new_form_could_hear_it(self, visit, site):  # noqa: F811
        page = visit()
        page.goto(f"{site}/calls/?project_id=")
        page.evaluate("""document.addEventListener("htmx:afterSwap", () => {
            const field = document.getElementById("f-min");
            field.value = "50";
            field.dispatchEvent(new Event("change", { bubbles: true }));
        }, { once: true })""")

        page.click(".choice a:text-is('90 days')")

        page.wait_for_url("**min_score=50**")
        assert "date_range=last_90_days" in page.url

    def test_go_back_with_the_page(self, visit, site):  # noqa: F811
        page = visit()
        page.goto(f"{site}/calls/?project_id=")
        page.fill("#f-min", "20")
        page.keyboard.press("Tab")
        page.wait_for_url("**min_score=20**")
        page.click(".choice a:text-is('90 days')")
        page.wait_for_url("**date_range=**")
        page.fill("#f-min", "50")
        page.keyboard.press("Tab")
        page.wait_for_url("**min_score=50**")

        page.go_back()
        page.wait_for_url(lambda url: "date_range" not in url)

        page.wait_for_function("document.querySelector('#f-min')?.value === '20'")
        assert "min_score=20" in page.url

    def test_a_saved_view_fills_them(self, visit, site):  # noqa: F811
        page = visit()
        page.goto(f"{site}/calls/?project_id=")
        page.fill("#f-search", "outage")
        page.wait_for_url("**search=outage**")

        page.click("#views a:text-is('Lowest scores')")
        page.wait_for_url("**ordering=score_percentage**")

        assert (page.input_value("#f-search"), page.input_value("#f-order")) == ("", "score_percentage")

    def test_a_removed_view_comes_back_and_they_stay(self, visit, site):  # noqa: F811
        page = visit()
        page.goto(f"{site}/calls/?project_id=&min_score=20")
        page.click("#views button:has-text('Remove the view Lowest scores')")
        page.wait_for_selector(".toast:has-text('Lowest scores')")
        assert "min_score=20" in page.url
        page.fill("#f-search", "line")
        page.wait_for_url("**search=line**")
        page.wait_for_selector("#views [name=back_search]", state="attached")

        page.click(".toast button:text-is('Undo')")

        page.wait_for_selector("#views a:text-is('Lowest scores')")
        assert page.url.endswith("/calls/?search=line&min_score=20")

    def test_a_phone_shows_the_whole_form_that_saves_them(self, visit, site):  # noqa: F811
        page = visit(width=390)
        page.goto(f"{site}/calls/?project_id=&search=line&min_score=20")

        page.click("summary:text-is('Save this view')")
        page.wait_for_selector("#view-name:focus")

        assert "The text of “Search” is not saved" in page.inner_text("#view-search")
        assert browsers.overflow(page) == 0
        box = page.locator("#list-actions .menu-body").bounding_box()
        assert box["x"] >= 0 and box["x"] + box["width"] <= 390

    def test_the_order_follows_the_heads_of_the_table(self, visit, site):  # noqa: F811
        page = visit()
        page.goto(f"{site}/calls/?project_id=")

        page.click("th.c-score .sort")
        page.wait_for_url("**ordering=**")

        browsers.until(page, "document.querySelector('#f-order').value.includes('score_percentage')")

    def test_what_is_wrong_is_marked_until_it_is_right(self, visit, site):  # noqa: F811
        page = visit()
        page.goto(f"{site}/calls/?project_id=")
        page.fill("#f-min", "150")
        page.keyboard.press("Tab")
        page.wait_for_selector("#f-min[aria-invalid=true][aria-describedby=list-problem]")

        page.fill("#f-min", "15")
        page.keyboard.press("Tab")
        page.wait_for_url("**min_score=15**")

        page.wait_for_selector("#f-min:not([aria-invalid]):not([aria-describedby])")

    def test_what_a_figure_led_to_is_not_asked_for_again(self, visit, site):  # noqa: F811
        page = visit()
        page.goto(f"{site}/calls/?project_id=&criterion=greeting&result=met")
        failed = "not_met:greeting"
        page.select_option("#f-failed", failed)
        page.wait_for_url("**failed_criterion=**")
        browsers.until(page, "!document.querySelector('#narrowing [name=criterion]')")

        page.select_option("#f-failed", "")
        page.wait_for_url(lambda url: "criterion" not in url)

    def test_go_back_to_what_the_list_shows_where_the_server_fails(self, chromium, site, alice):  # noqa: F811
        page = browsers.open_page(chromium)
        browsers.give_session(page, site, alice)
        page.goto(f"{site}/calls/?project_id=")
        page.select_option("#f-sentiment", "positive")
        page.wait_for_url("**sentiment=positive**")
        browsers.until(page, rows(10))

        page.route("**/calls/**", lambda route: route.fulfill(status=503, body=""))
        page.select_option("#f-sentiment", "negative")

        browsers.until(page, "document.querySelector('#f-sentiment').value === 'positive'")
        page.context.close()
