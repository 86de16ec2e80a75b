"""Where the style sheets place the parts of pages on a phone, and signs and buttons on a wide screen."""

from pathlib import Path

import browser as browsers
import pytest

from callscope.interfaces import web

CSS = Path(web.__file__).parent / "static" / "web" / "css"
PLACES = """(selector) => [...document.querySelectorAll(selector)].map((each) => {
    const {left, right, top, bottom, width, height} = each.getBoundingClientRect();
    return {left, right, top, bottom, width, height};
})"""
LINES = """(selector) => {
    const range = document.createRange();
    range.selectNodeContents(document.querySelector(selector));
    return [...range.getClientRects()].map((each) => each.left);
}"""
OVERFLOW = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"
PHONE, TABLET, WIDE = browsers.WIDTHS["phone"], 820, browsers.WIDTHS["wide"]
ICON = '<svg class="icon" width="16" height="16"></svg>'


@pytest.mark.journey
class TestLayout:
    @pytest.fixture
    def place(self, chromium):
        """Show a part of a page; return where each element of a selector is."""
        pages = []

        def place(html, selector, *, width=PHONE, asked=PLACES):
            page = browsers.open_page(chromium, viewport={"width": width, "height": 900})
            pages.append(page)
            sheets = "".join(
                (CSS / f"{name}.css").read_text("utf-8")
                for name in ("base", "components", "calls", "report", "setup", "settings")
            )
            page.set_content(f"<!doctype html><style>{sheets}</style><main>{html}</main>")
            return page.evaluate(asked, selector)

        yield place
        for page in pages:
            page.context.close()

    @pytest.mark.parametrize("table", ["scorecard", "course-table"])
    def test_plots_of_criteria_have_one_scale(self, place, table):
        row = '<tr><th>Greets</th><td class="bar-cell wide">plot</td><td class="n strong">{}</td></tr>'
        rows = row.format("8.5") + row.format("100.0")

        plots = place(f'<table class="cards {table}"><tbody>{rows}</tbody></table>', ".bar-cell")

        assert plots[0]["width"] == plots[1]["width"]

    def test_a_long_remark_widens_neither_its_column_nor_the_page(self, place):
        remark = f'<span class="tag">{"no call was judged by it " * 5}</span>'
        hidden = f'<span class="vh">{"for screen readers " * 9}</span>'
        html = f"""<div class="scrolling"><table class="cards scorecard"><tbody><tr><th>Greets {remark}</th>
            <td class="n">{"12.5 " * 20}{hidden}</td></tr></tbody></table></div>"""

        name, figures = place(html, "th, td", width=TABLET)

        assert name["width"] < figures["width"]
        assert place(html, "", width=TABLET, asked=OVERFLOW) <= 0
