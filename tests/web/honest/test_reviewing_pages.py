"""Agreement and calibration: no percentage and no coefficient without the answers that it rests on."""

import re

import pytest
from django.utils import timezone
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from callscope.interfaces.web.views.reviewing import agreement as agreement_view
from callscope.reviews.agreement.blind_agreement import BlindAgreement, find_apart
from callscope.reviews.agreement.measures import (
    PARTS,
    AnswerPair,
    Circumstances,
    FindingPair,
    MeasuredAgreement,
    measure_agreement,
)
from callscope.reviews.calibration import listing
from callscope.reviews.calibration.ratings import MACHINE, Given, RatedCall, RatedCriterion, Rater, Ratings
from callscope.reviews.findings import ANSWERS as FINDING_ANSWERS
from callscope.reviews.models import Calibration
from callscope.reviews.reading_records import ResultsRead
from tests.effort import count_examples
from tests.web.honest.page_tables import read_rows, read_text

pytestmark = pytest.mark.django_db
quickly = settings(
    max_examples=count_examples(10),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
answers = st.sampled_from(["met", "partly", "not_met", "not_applicable"])
sides = st.tuples(answers, answers) | answers.map(lambda answer: (answer, answer))
pairs = st.lists(
    st.tuples(st.integers(1, 40), st.sampled_from(["greeting", "identity", "closing"]), sides), max_size=60
).map(
    lambda rows: [
        AnswerPair(
            call, name, name.title(), *both, Circumstances("Opening", f"2026-0{1 + call % 2}", 1, 1, "rules")
        )
        for call, name, both in rows
    ]
)
said = st.sampled_from(FINDING_ANSWERS["mistake"])
finding_pairs = st.lists(
    st.tuples(st.integers(1, 40), st.sampled_from(["promise", "rudeness"]), said, said), max_size=40
).map(lambda rows: [FindingPair(call, "mistake", name, name.title(), *both) for call, name, *both in rows])


def count_rows(measured: MeasuredAgreement) -> list[int]:
    """Return how many answers each row of the page of the agreement rests on."""
    parts = [rows for rows in measured.parts.values() if rows]
    found = [each.agreement.n for each in measured.criteria]
    if measured.criteria:
        found += [measured.overall.n, *(each.agreement.n for rows in parts for each in rows)]
    for kind in measured.findings:
        found += [kind.agreement.n, *(each.agreement.n for each in kind.items)]
    return sorted(found)


class TestAgreementPage:
    @quickly
    @example(pairs=[], findings=[FindingPair(1, "mistake", "promise", "Promise", "made", "made")], reviews=1)
    @given(pairs=pairs, findings=finding_pairs, reviews=st.integers(1, 99))
    def test_shows_no_figure_without_the_answers_it_rests_on(
        self, as_alice, project, pairs, findings, reviews
    ):
        measured = measure_agreement(pairs, findings, parts=PARTS)
        found = BlindAgreement(measured, find_apart([*pairs, *findings]), reviews)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(agreement_view, "measure_blind_reviews", lambda *_args, **_days: found)
            page = as_alice.get(f"/projects/{project.pk}/agreement/").content.decode()

        rows = [row for row in read_rows(page) if "Same answers\u00a0%" in row]
        assert sorted(int(row["Answers"]) for row in rows) == count_rows(measured)
        assert all("Beyond chance (κ)" in row for row in rows)
        tally = re.search(r'<dl class="tally pair">(.*?)</dl>', page, re.DOTALL)
        assert (tally is not None) == bool(pairs)
        if tally:
            shares, kappa = map(read_text, re.findall(r"<div>(.*?)</div>", tally[1], re.DOTALL))
            same = sum(pair.machine == pair.person for pair in pairs)
            assert f"agree on {same} of {len(pairs)} answer" in shares
            assert f"From {reviews} blind review" in kappa


criterion = {"criterion_id": "greeting", "name": "Greets", "section": "Opening", "max_points": 10,
             "critical": False, "critical_class": None, "allowed": ["met", "partly", "not_met"],
             "machine_answer": None, "fingerprint": "1"}  # fmt: skip
POINTS = {"met": 10.0, "partly": 5.0, "not_met": 0.0}
rated_calls = st.lists(
    st.dictionaries(st.sampled_from([MACHINE, 1, 2, 3]), st.sampled_from(sorted(POINTS))),
    min_size=1,
    max_size=8,
)


class TestCalibrationPage:
    @pytest.fixture
    def calibration(self, project, alice):
        now = timezone.now()
        return Calibration.objects.create(
            project=project, created_by=alice, created_at=now, state="closed", closed_at=now
        )

    @quickly
    @given(given_answers=rated_calls, expert=st.booleans())
    def test_shows_no_figure_without_the_answers_it_rests_on(
        self, as_alice, project, calibration, given_answers, expert
    ):
        raters = [Rater(MACHINE, None, is_machine=True)]
        raters += [Rater(n, f"r{n}@example.com", is_expert=expert and n == 1) for n in (1, 2, 3)]
        calls = [
            RatedCall(
                number,
                f"{number}.wav",
                [
                    RatedCriterion(
                        criterion, {place: Given(said, POINTS[said]) for place, said in row.items()}
                    )
                ],
                {place: POINTS[said] * 10 for place, said in row.items()},
                set(row) - {MACHINE},
            )
            for number, row in enumerate(given_answers, 1)
        ]
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(listing, "load_ratings", lambda *_args: Ratings(raters, calls))
            page = as_alice.get(f"/projects/{project.pk}/calibrations/{calibration.pk}/").content.decode()
        ResultsRead.objects.all().delete()  # the calls are not stored

        compared = [row for row in given_answers if len(row) > 1]
        by_people = [row for row in given_answers if len(set(row) - {MACHINE}) > 1]
        tally = re.search(r'<dl class="tally">(.*?)</dl>', page, re.DOTALL)
        assert (tally is not None) == bool(compared)
        if tally:
            both, people = map(read_text, re.findall(r"<dd>(.*?)</dd>", tally[1], re.DOTALL))
            assert re.search(rf"\b{len(compared)} questions?$", both)
            assert re.search(rf"\b{len(by_people)} questions?$", people)
        rows = [row for row in read_rows(page) if "Points apart, on average" in row]
        assert len(rows) == (len(raters) if by_people else 0)
        for row in rows:
            [differing] = [text for name, text in row.items() if name.startswith("Answers unlike")]
            assert differing == "–" or re.match(r"\d+ of [1-9]\d* \d", differing)
            assert (differing == "–") == (row["Points apart, on average"] == "–")
