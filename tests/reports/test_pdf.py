"""The report on paper: every figure of the JSON, in both languages, tagged, and hostile text stays text."""

import datetime as dt
import io
import json
import re
from dataclasses import replace

import numpy as np
import pikepdf
import pypdfium2
import pytest

from callscope.engines.errors import BadOutput, EngineUnavailable
from callscope.engines.llm.client import Reply
from callscope.projects.rubric_changes import RubricChange
from callscope.reports.file_names import build_file_name
from callscope.reports.overview.report import (
    AgentRow,
    ContactReasonRow,
    CopcRates,
    CriterionChange,
    Headline,
    MeasureMean,
    Report,
    ScorecardRow,
    ShiftHours,
    ShiftRow,
    TrendBucket,
    report_json,
)
from callscope.reports.pdf.layout import Summary, build_page_data
from callscope.reports.pdf.narrative import build_messages, write_narrative
from callscope.reports.pdf.number_formats import ReportLocale
from callscope.reports.pdf.number_guard import ReportNumbers, split_sentences
from callscope.reports.pdf.plain_text import strip_control_characters
from callscope.reports.pdf.printing import print_pdf
from callscope.reports.pdf.template_summary import write_template_summary
from callscope.reports.window import Window

pytestmark = pytest.mark.one_database

NOW = dt.datetime(2026, 4, 2, 9, 30, tzinfo=dt.UTC)
PAGE_MM, TOP_MM, BOTTOM_MM = 297, 16, 18
WHITE = 245  # of 255


def shown(page: pypdfium2.PdfPage) -> list[int]:
    """Return the numbers of the page's characters that are not spaces."""
    text = page.get_textpage()
    return [i for i in range(text.count_chars()) if text.get_text_range(i, 1).strip()]


def headline(calls: int = 1234, score: float | None = 78.57) -> Headline:
    return Headline(calls, 61.73, score, 80.13, calls, 12.34, 23.45, 67.89, 1187, 977, 871)


def example(**changes) -> Report:
    """A report whose figures are all different, so that each can be looked for."""
    rows = [
        ScorecardRow(
            "greeting",
            "Greets & names",
            "Opening",
            40.25,
            91.37,
            88.11,
            3.26,
            0,
            1230,
            1210,
            20,
            evaluated_pct=91.23,
            previous_evaluated_pct=87.95,
            previous_evaluated_calls=900,
            evaluated_delta_pct=3.28,
            points_lost=3.47,
        ),
        ScorecardRow(
            "identity",
            "Checks identity",
            "Opening",
            35.5,
            42.19,
            None,
            None,
            77,
            1229,
            1228,
            1,
            evaluated_pct=42.14,
            points_lost=20.52,
        ),
        ScorecardRow(
            "closing",
            "Closes",
            "Closing",
            24.25,
            55.61,
            60.02,
            -4.41,
            0,
            1231,
            1100,
            131,
            evaluated_pct=50.32,
            previous_evaluated_pct=55.13,
            previous_evaluated_calls=800,
            evaluated_delta_pct=-4.81,
            points_lost=10.76,
        ),
    ]
    report = Report(
        window=Window(dt.date(2026, 3, 2), dt.date(2026, 3, 31)),
        total_calls_all_time=4321,
        headline=headline(),
        scorecard=rows,
        trend=[
            TrendBucket(dt.date(2026, 3, 2), 301, 77.01, 21.09),
            TrendBucket(dt.date(2026, 3, 9), 0, None, None),
            TrendBucket(dt.date(2026, 3, 16), 305, 79.33, 25.77),
        ],
        contact_reasons=[ContactReasonRow("Billing", 512, 51.83), ContactReasonRow("", 476, 48.17, 9)],
        agents=[AgentRow("Ana Ruiz", 3, 633, 81.24, 9.57, 22.22, 70.71)],
        shifts=[ShiftRow("day", headline(801, 79.95)), ShiftRow("night", headline(386, 70.05))],
        shift_hours=ShiftHours(8, 20),
        copc_rates=CopcRates(96.31, 97.42, 98.53, 88.64, 1200, 1200, 1200, scored_calls=1200),
        previous_headline=headline(1100, 75.0),
    )
    return replace(report, **changes)


def printed(report: Report, language: str = "en", projects=("Service line",), summary=None) -> bytes:
    locale = ReportLocale(language)
    summary = summary or Summary(write_template_summary(report, locale))
    return print_pdf(
        build_page_data(report, projects=projects, summary=summary, locale=locale, generated_at=NOW)
    )


def text_of(pdf: bytes) -> str:
    """Return the text of all pages in reading order, white space collapsed."""
    document = pypdfium2.PdfDocument(pdf)
    return " ".join(" ".join(page.get_textpage().get_text_bounded() for page in document).split())


def empty_shares(pdf: bytes) -> list[float]:
    """Return which part of each page is empty below its last line, of what margins leave."""
    shares = []
    with pypdfium2.PdfDocument(pdf) as document:
        for page in document:
            shade = np.array(page.render(scale=0.5).to_pil().convert("L"))
            mm = shade.shape[0] / PAGE_MM
            lines = (shade[int(TOP_MM * mm) : int((PAGE_MM - BOTTOM_MM) * mm)] < WHITE).any(axis=1)
            shares.append(1 - (np.flatnonzero(lines)[-1] + 1) / len(lines))
    return shares


def figures_of(document) -> set[float]:
    if isinstance(document, dict):
        return set().union(*[figures_of(v) for k, v in document.items() if not k.endswith("_id")], set())
    if isinstance(document, list):
        return set().union(*[figures_of(v) for v in document], set())
    return {document} if isinstance(document, int | float) and not isinstance(document, bool) else set()


def cover_of(report: Report, language: str) -> dict[str, str]:
    data = build_page_data(
        report, projects=["P"], summary=Summary([]), locale=ReportLocale(language), generated_at=NOW
    )
    return dict(data["cover"])


@pytest.mark.parametrize(
    ("hours", "said"), [((8, 20), "8:00 to 20:00."), ((22, 21), "22:00 to 21:00 of the next day.")]
)
def test_says_that_a_day_over_midnight_ends_on_the_next(hours, said):
    report = example(shift_hours=ShiftHours(*hours))

    data = build_page_data(
        report, projects=["P"], summary=Summary([]), locale=ReportLocale("en"), generated_at=NOW
    )

    assert data["shift_hours"] == f"Day is from {said}"


class TestCover:
    def test_says_how_many_calls_were_half_heard(self):
        half = example(half_heard_calls=1234)

        assert "Unreliable transcript" not in cover_of(example(), "en")
        assert cover_of(half, "en")["Unreliable transcript"].startswith(
            "1,234 calls have unreliable transcripts."
        )
        assert cover_of(half, "es")["Transcripción poco fiable"].startswith(
            "1.234 llamadas tienen transcripciones poco fiables."
        )

    def test_says_how_many_calls_a_critical_error_zeroes(self):
        zeroed = example(zeroed_calls=12)

        assert "Critical errors" not in cover_of(example(), "en")
        said = cover_of(zeroed, "en")["Critical errors"]
        assert said == "12 of 1,234 scored calls count as 0: they have a critical error."
        assert "cuentan como 0: tienen un error crítico" in cover_of(zeroed, "es")["Errores críticos"]


class TestPdf:
    @pytest.mark.parametrize("language", ["en", "es"])
    def test_holds_every_figure_of_the_json(self, language):
        locale, report = ReportLocale(language), example()

        text = text_of(printed(report, language))

        for value in figures_of(report_json(report)):
            shown = locale.count(value) if isinstance(value, int) else locale.figure(abs(value))
            assert shown in text, value

    @pytest.mark.parametrize(
        ("language", "tile"),
        [("en", "known for 977 of 1,234 calls"), ("es", "conocido en 871 de 1.234 llamadas")],
    )
    def test_says_how_many_calls_a_share_covers(self, language, tile):
        assert tile in text_of(printed(example(), language))

    @pytest.mark.parametrize(
        ("language", "title"),
        [("en", "Call report: Service line"), ("es", "Informe de llamadas: Service line")],
    )
    def test_is_tagged_and_says_its_title_and_language(self, language, title):
        with pikepdf.open(io.BytesIO(printed(example(), language))) as pdf:
            assert pdf.Root.MarkInfo.Marked
            assert str(pdf.Root.Lang) == language
            assert pdf.Root.StructTreeRoot is not None
            assert pdf.Root.ViewerPreferences.DisplayDocTitle
            with pdf.open_metadata() as metadata:
                assert metadata["dc:title"] == title
                assert metadata["pdfuaid:part"] == "1"

    def test_says_how_agents_talk_and_what_is_unknown(self):
        talk = {"talk_share_pct": MeasureMean(54.25, 12), "hold_seconds": MeasureMean(3.5, 7)}
        agents = [replace(example().agents[0], talk=talk), AgentRow("Bo", 4, 2, None, None, None, None)]

        text = text_of(printed(example(agents=agents)))

        assert "How agents talk" not in text_of(printed(example()))
        known = "Ana Ruiz 54.2 (12) unknown unknown unknown unknown 3.5 (7)"
        assert f"{known} Bo {' '.join(['unknown'] * 6)}" in text

    def test_marks_where_the_rubric_changed(self):
        published_at = dt.datetime(2026, 3, 11, 9, tzinfo=dt.UTC)
        version = RubricChange(1, "Service line", 4, published_at, {"identity": "changed"})
        rows = example().scorecard
        rows[1] = replace(rows[1], changed_in=CriterionChange(4, published_at, "changed"))

        changes = {
            "rubric_changes": [version],
            "judged_changes": [version],
            "used_changes": [version],
        }
        report = example(**changes, scorecard=rows)

        text = text_of(printed(report))
        assert "The rubric changed: version 4 on Mar 11, 2026" in text
        assert "Mar 9, 2026 (the rubric changed)" in text
        assert "changed in version 4 on Mar 11, 2026" in text
        several = text_of(printed(report, projects=("Service line", "Sales")))
        assert "The rubric changed: Service line, version 4 on Mar 11, 2026" in several

    def test_marks_no_change_by_which_no_call_was_judged(self):
        published_at = dt.datetime(2026, 3, 11, 9, tzinfo=dt.UTC)
        version = RubricChange(1, "Service line", 4, published_at, {"identity": "changed"})
        rows = example().scorecard
        rows[1] = replace(rows[1], unused_change=CriterionChange(4, published_at, "changed"))

        text = text_of(printed(example(rubric_changes=[version], scorecard=rows)))

        assert "rubric changed" not in text
        assert "changed in version 4: no call here was judged by it yet" in text
        assert text.count("version 4") == 1

    def test_repeats_the_heads_of_tables_that_break(self):
        row = example().scorecard[0]
        rows = [replace(row, criterion_id=f"c{n}", name=f"Criterion {n}") for n in range(100)]

        document = pypdfium2.PdfDocument(printed(example(scorecard=rows)))
        texts = [" ".join(page.get_textpage().get_text_bounded().split()) for page in document]

        with_rows = [text for text in texts if re.search(r"Criterion \d+ not applicable", text)]
        assert len(with_rows) >= 3
        assert all(text.count("Change Critical errors") == 1 for text in with_rows)

    @pytest.mark.parametrize(
        ("language", "said"),
        [
            ("en", "And 160 more agents, each with at most 5 calls."),
            ("es", "Y 160 agentes más, cada uno con 5 llamadas como máximo."),
        ],
    )
    def test_lists_the_agents_with_most_calls_and_says_how_many_others_there_are(self, language, said):
        agents = [AgentRow(f"Agent number {n:03}", n, 5, 50.0, 0.0, 0.0, 50.0) for n in range(200)]

        text = text_of(printed(example(agents=agents), language))

        assert "Agent number 039" in text
        assert "Agent number 040" not in text
        assert said in text

    @pytest.mark.parametrize(
        ("language", "row", "said"),
        [
            ("en", "70.0 (0)", "The chart also shows 47 earlier weeks."),
            ("es", "70,0 (0)", "El gráfico muestra además 47 semanas anteriores."),
        ],
    )
    def test_lists_the_latest_weeks_and_says_how_many_the_chart_shows(self, language, row, said):
        first = dt.date(2025, 1, 6)
        trend = [TrendBucket(first + n * dt.timedelta(days=7), 20, 70.0, 5.0) for n in range(60)]

        text = text_of(printed(example(trend=trend), language))

        assert text.count(row) == 13
        assert said in text
        assert "*" not in text

    @pytest.mark.parametrize(
        ("language", "words"),
        [
            ("en", "* Only part of the week is in the period or has passed."),
            ("es", "* Solo una parte de la semana está en el periodo o ha pasado."),
        ],
    )
    def test_the_trend_says_what_the_asterisk_of_a_week_means(self, language, words):
        first = dt.date(2026, 1, 5)
        trend = [TrendBucket(first + n * dt.timedelta(days=7), 20, 70.0, 5.0) for n in range(30)]
        part_at = {n: [*trend[:n], replace(trend[n], is_part=True), *trend[n + 1 :]] for n in (0, 29)}
        notes = {
            n: build_page_data(
                example(trend=weeks),
                projects=["P"],
                summary=Summary([]),
                locale=ReportLocale(language),
                generated_at=NOW,
            )["trend"]["note"]
            for n, weeks in part_at.items()
        }

        assert words in notes[29]
        assert words not in notes[0]  # the table leaves that week out

    def test_lays_out_sixty_criteria_with_long_names(self):
        row = example().scorecard[0]
        rows = [
            replace(row, criterion_id=f"c{n}", name=f"Criterion {n} " + "with a long name " * 6)
            for n in range(60)
        ]

        with pikepdf.open(io.BytesIO(printed(example(scorecard=rows)))) as pdf:
            assert len(pdf.pages) > 3

    def test_breaks_words_that_no_column_holds(self):
        row = replace(example().scorecard[0], name="W" * 120)

        with pypdfium2.PdfDocument(printed(example(scorecard=[row]))) as pdf:
            texts = [(page.get_textpage(), shown(page)) for page in pdf]
            edges = [text.get_charbox(i)[2] for text, numbers in texts for i in numbers]
            width = pdf[0].get_width()

        assert len(edges) > 120
        assert max(edges) < width

    def test_of_an_empty_window_says_what_lies_outside(self):
        empty = Headline(0, 0.0, None, None, 0, None, None, None, 0)
        report = example(
            headline=empty,
            scorecard=[],
            trend=[],
            contact_reasons=[],
            agents=[],
            shifts=[ShiftRow("day", empty), ShiftRow("night", empty)],
            previous_headline=None,
            copc_rates=CopcRates(None, None, None, None),
        )

        text = text_of(printed(report))

        assert "There are no analyzed calls in this period. In all time there are 4,321." in text
        assert "Scorecard" not in text  # no page of dashes

    @pytest.mark.parametrize(
        "payload",
        [
            '#include "/etc/passwd"',
            "#panic(1)",
            "$x^2$",
            "*bold* _it_ `raw`",
            "= heading",
            "@ref <label>",
            "]] #[",
            "\\u{202e}",
            "<script>alert(1)</script>",
            "// comment",
            "/* open",
            '"quotes"',
            "a\u202eb",
            "a\u0000b",
            "line\nbreak",
            "\ud800",
            "{{ x }}",
            "%PDF-1.7",
            "=HYPERLINK(1)",
            "&amp;",
            "🙂",
            "مرحبا",
            "مرحبا abc \u0625\u0644 x \u06ff y",
            "客户服务 お客様",
            "नमस्ते",
            "\u0301\u0302\u0303",
            "\U000e0001",
            "   ",
            "x" * 255,
        ],
    )
    def test_keeps_hostile_text_as_text(self, payload):
        plain = example()
        row = replace(plain.scorecard[0], name=payload, section=payload)
        hostile = example(
            scorecard=[row, *plain.scorecard[1:]],
            contact_reasons=[ContactReasonRow(payload, 512, 51.83)],
            agents=[replace(plain.agents[0], agent=payload)],
        )
        harmless = example(
            scorecard=[replace(row, name="x", section="x"), *plain.scorecard[1:]],
            contact_reasons=[ContactReasonRow("x", 512, 51.83)],
            agents=[replace(plain.agents[0], agent="x")],
        )

        got = printed(hostile, projects=[payload], summary=Summary([f"{payload}."]))
        expected = printed(harmless, projects=["x"], summary=Summary(["x."]))

        parts = ("/Div", "/L")  # of the meanings, which part where a page ends
        got, expected = [[s for s in structure_of(pdf) if s not in parts] for pdf in (got, expected)]
        assert got == expected


def fonts_of(pdf: bytes) -> set[str]:
    """Return the names of the fonts in a PDF, without the tag of their subset."""
    with pikepdf.open(io.BytesIO(pdf)) as document:
        found = [each for each in document.objects if isinstance(each, pikepdf.Dictionary)]
        names = [str(each.FontName) for each in found if "/FontName" in each]
    return {name.strip("/").split("+")[-1] for name in names}


class TestTypeface:
    def test_is_that_of_the_pages(self):
        assert fonts_of(printed(example())) == {"Inter-Regular", "Inter-Bold"}

    def test_leaves_other_scripts_to_a_face_that_has_them(self):
        found = fonts_of(printed(example(), projects=["Поддержка"]))

        assert {"Inter-Regular", "Inter-Bold"} < found


def structure_of(pdf: bytes) -> list[str]:
    """Return the roles of the structure tree, spans left out: a glyph that a font lacks may split one."""

    def roles(node, found: list[str]) -> list[str]:
        if isinstance(node, pikepdf.Dictionary) and "/S" in node:
            found.append(str(node.S))
        kids = node.get("/K") if isinstance(node, pikepdf.Dictionary) else None
        for kid in kids if isinstance(kids, pikepdf.Array) else [kids] if kids is not None else []:
            if isinstance(kid, pikepdf.Dictionary):
                roles(kid, found)
        return found

    with pikepdf.open(io.BytesIO(pdf)) as document:
        return [role for role in roles(document.Root.StructTreeRoot, []) if role != "/Span"]


class TestClean:
    def test_drops_controls_and_direction_marks(self):
        assert strip_control_characters("a\u202eb\u0000c\nd\u200f") == "abc d"


class TestFileName:
    class _Project:
        def __init__(self, name: str) -> None:
            self.name = name

    @pytest.mark.parametrize(
        ("name", "shown"),
        [
            ("Línea de atención", "callscope-linea-de-atencion-2026-03-02-to-2026-03-31.pdf"),
            ('a"; filename="evil.exe', "callscope-a-filename-evil-exe-2026-03-02-to-2026-03-31.pdf"),
            ("../../etc/passwd\r\nX: 1", "callscope-etc-passwd-x-1-2026-03-02-to-2026-03-31.pdf"),
            ("電話", "callscope-2026-03-02-to-2026-03-31.pdf"),
        ],
    )
    def test_is_safe_for_any_project_name(self, name, shown):
        assert build_file_name([self._Project(name)], example().window, "pdf") == shown


class TestFigures:
    @pytest.mark.parametrize(
        ("language", "sentence", "holds"),
        [
            ("en", "The average score is 78.6 %.", True),
            ("en", "The average score is 78.57 %.", False),
            ("en", "There were 1,234 calls between March 2, 2026 and March 31, 2026.", True),
            ("en", "There were 12,34 calls.", False),
            ("en", "Closing fell by 4.8 points.", True),
            ("en", "Closing fell by 4.4 points.", False),
            ("en", "Nine other reasons make up the rest.", True),
            ("en", "Eleven agents did well.", False),
            ("en", "The score doubled.", False),
            ("en", "Scores were up by ¾.", False),
            ("en", "The 2026 figures are good.", False),
            ("es", "La puntuación media es del 78,6 %.", True),
            ("es", "La puntuación media es del 78.6 %.", False),
            ("es", "Hubo 1.234 llamadas.", True),
            ("es", "Hubo mil llamadas.", False),
            ("en", "Service was friendly.", True),
            ("en", "٧٨.٦ % on average.", True),
            ("en", "٧٩ % on average.", False),
        ],
    )
    def test_hold_only_numbers_of_the_report(self, language, sentence, holds):
        assert ReportNumbers(example(), language).contains_all(sentence) is holds

    def test_hold_every_sentence_of_the_plain_summary(self):
        for language in ("en", "es"):
            figures = ReportNumbers(example(), language)
            sentences = [
                s
                for p in write_template_summary(example(), ReportLocale(language))
                for s in split_sentences(p)
            ]
            # The rise of the average and the number of calls with a reason are computed from its figures.
            computed = "3", "988"
            said = [s for s in sentences if not any(each in s for each in computed)]
            assert [s for s in said if not figures.contains_all(s)] == []


class ScriptedModel:
    name, model = "scripted", "scripted-1"

    def __init__(self, answer) -> None:
        self.answer = answer
        self.asked: list = []

    def complete(self, messages, *, schema, schema_name, max_tokens):
        self.asked.append(messages)
        if isinstance(self.answer, Exception):
            raise self.answer
        if callable(self.answer):
            self.answer()
        text = self.answer if isinstance(self.answer, str) else json.dumps({"paragraphs": self.answer})
        return Reply(text, 10, 5, None, "scripted-1")


class TestNarrative:
    def write(self, model, report=None, **options):
        return write_narrative(
            report or example(),
            reasons=frozenset({"Billing"}),
            locale=ReportLocale("en"),
            model=model,
            **options,
        )

    def test_drops_a_sentence_with_an_invented_number(self):
        written = self.write(
            ScriptedModel(["The average score is 78.6 %. It will reach 90 % soon. Calls went well."])
        )

        assert written.summary.paragraphs == ["The average score is 78.6 %. Calls went well."]
        assert written.dropped == ["It will reach 90 % soon."]

    def test_drops_a_sentence_with_an_address(self):
        written = self.write(
            ScriptedModel(
                ["Calls went well. Sign in at www.evil.example to see more. Write to a@evil.example."]
            )
        )

        assert written.summary.paragraphs == ["Calls went well."]
        assert len(written.dropped) == 2

    @pytest.mark.parametrize(
        "answer",
        [
            "not json",
            '{"paragraphs": 3}',
            "[]",
            '{"paragraphs": []}',
            pytest.param('{"paragraphs":' + "[" * 100_000 + "]" * 100_000 + "}", id="nested"),
            EngineUnavailable("away"),
            BadOutput("cut off"),
        ],
    )
    def test_leaves_a_note_when_the_model_fails(self, answer):
        written = self.write(ScriptedModel(answer))

        assert written.summary.paragraphs == write_template_summary(example(), ReportLocale("en"))
        assert written.summary.note.startswith("The language model wrote no summary this time, so this one")

    def test_leaves_a_note_when_the_model_is_slow(self):
        import threading

        release = threading.Event()
        try:
            written = self.write(ScriptedModel(release.wait), limit_s=0.05)
        finally:
            release.set()

        assert written.summary.note.startswith("The language model wrote no summary this time, so this one")

    def test_shows_the_model_no_agent_and_no_callers_words(self):
        report = example(
            contact_reasons=[
                ContactReasonRow("Billing", 2, 50.0),
                ContactReasonRow("my secret words", 2, 50.0),
            ]
        )
        model = ScriptedModel(["Fine."])

        self.write(model, report)

        prompt = json.dumps(model.asked)
        assert "Billing" in prompt
        assert "Ana Ruiz" not in prompt
        assert "my secret words" not in prompt

    def test_gives_the_model_how_many_calls_a_share_covers(self):
        _, figures = build_messages(example(), frozenset(), ReportLocale("en"))

        document = json.loads(figures["content"].removeprefix("<figures>").removesuffix("</figures>"))
        assert document["headline"]["sentiment_calls"] == 977

    def test_gives_the_model_criteria_where_they_apply_alone(self):
        _, figures = build_messages(example(), frozenset(), ReportLocale("en"))

        document = json.loads(figures["content"].removeprefix("<figures>").removesuffix("</figures>"))
        names = ("name", "pct", "calls", "previous_pct", "previous_calls", "delta_pct")
        assert [[row[name] for name in names] for row in document["scorecard"]] == [
            ["Greets & names", 91.2, 1210, 88.0, 900, 3.3],
            ["Checks identity", 42.1, 1228, None, 0, None],
            ["Closes", 50.3, 1100, 55.1, 800, -4.8],
        ]
        assert not {55.6, 91.4, 42.2, -4.4} & figures_of(document["scorecard"])  # averages of the interface

    def test_drops_a_sentence_with_the_average_over_calls_to_which_a_criterion_does_not_apply(self):
        written = self.write(
            ScriptedModel(["Closes stands at 50.3 % over 1,100 calls. Closes stands at 55.6 %."])
        )

        assert written.summary.paragraphs == ["Closes stands at 50.3 % over 1,100 calls."]

    def test_asks_the_model_to_name_ties_together(self):
        instructions, _ = build_messages(example(), frozenset(), ReportLocale("en"))

        assert "have the same figure, name all of them or none" in instructions["content"]

    def test_gives_the_model_the_window_before(self):
        _, figures = build_messages(example(), frozenset(), ReportLocale("en"))

        document = json.loads(figures["content"].removeprefix("<figures>").removesuffix("</figures>"))
        assert document["previous_headline"]["average_score"] == 75.0

    def test_is_written_from_templates_without_a_model(self):
        written = self.write(None)

        assert written.reply is None
        assert written.summary.paragraphs[-1].startswith(
            "The most frequent contact reason is “Billing” (51.8"
        )
