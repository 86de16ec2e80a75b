"""The calls page: filters, order and pages in the address."""

import csv
import io
import logging
import re

import pytest

from callscope.projects.models import Project
from callscope.projects.services import create_project
from callscope.reports.models import CallFact
from tests.web.conftest import CONFIGURATION, Page, bring, line, page


def names(found):
    """Return the file names in the table, in order; a part of one may be marked."""
    return [link["title"].split(" · ")[0] for link in found.all("a", **{"class": "name"}) if "title" in link]


@pytest.mark.django_db
class TestCallsPage:
    def test_lists_the_newest_first(self, as_alice, world):
        assert names(page(as_alice.get("/calls/?project_id="))) == ["call-3.wav", "call-2.wav", "call-1.wav"]

    @pytest.mark.parametrize(
        ("query", "found"),
        [
            ("sentiment=negative", [2]),
            ("direction=outbound", [3]),
            ("critical=true", [2]),
            ("goal=false", [2]),
            ("goal=true", [3, 1]),
            ("agent=none", []),
            ("search=OUTage", [2]),
            ("search=call-1", [1]),
            ("topic=late+fee", [3, 1]),
            ("criterion=identity&found=not_applicable", [3]),
            ("criterion=identity&found=critical", [2]),
            ("criterion=identity&found=evaluated", [2, 1]),
            ("criterion=identity", [3, 2, 1]),
            ("criterion=nothing", []),
            ("criterion=identity&result=not_applicable", [3]),
            ("criterion=identity&result=not_met", [2]),
            ("criterion=identity&result=not_evaluated", []),
            ("min_score=0&max_score=100", [3, 2, 1]),
            ("max_score=0&min_score=0&criterion=nothing", []),
            ("tracker=unheard", []),
            ("reason=999999999", []),
            ("shift=day", [3, 2, 1]),
            ("shift=night", []),
            ("scored=true&timed=true", [3, 2, 1]),
            ("sentiment=unknown&shift=noon&found=x", [3, 2, 1]),
            ("ordering=score_percentage", [2, 3, 1]),
            ("ordering=-score_percentage", [1, 3, 2]),
            ("end_date=2026-03-01", [1]),
        ],
    )
    def test_filters_and_orders_by_its_address(self, as_alice, world, query, found):
        assert names(page(as_alice.get(f"/calls/?{query}"))) == [f"call-{n}.wav" for n in found]

    @pytest.mark.parametrize("name", ["criterion", "result", "min_score", "reason", "tracker"])
    def test_answers_hostile_values(self, as_alice, world, name):
        for value in ("%00", "-1", "9" * 400, "%27%22%3B--"):
            assert as_alice.get(f"/calls/?{name}={value}").status_code in (200, 400)

    @pytest.mark.parametrize(
        ("query", "said"),
        [
            ("min_score=150", "“150” is not a score"),
            ("min_score=90&max_score=20", "“Score up to” (20) is below “Score from” (90)."),
            ("min_length=2:00&max_length=90", "“Length up to” (90) is below “Length from” (2:00)."),
        ],
    )
    def test_says_in_words_of_the_page_which_filter_cannot_be_used(self, as_alice, world, query, said):
        whole = page(as_alice.get(f"/calls/?{query}"), 400)
        part = page(as_alice.get(f"/calls/?{query}", headers={"hx-request": "true"}))

        for shown in (whole, part):
            assert f"This filter cannot be used: {said}" in shown.text.replace('"', "“", 1).replace(
                '"', "”", 1
            )
            assert "Save this view" not in shown.text
            assert "novalidate" in shown.all("form", role="search")[0]  # or the browser would send nothing

    def test_filters_by_agent(self, as_alice, world):
        found = page(as_alice.get(f"/calls/?agent={world[1].agent_id}"))

        assert names(found) == ["call-2.wav"]
        assert found.all("option", value=str(world[1].agent_id), selected=None)

    def test_keeps_the_filters_in_every_link(self, as_alice, world):
        found = page(as_alice.get("/calls/?sentiment=neutral&search=call&date_range=&start_date=2026-03-01"))

        kept = "start_date=2026-03-01&search=call&sentiment=neutral"
        assert found.all("a", href=f"/calls/{world[2].pk}/?{kept}")
        assert [a["href"] for a in found.all("a", **{"class": "sort"}) if kept not in a["href"]] == []
        assert found.all("a", href=f"/calls/export.csv?{kept}")

    def test_says_how_the_table_is_sorted_and_turns_round_at_a_second_click(self, as_alice, world):
        found = page(as_alice.get("/calls/?ordering=score_percentage"))

        [head] = [a for a in found.all("th") if "aria-sort" in a]
        assert head["aria-sort"] == "ascending"
        assert found.all("a", href="/calls/?ordering=-score_percentage")

    def test_names_what_a_figure_chose_and_how_to_take_it_away(self, as_alice, world):
        found = page(as_alice.get("/calls/?criterion=identity&found=critical&direction=inbound"))

        assert "Critical error in: Verifies the caller" in found.text
        assert found.all("a", **{"class": "chip", "href": "/calls/?direction=inbound"})

    def test_has_pages(self, as_alice, project):
        bring(project, *(line(n, call_datetime=f"2026-01-{n:02d}T10:00:00+00:00") for n in range(1, 29)))

        first = page(as_alice.get("/calls/?project_id="))
        second = page(as_alice.get("/calls/?page=2"))

        assert "1 – 25 of 28" in first.text
        assert "26 – 28 of 28" in second.text
        assert not set(names(first)) & set(names(second))
        past = as_alice.get("/calls/?page=3")
        assert (past.status_code, past["Location"]) == (302, "/calls/?page=last")
        assert page(as_alice.get("/calls/?page=last")).text.count("26 – ") == second.text.count("26 – ") == 1

    def test_asks_for_a_longer_period_only_where_there_is_one(self, as_alice, world):
        never = page(as_alice.get("/calls/?search=zzz")).text
        in_march = page(as_alice.get("/calls/?search=zzz&start_date=2026-03-01")).text

        assert "Remove filters to see more." in never
        assert "Choose a longer period or remove filters." not in never
        assert "Choose a longer period or remove filters." in in_march

    def test_calls_a_goal_missed_in_filter_and_rows(self, as_alice, world):
        shown = page(as_alice.get("/calls/?goal=false"))

        assert "Goal: Missed" in shown.text
        assert "Not reached" not in shown.text

    def test_tells_an_empty_list_from_an_empty_project(self, as_alice, world, as_carol):
        assert "None of the 3 calls match" in page(as_alice.get("/calls/?search=zzz")).text
        assert (
            "There are no call projects yet Set up the first project"
            in page(as_carol.get("/calls/?project_id=")).text
        )

    def test_shows_only_what_the_visitor_may_see(self, as_carol, world, project):
        assert names(page(as_carol.get("/calls/?project_id="))) == []
        assert as_carol.get(f"/calls/?project_id={project.pk}").status_code == 404

    def test_says_of_a_call_without_a_score_that_it_has_none(self, as_alice, project):
        bring(project, line(1), line(2, copc=None))

        assert (
            len(page(as_alice.get("/calls/?project_id=")).all("span", **{"class": "quiet-text narrow-only"}))
            == 1
        )

    def test_exports_the_filtered_list(self, as_alice, world):
        answer = as_alice.get("/calls/export.csv?ordering=score_percentage&goal=true")
        text = b"".join(answer.streaming_content).decode().removeprefix("\ufeff")

        rows = list(csv.DictReader(io.StringIO(text)))
        assert [row["file_name"] for row in rows] == ["call-3.wav", "call-1.wav"]
        assert rows[0]["score_percentage"] == "83.33"

    def test_exports_what_a_list_has_no_room_for(self, as_alice, alice, world, project):
        from callscope.pipeline.decisions.review_edits import create_review
        from callscope.reviews.answers import GivenAnswer
        from callscope.reviews.revisions import GivenReview

        answers = [GivenAnswer("greeting", "not_met"), GivenAnswer("identity", "met")]
        create_review(world[0].pk, GivenReview(answers, "", submits=True), alice)
        added = [
            *("duration_seconds", "caller_number", "reviewed", "results_hidden"),
            *("criterion:greeting", "criterion:identity", "agent_external_id"),
        ]

        answer = as_alice.get("/calls/export.csv?ordering=call_datetime")
        chosen = as_alice.post("/calls/chosen/", {"do": "export", "call": [call.pk for call in world]})

        tables = [
            list(csv.DictReader(io.StringIO(b"".join(each.streaming_content).decode("utf-8-sig"))))
            for each in (answer, chosen)
        ]
        assert tables[1] == tables[0][::-1]
        assert list(tables[0][0])[-len(added) :] == added
        assert [[row[name] for name in added] for row in tables[0]] == [
            ["60.0", "", "True", "", "not_met", "met", ""],
            ["60.0", "", "False", "", "met", "not_met", ""],
            ["60.0", "", "False", "", "partly", "not_applicable", ""],
        ]
        assert tables[0][0]["call_datetime"] == "2026-03-01 10:00:00"  # a spreadsheet reads it as a time

    def test_exports_nothing_of_others(self, as_carol, world, project):
        assert as_carol.get(f"/calls/export.csv?project_id={project.pk}").status_code == 404


@pytest.mark.django_db
def test_rows_name_their_project_where_the_list_is_of_several(as_alice, alice, project):
    other = Project.objects.create(name="Sales line", owner=alice)
    bring(project, line(1))
    bring(other, line(2))

    everything = rows_of(as_alice, "/calls/?project_id=")
    assert "call-1.wav Service line" in everything
    assert "call-2.wav Sales line" in everything
    assert "Service line" not in rows_of(as_alice, f"/calls/?project_id={project.pk}")


def test_rows_say_below_the_name_what_narrow_windows_have_no_column_for(as_alice, world):
    rows = as_alice.get("/calls/?project_id=").content.decode().split("<tbody>")[1].split("</tr>")

    [brief] = [row.split('<span class="brief">')[1].split("</th>")[0] for row in rows if "call-2" in row]

    assert Page(brief).text == "outage Length: 1:00 negative Goal: missed"
    assert "<svg" not in brief


@pytest.mark.django_db
class TestRows:
    def row(self, client, number):
        rows = client.get("/calls/?project_id=").content.decode().split("<tbody>")[1].split("</tr>")
        [row] = [row for row in rows if f"call-{number}.wav" in row]
        return row

    def test_show_length_and_direction(self, as_alice, world):
        inbound, outbound = (self.row(as_alice, n).split('class="c-length n"')[1] for n in (1, 3))

        assert Page(inbound.split("</td>")[0]).text.endswith("Inbound 1:00")
        assert Page(outbound.split("</td>")[0]).text.endswith("Outbound 1:00")
        heads = [each["class"] for each in page(as_alice.get("/calls/?project_id=")).all("th", scope="col")]
        assert heads.index("c-length n") == heads.index("c-topic") + 1

    def test_say_where_the_length_is_not_known(self, as_alice, world):
        CallFact.objects.filter(pk=world[0].pk).update(duration_us=0)

        assert "The length is unknown." in self.row(as_alice, 1)

    def test_say_critical_once_before_the_score(self, as_alice, world):
        row = self.row(as_alice, 2)

        assert row.count("critical</span>") == 1 and row.count("critical") == 2  # the class of the sign
        assert '<span class="band critical">critical</span> <b>33.3</b>' in row
        assert "critical" not in self.row(as_alice, 1)

    def test_say_it_of_an_unreliable_transcript_too(self, as_alice, world):
        CallFact.objects.filter(pk=world[1].pk).update(half_heard=True)

        assert "critical</span>" in self.row(as_alice, 2)


def rows_of(client, address):
    text = page(client.get(address)).text
    return text[text.index("Missed prompts", text.index("Mistakes")) :]


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("query", "names_found"),
    [
        ("min_length=1:30", ["call-2.wav"]),
        ("max_length=1:30", ["call-2.wav", "call-1.wav"]),
        ("max_length=89.5", ["call-1.wav"]),
        ("min_length=0:59&max_length=1:01", ["call-1.wav"]),
    ],
)
def test_lengths_are_written_as_the_pages_show_them(as_alice, project, query, names_found):
    bring(project, line(1, duration_seconds=60), line(2, duration_seconds=90))

    assert names(page(as_alice.get(f"/calls/?{query}"))) == names_found


@pytest.mark.django_db
@pytest.mark.parametrize("length", ["1:60", "1:3", ":30", "1:30:00", "-1:30"])
def test_what_is_no_length_is_refused(as_alice, project, length):
    text = page(as_alice.get(f"/calls/?min_length={length}"), 400).text

    assert "is not a length, such as 90 (seconds) or 1:30." in text


@pytest.mark.django_db
class TestFoldedFilters:
    @pytest.mark.parametrize("query", ["project_id=", "search=call-1", "critical=true", "sentiment=negative"])
    def test_rarer_filters_are_folded_away_while_unused(self, as_alice, world, query):
        assert '<details class="more rarer"><summary>' in as_alice.get(f"/calls/?{query}").content.decode()

    @pytest.mark.parametrize("query", ["direction=outbound", "half_heard=true", "min_length=1", "campaign=x"])
    def test_they_are_shown_while_one_of_them_is_in_use(self, as_alice, world, query):
        assert '<details class="more rarer" open>' in as_alice.get(f"/calls/?{query}").content.decode()

    @pytest.mark.parametrize(
        ("query", "wrong"),
        [("min_length=abc", "min_length"), ("min_length=2:00&max_length=90", "max_length"),
         ("max_score=900", "max_score")],
    )  # fmt: skip
    def test_all_are_shown_where_one_is_wrong_which_is_marked(self, as_alice, world, query, wrong):
        found = page(as_alice.get(f"/calls/?{query}"), 400)

        [fold] = found.all("input", id="f-shown")  # of a phone
        [marked] = [each for each in found.all("input") if each.get("aria-invalid") == "true"]
        assert "checked" in fold and marked["name"] == wrong
        assert found.all("p", id=marked["aria-describedby"])

    def test_are_folded_on_a_phone_while_none_is_wrong(self, as_alice, world):
        [fold] = page(as_alice.get("/calls/?min_length=1")).all("input", id="f-shown")

        assert "checked" not in fold


@pytest.mark.django_db
@pytest.mark.parametrize(("language", "words"), [("en", "upload time"), ("es", "hora de subida")])
def test_rows_whose_call_time_is_not_known_say_that_it_is_the_upload(as_alice, project, language, words):
    untimed = {"call_datetime": None, "uploaded_at": "2026-03-02T10:00:00+00:00"}
    bring(project, line(1), line(2, **untimed))
    as_alice.post("/preferences/language/", {"language": language})

    html = as_alice.get(f"/calls/?project_id={project.pk}").content.decode()

    times = [each.partition("</th>")[0] for each in html.split('<td class="c-when')[1:]]
    assert {"call-2.wav" in each: words in each for each in times} == {True: True, False: False}


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("en", "None was found, but the transcript is unreliable."),
        ("es", "No se encontró nada, pero la transcripción es poco fiable."),
    ],
)
def test_nothing_found_in_an_unreliable_call_is_no_zero(as_alice, project, language, words):
    calls = bring(project, line(1), line(2), line(3))
    CallFact.objects.filter(call=calls[0]).update(half_heard=True, mistakes=0, missing_prompts=2)
    CallFact.objects.filter(call=calls[1]).update(half_heard=True, mistakes=None, missing_prompts=None)
    CallFact.objects.filter(call=calls[2]).update(half_heard=False, mistakes=0, missing_prompts=0)
    as_alice.post("/preferences/language/", {"language": language})

    html = as_alice.get("/calls/?ordering=call_datetime").content.decode()

    cells = re.findall(r'<td class="c-(?:mistakes|missed) n( zero)?"[^>]*>(.*?)</td>', html)
    assert len(cells) == 6
    of_few, of_none, of_sure = cells[:2], cells[2:4], cells[4:]
    assert words in of_few[0][1]
    assert of_few[1] == ("", "2")
    assert all('class="gap"' in shown and words not in shown for _zero, shown in of_none)
    assert of_sure == [(" zero", "0")] * 2


LEGEND = ["band on-target", "band near", "band below", "band critical"]  # above the list


@pytest.mark.django_db
class TestScoreBands:
    def marks(self, found):
        return [
            attributes["class"] for attributes in found.all("span") if "band " in attributes.get("class", "")
        ]

    def test_stand_next_to_each_score_by_the_default_target(self, as_alice, world):
        found = page(as_alice.get("/calls/?ordering=-score_percentage"))

        assert self.marks(found)[:7] == [*LEGEND, "band on-target", "band on-target", "band critical"]
        assert "on target : 80 % or more" in found.text
        assert "critical error : whatever the score" in found.text

    def test_never_call_a_critical_error_on_target(self, as_alice, project, world):
        project.config["targets"] = {"average_score": 10}
        project.save()

        found = page(as_alice.get("/calls/?ordering=score_percentage"))
        shown = page(as_alice.get(f"/calls/{world[1].pk}/"))

        assert self.marks(found)[:5] == [*LEGEND, "band critical"]  # 33.3, or 0 where it zeroes
        assert self.marks(shown) == []
        assert "critical error" in shown.text

    def test_follow_the_target_of_the_project_of_each_call(self, as_alice, alice, project, world):
        project.config["targets"] = {"average_score": 90}
        project.save()
        other = create_project(alice, "Other line", document=CONFIGURATION)
        bring(other, line(4, greeting=5))

        found = page(as_alice.get("/calls/?ordering=-score_percentage"))

        # 83.3 of both projects: near to 90, and more than 80.
        shown = self.marks(found)[len(LEGEND) :]
        assert shown[:4] == ["band on-target", "band on-target", "band near", "band critical"]
        assert "on target : the project's target or more" in found.text
        alone = page(as_alice.get(f"/calls/?project_id={project.pk}"))
        assert "on target : 90 % or more" in alone.text


@pytest.mark.django_db
class TestTemplates:
    @pytest.mark.parametrize(
        "query", ["?project_id=", "?search=call&transcript=hello&sentiment=neutral&criterion=identity"]
    )
    def test_look_up_no_name_that_is_not_there_which_takes_as_long_as_ten_that_are(
        self, as_alice, world, query, caplog
    ):
        with caplog.at_level(logging.DEBUG, logger="django.template"):
            assert as_alice.get(f"/calls/{query}").status_code == 200

        missed = [
            record.args for record in caplog.records if record.msg.startswith("Exception while resolving")
        ]
        assert missed == []

    def test_of_a_call_look_up_no_such_name_for_each_criterion(self, as_alice, world, caplog):
        with caplog.at_level(logging.DEBUG, logger="django.template"):
            assert as_alice.get(f"/calls/{world[1].pk}/").status_code == 200

        missed = [record.args[0] for record in caplog.records if record.msg.startswith("Exception while res")]
        assert not {"is_shared", "short", "field"}.intersection(missed)
