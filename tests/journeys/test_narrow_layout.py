"""Where the style sheets place the parts of pages on a phone, and signs and buttons on a wide screen."""

from pathlib import Path
from types import SimpleNamespace

import browser as browsers
import pytest
from django.template.loader import render_to_string

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
SHEETS = ("base", "components", "calls", "report", "setup", "settings")
OVERFLOW = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"
PHONE, TABLET, WIDE = browsers.WIDTHS["phone"], 820, browsers.WIDTHS["wide"]
ICON = '<svg class="icon" width="16" height="16"></svg>'


@pytest.mark.journey
class TestLayout:
    @pytest.fixture
    def place(self, chromium):
        """Show a part of a page; return where each element of a selector is."""
        pages = []

        def place(html, selector, *, width=PHONE, asked=PLACES, sheets=SHEETS):
            page = browsers.open_page(chromium, viewport={"width": width, "height": 900})
            pages.append(page)
            styles = "".join((CSS / f"{name}.css").read_text("utf-8") for name in sheets)
            page.set_content(f"<!doctype html><style>{styles}</style><main>{html}</main>")
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

    @pytest.mark.parametrize("width", [PHONE, TABLET, WIDE])
    def test_a_line_without_a_head_has_its_ends(self, place, width):
        html = """<table class="cards slim agreement grouped"><thead><tr><th class="bar-cell">
            <span class="dots-axis"><span>0</span><span>1</span></span></th></tr></thead><tbody><tr>
            <td class="bar-cell"><svg class="dots" width="100%" height="16"></svg>
            <span class="dots-axis within"><span>0</span><span>1</span></span></td></tr></tbody></table>"""

        [axis] = place(html, ".within", width=width)

        assert (axis["width"] > 0) == (width == PHONE)

    def test_what_a_call_waits_for_breaks_between_its_tasks_on_a_tablet(self, place):
        links = " ".join(f'<span class="whole"><a href="#{n}">Calibration {n}</a>,</span>' for n in range(10))
        html = f"""<table class="cards slim waiting"><tbody><tr><th scope="row">a.wav</th>
            <td class="kind"><span class="tasks">{links}</span></td></tr></tbody></table>"""

        tasks = place(html, ".tasks a", width=TABLET)

        assert len({each["top"] for each in tasks}) > 1
        assert {round(each["height"]) for each in tasks} == {24}  # none is broken
        assert max(each["right"] for each in tasks) <= TABLET

    @pytest.mark.parametrize("width", [PHONE, TABLET, WIDE])
    def test_the_agent_of_a_drawn_call_is_named_once(self, place, width):
        html = """<table class="cards slim sampled"><tbody><tr><th scope="row">a.wav
            <span class="of-project">Ana Ruiz</span></th><td class="agent whose">Ana Ruiz</td></tr></tbody>
            </table>"""

        names = [place(html, selector, width=width)[0]["width"] for selector in (".of-project", ".whose")]

        assert [width > 0 for width in names] == [width == TABLET, width != TABLET]

    @pytest.mark.parametrize("width", [PHONE, TABLET, WIDE])
    def test_what_leads_to_a_rating_first_is_a_line_of_its_own_without_a_sign(self, place, width):
        html = """<table class="cards slim waiting"><tbody><tr><td class="kind" data-label="What for">
            <a href="#1">Sample 1</a><span class="quiet-text first-rated"> <a href="#2">rate it</a></span>
            </td></tr></tbody></table>"""
        asked = """() => [...document.querySelectorAll(".kind a")].map((each) => ({
            ...each.getBoundingClientRect().toJSON(),
            sign: getComputedStyle(each.parentElement, "::before").content}))"""

        sample, first = place(html, "", width=width, asked=asked)

        assert first["top"] >= sample["bottom"]
        assert first["sign"] == "none"

    @pytest.mark.parametrize(("width", "least"), [(TABLET, 72), (WIDE, 140)])
    def test_the_course_of_a_reason_has_room_next_to_whole_words_of_its_name(self, place, width, least):
        actions = '<button class="button quiet">Excluir</button>' * 3
        html = f"""<table class="cards choosing reason-rows"><thead><tr><th></th><th>Motivo</th><th class="n">
            Llamadas</th><th class="n">Proporción %</th><th class="course">12 semanas</th><th>Primera vez</th>
            <th></th></tr></thead><tbody><tr><td class="choose"><input type="checkbox"></td><th scope="row">
            <a class="name" href="#">Technician appointments</a></th><td class="n">2</td>
            <td class="n">6,2</td><td class="course"><svg class="spark" viewBox="0 0 96 24"></svg></td>
            <td class="day">26 nov 2026</td><td class="wide row-actions"><form>{actions}</form></td></tr>
            </tbody></table>"""

        spark, name = place(html, ".spark, .name", width=width)

        assert spark["width"] >= least
        assert name["height"] < 48  # two lines: no word is broken

    @pytest.mark.parametrize(("people", "is_whole"), [(2, True), (3, True), (6, False)])
    def test_names_of_raters_are_whole_where_the_page_is_wide(self, place, people, is_whole):
        names = '<th class="n"><span data-short="bob@">bob@example.com</span></th>' * people
        html = f"""<div class="side-by-side rated"><section>Raters</section><section>
            <table class="cards fit"><thead><tr><th>Call</th><th>Machine</th>
            {names}<th>Spread</th></tr></thead></table>
            </section></div>"""
        asked = """() => [...document.querySelectorAll("[data-short]")].map((each) =>
            parseFloat(getComputedStyle(each).fontSize))"""

        sizes = place(html, "", width=WIDE, asked=asked)

        assert all((size > 0) == is_whole for size in sizes)

    @pytest.mark.parametrize("width", [PHONE, TABLET, WIDE])
    def test_criteria_of_a_probe_are_set_in_below_their_group_and_gray(self, place, width):
        row = '<tr><th scope="row"{}>Greets</th><td class="n" data-label="Calls">3</td></tr>'
        html = f"""<table class="cards probe-figures"><tbody>{row.format("")}{row.format(' class="sub"')}
            {row.format(' class="sub"')}</tbody></table>"""
        asked = """() => [...document.querySelectorAll("tbody th")].map((each) => {
            const range = document.createRange();
            range.selectNodeContents(each);
            const {color, fontWeight} = getComputedStyle(each);
            return [range.getBoundingClientRect().left, color, Number(fontWeight)];
        })"""

        group, *criteria = place(html, "", width=width, asked=asked)

        assert all(left >= group[0] + 16 for left, _color, _weight in criteria)
        assert all(color != group[1] and weight < group[2] for _left, color, weight in criteria)

    def test_a_remark_on_a_figure_stays_on_one_line_below_its_plot(self, place):
        html = """<section class="section"><input type="checkbox" data-all-figures checked>
            <div class="scrolling"><table class="cards scorecard"><tbody><tr><th>Greets</th>
            <td class="bar-cell wide">plot</td><td class="n strong">90.9
            <small class="behind below">91.7 with not applicable</small></td></tr></tbody>
            </table></div></section>"""

        plot, remark = place(html, ".bar-cell, .below")

        assert remark["height"] < 24
        assert remark["right"] <= PHONE - 16
        assert plot["top"] < remark["top"]

    def test_a_remark_in_spanish_leaves_room_to_the_criterion(self, place):
        html = """<div lang="es"><table class="cards scorecard"><tbody><tr><th>Saluda</th>
            <td class="n">78,1 <small class="behind below">80,0 sobre todas las llamadas</small></td></tr>
            </tbody></table></div>"""

        [remark] = place(html, ".below", width=TABLET)

        assert remark["width"] <= 104
        assert remark["height"] < 48  # two lines

    def test_a_long_remark_widens_neither_its_column_nor_the_page(self, place):
        remark = f'<span class="tag sentence">{"no call was judged by it " * 5}</span>'
        hidden = f'<span class="vh">{"for screen readers " * 9}</span>'
        html = f"""<div class="scrolling"><table class="cards scorecard"><tbody><tr><th>Greets {remark}</th>
            <td class="n">{"12.5 " * 20}{hidden}</td></tr></tbody></table></div>"""

        name, figures = place(html, "th, td", width=TABLET)

        assert name["width"] < figures["width"]
        assert place(html, "", width=TABLET, asked=OVERFLOW) <= 0

    def test_choices_that_do_not_fit_one_line_are_as_wide_as_each_other(self, place):
        html = f'<div class="choice"><a href="#">{"Short " * 3}</a><a href="#">{"Longer " * 6}</a></div>'

        first, second = place(html, ".choice > *")

        assert second["top"] >= first["bottom"]
        assert abs(first["width"] - second["width"]) < 2

    def test_a_button_of_two_lines_keeps_its_text_off_its_edge(self, place):
        words = "Sentence " * 8
        html = f'<p class="actions wrapping"><button class="button"><span>{words}</span></button></p>'

        button, text = place(html, ".button, .button span")

        assert text["top"] - button["top"] >= 4

    def test_the_second_line_of_a_fold_begins_below_the_first(self, place):
        html = f'<details class="more"><summary>{"What it says " * 6}</summary></details>'

        first, *others = place(html, "summary", asked=LINES)

        assert others
        assert {round(each - first) for each in others} == {0}

    def test_an_event_shows_its_object_whole_and_its_number_with_who_did_it(self, place):
        html = """<table class="cards events"><tbody class="group"><tr><th scope="rowgroup">Today</th></tr>
            <tr><th scope="row">Call opened <span class="unit whole">#1234</span></th>
            <td class="card-small at"><time>22:05</time></td>
            <td class="card-small by">demo@callscope.example</td>
            <td class="what"><a href="#">0121-upgrade-to-more-speed-at-home.vtt</a></td></tr>
            </tbody></table>"""

        number, at, by, what = place(html, ".unit, .at, .by, .what a")

        assert what["height"] < 24
        assert at["top"] < what["top"] < by["top"]
        assert abs(number["top"] - by["top"]) < 4
        assert abs(number["right"] - at["right"]) < 1

    def test_a_button_stands_nearer_to_its_own_field_than_to_the_next(self, place):
        one = """<div class="inline-form aligned-top"><div class="field"><label>Name</label><input></div>
            <button class="button">Split</button></div>"""

        field, button, following, _ = place(one * 2, ".field, .button")

        assert field["width"] == PHONE - 32
        assert button["top"] - field["bottom"] < following["top"] - button["bottom"]

    def test_the_sign_of_a_button_without_words_stands_in_its_middle(self, place):
        html = f"""<table class="cards reason-rows"><tbody><tr><td class="row-actions"><form><a
            class="button quiet edit" href="#">{ICON}Edit</a></form></td></tr></tbody></table>"""

        button, icon = place(html, ".edit, .edit .icon")

        assert abs(button["left"] + button["right"] - icon["left"] - icon["right"]) < 1

    def test_a_short_action_leaves_its_row_the_room_that_it_does_not_take(self, place):
        html = """<table class="cards slim short-act"><tbody><tr><th scope="row">Report</th>
            <td class="row-actions"><form><button class="button quiet">Revoke</button></form></td>
            </tr></tbody></table>"""

        name, button = place(html, "th, .button")

        assert 0 < button["left"] - name["right"] < 32

    def test_a_button_stands_on_the_line_of_its_fields(self, place):
        html = """<form class="inline-form aligned-top"><div class="field"><label>Use</label><input></div>
            <button class="button">Create</button></form>"""

        field, button = place(html, "input, .button", width=WIDE)

        assert abs(field["top"] - button["top"]) < 0.5

    def test_signs_of_scores_stand_below_each_other_behind_their_words(self, place):
        cell = '<tr><td class="c-score n"><span class="band {0}"><i>{0}</i></span> <b>97.5</b></td></tr>'
        rows = "".join(map(cell.format, ("below", "critical")))
        html = f'<table class="calls"><tbody>{rows}</tbody></table>'

        below, low, critical, high = place(html, ".band, .band i", width=WIDE)

        assert below["right"] == critical["right"]
        assert below["right"] - low["right"] == critical["right"] - high["right"] >= 12

    @pytest.mark.parametrize(("drafts", "is_one_line"), [("Guardar borrador", True), ("Guardar " * 4, False)])
    def test_saving_a_review_is_one_line_in_spanish_and_a_second_one_stands_at_the_end(
        self, place, drafts, is_one_line
    ):
        html = f"""<div class="halves"><form class="review-form"><div class="actions">
            <p class="answered quiet-text">0 de 18 <span class="called">respondidos</span></p>
            <label class="button quiet sheet-switch"><input type="checkbox" data-sheet>Transcripción</label>
            <button class="button">{drafts}</button><button class="button primary">Enviar</button>
            </div></form></div>"""

        answered, submit = place(html, ".answered, .primary", sheets=("base", "components", "call"))

        assert (submit["top"] < answered["bottom"]) == is_one_line
        assert round(submit["right"]) == PHONE - 16

    def test_an_answer_of_two_lines_keeps_its_words_off_its_edges(self, place):
        labels = "".join(
            f"<label><span>{words}</span></label>"
            for words in ("as the machine says", "positive", "neutral", "negative", "unknown")
        )
        html = f"""<fieldset class="review-criterion"><div class="choice">{labels}</div></fieldset>"""

        boxes = place(html, ".choice > label", sheets=("base", "components", "call"))
        words = place(html, ".choice span", sheets=("base", "components", "call"))

        assert all(box["bottom"] - word["bottom"] >= 4 for box, word in zip(boxes, words, strict=True))

    @pytest.mark.parametrize("width", [PHONE, TABLET, WIDE])
    def test_the_fields_of_a_probe_stand_on_one_line_whichever_label_wraps(self, place, width):
        html = f"""<form class="probe-form"><div class="probe-fields"><div class="field"><label>Calls</label>
            <input><p class="hint">At least 10</p></div><div class="field"><label>{"Judgments " * 4}</label>
            <input></div></div></form>"""

        first, second = place(html, "input", width=width)

        assert first["top"] == second["top"]

    @pytest.mark.parametrize(
        ("width", "ticked", "shown"),
        [
            (PHONE, "", []),
            (PHONE, "checked", ["of-weeks"]),
            (TABLET, "", ["of-weeks"]),
            (WIDE, "", ["of-weeks", "of-sparks"]),
        ],
    )
    def test_what_is_said_of_weeks_of_criteria_is_shown_with_their_column(self, place, width, ticked, shown):
        html = f"""<section class="section"><input type="checkbox" data-all-figures {ticked}>
            <div class="scrolling"><table class="cards course-table"><tbody><tr><td class="extra">By week</td>
            </tr></tbody></table></div><p class="compared of-weeks">By week: …</p>
            <p class="compared of-sparks">Gray dots: …</p></section>"""

        notes = place(html, ".of-weeks, .of-sparks", width=width)

        names = zip(("of-weeks", "of-sparks"), notes, strict=True)
        assert [name for name, each in names if each["height"]] == shown

    @pytest.mark.parametrize("width", [TABLET, WIDE])
    def test_actions_next_to_a_heading_end_at_the_edge_of_the_page(self, place, width):
        html = """<section class="section"><div class="section-head"><h2>Waiting for you</h2>
            <p class="aside actions"><a class="button" href="#">One</a><a class="button" href="#">Two</a></p>
            </div></section>"""

        section, *actions = place(html, ".section, .button", width=width)

        assert actions[-1]["right"] == section["right"]

    def test_actions_of_a_heading_that_stand_below_it_begin_where_it_does(self, place):
        buttons = f'<a class="button" href="#">{"Words " * 5}</a>' * 5
        html = f"""<section class="section"><div class="section-head"><h2>Waiting for you</h2>
            <p class="aside actions">{buttons}</p></div></section>"""

        heading, *actions = place(html, "h2, .button", width=TABLET)

        lines = {each["top"] for each in actions}
        assert len(lines) == 2 and min(lines) > heading["top"]
        for line in lines:
            assert min(each["left"] for each in actions if each["top"] == line) == heading["left"]

    @pytest.mark.parametrize(
        ("width", "figures", "remark"),
        [
            (PHONE, "", "few calls"),
            (TABLET, "", "~"),
            (TABLET, "checked", "~"),
            (1000, "", "~"),
            (WIDE, "", "few calls"),
        ],
    )
    def test_a_change_over_few_calls_says_so_at_any_width(self, place, width, figures, remark):
        change = SimpleNamespace(
            css_class="up", by=50.0, before=50.0, decimals=1, is_few=True, noise="", short="n 1 → 4",
            compared="4 calls now, 1 before",
        )  # fmt: skip
        said = render_to_string(
            "web/partials/change.html", {"change": change, "has_counts": True, "has_short": True}
        )
        html = f"""<section class="section"><input type="checkbox" data-all-figures {figures}>
            <div class="scrolling"><table class="cards scorecard compared"><tbody><tr><th>Greets</th>
            <td class="n change">{said}</td></tr></tbody></table></div>
            <p class="noise-legend">~ over too few calls to say</p></section>"""
        asked = """() => {
            const few = document.querySelector(".few"), style = getComputedStyle(few);
            const short = getComputedStyle(few, "::after").content;
            const legend = document.querySelector(".noise-legend").getBoundingClientRect().height > 0;
            const said = parseFloat(style.fontSize) ? few.textContent : short.replaceAll('"', "")[0];
            return [style.display === "none" ? "" : said, legend];
        }"""

        assert place(html, "", width=width, asked=asked) == [remark, remark == "~"]

    @pytest.mark.parametrize(("width", "is_short"), [(PHONE, True), (TABLET, True), (WIDE, False)])
    def test_a_change_of_a_reason_over_few_calls_has_the_sign_of_its_legend(self, place, width, is_short):
        html = """<section class="section"><table class="cards reasons courses"><tbody><tr><th>Moving</th>
            <td class="n change"><span class="delta">+6.7</span> <small class="behind"
            data-short="n 8 → 15">(15 calls now, 8 before)</small></td></tr></tbody></table>
            <p class="noise-legend">~ over too few calls to say</p></section>"""
        asked = """() => [
            getComputedStyle(document.querySelector(".behind"), "::after").content.includes("~"),
            document.querySelector(".noise-legend").getBoundingClientRect().height > 0]"""

        assert place(html, "", width=width, asked=asked) == [is_short, is_short]

    @pytest.mark.parametrize("width", [TABLET, WIDE])
    def test_figures_of_a_reason_stand_on_one_line_whichever_label_wraps(self, place, width):
        html = f"""<dl class="tally reason-figures"><div><dt>{"Share of the last days " * 4}</dt><dd>7.1</dd>
            </div><div><dt>Trend</dt><dd>steady</dd></div></dl>"""

        share, trend = place(html, "dd", width=width)

        assert share["top"] == trend["top"]

    def test_the_unit_of_a_score_stands_as_near_as_in_a_sentence(self, place):
        html = """<p class="call-score"><span class="whole"><span class="value">100.0</span>&nbsp;<span
            class="unit">%</span></span> <span class="of">52 of 52 points</span></p>"""

        value, unit, points = place(
            html, ".value, .unit, .of", width=WIDE, sheets=("base", "components", "call")
        )

        assert unit["left"] - value["right"] < 6 < points["left"] - unit["right"]

    @pytest.mark.parametrize("width", [TABLET, WIDE])
    def test_weeks_of_a_criterion_unfold_below_it_and_move_no_column(self, place, width):
        weeks = "<li>Nov 2, 2026: 50.0 % (10.0–90.0), 11 calls</li>" * 9
        html = f"""<table class="cards course-table"><thead><tr><th>Criterion</th><th class="n">Calls</th>
            <th>By week</th></tr></thead><tbody><tr><th scope="row">Greets</th><td class="n">12</td>
            <td class="wide extra"><details class="more" {{}}><summary>Figures</summary></details></td></tr>
            <tr class="fold-row"><td colspan="3"><ul class="weeks">{weeks}</ul></td></tr></tbody></table>"""

        folded, open_ = (place(html.format(state), "thead th, .weeks", width=width) for state in ("", "open"))

        assert [each["left"] for each in folded[:3]] == [each["left"] for each in open_[:3]]
        assert (folded[3]["height"], open_[3]["left"]) == (0, open_[0]["left"])
        assert open_[3]["right"] == open_[2]["right"]

    def test_weeks_of_a_criterion_stand_on_the_line_of_their_label_on_a_phone(self, place):
        html = """<section class="section"><input type="checkbox" data-all-figures checked>
            <div class="scrolling"><table class="cards course-table"><tbody><tr><th scope="row">Greets</th>
            <td class="wide extra" data-label="By week"><details class="more"><summary>Figures</summary>
            </details></td></tr></tbody></table></div></section>"""

        name, cell, fold = place(html, "th, td, details")

        assert name["left"] < fold["left"] < cell["right"] / 2
        assert fold["top"] < cell["top"] + 8  # not a line below the label

    @pytest.mark.parametrize(("ticked", "is_shown"), [("checked", True), ("", False)])
    def test_unfolded_weeks_are_shown_on_a_phone_with_all_figures_alone(self, place, ticked, is_shown):
        html = f"""<section class="section"><input type="checkbox" data-all-figures {ticked}>
            <div class="scrolling"><table class="cards course-table"><tbody><tr><th scope="row">Greets</th>
            <td class="wide extra"><details class="more" open><summary>Figures</summary></details></td></tr>
            <tr class="fold-row"><td colspan="2"><ul class="weeks"><li>Nov 2, 2026: 50.0 % (10.0–90.0)</li>
            </ul></td></tr></tbody></table></div></section>"""

        [weeks] = place(html, ".weeks")

        assert (weeks["height"] > 0) is is_shown
        assert not is_shown or weeks["right"] - weeks["left"] > 200

    def test_a_long_part_leaves_no_hole_above_what_stands_next_to_it(self, place):
        html = """<div class="wide-columns even"><div style="block-size: 90px">Moments</div>
            <section class="section" style="block-size: 2000px">Criteria</section>
            <section class="section">Appeals</section></div>"""

        moments, _, appeals = place(html, ".wide-columns > *", width=2560)

        assert (appeals["left"], appeals["top"] - moments["bottom"] < 50) == (moments["left"], True)

    def test_a_quote_stands_nearer_to_its_own_label_than_to_the_next_on_a_phone(self, place):
        said = f'<p class="decisive"><q>{"Hello " * 20}</q></p>'
        cell = f'<td data-label="The call"><strong>met</strong>{said}</td>'
        html = f"""<div class="replay"><table class="cards copy-lines"><tbody><tr><th scope="row">Greets</th>
            {cell}{cell}</tr></tbody></table></div>"""

        answer, quote, next_answer, _ = place(html, "strong, p")

        assert quote["top"] - answer["bottom"] < next_answer["top"] - quote["bottom"]

    def test_choices_in_pairs_stand_apart_on_a_phone(self, place):
        label = f'<label class="check"><input type="checkbox">{"Names of women " * 3}</label>'
        html = f"""<form class="probe-form"><fieldset class="choices columns-of-choices pairs-of-choices">
            <legend>Judge each call again with</legend>{label * 4}</fieldset></form>"""

        legend, first, second, third, _ = place(html, "legend, label")

        assert first["top"] == second["top"]
        assert first["top"] - legend["bottom"] >= 8
        assert third["top"] - first["bottom"] >= 8
