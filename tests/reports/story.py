"""Stories: scripts of changes, drawn by hypothesis and played on two projects through the product itself."""

import datetime as dt
import io
import json
from collections.abc import Callable

import pytest
from django.db import transaction
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st

from callscope.calls.models import Call
from callscope.contact_reasons.models import CallReason, ContactReason
from callscope.pipeline.erasure.removal import delete_file
from callscope.pipeline.files.intake import update_metadata
from callscope.pipeline.transfer.importer import import_calls
from callscope.projects.models import Project
from callscope.projects.services import configure_project
from callscope.reports.models import CallFact
from callscope.reports.overview.report import build_report, report_json
from callscope.reports.store import facts
from callscope.reports.store.compaction import compact_all
from callscope.reports.store.rebuild import rebuild_rollups
from callscope.reports.window import Window
from tests.effort import count_examples

SCRIPT = settings(
    max_examples=count_examples(25),
    deadline=None,
    phases=(Phase.explicit, Phase.reuse, Phase.generate),
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
CRITERIA = [("greeting", "Greets", 10), ("identity", "Checks identity", 7), ("old", "Retired", 3)]
RUBRIC = {
    "sections": [
        {"name": "All", "criteria": [{"id": i, "name": n, "max_points": m} for i, n, m in CRITERIA[:2]]}
    ]
}
DAYS = [
    dt.date(2026, 1, 31),
    dt.date(2026, 2, 1),
    dt.date(2026, 2, 15),
    dt.date(2026, 3, 31),
    dt.date(2026, 5, 4),
]


TALKS = (
    {"talk_share_pct": 61.5, "silence_seconds": 0, "agent_interruptions": 2, "hold_seconds": 30.25},
    {"talk_share_pct": 40, "longest_monologue_seconds": 12.5, "silence_seconds": 4.5},
)


@st.composite
def call_lines(draw):
    """Return a line of an import: one analyzed call, of few names and days, so that calls meet."""
    scores = []
    for criterion_id, name, most in draw(st.lists(st.sampled_from(CRITERIA), unique=True, max_size=3)):
        applicability = draw(st.sampled_from(["evaluated", "not_applicable", None]))
        score = most if applicability == "not_applicable" else draw(st.sampled_from([0, 1, 2.5, most]))
        scores.append(
            {
                "criterion_id": criterion_id,
                "name": name,
                "section": "All",
                "score": score,
                "max_points": most,
                "applicability": applicability,
                "is_critical_error": score == 0 and draw(st.booleans()),
                "critical_class": draw(st.sampled_from([None, "customer", "business", "compliance"])),
            }
        )
    day = draw(st.sampled_from(DAYS))
    return {
        "file_name": f"c{draw(st.integers(1, 6))}.wav",
        "uploaded_at": "2026-02-10T00:00:00+00:00",
        "duration_seconds": draw(st.sampled_from([0, 17.5, 3599.999])),
        "agent_name": draw(st.sampled_from(["", "Ana", "Zoë"])),
        "sentiment": draw(st.sampled_from([None, "positive", "negative"])),
        "goal_reached": draw(st.sampled_from([None, True, False])),
        "topic": draw(st.sampled_from([None, *(f"t{n:02}" for n in range(13))])),
        "call_datetime": draw(st.sampled_from([None, f"{day}T07:59:59+00:00", f"{day}T20:00:00+00:00"])),
        "copc": draw(st.sampled_from([None, {"criterion_scores": scores}])),
        "insights": draw(st.sampled_from([None, {"talk": TALKS[0]}, {"talk": TALKS[1]}, {"talk": {}}])),
    }


STEPS = st.one_of(
    st.tuples(st.just("import"), st.lists(call_lines(), min_size=1, max_size=4)),
    st.tuples(st.just("import and roll back"), st.lists(call_lines(), min_size=1, max_size=2)),
    st.tuples(
        st.just("describe"),
        st.tuples(st.integers(0, 9), st.sampled_from(DAYS), st.sampled_from(["", "Ana", "Eva"])),
    ),
    st.tuples(st.just("delete"), st.integers(0, 9)),
    st.tuples(st.just("regroup"), st.sampled_from(["Billing", "Other"])),
    st.tuples(st.just("set shifts"), st.integers(0, 7)),
    st.tuples(st.just("compact"), st.none()),
    st.tuples(st.just("rebuild"), st.none()),
)


class Story:
    """Plays a script of changes on two projects of one owner."""

    def __init__(self, owner):
        Project.objects.all().delete()
        owner.agents.all().delete()
        self.owner = owner
        self.projects = [
            Project.objects.create(name=f"P{n}", owner=owner, config={"rubric": RUBRIC}) for n in range(2)
        ]

    def play(self, step, value, turn):
        project = self.projects[turn % 2]
        actions: dict[str, Callable[[], object]] = {
            "import": lambda: self._import(project, value),
            "import and roll back": lambda: self._import_and_roll_back(project, value),
            "describe": lambda: self._describe(project, *value),
            "delete": lambda: self._delete(project, value),
            "regroup": lambda: self._regroup(project, value),
            "set shifts": lambda: configure_project(
                project, {"rubric": RUBRIC, "shift_hours": {"day_start": value}}, self.owner
            ),
            "compact": compact_all,
            "rebuild": rebuild_rollups,
        }
        actions[step]()
        project.refresh_from_db()

    def _import(self, project, lines):
        content = b"\n".join(json.dumps(line).encode() for line in lines)
        assert import_calls(project, io.BytesIO(content)).errors == []

    def _import_and_roll_back(self, project, lines):
        with pytest.raises(ZeroDivisionError), transaction.atomic():
            self._import(project, lines)
            raise ZeroDivisionError

    def _file(self, project, number):
        calls = list(Call.objects.filter(project=project).order_by("pk"))
        return calls[number % len(calls)].newest_file if calls else None

    def _describe(self, project, number, day, agent):
        file = self._file(project, number)
        if file:
            update_metadata(
                file,
                {"call_datetime": f"{day}T08:00:00+00:00", "agent_name": agent, "agent_id": ""},
                self.owner,
            )

    def _delete(self, project, number):
        file = self._file(project, number)
        if file:
            delete_file(file, self.owner)

    def _regroup(self, project, name):
        with transaction.atomic():
            reason, _ = ContactReason.objects.get_or_create(project=project, name=name)
            fact_ids = list(CallFact.objects.filter(project=project).values_list("pk", flat=True))[::2]
            for call_id in fact_ids:
                CallReason.objects.update_or_create(
                    call_id=call_id, defaults={"project_id": project.pk, "reason": reason}
                )
            facts.refresh(fact_ids)


def window_of(days):
    start, end = days
    return Window(*((end, start) if start and end and start > end else (start, end)))


def shown(projects, window):
    report = report_json(build_report(projects, window))
    for row in report["contact_reasons"]:
        for name in ("reason_id", "is_new", "course"):  # test_course.py, api/test_contact_reasons.py
            del row[name]
    return {name: part for name, part in report.items() if name not in ("date_range", "shift_hours")}
