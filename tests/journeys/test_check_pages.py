"""What `make check-pages` shows to everybody, and what it finds."""

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
