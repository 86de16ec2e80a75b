"""The pages of the PDF are filled: what follows begins where there is room for it."""

import datetime as dt
import io
import json
import re
import struct
import zlib
from dataclasses import replace

import numpy as np
import pikepdf
import pypdfium2
import pytest
from pypdfium2.raw import FPDF_PAGEOBJ_IMAGE as IMAGE
from pypdfium2.raw import FPDF_PAGEOBJ_PATH as PATH

from callscope.reports.overview.maps.agent_criteria import AgentMap, MapAgent, MapCell, RowName
from callscope.reports.overview.maps.week_hours import HourFigure, WeekHours
from callscope.reports.overview.report import ContactReasonRow, CopcRates, Headline
from callscope.reports.overview.schemas import AgentRow
from callscope.reports.pdf.layout import PageData, Summary, build_page_data
from callscope.reports.pdf.number_formats import ReportLocale
from callscope.reports.pdf.printing import _typeset, print_pdf
from callscope.reports.pdf.template_summary import write_template_summary
from callscope.reports.window import Window
from tests.reports.test_pdf import (
    BOTTOM_MM,
    NOW,
    PAGE_MM,
    TOP_MM,
    WHITE,
    empty_shares,
    example,
    printed,
    structure_of,
    text_of,
)
from tests.reports.test_pdf_story import MOMENT, fallen

LEAST_GAP_MM = 6  # of a heading above

pytestmark = pytest.mark.one_database

MOST_EMPTY = 1 / 4


# The more rows, the further down a page the last part of the report begins.
@pytest.mark.parametrize("count", (1, 16, 19, 22, 25))
@pytest.mark.parametrize("language", ["en", "es"])
def test_no_page_but_the_last_is_more_than_a_third_empty(count, language):
    agents = [AgentRow(f"Agent {n}", n, 60 - n, 50.0, 10.0, 20.0, 50.0) for n in range(count)]

    *filled, _last = empty_shares(printed(example(agents=agents), language))

    assert max(filled) <= MOST_EMPTY


@pytest.mark.parametrize("count", range(1, 30, 4))
@pytest.mark.parametrize("language", ["en", "es"])
def test_the_meanings_are_two_columns_on_each_page_and_never_few_on_the_last(count, language):
    agents = [AgentRow(f"Agent {n}", n, 60 - n, 50.0, 10.0, 20.0, 50.0) for n in range(count)]
    pdf = printed(example(agents=agents), language)

    roles = structure_of(pdf)
    lists = roles[len(roles) - roles[::-1].index("/H2") :].count("/L")
    with pypdfium2.PdfDocument(pdf) as document:
        marks = [page.get_textpage().get_text_bounded().count("\N{BULLET}") for page in document]

    assert lists in (2, 4)
    assert marks[-1] >= 8


@pytest.mark.parametrize("language", ["en", "es"])
def test_rows_come_closer_where_that_saves_the_meanings_a_page_of_their_own(language):
    saved = 0
    for count in (6, 10, 14):
        agents = [AgentRow(f"Agent {n}", n, 60 - n, 50.0, 10.0, 20.0, 50.0) for n in range(count)]
        data = build_page_data(
            example(agents=agents), projects=["P"], summary=Summary([]), locale=ReportLocale(language),
            generated_at=NOW,
        )  # fmt: skip
        usual = _typeset({"data": json.dumps(data)}, ignore_system_fonts=True)
        with pypdfium2.PdfDocument(print_pdf(data)) as document:
            pages = [" ".join(page.get_textpage().get_text_bounded().split()) for page in document]

        assert all(re.search(rf"\b{n} (of|de) {len(pages)}\b", text) for n, text in enumerate(pages, 1))
        assert sum(data["labels"]["reading"] in text for text in pages) == 1
        assert len(pages) == usual.pages or usual.has_page_of_meanings
        saved += usual.pages - len(pages)

    assert saved > 0


MOMENTS = [replace(MOMENT, call_id=n, name=f"Reason {n} to hear it") for n in range(3)]


@pytest.mark.parametrize("causes", (0, 2))
@pytest.mark.parametrize("language", ["en", "es"])
def test_the_first_page_tells_the_story_and_is_full(language, causes):
    scorecard = [*example().scorecard, *[replace(fallen(), criterion_id=f"c{n}") for n in range(causes)]]
    report, locale = example(scorecard=scorecard), ReportLocale(language)
    data = build_page_data(
        report, projects=["Service line"], summary=Summary(write_template_summary(report, locale)),
        locale=locale, generated_at=NOW, moments=MOMENTS,
    )  # fmt: skip
    pdf = print_pdf(data)

    with pypdfium2.PdfDocument(pdf) as document:
        first = " ".join(document[0].get_textpage().get_text_bounded().split())

    labels, tiles = data["labels"], [each["value"] for each in data["tiles"]]
    said = [data["hero"]["value"], labels["changed"], labels["quotes"], *tiles]
    said += [each.name for each in MOMENTS]
    assert [each for each in said if each not in first] == []
    assert (labels["causes"] in first) == bool(causes)
    assert empty_shares(pdf)[0] <= 0.15


def build_story(language: str, causes: int, quotes: int) -> PageData:
    """Return a report with so many causes and calls to hear on its first page."""
    scorecard = [*example().scorecard, *[replace(fallen(), criterion_id=f"c{n}") for n in range(causes)]]
    report, locale = example(scorecard=scorecard), ReportLocale(language)
    return build_page_data(
        report, projects=["Service line"], summary=Summary(write_template_summary(report, locale)),
        locale=locale, generated_at=NOW,
        moments=[replace(MOMENT, call_id=n, name=f"Reason {n} to hear it") for n in range(quotes)],
    )  # fmt: skip


# So many that the chart goes to the next page, and leaves room.
@pytest.mark.parametrize(
    ("language", "causes", "quotes"), [("en", 0, 7), ("en", 1, 5), ("en", 2, 5), ("es", 0, 7)]
)
def test_most_of_what_the_chart_leaves_stands_at_the_foot_of_the_first_page(language, causes, quotes):
    data = build_story(language, causes, quotes)
    pdf = print_pdf(data)

    between, foot = measure_first_page(pdf)
    with pypdfium2.PdfDocument(pdf) as document:
        texts = [page.get_textpage().get_text_bounded() for page in document]

    assert [data["labels"]["trend"] in text for text in texts[:2]] == [False, True]
    assert foot > 1.5 * between or between < LEAST_GAP_MM  # no more than stands between parts anyway


def measure_first_page(pdf: bytes) -> tuple[float, float]:
    """Return the largest gap between two lines of the first page, and the room below its last one, in mm."""
    with pypdfium2.PdfDocument(pdf) as document:
        shade = np.array(document[0].render(scale=1).to_pil().convert("L"))
    mm = shade.shape[0] / PAGE_MM
    within = shade[int(TOP_MM * mm) : int((PAGE_MM - BOTTOM_MM) * mm)]
    lines = np.flatnonzero((within < WHITE).any(axis=1))
    return float(np.diff(lines).max()) / mm, (len(within) - float(lines[-1])) / mm


@pytest.mark.parametrize("before", range(0, 30, 3))
def test_a_table_of_twelve_rows_breaks_only_where_much_of_a_page_would_be_empty(before):
    agents = [AgentRow(f"Agent {n}", n, 60 - n, 50.0, 10.0, 20.0, 50.0) for n in range(12)]
    reasons = [ContactReasonRow(f"Reason {n}", 5, 10.0) for n in range(before)]
    pdf = printed(example(agents=agents, contact_reasons=reasons))

    with pypdfium2.PdfDocument(pdf) as document:
        texts = [page.get_textpage().get_text_bounded() for page in document]
    found = [count for text in texts if (count := len(re.findall(r"(?m)^Agent \d", text)))]
    *filled, _last = empty_shares(pdf)

    assert sum(found) == 12
    assert (len(found) == 2) == (before == 15)
    assert min(found) >= 3
    assert max(filled) <= 1 / 5


def test_without_calls_all_stands_at_the_top():
    empty = Headline(0, 0.0, None, None, 0, None, None, None, 0)

    shares = empty_shares(printed(example(headline=empty, previous_headline=None)))

    assert len(shares) == 1
    assert shares[0] > 1 / 2


def test_shares_stand_before_counts():
    data = build_page_data(
        example(), projects=["P"], summary=Summary([]), locale=ReportLocale("en"), generated_at=NOW
    )

    assert [each["label"] for each in data["tiles"]] == [
        "Weighted compliance, %", "Critical errors, %", "Negative sentiment, %", "Goal reached, %",
        "Calls", "Scored calls", "Hours of calls", "With call time",
    ]  # fmt: skip


def test_maps_are_as_wide_as_the_text_at_most():
    names = [RowName(str(n), f"Criterion {n}") for n in range(15)]
    rows = [MapAgent(f"Ana {n}", n, 12, [MapCell(12, 80.25, 2)] * 15) for n in range(25)]
    hours = [HourFigure(n // 24, n % 24, 20, 20, 100.0, None) for n in range(168)]
    data = build_page_data(
        example(), projects=["P"], summary=Summary([]), locale=ReportLocale("en"), generated_at=NOW,
        agent_map=AgentMap(names, rows, 25, 15), week_hours=WeekHours(0, hours),
    )  # fmt: skip

    with pypdfium2.PdfDocument(print_pdf(data)) as document:
        edges = [each.get_bounds()[2] for page in document for each in page.get_objects()]
        width = document[0].get_width()

    assert max(edges) <= width - 18 / 25.4 * 72 + 2  # lines are drawn with their ends


def test_the_scorecard_is_read_across_in_seven_columns():
    with pikepdf.open(io.BytesIO(printed(example()))) as pdf:
        found = [each for each in pdf.objects if isinstance(each, pikepdf.Dictionary)]
        cells = [len(each.K) for each in found if each.get("/S") == "/TR"]

    assert max(cells) <= 7


def test_columns_of_the_period_before_are_left_out_where_it_has_no_calls():
    before = Headline(0, 0.0, None, None, 0, None, None, None, 0)

    text = text_of(printed(example(previous_headline=before)))

    assert "Before, %" in text_of(printed(example()))
    assert "Before, %" not in text


@pytest.mark.parametrize(("language", "day"), [("en", "March 2, 2026"), ("es", "2 de marzo de 2026")])
def test_one_day_is_named_once(language, day):
    one = Window(dt.date(2026, 3, 2), dt.date(2026, 3, 2))

    assert text_of(printed(example(window=one), language)).count(day) == 1


def test_shares_over_few_calls_are_pale():
    report = example(copc_rates=CopcRates(90.0, 90.0, 90.0, 90.0, 9, 9, 9, 10, 9), shifts=[])
    data = build_page_data(
        report, projects=["P"], summary=Summary([]), locale=ReportLocale("en"), generated_at=NOW
    )

    assert [row[1]["is_few"] for row in data["rates"]] == [True, True, True, False]
    assert "No call in this period has a known time." in text_of(print_pdf(data))


def test_day_and_night_repeat_no_count_and_rates_have_their_unit():
    data = build_page_data(
        example(), projects=["P"], summary=Summary([]), locale=ReportLocale("en"), generated_at=NOW
    )

    assert "Scored calls" in [row[0] for row in data["shifts"]]
    assert "With call time" not in [row[0] for row in data["shifts"]]
    assert all(row[0].endswith(" accuracy, %") for row in data["rates"])


def png(width: int, height: int) -> bytes:
    """Return a picture in one color."""
    rows = b"".join(b"\0" + b"\x10\x80\x40" * width for _ in range(height))

    def chunk(kind: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", head)
        + chunk(b"IDAT", zlib.compress(rows))
        + chunk(b"IEND", b"")
    )


@pytest.mark.parametrize(("size", "first_mm"), [((200, 100), (28, 14)), ((2000, 50), (80, 2))])
def test_the_logo_is_on_every_page_and_stays_within_the_text(size, first_mm):
    agents = [AgentRow(f"Agent {n}", n, 60 - n, 50.0, 10.0, 20.0, 50.0) for n in range(5)]
    locale = ReportLocale("en")
    data = build_page_data(
        example(agents=agents), projects=["Service line"], summary=Summary([]), locale=locale,
        generated_at=NOW, logo=png(*size),
    )  # fmt: skip

    with pypdfium2.PdfDocument(print_pdf(data)) as document:
        found = [
            [
                tuple(round(side * 25.4 / 72) for side in (right - left, top - bottom))
                for left, bottom, right, top in (
                    each.get_bounds() for each in page.get_objects(filter=[IMAGE])
                )
            ]
            for page in document
        ]

    first, *others = found
    assert first == [first_mm]
    assert others and all(len(each) == 1 and each[0][0] <= 30 and each[0][1] <= 5 for each in others)


@pytest.mark.parametrize(
    ("organization", "logo", "marked"), [("", b"", True), ("Acme", b"", False), ("", png(200, 100), False)]
)
def test_the_first_page_has_the_mark_of_the_product_where_no_organization_is_named(
    organization, logo, marked
):
    data = build_page_data(
        example(), projects=["Service line"], summary=Summary([]), locale=ReportLocale("en"),
        generated_at=NOW, organization=organization, logo=logo,
    )  # fmt: skip

    with pypdfium2.PdfDocument(print_pdf(data)) as document:
        found = [page.get_textpage().get_text_bounded().count("Callscope") for page in document]

    assert found == [int(marked)] + [0] * (len(found) - 1)


@pytest.mark.parametrize(
    ("count", "is_split"), [(14, False), (16, False), (20, True), (22, False), (24, False)]
)
def test_a_table_breaks_where_it_would_leave_much_empty_with_three_rows_on_each_side(count, is_split):
    agents = [AgentRow(f"Agent {n}", n, 60 - n, 50.0, 10.0, 20.0, 50.0) for n in range(3)]
    criteria = [
        replace(example().scorecard[0], criterion_id=f"c{n}", name=f"Criterion {n}") for n in range(count)
    ]
    reasons = [ContactReasonRow(f"Reason ({n:02})", 5, 10.0) for n in range(11)]
    pdf = printed(example(agents=agents, contact_reasons=reasons, scorecard=criteria))

    with pypdfium2.PdfDocument(pdf) as document:
        found = [
            len(re.findall(r"(?m)^Reason \(", page.get_textpage().get_text_bounded())) for page in document
        ]
    *filled, _last = empty_shares(pdf)

    assert sum(found) == 11
    assert min(n for n in found if n) >= 3
    assert (11 not in found) == is_split
    assert max(filled) <= (0.05 if is_split else MOST_EMPTY)


@pytest.mark.parametrize(
    ("language", "causes", "quotes"), [("en", 0, 7), ("en", 1, 5), ("en", 2, 4), ("es", 0, 5)]
)
def test_rates_use_what_the_chart_leaves_of_the_first_page(language, causes, quotes):
    data = build_story(language, causes, quotes)

    with pypdfium2.PdfDocument(print_pdf(data)) as document:
        texts = [" ".join(page.get_textpage().get_text_bounded().split()) for page in document]

    labels, rate = data["labels"], data["rates"][-1][0].split(",")[0]
    assert labels["trend"] not in texts[0]
    assert rate in texts[0]
    assert not any(labels["copc_rates"] in text for text in texts)


LEAST_AIR_PT = 2.9


@pytest.mark.parametrize("spacing", [{}, {"closer": "yes"}])
def test_the_text_of_rows_keeps_away_from_the_rules(spacing):
    agents = [AgentRow(f"Agent {n}", n, 60 - n, 50.0, 10.0, 20.0, 50.0) for n in range(5)]
    data = build_page_data(
        example(agents=agents),
        projects=["P"],
        summary=Summary([]),
        locale=ReportLocale("en"),
        generated_at=NOW,
    )
    pdf = _typeset({"data": json.dumps(data), **spacing}, ignore_system_fonts=True).content

    with pypdfium2.PdfDocument(pdf) as document:
        gaps = [gap for page in document for gap in measure_air(page)]

    assert len(gaps) > 100
    assert min(gaps) >= LEAST_AIR_PT


def measure_air(page: pypdfium2.PdfPage) -> list[float]:
    """Return how far each digit is from the rules above and below it, in points, where these are near."""
    rules = []
    for each in page.get_objects(filter=[PATH]):
        left, bottom, right, top = each.get_bounds()
        if top - bottom <= 1.5 and right - left > 10:
            rules.append((left, (bottom + top) / 2, right))
    text = page.get_textpage()
    gaps = []
    for i in range(text.count_chars()):
        if text.get_text_range(i, 1) in "0123456789":
            left, bottom, right, top = text.get_charbox(i)
            near = [y for start, y, end in rules if start <= left and right <= end]
            gaps += [gap for y in near for gap in (y - top, bottom - y) if 0 <= gap < 10]
    return gaps
