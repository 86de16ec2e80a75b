"""What the summary calls the strongest or the most frequent: ties are named together, or not at all."""

from dataclasses import replace

import pytest
from django.utils import translation

from callscope.reports.overview.places.ties import join_names, take_leading
from callscope.reports.overview.report import ContactReasonRow, Report, ScorecardRow
from callscope.reports.pdf.number_formats import ReportLocale
from callscope.reports.pdf.template_summary import write_template_summary
from tests.reports.test_pdf import example, printed, text_of
from tests.reports.test_pdf_story import data_of, fallen

pytestmark = pytest.mark.one_database


def criterion(name: str, pct: float, *, calls: int = 40, critical: int = 0) -> ScorecardRow:
    return ScorecardRow(
        name, name, "S", 10.0, pct, None, None, critical, calls, calls, 0, evaluated_pct=pct, is_critical=True
    )


def scored(*shares: float) -> Report:
    return example(scorecard=[criterion(f"C{n}", pct) for n, pct in enumerate(shares)])


def failed(*errors: int, **changes) -> Report:
    rows = [criterion(f"C{n}", 90.0, critical=count) for n, count in enumerate(errors)]
    return example(scorecard=rows, **changes)


def asked(*calls: int, others: int = 0) -> Report:
    total = sum(calls) + others
    rows = [ContactReasonRow(f"R{n}", count, 100 * count / total) for n, count in enumerate(calls)]
    rest = [ContactReasonRow("", others, 100 * others / total, 9)] if others else []
    return example(scorecard=[], contact_reasons=[*rows, *rest])


def write(report: Report, language: str = "en") -> str:
    return " ".join(write_template_summary(report, ReportLocale(language))).replace("\u00a0", " ")


class TestNames:
    @pytest.mark.parametrize(
        ("values", "wanted", "taken"),
        [
            ([], 1, 0),
            ([5], 2, 1),
            ([5, 4, 3], 2, 2),
            ([5, 4, 4, 3], 2, 3),
            ([5, 4, 4, 4, 3], 2, 1),
            ([5, 5, 5, 5, 5, 3], 2, 5),
            ([5, 5, 4], 1, 2),
        ],
    )
    def test_no_tie_is_cut(self, values, wanted, taken):
        assert take_leading(values, lambda value: value, wanted) == values[:taken]

    @pytest.mark.parametrize(
        ("language", "count", "said"),
        [
            ("en", 1, "A"),
            ("en", 2, "A and B"),
            ("en", 3, "A, B and C"),
            ("en", 5, "A, B, C and 2 more"),
            ("es", 2, "A y B"),
            ("es", 3, "A, B y C"),
            ("es", 4, "A, B, C y 1 más"),
            ("es", 5, "A, B, C y 2 más"),
        ],
    )
    def test_more_than_three_are_counted(self, language, count, said):
        with translation.override(language):
            assert join_names(list("ABCDE"[:count]), ReportLocale(language).rounded) == said


class TestCriteria:
    @pytest.mark.parametrize(
        ("shares", "weak", "strong"),
        [
            ((50, 90), "criterion is “C0”", "strongest is “C1”"),
            ((50, 50.04, 90, 90), "criteria are “C0” and “C1”", "strongest are “C2” and “C3”"),
            ((50,) * 3 + (90,) * 3, "criteria are “C0”, “C1” and “C2”", "strongest are “C3”, “C4” and “C5”"),
            ((50, 90, 90, 90, 90, 90), "criterion is “C0”", "strongest are “C1”, “C2”, “C3” and 2 more"),
            ((50, 50, 50, 50, 50, 90), "criteria are “C0”, “C1”, “C2” and 2 more", "strongest is “C5”"),
        ],
    )
    def test_those_as_weak_or_as_strong_are_named_together(self, shares, weak, strong):
        said = write(scored(*shares))

        plain = said.replace(" (50.0 % over 40 calls)", "").replace(" (90.0 % over 40 calls)", "")
        assert f"The weakest {weak}; the {strong}." in plain
        assert said.count("(50.0 % over 40 calls)") == weak.count("“")

    @pytest.mark.parametrize(
        ("shares", "weak", "strong"),
        [
            ((50, 90), "El criterio más débil es «C0»", "el más fuerte es «C1»"),
            ((50, 50, 90), "Los criterios más débiles son «C0» y «C1»", "el más fuerte es «C2»"),
            (
                (50,) + (90,) * 5,
                "El criterio más débil es «C0»",
                "los más fuertes son «C1», «C2», «C3» y 2 más",
            ),
        ],
    )
    def test_those_as_weak_or_as_strong_are_named_together_in_spanish(self, shares, weak, strong):
        said = write(scored(*shares), "es")

        plain = said.replace(" (50,0 % en 40 llamadas)", "").replace(" (90,0 % en 40 llamadas)", "")
        assert f"{weak}; {strong}." in plain

    @pytest.mark.parametrize("shares", [(), (50,), (90, 90), (90, 90.04, 90, 90, 90)])
    def test_none_is_the_strongest_where_all_look_alike(self, shares):
        assert "strongest" not in write(scored(*shares))

    def test_none_of_few_calls_is_weak_or_strong(self):
        rows = [
            criterion("Seldom", 10.0, calls=9),
            criterion("Often", 80.0),
            criterion("Rare", 99.0, calls=9),
        ]

        assert "strongest" not in write(example(scorecard=rows))

    @pytest.mark.parametrize(
        ("language", "shares", "said"),
        [
            ("en", (50, 90), "Of the other criteria, the weakest is “C0”"),
            ("en", (50, 50, 90), "Of the other criteria, the weakest are “C0”"),
            ("es", (50, 90), "De los demás criterios, el más débil es «C0»"),
            ("es", (50, 50, 90), "De los demás criterios, los más débiles son «C0»"),
        ],
    )
    def test_those_that_the_highlights_name_are_left_out(self, language, shares, said):
        report = scored(*shares)

        assert said in write(replace(report, scorecard=[*report.scorecard, fallen()]), language)


class TestCriticalErrors:
    @pytest.mark.parametrize(
        ("language", "errors", "said", "names"),
        [
            ("en", (3, 1), "“C0” was failed critically in 3 of 40 calls, more calls than any other", ""),
            ("en", (3, 3, 1), "2 criteria were failed critically most often, in 3 calls each", "C0 and C1"),
            (
                "en",
                (1, 1, 1, 0),
                "3 criteria were failed critically most often, in 1 call each",
                "C0, C1 and C2",
            ),
            (
                "es",
                (1, 1, 1, 1, 1, 0),
                "5 criterios se incumplieron como error crítico con más frecuencia, en 1 llamada cada uno",
                "C0, C1, C2 y 2 más",
            ),
            # Nothing was failed most often where nothing was failed less.
            ("en", (3,), "“C0” was failed critically in 3 of 40 calls.", ""),
            ("es", (3,), "«C0» se incumplió como error crítico en 3 de 40 llamadas.", ""),
            ("en", (3, 3), "2 criteria were failed critically in 3 calls each", "C0 and C1"),
            (
                "es",
                (3, 3),
                "2 criterios se incumplieron como error crítico en 3 llamadas cada uno",
                "C0 y C1",
            ),
            ("es", (1, 1), "2 criterios se incumplieron como error crítico en 1 llamada cada uno", "C0 y C1"),
        ],
    )
    def test_those_failed_in_as_many_calls_are_named_together(self, language, errors, said, names):
        written = write(failed(*errors), language)

        for mark in ("“", "”", "«", "»", " (of 40 calls)", " (de 40 llamadas)"):
            written, said = written.replace(mark, ""), said.replace(mark, "")
        assert (f"{said}: {names}." if names else said) in written

    def test_nothing_was_failed_most_often_in_few_calls(self):
        few = replace(example().headline, scored_calls=9)

        assert "“C0” was failed critically in 3 of 40 calls. " in write(failed(3, 1, headline=few)) + " "

    def test_a_criterion_that_cannot_be_failed_critically_is_no_other(self):
        report = failed(3, 0)
        rows = [report.scorecard[0], replace(report.scorecard[1], is_critical=False)]

        assert "than any other" in write(report)
        assert "than any other" not in write(replace(report, scorecard=rows))


class TestReasons:
    @pytest.mark.parametrize(
        ("language", "calls", "said"),
        [
            ("en", (20, 10, 5), "The most frequent contact reasons are R0 (57.1 %) and R1 (28.6 %)."),
            ("en", (20, 10), "The most frequent contact reason is R0 (66.7 %)."),
            ("en", (10, 10, 5), "The most frequent contact reasons are R0 (40.0 %) and R1 (40.0 %)."),
            (
                "en",
                (10, 10, 10, 10, 10, 5),
                "The most frequent contact reasons are R0 (18.2 %), R1 (18.2 %), R2 (18.2 %) and 2 more.",
            ),
            # Of those in second place none is named alone.
            ("en", (20, 5, 5, 5, 5, 5), "The most frequent contact reason is R0 (44.4 %)."),
            # 10,001 and 10,000 calls are shown as the same share.
            (
                "en",
                (10_001, 10_000),
                "All contact reasons are equally frequent: R0 (50.0 %) and R1 (50.0 %).",
            ),
            ("en", (10, 10, 10), "All contact reasons are equally frequent: R0 (33.3 %), R1 (33.3 %) and R2"),
            (
                "es",
                (10, 10, 10, 10, 10),
                "Todos los motivos de contacto son igual de frecuentes: R0 (20,0 %), R1 (20,0 %), R2 (20,0 "
                "%) y 2 más.",
            ),
            ("es", (20, 10), "El motivo de contacto más frecuente es R0 (66,7 %)."),
            ("es", (10, 10, 5), "Los motivos de contacto más frecuentes son R0 (40,0 %) y R1 (40,0 %)."),
        ],
    )
    def test_those_that_are_as_frequent_are_named_together(self, language, calls, said):
        total = ReportLocale(language).count(sum(calls))
        written = write(asked(*calls), language)

        for mark in ("“", "”", "«", "»", f" of {total} calls", f" de {total} llamadas"):
            written = written.replace(mark, "")
        assert said in written

    def test_those_that_are_as_frequent_are_not_all_where_others_are_summed_up(self):
        assert "The most frequent contact reasons are “R0”" in write(asked(10, 10, others=10))

    @pytest.mark.parametrize("calls", [(30,), (5, 4)])
    def test_one_alone_or_few_calls_have_no_most_frequent_one(self, calls):
        assert "frequent" not in write(asked(*calls))


class TestPaper:
    @pytest.mark.parametrize(
        ("language", "strongest", "more"),
        [("en", "the strongest are “C1”", "and 2 more."), ("es", "los más fuertes son «C1»", "y 2 más.")],
    )
    def test_the_pdf_names_ties(self, language, strongest, more):
        text = text_of(printed(scored(50, 90, 90, 90, 90, 90), language))

        assert strongest in text
        assert more in text

    @pytest.mark.parametrize(
        ("language", "count", "said"),
        [
            ("en", 5, ""),
            ("en", 6, "1 more criterion changed beyond chance."),
            ("en", 7, "2 more criteria changed beyond chance."),
            ("es", 6, "1 criterio más cambió más allá del azar."),
            ("es", 7, "2 criterios más cambiaron más allá del azar."),
        ],
    )
    def test_the_causes_count_criteria_that_they_leave_out(self, language, count, said):
        rows = [replace(fallen(), criterion_id=f"C{n}", name=f"C{n}") for n in range(count)]
        report = example(scorecard=rows)

        assert data_of(language, report=report)["other_causes"] == said
        assert said in text_of(printed(report, language))

    @pytest.mark.parametrize(
        ("language", "count", "said"),
        [
            ("en", 2, ""),
            ("en", 3, "1 more contact reason grew or is new."),
            ("en", 4, "2 more contact reasons grew or are new."),
            ("es", 3, "1 motivo de contacto más creció o es nuevo."),
            ("es", 4, "2 motivos de contacto más crecieron o son nuevos."),
        ],
    )
    def test_the_causes_count_reasons_that_they_leave_out(self, language, count, said):
        reasons = [ContactReasonRow(f"R{n}", 40, 8.0, course="growing") for n in range(count)]

        data = data_of(language, report=example(scorecard=[], contact_reasons=reasons))

        assert data["other_causes"] == said
