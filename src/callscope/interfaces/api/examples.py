"""What each operation answers when all goes well, for the OpenAPI document.

One small world told all through: project 3, file 31, call 12. A test holds each
example against the schema beside it. Rules: docs/api.md.
"""

from typing import Any

RATES: dict[str, Any] = {"critical_error_pct": 0.0, "negative_sentiment_pct": 100.0, "goal_reached_pct": None}
HEADLINE: dict[str, Any] = {
    "total_calls": 1,
    "analyzed_hours": 0.09,
    "average_score": 100.0,
    "weighted_compliance": 100.0,
    "scored_calls": 1,
    **RATES,
    "calls_with_metadata": 1,
}
NO_CALLS: dict[str, Any] = dict.fromkeys(HEADLINE) | {
    "total_calls": 0,
    "analyzed_hours": 0.0,
    "scored_calls": 0,
    "calls_with_metadata": 0,
}
REPORT: dict[str, Any] = {
    "date_range": {
        "start": "2026-01-01T00:00:00+01:00",
        "end": "2026-01-31T23:59:59+01:00",
        "preset": None,
    },
    "total_calls_all_time": 1,
    "headline": HEADLINE,
    "scorecard": [
        {
            "criterion_id": "greeting",
            "name": "Greets and names the company",
            "section": "Opening",
            "weight_pct": 100.0,
            "average_pct": 100.0,
            "previous_pct": None,
            "delta_pct": None,
            "critical_errors": 0,
            "calls": 1,
            "evaluated_calls": 1,
            "not_applicable_calls": 0,
        }
    ],
    "trend": [{"week": "2026-01-05", "calls": 1, "average_score": 100.0, "negative_sentiment_pct": 100.0}],
    "contact_reasons": [{"topic": "Wrong invoice", "calls": 1, "volume_pct": 100.0}],
    "agents": [{"agent": "Ana Ruiz", "agent_id": 5, "calls": 1, "average_score": 100.0, **RATES}],
    "shifts": [{"shift": "day", **HEADLINE}, {"shift": "night", **NO_CALLS}],
    "shift_hours": {"day_start": 8, "day_end": 20},
    "copc_rates": {
        "customer_critical_accuracy_pct": 100.0,
        "business_critical_accuracy_pct": 100.0,
        "compliance_critical_accuracy_pct": 100.0,
        "non_critical_accuracy_pct": 100.0,
    },
}

CALL: dict[str, Any] = {
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
}
CALL_DETAIL: dict[str, Any] = {
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
            }
        ]
    },
    "no_protocol": None,
    "custom_questions": None,
    "insights": None,
    "analysis_errors": {},
    "provenance": None,
    "transcript": None,
}

FILE: dict[str, Any] = {
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
}
PROJECT: dict[str, Any] = {
    "id": 3,
    "name": "Service line",
    "type": "call",
    "owner": "ana@example.com",
    "team": None,
    "role": "owner",
    "config": {"language": "en", "shift_hours": {"day_start": 8, "day_end": 20}},
    "created_at": "2026-01-02T08:00:00Z",
}


def _page(item: dict[str, Any]) -> dict[str, Any]:
    return {"count": 1, "next": None, "previous": None, "results": [item]}


# operation → status and body
ANSWERS: dict[str, tuple[str, dict[str, Any]]] = {
    "calls_report": ("200", REPORT),
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
            "segments": [{"start": 0.0, "end": 5.0, "speaker": "agent", "text": "Thank you for calling."}],
        },
    ),
    "tasks_retry": (
        "202",
        {"task_id": "76401b67-dfb0-4787-bd1c-ae4b0314f3ea", "kind": "transcribe", "state": "queued"},
    ),
    "projects_list": ("200", _page(PROJECT)),
    "projects_create": ("201", PROJECT),
    "projects_read": ("200", PROJECT),
    "projects_change": ("200", PROJECT),
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
}
