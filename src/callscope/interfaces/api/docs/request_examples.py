"""A body of each operation that takes one as JSON, in the small world of examples.py."""

CONFIG: dict[str, object] = {
    "language": "en",
    "rubric": {
        "name": "Inbound service",
        "sections": [
            {
                "name": "Opening",
                "criteria": [
                    {
                        "id": "greeting",
                        "name": "Greets and names the company",
                        "guideline": "Within 30 seconds the agent greets the caller and names the company.",
                        "max_points": 10,
                        "rule": {
                            "speaker": "agent",
                            "within_seconds": 30,
                            "any_of": ["thank you for calling"],
                        },
                    }
                ],
            }
        ],
    },
}
# Of what takes a file, which is no JSON.
FORMS: dict[str, dict[str, object]] = {
    "files_upload": {"project": 3, "file": "@call-1.srt", "agent_name": "Ana Ruiz", "direction": "inbound"},
    "projects_call_manifest": {"file": "@manifest.csv"},
}
MARCH: dict[str, object] = {"start_date": "2026-03-01", "end_date": "2026-03-31"}

REQUESTS: dict[str, dict[str, object]] = {
    "files_describe": {"call_datetime": "2026-01-05T09:00:00Z", "agent_id": "7", "direction": "inbound"},
    "invitations_send": {"email": "ben@example.com", "role": "editor", "project": 3},
    "keys_create": {"name": "nightly export", "scope": "read", "project": 3, "expires": "2027-01-01"},
    "projects_create": {"name": "Service line", "config": CONFIG},
    "projects_change": {"name": "Service line, inbound"},
    "agent_users_link": {"email": "ana@example.com", "agent_id": 7},
    "projects_fairness_probes_create": {"sample": 20, "estimate_only": True},
    "projects_lint": {"config": CONFIG},
    "projects_replays_create": {"config": CONFIG, "sample": 20},
    "projects_replays_publish": {"rescore": {"start_date": "2026-03-01"}},
    "projects_rescore": MARCH,
    "projects_retry_failed": {"reason": "private_transcription_unavailable"},
    "projects_steadiness_create": {"sample": 20, "repetitions": 3, "estimate_only": True},
    "appeals_file": {"criterion_id": "greeting", "reason": "I named the company in the first sentence."},
    "notes_create": {"text": "Ask about the reason first.", "at": 4.0, "is_shared": True},
    "notes_change": {"is_closed": True},
    "reviews_create": {
        "criteria": [{"criterion_id": "greeting", "answer": "met", "comment": "At once."}],
        "state": "submitted",
    },
    "reviews_change": {"state": "submitted"},
    "appeals_decide": {"decision": "accepted", "reason": "The company is named.", "answer": "met"},
    "calibrations_open": {
        "project_id": 3,
        "call_ids": [12, 14],
        "raters": ["ana@example.com", "ben@example.com"],
        "due": "2026-04-10",
    },
    "calibrations_settle": {},
    "reasons_change": {"name": "Wrong invoice", "is_pinned": True},
    "reasons_move_calls": {"call_ids": [12, 14]},
    "reasons_split": {"call_ids": [12, 14], "name": "Late fee"},
    "reasons_make_codes": {"project_id": 3, "mode": "predefined"},
    "reasons_merge": {"into": 5, "from": [6, 7]},
    "review_samples_draw": {"project_id": 3, "per_agent": 2, "reviewers": ["ben@example.com"], **MARCH},
    "sampling_plans_create": {"project_id": 3, "per_agent": 2, "reviewers": ["ben@example.com"]},
}
BODIES = REQUESTS | FORMS
