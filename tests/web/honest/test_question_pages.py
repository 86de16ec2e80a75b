"""Questions and samples: no share of answers without the calls that it is taken over."""

import datetime as dt
import re

import pytest
from django.template.loader import render_to_string
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from callscope.interfaces.web.views import questions as questions_view
from callscope.interfaces.web.views.reviewing import samples as samples_view
from callscope.reports.questions import summary
from callscope.reports.questions.answers import AnsweredCall, GivenAnswer
from callscope.reports.questions.summary import AnswerCounter, AnswerFilter, AnswerPage
from callscope.reports.window import ALL_TIME
from callscope.reviews.sampling.draw import SamplePlan, draw_sample
from callscope.reviews.sampling.listing import DrawnReview
from tests.effort import count_examples
from tests.web.conftest import bring, line
from tests.web.honest.page_tables import read_rows, read_text

MOMENT = dt.datetime(2026, 3, 2, 10, tzinfo=dt.UTC)

given_answers = st.builds(GivenAnswer, st.sampled_from(["Yes", "yes", "No", "Later", ""]), st.integers(0, 2))
answered = st.lists(
    st.dictionaries(st.sampled_from(["Was it paid?", "Which plan?"]), given_answers, min_size=1), max_size=30
)


class TestQuestionsPage:
    @settings(max_examples=count_examples(25), deadline=None)
    @given(calls=answered)
    def test_shows_no_share_of_an_answer_without_its_calls(self, calls):
        counter = AnswerCounter()
        for answers in calls:
            counter.add(answers)
        found = AnswerPage(counter.summaries(), len(calls), False, len(calls), 1, 1, [])
        cards = [questions_view.QuestionCard.of(each, {}, {}) for each in found.summaries]
        page = render_to_string(
            "web/questions/tallies.html", {"tallies": cards, "unanswered": [], "found": found}
        )

        rows = read_rows(page)
        lists = re.findall(r'<ul class="answers">(.*?)</ul>', page, re.DOTALL)
        for row, answers, each in zip(rows, lists, found.summaries, strict=True):
            assert row["Calls"] == str(sum(each.question in given for given in calls)) == str(each.calls)
            shares = [read_text(item) for item in re.findall(r"<li>(.*?)</li>", answers, re.DOTALL)]
            for share, (_text, count) in zip(shares, each.answers, strict=True):
                assert re.search(rf" {count} {100 * count / each.calls:.0f} ?%$", share)

    @pytest.mark.django_db
    @settings(max_examples=count_examples(10), deadline=None)
    @given(calls=answered)
    def test_puts_no_share_into_its_files(self, calls):
        named = [AnsweredCall(n, f"{n}.wav", MOMENT, "Ana", answers) for n, answers in enumerate(calls)]
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(summary, "_iterate_matching", lambda *_scope: iter(named))
            head, *rows = summary.iterate_answer_rows([], ALL_TIME, AnswerFilter())

        asked = dict.fromkeys(question for each in calls for question in each)
        of_answers = [f"{question}{part}" for question in asked for part in ("", " quote", " quote_start")]
        assert head == ["call_id", "file_name", "call_datetime", "agent", *of_answers]
        assert len(rows) == len(calls)


reviews = st.dictionaries(
    st.integers(1, 3),
    st.builds(
        lambda score, is_blind, agreed, others: DrawnReview(score, is_blind, agreed, agreed + others),
        st.none() | st.floats(0, 100).map(lambda value: round(value, 2)),
        st.booleans(),
        st.integers(0, 9),
        st.integers(0, 9),
    ),
    min_size=1,
)


class TestSamplePage:
    @pytest.mark.django_db
    @settings(
        max_examples=count_examples(10),
        deadline=None,
        suppress_health_check=[HealthCheck.function_scoped_fixture],
    )
    @given(found=reviews)
    def test_shows_no_average_and_no_share_without_its_calls(self, as_alice, project, sample, found):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(samples_view, "read_drawn_reviews", lambda *_scope: found)
            page = as_alice.get(f"/projects/{project.pk}/samples/{sample.pk}/").content.decode()

        result = page.split("<h3>Result</h3>")[1]
        average, agreed, _blind = map(read_text, re.findall(r"<dd>(.*?)</dd>", result, re.DOTALL)[:3])
        scored = sum(each.score_percentage is not None for each in found.values())
        same, compared = (sum(getattr(each, n) for each in found.values()) for n in ("agreed", "compared"))
        assert re.search(rf" {scored} calls?$", average)
        assert agreed.endswith(f" {same} of {compared}")
        assert agreed.startswith("–") == (compared == 0)

    @pytest.fixture
    def sample(self, project, alice):
        bring(project, line(1))
        return draw_sample(project, SamplePlan(per_agent=1, reviewers=[alice.email]), alice)
