"""The questions page: what all calls answer, counted, narrowed, paged and taken away."""

import csv
import io

import pytest

from tests.web.conftest import Page, bring, line, page

REFUND, RIVAL = "Was a refund promised?", "Was a competitor mentioned?"


def answered(number, refund, rival=None, **fields):
    answers = {
        REFUND: {"answer": refund, "quotes": ["[00:05] we will refund you"] if refund == "Yes" else []}
    }
    if rival is not None:
        answers[RIVAL] = {"answer": rival, "quotes": []}
    return line(number, custom_questions={"answers": answers}, **fields)


@pytest.fixture
def calls(project):
    return bring(
        project,
        answered(1, "Yes", "No"),
        answered(2, "No", "No", agent_name="Ben Okafor"),
        answered(3, " yes ", "They named Vantage"),
        answered(4, "No"),
    )


def names(shown):
    return [text for text in shown.texts if text.startswith("call-")]


@pytest.mark.django_db
class TestQuestionsPage:
    def test_shows_calls_by_questions_the_newest_first(self, as_alice, calls):
        shown = page(as_alice.get("/questions/?project_id="))

        assert names(shown) == ["call-4.wav", "call-3.wav", "call-2.wav", "call-1.wav"]
        assert "They named Vantage" in shown.text
        assert "call-4.wav Ana Ruiz No not asked" in shown.text
        assert "Yes we will refund you 0:05 No" in shown.text
        assert shown.all("a", href=f"/calls/{calls[0].pk}/#t=5")
        assert shown.all("a", href=f"/calls/{calls[0].pk}/#answers-title")

    def test_counts_answers_whatever_their_case(self, as_alice, calls):
        text = page(as_alice.get("/questions/?project_id=")).text

        assert "Was a refund promised? 4 1 No 2 50 %" in text
        assert "yes 2 50 %" in text

    def test_says_once_which_questions_need_a_language_model(self, as_alice, project):
        for number, word in enumerate(("not determined", "no determinado", "Not determined"), start=1):
            bring(project, answered(number, "Yes", word))

        shown = page(as_alice.get("/questions/?project_id="))

        assert shown.text.count("without a language model") == 1  # the notice
        assert shown.text.count("needs a language model") == 1  # the row of the question
        assert "not determined" not in shown.text.lower()
        assert not [each for each in shown.all("td") if each.get("data-label") == RIVAL]  # nothing to show
        asked = page(as_alice.get("/questions/", {"question": RIVAL}))
        assert asked.text.count("no quote found") == 3
        bring(project, answered(9, "Yes", "No"))
        assert "a language model" not in page(as_alice.get("/questions/?project_id=")).text

    def test_has_no_column_of_answers_where_none_is_answered(self, as_alice, project):
        bring(project, answered(1, "not determined", "not determined"))
        none = page(as_alice.get("/questions/?project_id=")).text
        bring(project, answered(2, "Yes", "not determined"))

        assert "Most frequent answers" not in none
        assert "Most frequent answers" in page(as_alice.get("/questions/?project_id=")).text

    def test_opens_on_calls_with_a_quote_where_nothing_is_answered(self, as_alice, project):
        quoted = {REFUND: {"answer": "not determined", "quotes": ["[00:05] we will refund you"]}}
        bring(project, *(answered(n, "not determined") for n in (1, 2)))
        assert names(page(as_alice.get("/questions/?project_id="))) == [
            "call-2.wav",
            "call-1.wav",
        ]  # no quote at all

        bring(project, line(3, custom_questions={"answers": quoted}))
        shown = page(as_alice.get("/questions/?project_id="))

        assert names(shown) == ["call-3.wav"]
        assert "checked" in shown.all("input", type="checkbox", name="quoted")[0]
        [csv_link] = [a for a in shown.all("a") if "export.csv" in a.get("href", "")]
        assert "quoted=true" in csv_link["href"]
        assert "Only calls with a quote are shown. Show calls without a quote, too" in shown.text
        assert "Remove filter: With a quote only" in shown.text
        assert "Clear all filters" not in shown.text  # which would show the same
        [everything] = {a["href"] for a in shown.all("a") if "quoted=all" in a.get("href", "")}
        unfolded = page(as_alice.get(everything))
        assert names(unfolded) == ["call-3.wav", "call-2.wav", "call-1.wav"]
        assert "checked" not in unfolded.all("input", type="checkbox", name="quoted")[0]
        assert "Only calls with a quote" not in unfolded.text
        assert len(names(page(as_alice.get("/questions/", {"question": REFUND})))) == 3  # as many as counted
        # A form sends the unchecked box as the hidden field before it.
        assert [a["value"] for a in shown.all("input", name="quoted")] == ["all", "true"]
        assert names(page(as_alice.get("/questions/?quoted=all&quoted=true"))) == ["call-3.wav"]

        bring(project, answered(4, "Yes"))
        assert len(names(page(as_alice.get("/questions/?project_id=")))) == 4

    @pytest.mark.parametrize("is_superuser", [True, False])
    def test_names_the_variable_of_the_model_to_administrators_alone(
        self, as_alice, alice, project, is_superuser
    ):
        alice.is_superuser = is_superuser
        alice.save()
        bring(project, answered(1, "not determined"))

        text = page(as_alice.get("/questions/?project_id=")).text

        assert "without a language model, only passages that mention its subject are found." in text
        assert ("CALLSCOPE_LLM_URL" in text) == is_superuser

    @pytest.mark.parametrize(
        ("query", "found"),
        [
            ({"question": RIVAL}, [3, 2, 1]),
            ({"question": REFUND, "answer": "YES"}, [3, 1]),
            ({"question": REFUND, "search": "no"}, [4, 2]),
            ({"search": "vantage"}, [3]),
            ({"search": "Refund you"}, [1]),
            ({"quoted": "true"}, [1]),
            ({"answer": "no"}, [4, 2, 1]),
            ({"start_date": "2026-03-02", "end_date": "2026-03-03"}, [3, 2]),
        ],
    )
    def test_is_narrowed_by_its_address(self, as_alice, calls, query, found):
        shown = page(as_alice.get("/questions/", query))

        assert names(shown) == [f"call-{n}.wav" for n in found]

    def test_shows_the_quote_that_was_searched_for(self, as_alice, project):
        quotes = ["[00:05] we will refund you", "[01:10] all fifty-two dollars"]
        bring(project, line(1, custom_questions={"answers": {REFUND: {"answer": "Yes", "quotes": quotes}}}))

        shown = page(as_alice.get("/questions/?search=fifty")).text

        assert "all fifty-two dollars 1:10 and 1 more quote" in shown

    def test_says_that_nothing_fits(self, as_alice, calls):
        shown = page(as_alice.get("/questions/?search=zebra")).text

        assert "No call has this answer Remove filters to see more." in shown

    def test_has_pages(self, as_alice, project):
        bring(project, *(answered(1 + n % 28, "No", file_name=f"call-{n}.wav") for n in range(30)))

        assert len(names(page(as_alice.get("/questions/?page=2")))) == 5
        for nonsense in ("0", "3", "x", "²"):
            assert as_alice.get("/questions/", {"page": nonsense}).status_code == 404

    def test_tells_when_it_read_only_the_newest_calls(self, as_alice, calls, monkeypatch):
        from callscope.reports.questions import summary

        monkeypatch.setattr(summary, "MAX_CALLS", 2)
        shown = page(as_alice.get("/questions/?project_id="))

        assert names(shown) == ["call-4.wav", "call-3.wav"]
        assert "the newest 2 calls in this period" in shown.text

    def test_says_what_to_do_while_there_is_no_answer(self, as_alice, project):
        shown = page(as_alice.get(f"/questions/?project_id={project.pk}"))

        assert "No call has answered a question yet" in shown.text
        assert shown.all("a", href=f"/projects/{project.pk}/#s-questions")

    def test_keeps_what_others_own_to_itself(self, as_carol, calls, project):
        assert names(page(as_carol.get("/questions/?project_id="))) == []
        assert as_carol.get(f"/questions/?project_id={project.pk}").status_code == 404

    def test_gives_htmx_the_part_that_changes(self, as_alice, calls):
        answer = as_alice.get("/questions/?search=vantage", headers={"hx-request": "true"})

        assert not Page(answer.content.decode()).all("html")


@pytest.mark.django_db
class TestQuestionsAsCsv:
    def rows(self, answer):
        text = b"".join(answer.streaming_content).decode("utf-8-sig")
        return list(csv.reader(io.StringIO(text)))

    def test_holds_a_column_for_each_question(self, as_alice, calls):
        rows = self.rows(as_alice.get("/questions/export.csv"))

        columns = [f"{name}{what}" for name in (REFUND, RIVAL) for what in ("", " quote", " quote_start")]
        assert rows[0] == ["call_id", "file_name", "call_datetime", "agent", *columns]
        assert [row[1] for row in rows[1:]] == ["call-4.wav", "call-3.wav", "call-2.wav", "call-1.wav"]
        assert rows[1][4:] == ["No", "", "", "", "", ""]
        assert rows[4][4:] == ["Yes", "we will refund you", "5.0", "No", "", ""]

    def test_holds_what_the_page_was_narrowed_to(self, as_alice, calls):
        rows = self.rows(as_alice.get("/questions/export.csv", {"question": RIVAL, "search": "named"}))

        assert [row[1:2] + row[4:] for row in rows[1:]] == [["call-3.wav", "They named Vantage", "", ""]]

    def test_defuses_formulas_also_in_its_head(self, as_alice, project):
        formula = {"answers": {"=1+1": {"answer": "=HYPERLINK(1)", "quotes": []}}}
        bring(project, line(1, custom_questions=formula))

        head, row = self.rows(as_alice.get("/questions/export.csv"))

        assert (head[4], row[4]) == ("'=1+1", "'=HYPERLINK(1)")

    def test_is_empty_but_for_its_head_without_calls(self, as_alice, project):
        assert len(self.rows(as_alice.get("/questions/export.csv"))) == 1
