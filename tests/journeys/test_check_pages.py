"""What `make check-pages` shows to everybody and finds, and how tests share pages."""

import browser as browsers
import check_pages
import pytest

from callscope.interfaces.web.urls import urlpatterns


def test_leaves_out_no_address_that_is_gone():
    named = {each.name for each in urlpatterns}

    assert (check_pages.NOT_PAGES | check_pages.BETWEEN_PAGES) - named == set()


@pytest.mark.journey
@pytest.mark.one_database
class TestFindForeignSigns:
    def test_names_signs_that_the_typeface_lacks(self, chromium, live_server):
        page = browsers.open_page(chromium)
        page.goto(f"{live_server.url}/login/", wait_until="networkidle")
        page.reload(wait_until="networkidle")  # the typeface is there from the start
        for sign, is_foreign in (("▲", False), ("×", False), ("●", False), ("◆", True), ("✕", True)):
            page.evaluate("(sign) => { document.querySelector('h1').textContent = sign }", sign)

            found = browsers.find_foreign_signs(page)

            assert [sign in each for each in found] == [True] * is_foreign, sign
        page.context.close()


@pytest.mark.journey
@pytest.mark.one_database
class TestLentPages:
    STATE = "[document.cookie.includes('a=1'), localStorage.b ?? '', sessionStorage.c ?? '', innerWidth]"

    def lend(self, lending, live_server):
        page = lending.lend(theme="light", width=640)
        page.goto(f"{live_server.url}/login/")
        return page

    def test_are_as_new_for_the_next_test(self, lending, live_server):
        page = self.lend(lending, live_server)
        page.evaluate("document.cookie = 'a=1'; localStorage.b = 1; sessionStorage.c = 1")
        page.set_viewport_size({"width": 390, "height": 900})
        page.emulate_media(color_scheme="dark", media="print")
        assert page.evaluate(self.STATE) == [True, "1", "1", 390]
        assert lending.take_back() == []

        again = self.lend(lending, live_server)

        assert again is page
        assert again.evaluate(self.STATE) == [False, "", "", 640]
        assert not again.evaluate("matchMedia('print, (prefers-color-scheme: dark)').matches")
        lending.take_back()

    def test_are_lent_no_more_where_something_lasts_and_say_what_went_wrong(self, lending, live_server):
        page = self.lend(lending, live_server)
        page.add_init_script("window.lasting = true")
        page.evaluate("console.error('This went wrong.')")

        assert lending.take_back() == ["This went wrong."]

        again = self.lend(lending, live_server)
        assert again is not page
        assert again.evaluate("window.lasting") is None
        assert lending.take_back() == []
