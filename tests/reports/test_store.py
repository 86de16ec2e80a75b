"""The report store: rollups and journal together are what the facts add up to, whatever happens between."""

import datetime as dt
import io
import json
from collections.abc import Callable

import pytest
from django.db import transaction
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from reports.naive_report import naive_report

from callscope.calls.models import Call
from callscope.contact_reasons.models import CallReason, ContactReason
from callscope.pipeline.importing import import_calls
from callscope.pipeline.intake import change_metadata
from callscope.pipeline.removal import delete_file
from callscope.projects.administration import configure
from callscope.projects.models import Project
from callscope.reports import facts, store
from callscope.reports.fold import fold_all
from callscope.reports.models import CallFact, JournalEntry, Rollup, StoreState
from callscope.reports.rebuild import rebuild
from callscope.reports.report import build_report, report_json
from callscope.reports.verify import verify
from callscope.reports.window import ALL_TIME, Window

SCRIPT = settings(
    max_examples=25,
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


@st.composite
def told_lines(draw):
    """One analysed call, as an import tells it; few names and days, so that things meet."""
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
    }


STEPS = st.one_of(
    st.tuples(st.just("import"), st.lists(told_lines(), min_size=1, max_size=4)),
    st.tuples(st.just("import and roll back"), st.lists(told_lines(), min_size=1, max_size=2)),
    st.tuples(
        st.just("describe"),
        st.tuples(st.integers(0, 9), st.sampled_from(DAYS), st.sampled_from(["", "Ana", "Eva"])),
    ),
    st.tuples(st.just("delete"), st.integers(0, 9)),
    st.tuples(st.just("regroup"), st.sampled_from(["Billing", "Other"])),
    st.tuples(st.just("set shifts"), st.integers(0, 7)),
    st.tuples(st.just("fold"), st.none()),
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
            "set shifts": lambda: configure(
                project, {"rubric": RUBRIC, "shift_hours": {"day_start": value}}, self.owner
            ),
            "fold": fold_all,
            "rebuild": rebuild,
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
            change_metadata(
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
    return {name: part for name, part in report.items() if name not in ("date_range", "shift_hours")}


class TestStore:
    @given(
        script=st.lists(STEPS, min_size=1, max_size=12),
        days=st.tuples(st.sampled_from([None, *DAYS]), st.sampled_from([None, *DAYS])),
    )
    @SCRIPT
    def test_answers_what_a_naive_count_answers_after_any_script(self, alice, script, days):
        story = Story(alice)
        window = window_of(days)
        for turn, (step, value) in enumerate(script):
            story.play(step, value, turn)

            for scope in (story.projects, story.projects[:1]):
                assert shown(scope, window) == naive_report(scope, window.start, window.end)

        assert verify() == []

    @given(script=st.lists(STEPS, min_size=1, max_size=10))
    @SCRIPT
    def test_says_the_same_before_and_after_folding(self, alice, script):
        story = Story(alice)
        for turn, (step, value) in enumerate(script):
            story.play(step, value, turn)
        before = [shown(story.projects, window_of(days)) for days in ((None, None), (DAYS[1], DAYS[3]))]

        fold_all()

        after = [shown(story.projects, window_of(days)) for days in ((None, None), (DAYS[1], DAYS[3]))]
        folded = sorted(
            Rollup.objects.values_list("project", "level", "first_day", "calls", "figures", "listing")
        )
        rebuild()
        rebuilt = sorted(
            Rollup.objects.values_list("project", "level", "first_day", "calls", "figures", "listing")
        )
        assert after == before
        assert JournalEntry.objects.count() == 0
        assert folded == rebuilt

    @given(lines=st.lists(told_lines(), min_size=1, max_size=12))
    @SCRIPT
    def test_adds_up_in_every_direction(self, alice, lines):
        story = Story(alice)
        story.play("import", lines, 0)

        report = build_report(story.projects, ALL_TIME)

        total = report.headline.total_calls
        with_agent = sum(row.calls for row in report.agents)
        with_topic = sum(row.calls for row in report.contact_reasons)
        assert sum(row.headline.total_calls for row in report.shifts) == report.headline.calls_with_metadata
        assert with_agent + CallFact.objects.filter(agent_id=None).count() == total
        assert with_topic + CallFact.objects.filter(topic=None).count() == total
        assert sum(bucket.calls for bucket in report.trend) == total == report.total_calls_all_time

    @given(
        lines=st.lists(told_lines(), min_size=1, max_size=12), cut=st.sampled_from(DAYS), folds=st.booleans()
    )
    @SCRIPT
    def test_adds_adjacent_windows_to_the_whole(self, alice, lines, cut, folds):
        story = Story(alice)
        story.play("import", lines, 0)
        if folds:
            fold_all()
        ids = [project.pk for project in story.projects]

        parts = [
            store.sums(ids, Window(None, cut)),
            store.sums(ids, Window(cut + dt.timedelta(days=1), None)),
        ]

        whole = store.sums(ids, ALL_TIME)
        for name in ("hours", "agents", "topics", "criteria", "days"):
            assert sum(part.table(name)[:, -1].sum() for part in parts) == whole.table(name)[:, -1].sum()

    @given(lines=st.lists(told_lines(), min_size=1, max_size=12))
    @SCRIPT
    def test_compares_with_the_report_of_the_window_before(self, alice, lines):
        story = Story(alice)
        story.play("import", lines, 0)
        window = Window(dt.date(2026, 2, 1), dt.date(2026, 2, 28))
        previous = window.previous()
        assert previous is not None

        now = build_report(story.projects, window).scorecard
        then = {
            (r.criterion_id, r.name): r.average_pct for r in build_report(story.projects, previous).scorecard
        }

        assert [r.previous_pct for r in now] == [then.get((r.criterion_id, r.name)) for r in now]


class TestVerify:
    def test_finds_a_change_that_bypassed_the_journal(self, project, bring_in):
        line = {"file_name": "c.wav", "call_datetime": "2026-03-10T10:00:00+00:00", "topic": "x"}
        bring_in(project, line)
        fold_all()
        CallFact.objects.update(sentiment=3)

        found = verify()

        assert [(d.level, d.stored_calls, d.counted_calls) for d in found] == [("day", 1, 1), ("month", 1, 1)]
        rebuild()
        assert verify() == []


class TestTimeZone:
    def test_counts_days_and_hours_anew_when_the_setting_changes(self, project, bring_in, settings):
        line = {"file_name": "c.wav", "call_datetime": "2026-03-10T23:30:00+00:00", "topic": "x"}
        bring_in(project, line)
        fold_all()
        settings.TIME_ZONE = "Europe/Madrid"

        report = build_report([project], Window(dt.date(2026, 3, 11), dt.date(2026, 3, 11)))

        assert report.headline.total_calls == 1
        assert verify() == []


class TestLayout:
    def test_makes_the_store_anew_when_a_new_version_counts_other_tables(self, project, bring_in):
        bring_in(project, {"file_name": "c.wav", "call_datetime": "2026-03-10T23:30:00+00:00", "topic": "x"})
        fold_all()
        StoreState.objects.update(layout="of an older version")
        Rollup.objects.update(figures=b"of an older version", stamp=1)

        report = build_report([project], ALL_TIME)

        assert report.headline.total_calls == 1
        assert verify() == []
