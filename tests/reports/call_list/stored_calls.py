"""Calls with facts of their own making, stored without an import: each test names only what it asks about."""

import datetime as dt
import itertools

from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st

from callscope.calls.models import Agent, Call
from callscope.reports.models import CallFact, Rollup
from callscope.reports.store.rebuild import rebuild_rollups
from callscope.reports.window import day_of, hour_of, to_microseconds
from tests.effort import count_examples

FIRST = dt.datetime(2026, 3, 2, 10, tzinfo=dt.UTC)
NEUTRAL_FACT = {
    "direction": 0,
    "duration_us": 0,
    "points": 0,
    "counted_points": 0,
    "critical": False,
    "error_classes": 0,
    "plain_judged": 0,
    "plain_met": 0,
    "has_answers": False,
    "pack": b"",
}
numbers = itertools.count()
# Without the shrinking of a failure, which outlasts the run.
EXAMPLES = settings(
    max_examples=count_examples(15),
    deadline=None,
    phases=(Phase.explicit, Phase.reuse, Phase.generate),
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


def add_call(project, at=FIRST, **fact):
    """Store a call of the project at a moment, with these fields of its fact; return its id."""
    call = Call.objects.create(
        project=project,
        file_name=f"call {next(numbers)}.wav",
        name_stem="call",
        call_datetime=at,
        uploaded_at=at,
    )
    moment = {"at_us": to_microseconds(at), "day": day_of(at), "hour": hour_of(at)}
    CallFact.objects.create(call_id=call.pk, project=project, **{**NEUTRAL_FACT, **moment, **fact})
    return call.pk


def add_agent(owner, name):
    """Store an agent of the owner; only an id of the client's own tells namesakes apart."""
    key, external_id = " ".join(name.split()).casefold(), str(next(numbers))
    return Agent.objects.create(owner=owner, name=name, name_key=key, external_id=external_id).pk


def start_over():
    """Forget all calls; for the next example of a property."""
    CallFact.objects.all().delete()
    Call.objects.all().delete()
    Rollup.objects.all().delete()


# Few values each, so that several calls share them.
moments = st.integers(0, 70).map(lambda days: FIRST + dt.timedelta(days=days, hours=days % 24))
facts = st.fixed_dictionaries(
    {
        "agent_id": st.sampled_from([None, 1, 2]),
        "sentiment": st.sampled_from([None, 1, 2, 3]),
        "direction": st.sampled_from([0, 1, 2]),
        "critical": st.booleans(),
        "goal_reached": st.sampled_from([None, True, False]),
        "hour": st.sampled_from([None, 0, 7, 8, 19, 20, 23]),
        "topic_id": st.sampled_from([None, 5, 6]),
        "score": st.sampled_from([None, 0, 3333, 6667, 10_000]),
        "mistakes": st.sampled_from([None, 0, 1, 2]),
    }
)


def add_drawn(project, drawn):
    """Store calls of drawn (moment, facts), and the rollups that count them; return facts by call."""
    ids = []
    for at, fact in drawn:
        score = fact["score"]
        scored = {"score_bp": score, "max_points": None if score is None else 10_000_000}
        points = {"points": (score or 0) * 1000, "counted_points": (score or 0) * 1000}
        fields = {name: value for name, value in fact.items() if name != "score"} | scored | points
        ids.append(add_call(project, at, **fields))
    rebuild_rollups([project.pk])
    return CallFact.objects.in_bulk(ids)
