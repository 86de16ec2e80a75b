"""Facts made by hand and by hypothesis, for tests that need no database."""

from hypothesis import settings
from hypothesis import strategies as st

from callscope.reports.models import Sentiment
from callscope.reports.store.fact_row import FactRow
from callscope.reports.store.packing import CRITICAL_ERROR, EVALUATED, NOT_APPLICABLE, pack_entries
from callscope.reports.store.talk import MEASURES
from tests.effort import count_examples

MILLION = 1_000_000
DAY = 739_000  # 2024-04-24
# Small facts meet in few keys: more examples find no more.
FEW = settings(max_examples=count_examples(20), deadline=None)


def make_fact(**values):
    """Return the fact of a call without any finding, but for these values."""
    return FactRow(
        **{
            "call_id": 1,
            "at_us": 0,
            "score_bp": None,
            "missing_prompts": None,
            "has_answers": False,
            "half_heard": False,
            "project_id": 1,
            "day": DAY,
            "hour": None,
            "agent_id": None,
            "topic_id": None,
            "direction": 0,
            "sentiment": None,
            "goal_reached": None,
            "duration_us": 0,
            "max_points": None,
            "points": 0,
            "counted_points": 0,
            "critical": False,
            "error_classes": 0,
            "plain_judged": 0,
            "plain_met": 0,
            "mistakes": None,
            **dict.fromkeys(MEASURES),
            "pack": b"",
            **values,
        }
    )


FLAGS = st.sampled_from([0, EVALUATED, NOT_APPLICABLE, CRITICAL_ERROR, EVALUATED | CRITICAL_ERROR])
ENTRIES = st.lists(st.tuples(st.integers(1, 4), st.integers(0, 2_500_000), FLAGS), max_size=4)


@st.composite
def facts(draw):
    """Draw a fact; keys are few, so that calls meet in one row."""
    scores = draw(st.one_of(st.none(), st.integers(1, 3)))
    points = 0 if scores is None else draw(st.integers(0, scores * MILLION))
    critical = scores is not None and draw(st.booleans())
    judged = draw(st.integers(0, 3))
    return make_fact(
        call_id=draw(st.integers(1, 1000)),
        project_id=draw(st.integers(1, 2)),
        day=DAY + draw(st.integers(0, 40)),
        hour=draw(st.one_of(st.none(), st.integers(0, 23))),
        agent_id=draw(st.one_of(st.none(), st.integers(1, 2))),
        topic_id=draw(st.one_of(st.none(), st.integers(1, 2))),
        direction=draw(st.integers(0, 2)),
        sentiment=draw(st.one_of(st.none(), st.sampled_from(Sentiment.values))),
        goal_reached=draw(st.sampled_from([None, False, True])),
        duration_us=draw(st.integers(0, 2**50)),
        max_points=None if scores is None else scores * MILLION,
        points=points,
        counted_points=0 if critical and draw(st.booleans()) else points,
        critical=critical,
        error_classes=draw(st.integers(0, 7)) if critical else 0,
        plain_judged=judged,
        plain_met=draw(st.integers(0, judged)),
        mistakes=draw(st.one_of(st.none(), st.integers(0, 2))),
        **{name: draw(st.none() | st.integers(0, 5)) for name in MEASURES},
        pack=pack_entries(draw(ENTRIES)),
    )
