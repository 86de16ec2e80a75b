"""The first page of the PDF and its maps: what explains a change, which calls to hear, agents by criteria."""

import datetime as dt
import io
import re
from dataclasses import replace

import pikepdf
import pypdfium2
import pytest
from django.test import override_settings
from pypdfium2.raw import FPDF_PAGEOBJ_TEXT as TEXT

from callscope.calls.models import Call, UploadedFile
from callscope.projects.models import Project
from callscope.projects.owners import Owners
from callscope.reports.details.moments import Moment, find_moments
from callscope.reports.models import CallFact
from callscope.reports.overview.findings import FindingRow, Findings
from callscope.reports.overview.highlights import write_highlights
from callscope.reports.overview.maps.agent_criteria import AgentMap, MapAgent, MapCell, RowName
from callscope.reports.overview.maps.week_hours import HourFigure, WeekHours
from callscope.reports.overview.report import ContactReasonRow, ScorecardRow, build_report
from callscope.reports.overview.schemas import CriterionChange, FigureDifference, TrackerRow
from callscope.reports.pdf.layout import Summary, build_page_data
from callscope.reports.pdf.number_formats import ReportLocale
from callscope.reports.pdf.plain_text import make_name_breakable
from callscope.reports.pdf.printing import print_pdf
from callscope.reports.pdf.template_summary import write_template_summary
from callscope.reports.window import ALL_TIME
from tests.reports.test_pdf import NOW, empty_shares, example, text_of

MOMENT = Moment(
    call_id=7,
    project_id=3,
    file_name="0118.vtt",
    call_datetime=dt.datetime(2026, 3, 5, 9, tzinfo=dt.UTC),
    agent="Ana Ruiz",
    kind="mistake",
    name="Dismisses the caller",
    text="That is not my problem.",
    start_s=66.2,
    rank=2,
)


def data_of(language="en", *, report=None, **parts):
    return build_page_data(
        report or example(),
        projects=["Service line"],
        summary=parts.pop("summary", Summary([])),
        locale=ReportLocale(language),
        generated_at=NOW,
        **parts,
    )


def named(text: str) -> dict[str, str]:
    """Return the cell of something that no project of several has alone."""
    return {"text": text, "note": ""}


def fallen() -> ScorecardRow:
    row = ScorecardRow("closing", "Closes", "Closing", 25.0, 55.6, 75.6, -20.0, 0, 400, 400, 0)
    return replace(
        row,
        previous_calls=300,
        delta_pct_interval=(-26.0, -14.0),
        evaluated_pct=55.6,
        previous_evaluated_pct=75.6,
        previous_evaluated_calls=300,
        evaluated_delta_pct=-20.0,
        evaluated_delta_pct_interval=(-26.0, -14.0),
    )


class TestCauses:
    def test_names_what_changed_beyond_chance_with_the_calls_of_both_windows(self):
        rows = [replace(example().scorecard[0], delta_pct_interval=(-4.0, 9.0), previous_calls=900), fallen()]

        data = data_of(report=example(scorecard=rows))

        assert data["causes"] == [[named("Closes"), "55.6 (400)", "75.6 (300)", "−20.0", "−5.0"]]
        assert data["causes_note"] == ""

    def test_names_new_contact_reasons_with_their_share(self):
        reason = ContactReasonRow("App outage", 40, 8.0, course="growing", is_new=True)
        other = ContactReasonRow("", 460, 92.0, 9)

        data = data_of("es", report=example(scorecard=[], contact_reasons=[reason, other]))

        name = named("Motivo de contacto: App outage")
        assert data["causes"] == [[name, "8,0 (500)", "–", "nuevo", "–"]]

    def test_says_why_there_are_none(self):
        alone = example(previous_headline=None)
        rise = FigureDifference("average_score", 3.57, (1.0, 6.1), within_noise=False)

        rose = data_of(report=example(changes=[rise]))

        assert rose["causes_note"] == "No criterion and no contact reason changed beyond chance."
        assert data_of(report=alone)["causes_note"].startswith("There is no period before this one")

    def test_leaves_it_to_the_highlights_to_say_that_nothing_changed(self):
        data = data_of()

        assert data["causes_note"] == ""
        assert data["summary"]["changed"][0].startswith("No figure, criterion or contact reason changed")

    def test_leaves_it_to_the_highlights_to_say_that_calls_are_few(self):
        before = replace(example().headline, scored_calls=6)

        data = data_of(report=example(scorecard=[], previous_headline=before))

        assert data["causes"] == []
        assert data["causes_note"] == ""
        assert data["summary"]["changed"][0].startswith("Too few calls to say what changed")


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("0217-tecnico-no-vino.vtt", ["0217-", "tecnico-", "no-", "vino.vtt"]),
        ("0208-diferencial-salta.srt", ["0208-", "diferencial-", "salta.srt"]),
        ("a" * 25, ["a" * 10, "a" * 10, "a" * 5]),
        ("a-b -c.", ["a-b -c."]),
    ],
)
def test_the_name_of_a_file_breaks_behind_its_hyphens(name, parts):
    assert make_name_breakable(name).split("\u200b") == parts


class TestHonestFigures:
    def test_the_hero_says_whether_a_target_is_set_and_met(self):
        assert data_of()["hero"]["target"] == ""
        assert data_of()["hero"]["target_note"] == "No target is set."
        several = build_page_data(
            example(),
            projects=["Sales", "Service"],
            summary=Summary([]),
            locale=ReportLocale("en"),
            generated_at=NOW,
        )["hero"]
        assert several["target_note"] == "The projects have no target in common."
        one_has_calls = build_page_data(
            example(),
            projects=["Sales", "Service"],
            summary=Summary([]),
            locale=ReportLocale("en"),
            generated_at=NOW,
            has_one_target=True,
        )["hero"]
        assert one_has_calls["target_note"] == "No target is set."
        assert data_of(targets={"average_score": 85.0})["hero"]["target_note"] == ""
        assert data_of(targets={"average_score": 85.0})["hero"]["target"].startswith(
            "Target 85\u00a0%: missed by 6.4"
        )

    def test_the_hero_is_held_against_no_assumed_target_over_few_calls(self):
        few = replace(example().headline, scored_calls=9)

        hero = data_of(report=example(headline=few))["hero"]

        assert (hero["target"], hero["target_note"]) == ("", "")

    def test_a_criterion_says_whether_it_meets_its_target(self):
        sections = data_of(targets={"criterion:closing": 60.0})["sections"]

        note = sections[1]["rows"][0]["note"]
        assert note.split(" · ")[0] == "Target 60\u00a0%: missed by 9.7 points"  # where it applies
        assert "Target" not in sections[0]["rows"][0]["note"]

    def test_a_criterion_says_in_how_many_calls_it_did_not_apply(self):
        rows = [replace(row, not_applicable_calls=n) for n, row in enumerate(example().scorecard)]

        notes = [
            row["note"]
            for each in data_of(report=example(scorecard=rows))["sections"]
            for row in each["rows"]
        ]

        assert notes == ["", "not applicable in 1 of 1,229", "not applicable in 2 of 1,231"]

    def test_a_criterion_says_which_version_changed_it_by_which_no_call_was_judged(self):
        change = CriterionChange(5, dt.datetime(2026, 3, 12, 10, tzinfo=dt.UTC), "changed")
        rows = [replace(example().scorecard[0], unused_change=change)]

        [section] = data_of(report=example(scorecard=rows))["sections"]

        assert (
            section["rows"][0]["note"].split(" · ")[-1]
            == "changed in version 5: no call here was judged by it yet"
        )

    def test_the_chart_shows_the_interval_and_the_target_and_says_what_they_are(self):
        weeks = [
            replace(bucket, scored_calls=40, average_score_interval=(70.0, 80.0))
            for bucket in example().trend
        ]

        trend = data_of(report=example(trend=weeks), targets={"average_score": 85.0})["trend"]

        assert 'class="band"' in trend["chart"]
        assert 'class="target"' in trend["chart"]
        assert trend["legend"] == [
            ("line", "average score, %"),
            ("band", "95\u00a0% interval"),
            ("target", "target 85\u00a0%"),
        ]

    @pytest.mark.parametrize(
        ("calls", "signs"), [((40, 40, 40), ["line"]), ((40, 9, 40), ["line", "few"]), ((9, 9, 9), ["few"])]
    )
    def test_the_legend_of_the_chart_has_the_lines_that_are_drawn(self, calls, signs):
        weeks = [
            replace(bucket, average_score=70.0, scored_calls=n)
            for bucket, n in zip(example().trend, calls, strict=True)
        ]

        trend = data_of(report=example(trend=weeks))["trend"]

        assert [sign for sign, _said in trend["legend"]] == signs
        assert ("stroke-dasharray" in trend["chart"]) == ("few" in signs)

    def test_figures_over_few_calls_are_pale(self):
        agent = replace(example().agents[0], scored_calls=9)

        cells = data_of(report=example(agents=[agent]))["agents"][0]

        assert cells[2] == {"text": "81.2 (9)", "is_few": True}

    def test_contact_reasons_say_their_base_and_their_change(self):
        rows = [
            ContactReasonRow("Billing", 300, 60.0, change_pct=2.0, course="steady"),
            ContactReasonRow("Outage", 200, 40.0, change_pct=9.0, course="growing"),
        ]

        data = data_of(report=example(contact_reasons=rows))

        assert [row[3]["text"] for row in data["reasons"]] == ["+2.0 ~", "+9.0"]
        assert data["reasons_note"] == "Shares of 500 calls that have a contact reason."

    def test_trackers_are_listed_with_their_share_of_all_calls(self):
        tracker = TrackerRow("rival", "Names a competitor", 617, [])

        assert data_of(report=example(trackers=[tracker]))["trackers"] == [
            ["Names a competitor", "617", {"text": "50.0", "is_few": False, "share_pct": 50.0}]
        ]

    def test_shares_have_a_bar_of_their_length(self):
        assert [row[1]["share_pct"] for row in data_of()["rates"]] == [96.31, 97.42, 98.53, 88.64]
        assert [row[2]["share_pct"] for row in data_of("es")["reasons"]] == [51.83, 48.17]

    def test_a_change_says_whether_it_is_for_better_or_worse(self):
        before = replace(example().headline, critical_error_pct=20.0, total_calls=1100)

        tiles = {tile["label"]: tile for tile in data_of(report=example(previous_headline=before))["tiles"]}

        fewer = tiles["Critical errors, %"]
        assert (fewer["delta"], fewer["tone"], fewer["mark"]) == ("−7.7", "better", "good")
        assert (tiles["Calls"]["delta"], tiles["Calls"]["mark"]) == ("+134", "")
        assert data_of()["compared_with"] == "Changes are against the 30 days before."
        assert data_of(report=example(previous_headline=None))["compared_with"] == ""

    def test_the_summary_names_the_calls_behind_each_percentage(self):
        for paragraph in write_template_summary(example(), ReportLocale("en")):
            for sentence in paragraph.split(". "):
                if "%" in sentence:
                    assert re.search(r"calls|of all possible points", sentence), sentence

    @pytest.mark.parametrize(
        ("calls", "within_noise", "compares"), [(40, False, True), (40, True, False), (6, False, False)]
    )
    def test_the_summary_compares_shifts_that_differ_beyond_chance(self, calls, within_noise, compares):
        shifts = [
            replace(each, headline=replace(each.headline, scored_calls=calls)) for each in example().shifts
        ]
        found = FigureDifference("average_score", 9.9, (1.0, 18.0), within_noise)
        report = example(shifts=shifts, shift_differences=[found])

        text = " ".join(write_template_summary(report, ReportLocale("en")))

        assert (f"({calls} calls), night calls" in text) == compares
        assert ("Day calls scored" in text) == compares

    @pytest.mark.parametrize("language", ["en", "es"])
    def test_the_summary_repeats_no_figure_of_the_tiles_and_no_criterion_of_the_highlights(self, language):
        report = example(scorecard=[*example().scorecard, fallen()])
        data = build_page_data(
            report,
            projects=["Service line"],
            summary=Summary(write_template_summary(report, ReportLocale(language))),
            locale=ReportLocale(language),
            generated_at=NOW,
        )

        said = " ".join([*data["summary"]["changed"], *data["summary"]["look"]])
        tiles = [data["hero"]["value"], *(tile["value"] for tile in data["tiles"])]
        assert [each for each in tiles if re.search(rf"(?<![\d.,]){re.escape(each)} ?%", said)] == []
        assert [said.count(row.name) for row in report.scorecard if row.name in said] == [1, 1, 1]

    def test_agents_apart_from_the_others_are_marked_and_named(self):
        plain = example().agents[0]
        low = replace(
            plain, agent="Bo", agent_id=9, average_score=50.9, scored_calls=9,
            average_score_difference=-42.2, average_score_difference_interval=(-58.0, -25.0),
        )  # fmt: skip
        report = example(agents=[plain, low])

        rows = data_of(report=report)["agents"]
        said = " ".join(write_template_summary(report, ReportLocale("en")))

        assert [row[0]["note"] for row in rows] == ["", "below the others"]
        assert rows[1][2] == {"text": "50.9 (9)", "is_few": False}
        assert "The calls of Bo average 50.9\u00a0%, 42.2 points below all others (9 calls)." in said

    @pytest.mark.parametrize(
        ("errors", "said"),
        [
            (
                {"identity": 77},
                "It was also failed critically in 77 of 1,228 calls, more calls than any other criterion.",
            ),
            (
                {"greeting": 2, "closing": 1},
                "“Greets & names” was failed critically in 2 of 1,210 calls, more calls than any other "
                "criterion.",
            ),
            (
                {"greeting": 2, "identity": 2},
                "2 criteria were failed critically most often, in 2 calls each: "
                "“Greets & names” (of 1,210 calls) and “Checks identity” (of 1,228 calls).",
            ),
            ({}, ""),
        ],
    )
    def test_the_summary_names_what_was_failed_critically_most_often_and_ties(self, errors, said):
        rows = [
            replace(row, critical_errors=errors.get(row.criterion_id, 0), is_critical=True)
            for row in example().scorecard
        ]
        text = " ".join(write_template_summary(example(scorecard=rows), ReportLocale("en")))

        assert said in text
        assert ("critically" in text) == bool(said)

    def test_the_summary_of_a_model_has_the_width_of_the_page(self):
        summary = Summary(["It went well."], "Written by a language model.", is_of_model=True)

        data = build_page_data(
            example(), projects=["P"], summary=summary, locale=ReportLocale("en"), generated_at=NOW
        )

        assert data["summary"]["paragraphs"] == ["It went well."]
        assert data["summary"]["look"] == [
            each.text
            for each in write_highlights(example(), ReportLocale("en").rounded)
            if not each.is_change
        ]
        assert "It went well. Written by a language model." in text_of(print_pdf(data))


class OfTwo(Owners):
    """Owners of criteria and mistakes in a report of two projects."""

    def __init__(self, **criteria: str) -> None:
        super().__init__([])
        self.criteria = criteria

    def list_by_criterion(self, criterion_id: str, name: str) -> list[str]:
        return self.criteria.get(criterion_id, "").split(" · ") if criterion_id in self.criteria else []

    def name_by_finding(self, kind: str, finding_id: str, name: str) -> str:
        return f"who looks for a {kind}"

    def list_by_id(self, ids) -> list[str]:
        return [str(each) for each in ids]


class TestSeveralProjects:
    def test_head_the_criteria_of_each(self):
        owners = OfTwo(greeting="Sales", identity="Service")

        sections = data_of(owners=owners)["sections"]

        found = [(each["project"], each["name"], [row["name"] for row in each["rows"]]) for each in sections]
        assert found == [
            ("Sales", "Opening", ["Greets & names"]),
            ("Service", "Opening", ["Checks identity"]),
            ("No longer in a rubric", "Closing", ["Closes"]),
        ]
        text = text_of(print_pdf(data_of(owners=owners)))
        assert "Sales Opening Greets & names" in text
        assert "Service Opening Checks identity" in text

    def test_the_weight_says_what_it_is_a_share_of(self):
        said = dict(data_of()["definitions"])["Weight"]

        assert "all points of the rubric" in said
        assert "Over several projects: its share of all points that the scored calls could earn" in said

    def test_have_no_heads_where_they_share_all_criteria(self):
        owners = OfTwo(**dict.fromkeys(("greeting", "identity", "closing"), "Sales · Service"))

        assert {each["project"] for each in data_of(owners=owners)["sections"]} == {""}

    def test_have_a_map_each_of_their_own_criteria_and_agents(self):
        names = [RowName("greeting", "Greets"), RowName("identity", "Checks"), RowName("other", "Greets too")]
        some, none = MapCell(12, 80.0, 2), MapCell(0, None, 0)
        agents = [MapAgent("Ana", 1, 12, [some, none, some]), MapAgent("Leo", 2, 12, [none, some, none])]
        found = AgentMap(names, agents, 2, 3)
        owners = OfTwo(greeting="Sales", identity="Service", other="Sales")

        data = data_of(owners=owners, agent_map=found)

        assert [
            (each["project"], each["heads"], [row["name"] for row in each["rows"]])
            for each in data["agent_maps"]
        ] == [("Sales", ["Ana"], ["Greets", "Greets too"]), ("Service", ["Leo"], ["Checks"])]
        assert "A dash" not in data["agent_map_note"]
        print_pdf(data)

    def test_stand_next_to_mistakes_and_contact_reasons(self):
        row = FindingRow("rude", "Is rude", 3, 5.0, None, 60, 0, None, 0, None, None, [])
        reason = ContactReasonRow("Billing", 300, 60.0, projects=(2, 1))
        report = example(contact_reasons=[reason])

        data = data_of(report=report, owners=OfTwo(), findings=Findings(60, None, [row], []))

        assert data["findings"][0]["rows"][0][0] == {"text": "Is rude", "note": "who looks for a mistake"}
        assert data["reasons"][0][0] == {"text": "Billing", "note": "2 · 1"}
        assert "Is rude who looks for a mistake" in text_of(print_pdf(data))

    @pytest.mark.parametrize("language", ["en", "es"])
    def test_are_named_where_the_summary_names_a_criterion_or_a_reason(self, language):
        owners = OfTwo(greeting="Sales", identity="Sales · Service", closing="A · B · C")
        reason = ContactReasonRow("Billing", 300, 60.0, projects=(2, 1))
        rows = [
            replace(row, critical_errors=int(row.criterion_id != "closing")) for row in example().scorecard
        ]
        report = example(
            scorecard=[*rows, fallen()], contact_reasons=[reason, ContactReasonRow("", 200, 40.0, 9)]
        )

        summary = Summary(write_template_summary(report, ReportLocale(language), owners))
        data = data_of(language, report=report, owners=owners, summary=summary)

        said = " ".join([*data["summary"]["changed"], *data["summary"]["look"]])
        if language == "en":
            assert "“Checks identity” (Sales · Service) costs the most points" in said
            assert "“Greets & names” (Sales, of 1,210 calls)" in said
            assert "“Billing” (2 · 1, 60.0\u00a0% of 500 calls)" in said
            assert "“Closes” (3 projects" in said
        else:
            assert "«Checks identity» (Sales · Service) es el criterio que más puntos cuesta" in said
            assert "«Greets & names» (Sales, de 1.210 llamadas)" in said
            assert "«Billing» (2 · 1, 60,0\u00a0% de 500 llamadas)" in said

    def test_are_named_where_a_change_is_explained_and_next_to_calls_to_hear(self):
        fell = fallen()
        data = data_of(
            report=example(scorecard=[fell]), owners=OfTwo(**{fell.criterion_id: "Sales"}), moments=[MOMENT]
        )

        assert data["causes"][0][0] == {"text": fell.name, "note": "Sales"}
        assert data["quotes"][0]["place"].startswith("3 · 0118.vtt · ")


class TestCover:
    @pytest.mark.parametrize(
        ("language", "calls"),
        [("en", ["Calls", "{} of 4,321 in all"]), ("es", ["Llamadas", "{} de 4.321 en total"])],
    )
    def test_says_of_how_many_calls_it_is(self, language, calls):
        report = example(total_calls_all_time=4321)
        label, said = calls

        cover = data_of(language, report=report)["cover"]

        assert [label, said.format(ReportLocale(language).count(report.headline.total_calls))] in cover
        same = replace(report, total_calls_all_time=report.headline.total_calls)
        assert " " not in dict(data_of(language, report=same)["cover"])[label]

    def test_ends_no_line_with_the_dot_between_two_facts(self):
        facts = [[f"Label {n}", " ".join(["word"] * (3 + n % 4))] for n in range(12)]

        [first, *_] = pypdfium2.PdfDocument(print_pdf({**data_of(), "cover": facts}))
        lines = [line.strip() for line in first.get_textpage().get_text_bounded().splitlines()]

        with_facts = [line for line in lines if "Label" in line]
        assert len(with_facts) > 2
        assert sum(line.count(" · ") for line in with_facts) == len(facts) - len(with_facts)
        assert not [line for line in with_facts if line.startswith("·") or line.endswith("·")]

    def test_names_the_agent_whose_calls_alone_it_is_about(self):
        assert ["Agent", "Only the calls of Ana Ruiz"] in data_of(agent="Ana Ruiz")["cover"]

    def test_names_some_of_many_projects(self):
        data = build_page_data(
            example(),
            projects=[f"Project {n}" for n in range(40)],
            summary=Summary([]),
            locale=ReportLocale("en"),
            generated_at=NOW,
        )

        assert data["subtitle"].endswith("Project 11 and 28 more")
        assert data["period"] == "March 2, 2026 to March 31, 2026"


class TestQuotes:
    def test_say_the_call_the_second_and_what_they_show(self):
        text = text_of(print_pdf(data_of(moments=[MOMENT])))

        assert "Mistake: Dismisses the caller “That is not my problem.”" in text
        assert "1:06 · 0118.vtt · Ana Ruiz · Mar 5, 2026" in text
        assert "Open the call" not in text  # a server that does not know its address

    def test_link_to_the_second_of_the_call(self, settings, tmp_path):
        environment = replace(settings.ENVIRONMENT, public_url="https://calls.example.com")
        with override_settings(ENVIRONMENT=environment):
            path = tmp_path / "report.pdf"
            path.write_bytes(print_pdf(data_of(moments=[MOMENT])))

        with pikepdf.open(path) as pdf:
            links = [str(each.A.URI) for each in pdf.pages[0].Annots if "/A" in each]
        assert set(links) == {"https://calls.example.com/calls/7/#t=66.20"}

    @pytest.mark.parametrize(
        ("kind", "shows"),
        [
            ("critical_error", "Failed: “Asks for a password” (critical)"),
            ("criterion", "Not met: “Asks for a password”"),
            ("partly", "Partly met: “Asks for a password”"),
        ],
    )
    def test_say_of_a_criterion_that_it_was_failed(self, kind, shows):
        moment = replace(MOMENT, kind=kind, name="Asks for a password")

        assert data_of(moments=[moment])["quotes"][0]["shows"] == shows

    def test_are_quoted_as_the_language_does(self):
        assert data_of("es", moments=[MOMENT])["quotes"][0]["words"] == "«That is not my problem.»"


def line(number: int, score: float, quote: str = "", **fields: object) -> dict[str, object]:
    scores = {
        "criterion_id": "greeting",
        "name": "Greets",
        "section": "Opening",
        "score": score,
        "max_points": 10,
        "applicability": "evaluated",
        "quote": quote,
    }
    critical = bool(fields.pop("critical", False))
    return {
        "file_name": f"{number}.wav",
        "uploaded_at": "2026-03-01T10:00:00+00:00",
        "agent_name": fields.pop("agent_name", "Ana"),
        "copc": {"criterion_scores": [scores | {"is_critical_error": critical}]},
        "no_protocol": {"mistakes": fields.pop("mistakes", []), "missing_prompts": []},
    }


@pytest.mark.django_db
class TestMoments:
    def find(self, project: Project, **options: object) -> list[tuple[str, str, float | None]]:
        report = build_report([project], ALL_TIME, options.get("agent_id"))
        found = find_moments(report, [project], ALL_TIME, **options)
        return [(each.file_name, each.text, each.start_s) for each in found]

    def test_are_critical_errors_before_mistakes_before_what_was_not_met(self, project, bring_in):
        mistake = {"id": "m", "description": "Dismisses", "quote": "[00:40] not my problem"}
        bring_in(
            project,
            line(1, 10, "[00:01] good morning"),
            line(2, 0, "[00:02] hi"),
            line(3, 10, mistakes=[mistake]),
            line(4, 0, "[1:00:03] what", critical=True),
            line(5, 0),
        )

        assert self.find(project) == [
            ("4.wav", "what", 3603.0),
            ("3.wav", "not my problem", 40.0),
            ("2.wav", "hi", 2.0),
        ]

    def test_are_first_of_the_error_that_the_summary_names(self, project, bring_in):
        def failed(number: int, criterion: str) -> dict[str, object]:
            score = 0 if criterion == "rare" else 5  # so that it comes first otherwise
            made = line(number, score, f"[00:0{number}] {criterion}", critical=True)
            made["copc"]["criterion_scores"][0] |= {"criterion_id": criterion, "name": criterion}
            return made

        # It costs the most points, so the report is about it, too.
        costly = [line(n, 0) for n in range(10, 22)]
        for each in costly:
            each["copc"]["criterion_scores"][0] |= {"criterion_id": "rare", "name": "rare"}
        bring_in(project, failed(1, "rare"), failed(2, "often"), failed(3, "often"), *costly)

        report = build_report([project], ALL_TIME)
        rows = [replace(row, points_lost=9.0 if row.name == "rare" else 1.0) for row in report.scorecard]

        found = find_moments(replace(report, scorecard=rows), [project], ALL_TIME)

        assert [each.text for each in found] == ["often", "rare", "often"]

    def test_are_of_different_agents_where_there_are_enough(self, project, bring_in):
        lines = [line(n, 0, f"[00:0{n}] {n}", critical=True, agent_name="Ana") for n in (1, 2, 3)]
        bring_in(
            project,
            *lines,
            line(4, 0, "[00:04] four", agent_name="Bo"),
            line(5, 0, "[00:05] five", agent_name="Cy"),
        )

        names = [name for name, _text, _at in self.find(project)]
        assert {Call.objects.get(file_name=name).agent.name for name in names} == {"Ana", "Bo", "Cy"}

    def test_quote_addresses_and_numbers_only_where_nothing_else_is_left(self, project, bring_in):
        address = "[00:10] So the new address is 209 Birch Hollow."
        bring_in(project, line(1, 0, address, critical=True), line(2, 5, "[00:10] Wait then."))

        said = [text for _name, text, _at in self.find(project)]

        assert said == ["Wait then.", "So the new address is 209 Birch Hollow."]

    def test_quote_no_unreliable_transcript(self, project, bring_in):
        bring_in(project, line(1, 0, "[00:01] one"), line(2, 0, "[00:02] two"))
        CallFact.objects.filter(call__file_name="1.wav").update(half_heard=True)

        assert self.find(project) == [("2.wav", "two", 2.0)]

    def test_leave_out_calls_that_the_reader_may_not_see_judged(self, project, bring_in):
        bring_in(project, line(1, 0, "[00:01] one"), line(2, 0, "[00:02] two"))
        blinded = Call.objects.get(file_name="1.wav").pk

        assert self.find(project, without={blinded}) == [("2.wav", "two", 2.0)]

    def test_quote_the_calls_of_one_agent(self, project, bring_in):
        bring_in(project, line(1, 0, "[00:01] one"), line(2, 0, "[00:02] two", agent_name="Bo"))
        agent = Call.objects.get(file_name="2.wav").agent_id

        assert self.find(project, agent_id=agent) == [("2.wav", "two", 2.0)]

    def test_send_no_words_of_private_calls_by_mail(self, project, bring_in):
        bring_in(project, line(1, 0, "[00:01] one"), line(2, 0, "[00:02] two"))
        UploadedFile.objects.filter(call__file_name="1.wav").update(is_private=True)

        assert len(self.find(project)) == 2
        assert self.find(project, is_leaving=True) == [("2.wav", "two", 2.0)]


class TestMaps:
    def test_show_each_figure_with_its_calls_by_its_value_and_hatched_over_few(self):
        cells = [MapCell(12, 80.25, 2), MapCell(3, 50.0, 1), MapCell(0, None, 0)]
        names = [RowName(n, f"Criterion {n}") for n in "abc"]
        found = AgentMap(names, [MapAgent("Ana", 1, 12, cells)], agents_in_all=30, criteria_in_all=3)

        data = data_of(agent_map=found)
        [shown] = data["agent_maps"]

        assert (shown["corner"], shown["heads"]) == ("Criterion", ["Ana"])
        assert [tuple(row["cells"][0].values()) for row in shown["rows"]] == [
            ("80.2", "n 12", 2, False),
            ("50.0", "n 3", 4, True),
            ("–", "", 0, False),
        ]
        assert "A dash: it applied to none of the agent's calls." in data["agent_map_note"]
        assert "The 1 agents (of 30) with the most calls." in data["agent_map_note"]
        assert data["agent_map_note"].endswith("Hatched: fewer than 10 calls.")
        assert "Criterion b" in text_of(print_pdf(data_of(agent_map=found)))

    def test_are_hatched_without_seams_below_the_figures(self):
        cells = [MapCell(9, value, 1) for value in (20.0, 50.0, 80.0, 100.0)]
        names = [RowName(n, f"Criterion {n}") for n in range(4)]
        found = AgentMap(names, [MapAgent("Ana", 1, 9, cells)], agents_in_all=1, criteria_in_all=4)

        with pikepdf.open(io.BytesIO(print_pdf(data_of(agent_map=found)))) as pdf:
            streams = [each for each in pdf.objects if isinstance(each, pikepdf.Stream)]
            tiles = [float(each.XStep) for each in streams if "/XStep" in each]

        widest_cell = 20 / 25.4 * 72  # mm in points
        assert len(tiles) == 4
        assert min(tiles) > widest_cell

    @pytest.mark.parametrize(
        ("agents", "row", "head", "count"), [(4, "Criterion", "Ana 3", 15), (25, "Ana", "Criterion 14", 25)]
    )
    @pytest.mark.parametrize("listed", [5, 22, 30])
    def test_flow_on_with_their_heads_and_leave_no_page_empty(self, agents, row, head, count, listed):
        names = [RowName(n, f"Criterion {n}") for n in range(15)]
        rows = [MapAgent(f"Ana {n}", n, 12, [MapCell(12, 80.25, 2)] * 15) for n in range(agents)]
        found = AgentMap(names, rows, agents_in_all=agents, criteria_in_all=15)
        others = [replace(example().agents[0], agent=f"Bo {n}") for n in range(listed)]

        pdf = print_pdf(data_of(agent_map=found, report=example(agents=others)))
        pages = pypdfium2.PdfDocument(pdf)
        texts = [" ".join(page.get_textpage().get_text_bounded().split()) for page in pages]

        cells = re.compile(rf"{row} (\d+) 80\.2")
        assert sorted({int(n) for text in texts for n in cells.findall(text)}) == list(range(count))
        assert all(head in text for text in texts if cells.search(text))
        assert max(empty_shares(pdf)[:-1]) <= 0.3  # before the meanings, which stay in one piece

    def test_have_figures_that_can_be_read(self):
        names = [RowName(n, f"Criterion {n} " + "with a long name " * 3) for n in range(15)]
        rows = [MapAgent(f"Ana {n}", n, 12, [MapCell(12, 80.25, 2)] * 15) for n in range(25)]
        hours = [HourFigure(n // 24, n % 24, 20, 20, 100.0, None) for n in range(168)]
        found = AgentMap(names, rows, agents_in_all=25, criteria_in_all=15)

        pages = pypdfium2.PdfDocument(print_pdf(data_of(agent_map=found, week_hours=WeekHours(0, hours))))

        sizes = [round(each.get_font_size(), 2) for page in pages for each in page.get_objects(filter=[TEXT])]
        assert min(sizes) >= 6.5

    def test_show_the_hours_that_have_calls(self):
        hours = [
            HourFigure(n // 24, n % 24, 20 * (n in (9, 34)), 20 * (n == 9), 90.0 if n == 9 else None, None)
            for n in range(168)
        ]

        data = data_of("es", week_hours=WeekHours(3, hours))

        assert data["hour_calls"]["heads"] == ["09", "10"]
        assert data["hour_calls"]["rows"][1]["name"] == "Martes"
        assert [cell["text"] for cell in data["hour_calls"]["rows"][1]["cells"]] == ["", "20"]
        assert data["hour_scores"]["heads"] == ["09"]
        assert data["hour_calls"]["note"].startswith("3 llamadas sin hora conocida")
        assert "90,0" in text_of(print_pdf(data))

    def test_leave_scores_out_where_no_hour_has_calls_enough(self):
        hours = [HourFigure(n // 24, n % 24, 9, 9, 90.0, None) for n in range(168)]

        data = data_of(week_hours=WeekHours(0, hours))

        assert (data["hour_calls"]["rows"] != [], data["hour_scores"]["rows"]) == (True, [])
        assert data["hour_calls"]["note"] == (
            "No hour has 10 scored calls, so the average scores by hour are left out."
        )
