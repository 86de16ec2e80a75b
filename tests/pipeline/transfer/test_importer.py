"""Import and export of analysed calls. Rules: docs/api.md, "Import and export"."""

import datetime as dt
import gzip
import io
import json
import re

import pytest

from callscope.analysis.models import AnalysisState, CallAnalysis
from callscope.calls.models import Agent, Call, UploadedFile
from callscope.pipeline.transfer import export, importer
from callscope.projects.services import create_project
from callscope.reports.overview.report import build_report, report_json
from callscope.reports.window import ALL_TIME

NOW = dt.datetime(2026, 3, 1, 12, tzinfo=dt.UTC)
SCORES = [
    {
        "criterion_id": "greeting",
        "name": "Greets",
        "section": "Opening",
        "score": 10,
        "max_points": 10,
        "applicability": "evaluated",
        "is_critical_error": False,
        "justification": "Did.",
        "quote": "[00:03] hi",
    },
    {
        "criterion_id": "closing",
        "name": "Closes",
        "section": "Closing",
        "score": 0,
        "max_points": 5,
        "applicability": None,
        "is_critical_error": True,
    },
]
WHOLE = {
    "file_name": "c1.wav",
    "call_datetime": "2026-01-05T10:00:00+00:00",
    "uploaded_at": "2026-01-05T12:00:00+00:00",
    "analyzed_at": "2026-01-05T12:10:00+00:00",
    "duration_seconds": 312.4,
    "agent_id": "7",
    "agent_name": "Ana Ruiz",
    "direction": "inbound",
    "caller_number": "+34911",
    "campaign": "spring",
    "sentiment": "negative",
    "topic": "wrong invoice",
    "contact_reason": "Billing",
    "goal_reached": True,
    "copc": {"criterion_scores": SCORES},
    "no_protocol": {
        "mistakes": [{"id": "dismissive", "description": "Dismisses", "quote": "[01:10] calm down"}],
        "missing_prompts": [{"id": "recording", "description": "Says that it is recorded"}],
    },
    "custom_questions": {"answers": {"A competitor?": {"answer": "No", "quotes": ["[02:00] no"]}}},
}


def take_in(project, *lines, now=NOW, by=None):
    content = b"\n".join(line if isinstance(line, bytes) else json.dumps(line).encode() for line in lines)
    return importer.import_calls(project, io.BytesIO(content), now=now, by=by)


def report_of(project):
    """The report as text, without the ids of its reasons, which each project has its own of."""
    text = json.dumps(report_json(build_report([project], ALL_TIME)), default=str)
    return re.sub(r'"reason_id": \d+', '"reason_id": …', text)


def everything(project):
    """Every row that an import writes, as it stands."""
    return [
        list(model.objects.filter(project=project).order_by("pk").values())
        for model in (Call, UploadedFile, CallAnalysis)
    ]


class TestAWholeLine:
    def test_becomes_a_call_with_all_that_it_tells(self, project):
        result = take_in(project, WHOLE)

        call = Call.objects.get()
        assert (result.created, result.replaced, result.errors) == (1, 0, [])
        assert call.call_datetime == dt.datetime(2026, 1, 5, 10, tzinfo=dt.UTC)
        assert (call.call_datetime_source, call.agent_source) == ("api", "api")
        assert (call.agent.external_id, call.agent.name) == ("7", "Ana Ruiz")
        assert (call.direction, call.caller_number, call.campaign) == ("inbound", "+34911", "spring")
        assert call.reason.reason.name == "Billing"

    def test_has_a_transcribed_file_without_a_recording(self, project, alice):
        take_in(project, WHOLE, by=alice)

        file = Call.objects.get().newest_file
        assert (file.storage_key, file.status, file.duration_us) == ("", "transcribed", 312_400_000)
        assert file.uploaded_by == alice

    def test_counts_every_given_part_as_completed(self, project):
        take_in(project, WHOLE)

        analysis = CallAnalysis.objects.get()
        assert analysis.is_live
        assert analysis.is_newest
        assert {
            analysis.copc_state,
            analysis.no_protocol_state,
            analysis.custom_questions_state,
            analysis.insights_state,
        } == {AnalysisState.COMPLETED}
        assert analysis.completed_at == dt.datetime(2026, 1, 5, 12, 10, tzinfo=dt.UTC)

    def test_adds_up_its_points(self, project):
        take_in(project, WHOLE)

        copc = CallAnalysis.objects.get().copc
        assert (copc["total_points"], copc["max_possible_points"]) == (10, 15)
        assert copc["score_percentage"] == 66.67
        assert copc["has_critical_error"]

    def test_scores_zero_where_the_rubric_says_so(self, project):
        from callscope.projects.services import configure_project

        configure_project(project, {"rubric": {"on_critical_error": "zero_score"}})
        take_in(project, WHOLE)

        headline = build_report([project], ALL_TIME).headline
        assert headline.average_score == 0
        assert round(float(headline.weighted_compliance), 2) == 66.67


class TestASparseLine:
    def test_needs_a_file_name_only_and_then_stays_out_of_the_reports(self, project):
        result = take_in(project, {"file_name": "c1.wav"})

        assert result.created == 1
        assert Call.objects.count() == 1
        assert not CallAnalysis.objects.get().is_live
        assert build_report([project], ALL_TIME).total_calls_all_time == 0

    def test_takes_the_upload_time_for_the_call_time(self, project):
        take_in(project, {"file_name": "c1.wav", "uploaded_at": "2026-01-05T12:00:00+02:00"})

        call = Call.objects.get()
        assert call.call_datetime == call.uploaded_at == dt.datetime(2026, 1, 5, 10, tzinfo=dt.UTC)
        assert call.call_datetime_source == "upload_time"

    @pytest.mark.parametrize(("given", "customer_pct"), [({}, 0.0), ({"critical_class": None}, 100.0)])
    def test_takes_the_class_of_a_critical_error_from_the_rubric(self, alice, given, customer_pct):
        criterion = {"id": "closing", "name": "Closes", "max_points": 5} | {
            "critical": True,
            "critical_class": "customer",
        }
        rubric = {"sections": [{"name": "Closing", "criteria": [criterion]}]}
        project = create_project(alice, "Line", document={"rubric": rubric})

        take_in(project, WHOLE | {"copc": {"criterion_scores": [SCORES[1] | given]}})
        take_in(project, WHOLE | {"copc": {"criterion_scores": [SCORES[1] | given]}})

        assert build_report([project], ALL_TIME).copc_rates.customer_critical_accuracy_pct == customer_pct
        assert CallAnalysis.objects.count() == 1

    def test_takes_the_moment_of_the_import_when_it_tells_no_time(self, project):
        take_in(project, {"file_name": "c1.wav", "topic": "x"})

        assert Call.objects.get().uploaded_at == NOW
        assert CallAnalysis.objects.get().completed_at == NOW

    @pytest.mark.parametrize(
        ("fields", "has_run"),
        [
            ({"sentiment": "neutral"}, True),
            ({"topic": "x"}, True),
            ({"goal_reached": False}, True),
            ({"sentiment": None, "topic": "", "goal_reached": None}, False),
        ],
    )
    def test_has_insights_when_it_gives_one_of_three(self, project, fields, has_run):
        take_in(project, {"file_name": "c1.wav", **fields})

        state = CallAnalysis.objects.get().insights_state
        assert state == (AnalysisState.COMPLETED if has_run else None)

    def test_keeps_the_sources_that_it_names(self, project):
        named = {"call_datetime_source": "manifest", "agent_source": "llm"}
        take_in(project, {**WHOLE, **named})

        call = Call.objects.get()
        assert (call.call_datetime_source, call.agent_source) == ("manifest", "llm")

    def test_reads_a_time_without_offset_in_the_servers_zone(self, project, settings):
        settings.TIME_ZONE = "Europe/Madrid"
        take_in(project, {"file_name": "skipped", "call_datetime": "2026-03-29T02:30:00"})
        take_in(project, {"file_name": "twice", "call_datetime": "2026-10-25T02:30:00"})

        times = dict(Call.objects.values_list("file_name", "call_datetime"))
        assert times["skipped"] == dt.datetime(2026, 3, 29, 1, 30, tzinfo=dt.UTC)
        assert times["twice"] == dt.datetime(2026, 10, 25, 0, 30, tzinfo=dt.UTC)


def scored(**fields):
    score = {"criterion_id": "g", "score": 1, "max_points": 2, **fields}
    return {"copc": {"criterion_scores": [score]}}


WRONG = {
    "NaN": (b'{"file_name": "x", "duration_seconds": NaN}', "NaN is not a JSON number"),
    "no JSON": (b"{", "not JSON"),
    "no object": (b"[1]", "the line is a list"),
    "no UTF-8": (b'{"file_name": "\xff"}', "not UTF-8"),
    "no name": ({}, "file_name is null"),
    "a blank name": ({"file_name": " "}, 'file_name is " "'),
    "a long name": ({"file_name": "x" * 256}, "file_name has 256 characters"),
    "NUL": (b'{"file_name": "a\\u0000"}', "NUL character"),
    "NUL in a key": (
        b'{"file_name": "a", "custom_questions": {"answers": {"\\u0000": {}}}}',
        "NUL character",
    ),
    "a surrogate": (b'{"file_name": "a", "topic": "\\uD83d"}', "lone surrogate"),
    "deep": (b'{"file_name": "a", "x": ' + b"[" * 200_000 + b"]" * 200_000 + b"}", "nested too deeply"),
    "5,000 digits": (b'{"file_name": "a", "duration_seconds": ' + b"9" * 5000 + b"}", "too many digits"),
    "a huge number": ({"file_name": "a", "duration_seconds": 10**400}, "a very large number"),
    "infinity": (b'{"file_name": "a", "duration_seconds": 1e999}', "duration_seconds is inf"),
    "a sentiment": ({"file_name": "a", "sentiment": "angry"}, 'sentiment is "angry"; allowed: positive'),
    "a direction": ({"file_name": "a", "direction": "in"}, 'direction is "in"; allowed: inbound, outbound'),
    "a date": ({"file_name": "a", "call_datetime": "31/02/2025"}, 'call_datetime is "31/02/2025"'),
    "year 1": ({"file_name": "a", "call_datetime": "0001-01-01T00:00:00+14:00"}, "from 1900 to 2100"),
    "a long agent": ({"file_name": "a", "agent_id": "9" * 65}, "agent_id has 65 characters"),
    "a type": ({"file_name": "a", "agent_id": 9}, "agent_id is 9; allowed: a text"),
    "a truth": ({"file_name": "a", "goal_reached": "yes"}, 'goal_reached is "yes"'),
    "above the maximum": ({"file_name": "a", **scored(score=3)}, "score is 3; allowed: a number from 0 to 2"),
    "below zero": ({"file_name": "a", **scored(score=-0.5)}, "score is -0.5"),
    "true for points": ({"file_name": "a", **scored(score=True)}, "score is true"),
    "no maximum": ({"file_name": "a", **scored(max_points=0)}, "max_points is 0"),
    "an applicability": ({"file_name": "a", **scored(applicability="no")}, 'applicability is "no"'),
    "half points for nothing": ({"file_name": "a", **scored(applicability="not_applicable")}, "max_points"),
    "a double": (
        {"file_name": "a", "copc": {"criterion_scores": [SCORES[0]] * 2}},
        '"greeting" appears twice',
    ),
    "no scores": ({"file_name": "a", "copc": {}}, "criterion_scores is missing"),
    "a mistake": ({"file_name": "a", "no_protocol": {"mistakes": [5]}}, "no_protocol.mistakes[0] is 5"),
    "answers": ({"file_name": "a", "custom_questions": {"answers": []}}, "answers is a list"),
}


class TestAWrongLine:
    @pytest.mark.parametrize(("line", "reason"), WRONG.values(), ids=WRONG.keys())
    def test_is_reported_by_number_and_reason_and_skipped(self, project, line, reason):
        result = take_in(project, {"file_name": "before"}, b"", line, {"file_name": "after"})

        (error,) = result.errors
        assert error.startswith("line 3")
        assert reason in error
        assert result.created == 2

    def test_is_reported_with_its_file_name(self, project):
        result = take_in(project, {"file_name": "c7.wav", "sentiment": "angry"})

        assert result.errors[0].startswith("line 1, c7.wav: sentiment")

    def test_may_be_too_long(self, project, monkeypatch):
        monkeypatch.setattr(importer, "MAX_LINE_BYTES", 100)

        result = take_in(project, {"file_name": "x", "topic": "t" * 200}, {"file_name": "y"})

        assert result.errors == ["line 1: is longer than 100 bytes"]
        assert result.created == 1

    def test_keeps_escaped_backslashes_apart_from_nul(self, project):
        result = take_in(project, b'{"file_name": "a", "topic": "x \\\\u0000 y"}')

        assert result.errors == []
        assert CallAnalysis.objects.get().insights["topic"] == "x \\u0000 y"


class TestRepeating:
    def test_changes_nothing(self, project):
        lines = [WHOLE, {"file_name": "bare.wav"}, {"file_name": "c2.wav", "topic": "x"}]
        take_in(project, *lines)
        before = everything(project)

        again = take_in(project, *lines, now=NOW + dt.timedelta(days=1))

        assert everything(project) == before
        assert (again.created, again.replaced, again.unchanged) == (0, 3, 3)

    def test_with_other_results_keeps_the_former_ones_superseded(self, project, alice):
        take_in(project, WHOLE)
        former = CallAnalysis.objects.get()

        later = NOW + dt.timedelta(days=1)
        result = take_in(project, {**WHOLE, "sentiment": "positive"}, now=later, by=alice)

        former.refresh_from_db()
        live = CallAnalysis.objects.get(is_live=True)
        call = Call.objects.get()
        assert (result.replaced, result.unchanged) == (1, 0)
        assert live.insights["sentiment"] == "positive"
        assert call.newest_file == live.file
        assert (former.is_live, former.is_newest) == (False, False)
        assert (former.superseded_at, former.superseded_by) == (later, alice)
        assert former.superseded_by_file == live.file

    def test_with_other_metadata_changes_the_call_alone(self, project):
        take_in(project, WHOLE)

        take_in(project, {**WHOLE, "campaign": "autumn", "agent_id": "", "agent_name": ""})

        call = Call.objects.get()
        assert (call.campaign, call.agent, call.agent_source) == ("autumn", None, "")
        assert UploadedFile.objects.count() == 1

    def test_without_results_takes_the_call_out_of_the_reports(self, project):
        take_in(project, WHOLE)

        take_in(project, {"file_name": "c1.wav"})

        assert build_report([project], ALL_TIME).total_calls_all_time == 0
        assert CallAnalysis.objects.filter(superseded_at__isnull=False).count() == 1

    def test_inside_one_file_lets_the_last_line_win(self, project):
        result = take_in(project, WHOLE, {**WHOLE, "sentiment": "positive"})

        assert (result.created, result.replaced) == (1, 1)
        assert CallAnalysis.objects.get(is_live=True).insights["sentiment"] == "positive"

    def test_follows_the_contact_reason(self, project):
        take_in(project, WHOLE)

        take_in(project, {**WHOLE, "contact_reason": "Invoices"})
        assert Call.objects.get().reason.reason.name == "Invoices"
        take_in(project, {**WHOLE, "contact_reason": ""})

        assert not hasattr(Call.objects.get(), "reason")
        assert build_report([project], ALL_TIME).contact_reasons[0].topic == "wrong invoice"

    def test_renames_an_agent_by_id(self, project):
        other = {**WHOLE, "file_name": "c2.wav", "agent_name": "Ana Ruiz Gil"}
        take_in(project, WHOLE, other)

        assert Agent.objects.get().name == "Ana Ruiz Gil"


class TestAFile:
    def test_may_be_compressed(self, project):
        packed = gzip.compress(json.dumps(WHOLE).encode())

        assert importer.import_calls(project, io.BytesIO(packed)).created == 1

    def test_that_is_cut_off_goes_in_as_far_as_it_can_be_read(self, project):
        lines = b"".join(json.dumps({**WHOLE, "file_name": f"c{n}"}).encode() + b"\n" for n in range(3000))
        packed = gzip.compress(lines)

        result = importer.import_calls(project, io.BytesIO(packed[: len(packed) // 2]))

        assert result.is_cut_off
        assert 0 < result.created < 3000
        assert "the compressed file is damaged" in result.errors[-1]

    def test_may_begin_with_a_byte_order_mark(self, project):
        assert take_in(project, b'\xef\xbb\xbf{"file_name": "a"}').created == 1

    def test_may_be_empty(self, project):
        assert take_in(project, b"").lines == 0

    def test_belongs_into_a_call_project(self, alice):
        meetings = create_project(alice, "Meetings", type="general")

        with pytest.raises(importer.NotACallProject, match="is of type general"):
            take_in(meetings, WHOLE)

    def test_of_many_batches_goes_in_whole(self, project, django_assert_max_num_queries):
        lines = [{**WHOLE, "file_name": f"c{n}.wav", "agent_id": str(n % 30)} for n in range(1200)]

        with django_assert_max_num_queries(200):
            result = take_in(project, *lines)

        assert result.created == 1200
        assert build_report([project], ALL_TIME).total_calls_all_time == 1200


class TestExport:
    def test_gives_back_what_went_in(self, project):
        take_in(project, WHOLE)

        (line,) = export.export_lines(project)

        given = json.loads(line)
        scores = given["copc"].pop("criterion_scores")
        assert {**given, "copc": None} == {
            **WHOLE,
            "copc": None,
            "call_datetime_source": "api",
            "agent_source": "api",
            "insights": {},
        }
        assert scores[0] == SCORES[0]
        assert scores[1] == {**SCORES[1], "justification": "", "quote": ""}

    def test_into_a_fresh_project_gives_the_same_report_and_export(self, project, alice, tmp_path):
        lines = [
            WHOLE,
            {**WHOLE, "file_name": "c2.wav", "agent_id": "", "call_datetime": None},
            {"file_name": "c3.wav", "topic": "x", "uploaded_at": "2026-02-01T00:00:00Z"},
            {"file_name": "c4.wav", "insights": {}, "uploaded_at": "2026-02-02T00:00:00Z"},
            {"file_name": "bare.wav", "uploaded_at": "2026-02-03T00:00:00Z"},
        ]
        take_in(project, *lines)
        fresh = create_project(alice, "Fresh")

        count = export.export_file(project, tmp_path / "calls.jsonl.gz")
        with (tmp_path / "calls.jsonl.gz").open("rb") as file:
            result = importer.import_calls(fresh, file)

        assert count == result.created == 5
        assert report_of(fresh) == report_of(project)
        assert list(export.export_lines(fresh)) == list(export.export_lines(project))

    def test_into_the_same_project_changes_nothing(self, project):
        take_in(project, WHOLE)
        before = everything(project)

        result = take_in(project, *export.export_lines(project))

        assert result.unchanged == 1
        assert everything(project) == before

    def test_appears_whole_or_not_at_all(self, project, tmp_path, monkeypatch):
        take_in(project, WHOLE)
        target = tmp_path / "calls.jsonl"
        target.write_text("what was there")
        monkeypatch.setattr(export, "_build_document", lambda *_: 1 / 0)

        with pytest.raises(ZeroDivisionError):
            export.export_file(project, target)

        assert target.read_text() == "what was there"
        assert [p.name for p in tmp_path.iterdir()] == ["calls.jsonl"]

    def test_compresses_by_name_and_alike(self, project, tmp_path):
        take_in(project, WHOLE)

        for name in ("a.jsonl.gz", "b.jsonl.gz"):
            export.export_file(project, tmp_path / name)

        assert (tmp_path / "a.jsonl.gz").read_bytes() == (tmp_path / "b.jsonl.gz").read_bytes()
        assert json.loads(gzip.decompress((tmp_path / "a.jsonl.gz").read_bytes()))["file_name"] == "c1.wav"
