"""Custom questions: which answers match, how they are counted, and the pages and files of them."""

import json
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from callscope.reports.call_list.listing import NoSuchPage
from callscope.reports.questions import answers as answers_module
from callscope.reports.questions import summary
from callscope.reports.questions.answers import (
    GivenAnswer,
    iterate_answered_calls,
    parse_answers,
    questions_json,
    stream_questions,
)
from callscope.reports.questions.summary import (
    MAX_ANSWERS,
    AnswerCounter,
    AnswerFilter,
    find_answers,
    iterate_answer_rows,
    normalize_answer,
)
from callscope.reports.window import ALL_TIME, Window, day_of

SAID = ("[00:52] Fifty-two dollars.", "[01:05:02] It was  fifty-two again.")
ANSWERS = {"Why?": GivenAnswer("The  Invoice", 2, SAID), "Who?": GivenAnswer("", 0)}


class TestParseAnswers:
    @pytest.mark.parametrize(
        ("stored", "expected"),
        [
            (None, {}),
            ({}, {}),
            ({"answers": None}, {}),
            ({"answers": {"q": {}}}, {"q": GivenAnswer("", 0)}),
            ({"answers": {"q": {"answer": None, "quotes": None}}}, {"q": GivenAnswer("", 0)}),
            ({"answers": {"q": {"answer": 3, "quotes": ["a", "b"]}}}, {"q": GivenAnswer("3", 2, ("a", "b"))}),
        ],
    )
    def test_reads_results_of_any_age(self, stored, expected):
        assert parse_answers(stored) == expected


class TestAnswerFilter:
    @pytest.mark.parametrize(
        ("wanted", "expected"),
        [
            (AnswerFilter(), True),
            (AnswerFilter(question="Why?"), True),
            (AnswerFilter(question="why?"), False),
            (AnswerFilter(answer="the invoice"), True),
            (AnswerFilter(answer="invoice"), False),
            (AnswerFilter(search="INVOICE "), True),
            (AnswerFilter(search="the inv"), True),
            (AnswerFilter(search="  "), True),
            (AnswerFilter(search="fifty-two dollars"), True),
            (AnswerFilter(search="was fifty"), True),
            (AnswerFilter(search="00:52"), False),
            (AnswerFilter(answer="no", search="dollars"), False),
            (AnswerFilter(question="Who?", search="dollars"), False),
            (AnswerFilter(question="Who?", search="invoice"), False),
            (AnswerFilter(question="Who?", quoted=True), False),
            (AnswerFilter(quoted=True), True),
            (AnswerFilter(answer="the invoice", quoted=True), True),
        ],
    )
    def test_matches_one_answer_with_all_that_is_asked(self, wanted, expected):
        assert wanted.matches(ANSWERS) is expected

    @pytest.mark.parametrize(("search", "chosen"), [("again", 1), ("dollars", 0), ("invoice", 0), ("", 0)])
    def test_chooses_the_quote_with_the_words(self, search, chosen):
        assert AnswerFilter(search=search).choose_quote(ANSWERS["Why?"]) == SAID[chosen]
        assert AnswerFilter(search=search).choose_quote(ANSWERS["Who?"]) == ""

    @pytest.mark.parametrize(
        ("wanted", "expected"), [(AnswerFilter(), False), (AnswerFilter(question="Why?"), False)]
    )
    def test_matches_no_call_without_answers(self, wanted, expected):
        assert wanted.matches({}) is expected

    @given(text=st.text(), spaces=st.text(alphabet=" \t\n", max_size=4))
    def test_finds_an_answer_however_it_is_spaced(self, text, spaces):
        spaced = spaces + spaces.join([text, ""]) if text.strip() else text

        assert normalize_answer(spaced) == normalize_answer(text)
        assert AnswerFilter(answer=spaced).matches({"q": GivenAnswer(text, 1)})


class TestAnswerCounter:
    @given(
        st.lists(
            st.dictionaries(
                st.sampled_from(["Why?", "Who?"]),
                st.builds(
                    GivenAnswer,
                    st.sampled_from(["no", "No", " NO ", "yes", *"abcdefg"]),
                    st.integers(0, 2),
                ),
            ),
            max_size=30,
        )
    )
    def test_counts_each_question_by_plain_counting(self, calls):
        counter = AnswerCounter()
        for call in calls:
            counter.add(call)

        summaries = counter.summaries()

        assert [each.question for each in summaries] == list(dict.fromkeys(q for c in calls for q in c))
        for each in summaries:
            given_answers = [call[each.question] for call in calls if each.question in call]
            keys = Counter(normalize_answer(answer.text) for answer in given_answers)
            assert each.calls == len(given_answers)
            assert each.quoted == sum(answer.quotes > 0 for answer in given_answers)
            assert all(keys[normalize_answer(answer.text)] == answer.calls for answer in each.answers)
            shown = [answer.calls for answer in each.answers]
            assert shown == sorted(keys.values(), reverse=True)[:MAX_ANSWERS]
            assert each.other_calls == each.calls - sum(shown)

    def test_shows_the_spelling_that_came_first(self):
        counter = AnswerCounter()
        for text in ("Sí ", "SÍ", "sí"):
            counter.add({"q": GivenAnswer(text, 0)})

        (shown,) = counter.summaries()

        assert shown.answers == [("Sí ", 3)]


@pytest.fixture
def answered(project, bring_in):
    """Five calls on five days; the newest asks another question, and one has no answers."""
    lines = []
    for number, text in enumerate(["no", "No", "yes", None, "maybe"]):
        question = "Since when?" if number == 4 else "Why?"
        given_answers = {
            question: {"answer": text, "quotes": ["[01:05] I paid it", "and twice"][: 2 * (number % 2)]}
        }
        lines.append(
            {
                "file_name": f"{number}.wav",
                "call_datetime": f"2026-03-0{number + 1}T10:00:00+00:00",
                "agent_name": "Ana" if number else "",
                "topic": "t",
                **({"custom_questions": {"answers": given_answers}} if text else {}),
            }
        )
    bring_in(project, *lines)
    return project


def files(calls):
    return [call.file_name for call in calls]


class TestFindAnswers:
    def test_shows_the_newest_calls_with_answers_first(self, answered):
        page = find_answers([answered], ALL_TIME, AnswerFilter())

        assert files(page.items) == ["4.wav", "2.wav", "1.wav", "0.wav"]
        assert [each.question for each in page.summaries] == ["Since when?", "Why?"]
        assert (page.read, page.count, page.is_cut, page.pages) == (4, 4, False, 1)

    def test_counts_all_calls_of_the_window_but_lists_those_that_match(self, answered):
        page = find_answers([answered], ALL_TIME, AnswerFilter(answer="NO"))

        assert files(page.items) == ["1.wav", "0.wav"]
        assert (page.read, page.count) == (4, 2)
        assert page.summaries[1].answers == [("No", 2), ("yes", 1)]

    def test_keeps_to_window_and_projects(self, answered, alice):
        items = find_answers([answered], ALL_TIME, AnswerFilter()).items
        second = items[2].call_datetime.date()

        page = find_answers([answered], Window(second, second), AnswerFilter())

        assert files(page.items) == ["1.wav"]
        assert day_of(page.items[0].call_datetime) == second.toordinal()
        assert find_answers([], ALL_TIME, AnswerFilter()).count == 0

    def test_cuts_pages_and_refuses_those_beyond(self, answered, monkeypatch):
        monkeypatch.setattr(summary, "PAGE_SIZE", 3)

        assert files(find_answers([answered], ALL_TIME, AnswerFilter(), 2).items) == ["0.wav"]
        for number in (0, 3, -1):
            with pytest.raises(NoSuchPage):
                find_answers([answered], ALL_TIME, AnswerFilter(), number)

    def test_reads_no_more_than_the_newest_calls(self, answered, monkeypatch):
        monkeypatch.setattr(summary, "MAX_CALLS", 3)
        monkeypatch.setattr(summary, "CALLS_AT_ONCE", 2)

        page = find_answers([answered], ALL_TIME, AnswerFilter())

        assert (page.read, page.is_cut, files(page.items)) == (3, True, ["4.wav", "2.wav", "1.wav"])


class TestAnswerRows:
    def test_has_a_column_for_each_question(self, answered):
        head, *rows = iterate_answer_rows([answered], ALL_TIME, AnswerFilter())

        columns = ["Since when?", "Since when? quote", "Since when? quote_start"]
        columns += ["Why?", "Why? quote", "Why? quote_start"]
        assert head == ["call_id", "file_name", "call_datetime", "agent", *columns]
        assert [row[1:2] + row[3:] for row in rows] == [
            ["4.wav", "Ana", "maybe", "", "", "", "", ""],
            ["2.wav", "Ana", "", "", "", "yes", "", ""],
            ["1.wav", "Ana", "", "", "", "No", "I paid it", 65.0],
            ["0.wav", "", "", "", "", "no", "", ""],
        ]

    def test_hold_the_quote_that_was_searched_for(self, answered):
        _head, row = iterate_answer_rows([answered], ALL_TIME, AnswerFilter(search="TWICE"))

        assert row[4:] == ["No", "and twice", ""]

    def test_of_one_question_has_its_columns_alone(self, answered):
        head, *rows = iterate_answer_rows([answered], ALL_TIME, AnswerFilter(question="Why?", quoted=True))

        assert head[4:] == ["Why?", "Why? quote", "Why? quote_start"]
        assert [row[1] for row in rows] == ["1.wav"]


class TestAnsweredCalls:
    @pytest.mark.parametrize("at_once", [1, 2, 4, 500])
    def test_are_the_same_in_any_portions(self, answered, monkeypatch, at_once):
        monkeypatch.setattr(answers_module, "CALLS_AT_ONCE", at_once)

        assert files(iterate_answered_calls([answered])) == ["4.wav", "2.wav", "1.wav", "0.wav"]

    def test_are_streamed_as_the_object_is_written(self, answered):
        whole = questions_json(iterate_answered_calls([answered]))

        streamed = json.loads("".join(stream_questions(iterate_answered_calls([answered]))))

        assert streamed == whole
        assert whole["questions"] == ["Since when?", "Why?"]
        assert whole["calls"][1]["answers"] == {"Why?": {"answer": "yes", "quotes": 0}}

    def test_of_no_project_are_an_empty_object(self, db):
        whole = {"questions": [], "calls": [], "count": 0}

        assert questions_json(iterate_answered_calls([])) == whole
        assert json.loads("".join(stream_questions([]))) == whole
