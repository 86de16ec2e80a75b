"""Answers of the operations between agents and those who judge them, for the OpenAPI document."""

AGENT_USER: dict[str, object] = {
    "id": 9,
    "email": "ana@example.com",
    "agent_id": 5,
    "agent": "Ana Ruiz",
    "created_at": "2026-01-06T10:00:00Z",
}


def _page(row: dict[str, object]) -> dict[str, object]:
    return {"count": 1, "next": None, "previous": None, "results": [row]}


APPEAL: dict[str, object] = {
    "id": 3,
    "call_id": 12,
    "file_name": "call-1.srt",
    "project_id": 3,
    "criterion_id": "greeting",
    "name": "Greets and names the company",
    "answer": "not_met",
    "reason": "I named the company in my second sentence.",
    "state": "open",
    "appellant": "ana@example.com",
    "created_at": "2026-01-07T10:00:00Z",
    "decided_at": None,
    "decided_by": None,
    "decision_reason": "",
    "new_answer": None,
    "review_id": 41,
    "new_review_id": None,
}
DECIDED: dict[str, object] = APPEAL | {
    "state": "accepted",
    "decided_at": "2026-01-08T10:00:00Z",
    "decided_by": "ben@example.com",
    "decision_reason": "It stands in the transcript.",
    "new_answer": "met",
    "new_review_id": 44,
}
NOTE: dict[str, object] = {
    "id": 6,
    "call_id": 12,
    "file_name": "call-1.srt",
    "at": 12.5,
    "text": "Well asked: it opened the matter.",
    "is_shared": True,
    "author": "ben@example.com",
    "created_at": "2026-01-07T10:00:00Z",
    "changed_at": "2026-01-07T10:00:00Z",
    "closed_at": None,
}
QUOTE: dict[str, object] = {
    "call_id": 12,
    "file_name": "call-1.srt",
    "name": "Greets and names the company",
    "quote": "[00:03] Thank you for calling Acme",
    "quote_start": 3.0,
}
WEEK: dict[str, object] = {
    "week": "2026-01-05",
    "average_pct": 80.0,
    "average_pct_interval": [49.02, 94.33],
    "calls": 10,
    "evaluated_pct": 75.0,
    "evaluated_pct_interval": [40.93, 92.85],
    "not_applicable_calls": 2,
    "is_part": False,
}
AGENT: dict[str, object] = {
    "agent_id": 5,
    "agent": "Ana Ruiz",
    "project_id": 3,
    "start_date": "2025-11-17",
    "end_date": "2026-01-11",
    "calls": 10,
    "scored_calls": 10,
    "average_score": 84.5,
    "average_score_interval": [70.1, 92.9],
    "is_few": False,
    "everyone_average_score": 81.2,
    "everyone_scored_calls": 118,
    "criteria": [
        {
            "criterion_id": "greeting",
            "name": "Greets and names the company",
            "section": "Opening",
            "average_pct": 80.0,
            "average_pct_interval": [49.02, 94.33],
            "calls": 10,
            "evaluated_pct": 75.0,
            "evaluated_pct_interval": [40.93, 92.85],
            "not_applicable_calls": 2,
            "everyone_average_pct": 76.5,
            "everyone_calls": 120,
            "everyone_evaluated_pct": 71.8,
            "everyone_not_applicable_calls": 20,
            "weeks": [WEEK],
        }
    ],
    "best_quotes": [QUOTE],
    "worst_quotes": [],
    "notes": [NOTE],
    "appeals": {"open": 1, "accepted": 0, "refused": 0, "withdrawn": 0, "undecidable": 0},
}

ANSWERS: dict[str, tuple[str, object]] = {
    "agent_users_list": ("200", _page(AGENT_USER)),
    "agent_users_link": ("201", AGENT_USER),
    "appeals_list": ("200", _page(APPEAL)),
    "call_appeals_list": ("200", _page(APPEAL)),
    "appeals_file": ("201", APPEAL),
    "appeals_decide": ("200", DECIDED),
    "appeals_withdraw": ("200", APPEAL | {"state": "withdrawn", "decided_at": "2026-01-07T11:00:00Z"}),
    "notes_list": ("200", [NOTE]),
    "notes_create": ("201", NOTE),
    "notes_change": ("200", NOTE),
    "agents_read": ("200", AGENT),
    "reviews_acknowledge": (
        "200",
        {"call_id": 12, "review_id": 41, "revision": 2, "acknowledged_at": "2026-01-07T10:00:00Z"},
    ),
}
