"""Answers of the operations on reviews, samples and agreement, for the OpenAPI document."""

FIGURES: dict[str, object] = {
    "n": 40,
    "raw_pct": 90.0,
    "kappa": 0.75,
    "kappa_low": 0.3857,
    "kappa_high": 0.8949,
    "ac1": 0.8337,
    "ac1_low": 0.5457,
    "ac1_high": 0.9325,
    "table": {"met": {"met": 27, "not_met": 3}, "not_met": {"met": 1, "not_met": 9}},
}
MISTAKES: dict[str, object] = {
    **FIGURES,
    "table": {"made": {"made": 27, "not_made": 3}, "not_made": {"made": 1, "not_made": 9}},
}
AGREEMENT: dict[str, object] = {
    "calls": 40,
    "overall": FIGURES,
    "criteria": [
        {"criterion_id": "greeting", "name": "Greets and names the company", "is_weak": False, **FIGURES}
    ],
    "findings": [
        {
            "kind": "mistake",
            "is_weak": False,
            **MISTAKES,
            "items": [
                {"id": "dismissive", "name": "Dismisses the caller", "is_weak": False, **MISTAKES},
            ],
        }
    ],
    "sections": [{"section": "Opening", "is_weak": False, **FIGURES}],
    "months": [{"month": "2026-01", "is_weak": False, **FIGURES}],
    "versions": [{"project_id": 3, "version": "2", "is_weak": False, **FIGURES}],
    "engines": [{"engine": "rules", "is_weak": False, **FIGURES}],
}
SAMPLE_SUMMARY: dict[str, object] = {
    "id": 8,
    "project_id": 3,
    "seed": 42,
    "per_agent": 5,
    "share_pct": None,
    "plan_id": None,
    "uncertain_pct": 20,
    "filters": {},
    "start_date": "2026-01-01",
    "end_date": "2026-01-31",
    "due": "2026-02-15",
    "candidates": 40,
    "left_out": None,
    "withdrawn": 0,
    "created_at": "2026-02-01T10:00:00Z",
    "created_by": "ana@example.com",
}
SAMPLE: dict[str, object] = {
    **SAMPLE_SUMMARY,
    "calls": [{"call_id": 12, "reviewer": "ana@example.com", "reason": "random", "state": "open"}],
}
PLAN: dict[str, object] = {
    "id": 2,
    "project_id": 3,
    "per_agent": 5,
    "share_pct": None,
    "uncertain_pct": 20,
    "filters": {"max_score": "60"},
    "due_days": 7,
    "seed": 42,
    "reviewers": ["ana@example.com"],
    "next_draw": "2026-02-09",
    "created_at": "2026-02-01T10:00:00Z",
    "created_by": "ana@example.com",
    "ended_at": None,
    "samples": [8],
}

REVIEW: dict[str, object] = {
    "id": 41,
    "call_id": 12,
    "reviewer": "ana@example.com",
    "revision": 2,
    "state": "submitted",
    "blind": False,
    "created_at": "2026-01-06T10:00:00Z",
    "submitted_at": "2026-01-06T10:04:00Z",
    "withdrawn_at": None,
    "comment": "Friendly, but the company was not named.",
    "criteria": [
        {
            "criterion_id": "greeting",
            "name": "Greets and names the company",
            "section": "Opening",
            "answer": "not_met",
            "comment": "Says hello, names nobody.",
            "quote": "[00:00] Hello, what can I do for you?",
            "quote_start": 0.0,
            "speaker": "agent",
            "score": 0.0,
            "max_points": 10.0,
            "machine_answer": "met",
        }
    ],
    "findings": [
        {
            "kind": "mistake",
            "id": "dismissive",
            "description": "Dismisses the caller",
            "answer": "made",
            "comment": "",
            "quote": "[01:10] That is not my problem.",
            "quote_start": 70.2,
            "speaker": "agent",
            "machine_answer": "not_made",
            "is_outdated": False,
        },
        {
            "kind": "goal",
            "id": "",
            "description": "The caller's issue is resolved in this call",
            "answer": "not_reached",
            "comment": "The caller has to call again.",
            "quote": "",
            "quote_start": None,
            "speaker": None,
            "machine_answer": "reached",
            "is_outdated": False,
        },
    ],
    "agent": {
        "agent_id": 5,
        "name": "Bruno Paz",
        "machine_agent_id": 4,
        "machine_name": "Ana Ruiz",
        "is_outdated": False,
    },
    "contact_reason": {
        "reason_id": 9,
        "name": "Wrong invoice",
        "machine_name": "Delivery is late",
        "is_outdated": False,
    },
    "total_points": 0.0,
    "max_possible_points": 10.0,
    "score_percentage": 0.0,
    "has_critical_error": False,
    "is_current": True,
    "is_outdated": False,
    "outdated_criteria": [],
    "calibration_id": None,
}
CALIBRATION_SUMMARY: dict[str, object] = {
    "id": 4,
    "project_id": 3,
    "state": "closed",
    "due": "2026-02-15",
    "created_at": "2026-02-01T10:00:00Z",
    "created_by": "ana@example.com",
    "closed_at": "2026-02-14T09:00:00Z",
    "settled_at": None,
    "calls_count": 1,
    "expected_ratings": 2,
    "submitted_ratings": 2,
}
RATER: dict[str, object] = {
    "rater": "ana@example.com",
    "is_machine": False,
    "is_expert": True,
    "rated_calls": 1,
    "compared_answers": 1,
    "different_pct": 0.0,
    "distance_points": 0.0,
}
RATING: dict[str, object] = {
    "rater": "ana@example.com",
    "is_machine": False,
    "answer": "not_met",
    "score": 0.0,
    "comment": "Names nobody.",
    "quote": "[00:00] Hello, what can I do for you?",
}
MACHINE: dict[str, object] = {"rater": None, "is_machine": True}
CALIBRATION: dict[str, object] = {
    **CALIBRATION_SUMMARY,
    "expert": "ana@example.com",
    "raters": [
        RATER | MACHINE | {"is_expert": False, "different_pct": 100.0, "distance_points": 10.0},
        RATER,
    ],
    "calls": [
        {
            "call_id": 12,
            "file_name": "call-12.wav",
            "rated_by": 2,
            "scores": [
                {**MACHINE, "score_percentage": 100.0},
                {"rater": "ana@example.com", "is_machine": False, "score_percentage": 0.0},
            ],
            "spread_percentage": 100.0,
        }
    ],
    "alpha": 0.71,
    "alpha_low": 0.35,
    "alpha_high": 0.88,
    "people_alpha": 0.8,
    "people_alpha_low": 0.4,
    "people_alpha_high": 0.94,
    "criteria": [
        {
            "criterion_id": "greeting",
            "name": "Greets and names the company",
            "section": "Opening",
            "max_points": 10.0,
            "allowed": ["met", "not_met"],
            "n": 1,
            "alpha": None,
            "alpha_low": None,
            "alpha_high": None,
            "pairs": 1,
            "disagreement_pct": 100.0,
            "spread_points": 10.0,
            "calls": [
                {
                    "call_id": 12,
                    "answers": [RATING | MACHINE | {"answer": "met", "score": 10.0}, RATING],
                    "spread_points": 10.0,
                    "proposed": "not_met",
                }
            ],
        }
    ],
}
