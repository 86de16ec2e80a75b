"""A successful answer of each operation, for the OpenAPI document.

All examples are of one small world: project 3, file 31, call 12. A test validates
each against the schema of its operation. Rules: docs/api.md.
"""

from callscope.interfaces.api.docs import agent_examples, review_examples, rubric_examples
from callscope.interfaces.api.docs.report_examples import (
    AGENT_MAP,
    FIGURE_TREND,
    FINDINGS,
    REPORT,
    TALK,
    WEEK_HOURS,
)

CALL: dict[str, object] = {
    "id": 12,
    "file_id": 31,
    "file_name": "call-1.srt",
    "call_datetime": "2026-01-05T09:00:00Z",
    "agent": "Ana Ruiz",
    "direction": "inbound",
    "campaign": "Spring",
    "topic": "Wrong invoice",
    "sentiment": "negative",
    "score_percentage": 100.0,
    "has_critical_error": False,
    "mistake_count": 0,
    "missing_prompt_count": None,
    "goal_reached": None,
    "has_failed_analysis": False,
    "is_half_heard": False,
    "is_blinded": False,
}
CALL_DETAIL: dict[str, object] = {
    "record": CALL
    | {
        "call_datetime_source": "api",
        "caller_number": "+34911222333",
        "total_points": 10.0,
        "max_possible_points": 10.0,
    },
    "copc": {
        "criterion_scores": [
            {
                "criterion_id": "greeting",
                "name": "Greets and names the company",
                "section": "Opening",
                "justification": 'The agent says "thank you for calling".',
                "quote": "[00:00] Thank you for calling",
                "applicability": "evaluated",
                "score": 10.0,
                "max_points": 10.0,
                "is_critical_error": False,
                "source": "machine",
                "quotes": [
                    {"group": None, "text": "Thank you for calling", "speaker": "agent", "start": 0.0}
                ],
            }
        ]
    },
    "machine": None,
    "review": None,
    "review_outdated": False,
    "no_protocol": None,
    "machine_no_protocol": None,
    "custom_questions": None,
    "insights": None,
    "machine_insights": None,
    "talk": TALK,
    "trackers": [],
    "analysis_errors": {},
    "provenance": None,
    "transcript": None,
    "absences": [
        {
            "criterion_id": "window",
            "applied": {"text": "I want an appointment.", "start_s": 4.0},
            "looked_for": ["between two and four"],
            "speaker": "agent",
            "start": None,
            "end": None,
        }
    ],
}

FILE: dict[str, object] = {
    "id": 31,
    "project": 3,
    "original_filename": "call-1.srt",
    "file_type": "srt",
    "size": 206,
    "duration_seconds": 14.0,
    "status": "transcribed",
    "error_reason": "",
    "error_detail": "",
    "task_id": "76401b67-dfb0-4787-bd1c-ae4b0314f3ea",
    "created_at": "2026-01-05T12:00:00Z",
    "content_removed_at": None,
    "transcript_removed_at": None,
    "results_removed_at": None,
    "call_id": 12,
    "call_metadata": {
        "call_datetime": "2026-01-05T09:00:00Z",
        "call_datetime_source": "api",
        "agent_id": "7",
        "agent_name": "Ana Ruiz",
        "agent_source": "api",
        "direction": "inbound",
        "caller_number": "+34911222333",
        "campaign": "Spring",
    },
    "analysis_states": {"calls_analysis_copc": "completed", "calls_analysis_insights": "failed"},
    "analysis_errors": {"calls_analysis_insights": "The analysis failed."},
    "waiting_for": None,
}
KEY: dict[str, object] = {
    "prefix": "aB3dE6gH",
    "name": "nightly export",
    "scope": "read",
    "project": 3,
    "created_at": "2026-01-02T08:00:00Z",
    "expires_at": None,
    "used_at": "2026-01-05T12:10:00Z",
    "state": "valid",
}
INVITATION: dict[str, object] = {
    "id": 8,
    "email": "eva@example.com",
    "role": "viewer",
    "project": 3,
    "team": None,
    "invited_by": "ana@example.com",
    "created_at": "2026-01-05T12:00:00Z",
    "expires_at": "2026-01-19T12:00:00Z",
}
PROJECT: dict[str, object] = {
    "id": 3,
    "name": "Service line",
    "type": "call",
    "owner": "ana@example.com",
    "team": None,
    "role": "owner",
    "config": {"language": "en", "shift_hours": {"day_start": 8, "day_end": 20}},
    "created_at": "2026-01-02T08:00:00Z",
}


def _page(item: object) -> dict[str, object]:
    return {"count": 1, "next": None, "previous": None, "results": [item]}


REASON = {
    "id": 5,
    "project": 3,
    "name": "Wrong invoice",
    "description": "",
    "parent": None,
    "calls": 42,
    "first_seen": "2026-01-05T09:00:00Z",
    "is_set_aside": False,
    "is_pinned": False,
    "named_by": "topic",
    "is_heading": False,
    "calls_in_all": 42,
}
_RATE = {"n": 310, "count": 42, "pct": 13.55, "low_pct": 10.18, "high_pct": 17.8}
REASON_FIGURES = {
    "weeks": [{"first_day": "2026-01-05", "calls": 12, "share": _RATE}],
    "share": _RATE,
    "share_before": {"n": 290, "count": 21, "pct": 7.24, "low_pct": 4.79, "high_pct": 10.81},
    "course": {"change_pct": 6.2, "is_new": False, "course": "growing"},
    "change_low_pct": 0.4,
    "change_high_pct": 12.1,
    "change_confidence_pct": 99.5,
    "compared_reasons": 10,
    "untimed_calls": 0,
    "untimed_project_calls": 4,
    "score": {"n": 40, "value": 81.5, "low": 77.2, "high": 85.8},
    "negative": _RATE,
    "goal": _RATE,
    "agents": [{"id": 4, "name": "Ana Ruiz", "calls": 9, "average_score": 84.0, "scored_calls": 9}],
    "quotes": [{"call": 812, "file_name": "c812.wav", "quote": "[00:07] My invoice is wrong again."}],
    "neighbors": [{"id": 6, "name": "Invoice sent twice", "likeness": 0.71}],
}
REASON_ROW = {
    "name": "Wrong invoice",
    "description": "",
    "parent_id": None,
    "is_set_aside": False,
    "is_pinned": False,
    "renamed": False,
    "named_by_model": False,
    "is_heading": False,
    "is_placed": False,
}
REASON_CHANGE = {
    "id": 17,
    "project": 3,
    "kind": "merged",
    "made_at": "2026-01-06T10:00:00Z",
    "made_by": "ana@example.com",
    "reasons": [{"id": 6, "before": REASON_ROW | {"name": "Invoice twice"}, "after": None}],
    "moves": [{"from": 6, "to": 5, "calls": 12, "cause": None}],
    "undone_at": None,
    "undone_by": None,
    "can_undo": True,
    "settings": None,
}
CODE = {"code": "Invoice twice", "description": "", "phrases": ["I was sent the same invoice twice"]}

# operation → status and body
ANSWERS: dict[str, tuple[str, object]] = {
    "calls_report": ("200", REPORT),
    "calls_report_findings": ("200", FINDINGS),
    "calls_report_agent_criteria": ("200", AGENT_MAP),
    "calls_report_week_hours": ("200", WEEK_HOURS),
    "calls_report_trend": ("200", FIGURE_TREND),
    "calls_list": ("200", _page(CALL)),
    "calls_detail": ("200", CALL_DETAIL),
    "calls_analysis_status": (
        "200",
        {
            "analysis_status": {
                "calls_analysis_copc": {"queued": 0, "processing": 1, "completed": 1, "failed": 0}
            },
            "analyzed_calls": 1,
            "duplicate_uploads": 0,
            "in_progress": True,
            "reclustering": False,
            "last_analyzed_at": "2026-01-05T12:01:30.250000Z",
            "waiting_for": [
                {
                    "engine": "language",
                    "address": "http://llm.example:8000/v1",
                    "reason": "unreachable",
                    "since": "2026-01-05T12:01:31Z",
                    "until": "2026-01-05T12:05:00Z",
                    "files": 1,
                }
            ],
        },
    ),
    "calls_custom_questions": (
        "200",
        {
            "questions": ["Did the caller mention a competitor?"],
            "calls": [
                {
                    "call_analysis_id": 12,
                    "file": "call-1.srt",
                    "call_datetime": "2026-01-05T09:00:00Z",
                    "agent": "Ana Ruiz",
                    "answers": {"Did the caller mention a competitor?": {"answer": "No", "quotes": 0}},
                }
            ],
            "count": 1,
        },
    ),
    "calls_recluster": ("202", {"reclustering": [3], "count": 1}),
    "calibrations_list": ("200", _page(review_examples.CALIBRATION_SUMMARY)),
    "calibrations_open": ("201", review_examples.CALIBRATION),
    "calibrations_read": ("200", review_examples.CALIBRATION),
    "calibrations_close": ("200", review_examples.CALIBRATION),
    "calibrations_settle": ("200", review_examples.CALIBRATION | {"state": "settled"}),
    "review_samples_list": ("200", _page(review_examples.SAMPLE_SUMMARY)),
    "review_samples_draw": ("201", review_examples.SAMPLE),
    "review_samples_read": ("200", review_examples.SAMPLE),
    "sampling_plans_list": ("200", [review_examples.PLAN]),
    "sampling_plans_create": ("201", review_examples.PLAN),
    "calls_agreement": ("200", review_examples.AGREEMENT),
    "reviews_list": ("200", _page(review_examples.REVIEW)),
    "reviews_create": ("201", review_examples.REVIEW),
    "reviews_change": ("200", review_examples.REVIEW),
    "reasons_list": ("200", [REASON]),
    "reasons_read": ("200", REASON | {"figures": REASON_FIGURES}),
    "reasons_change": ("200", REASON | {"name": "Billing", "is_pinned": True}),
    "reasons_merge": ("200", REASON),
    "reasons_split": ("201", REASON | {"id": 9, "name": "Invoice twice", "calls": 12}),
    "reasons_move_calls": ("200", REASON),
    "reasons_propose_codes": ("200", [{"reason": 6, "project": 3, **CODE, "calls": 12, "is_pinned": True}]),
    "reasons_make_codes": (
        "200",
        {
            "mode": "predefined",
            "codes": [CODE],
            "calls_kept": 12,
            "calls_classified": 3,
            "calls_other": 9,
            "change_id": 17,
        },
    ),
    "reasons_history": ("200", [REASON_CHANGE]),
    "reasons_undo": (
        "200",
        REASON_CHANGE
        | {"undone_at": "2026-01-06T11:00:00Z", "undone_by": "ana@example.com", "can_undo": False},
    ),
    "files_list": ("200", _page(FILE)),
    "files_upload": ("201", FILE | {"status": "uploaded", "duration_seconds": None}),
    "files_read": ("200", FILE),
    "files_describe": ("200", FILE),
    "transcripts_read": (
        "200",
        {
            "id": 31,
            "project": 3,
            "original_filename": "call-1.srt",
            "status": "transcribed",
            "error_reason": "",
            "error_detail": "",
            "language": "en",
            "engine": "subtitles",
            "model": "",
            "duration_seconds": 14.0,
            "removed_at": None,
            "mean_confidence": 0.91,
            "segments": [
                {
                    "start": 0.0,
                    "end": 5.0,
                    "speaker": "agent",
                    "text": "Thank you for calling.",
                    "confidence": 0.91,
                }
            ],
        },
    ),
    "tasks_retry": (
        "202",
        {"task_id": "76401b67-dfb0-4787-bd1c-ae4b0314f3ea", "kind": "transcribe", "state": "queued"},
    ),
    "projects_retry_failed": ("202", {"retried": 22, "transcriptions": 4, "analyses": 18, "left": 1}),
    "projects_list": ("200", _page(PROJECT)),
    "projects_create": ("201", PROJECT),
    "projects_read": ("200", PROJECT),
    "projects_change": ("200", PROJECT),
    "keys_list": ("200", _page(KEY)),
    "keys_create": ("201", KEY | {"key": "aB3dE6gH.x9k2M4n6P8q0R2s4T6u8V0w2X4y6Z8a1"}),
    "invitations_list": ("200", _page(INVITATION)),
    "invitations_send": ("201", INVITATION),
    "audit_list": (
        "200",
        _page(
            {
                "number": 412,
                "at": "2026-01-05T12:10:00Z",
                "actor": "ana@example.com",
                "action": "file.deleted",
                "subject": "file 17",
                "detail": {"project": 3, "erased": {"calls": 1, "files": 1}},
                "digest": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
            }
        ),
    ),
    "usage_list": (
        "200",
        {
            "results": [
                {
                    "date": "2026-01-05",
                    "project": 3,
                    "project_name": "Service line",
                    "kind": "transcription",
                    "engine": "faster-whisper",
                    "model": "small",
                    "calls": 1,
                    "audio_seconds": 312.4,
                    "input_tokens": 0,
                    "output_tokens": 0,
                    "cost": None,
                }
            ],
            "count": 1,
        },
    ),
    **rubric_examples.ANSWERS,
    **agent_examples.ANSWERS,
}
