"""A successful answer of each operation on rubrics, for the OpenAPI document; see examples.py."""

LINT: dict[str, object] = {
    "findings": [
        {
            "path": "rubric.sections[0].criteria[0].rule",
            "code": "met_by_half",
            "severity": "error",
            "message": (
                'The name "Greets and names the company" promises 2 things, and its rule asks for 1. '
                "A call that does half of it earns all points. Write one group of all_of for each of them."
            ),
            "calls": [],
        }
    ]
}

VERSION: dict[str, object] = {
    "number": 2,
    "author": "ana@example.com",
    "created_at": "2026-01-05T09:00:00Z",
    "is_current": True,
    "changes": [{"path": "rubric.criteria.greeting.max_points", "change": "changed", "former": 5, "new": 10}],
    "config": {"language": "en"},
}

SCORES: dict[str, object] = {
    "calls": 2,
    "average_score": 75.0,
    "low": 26.0,
    "high": 100.0,
    "critical_errors": 0,
    "distribution": [{"low": 50, "high": 60, "calls": 1}, {"low": 90, "high": 100, "calls": 1}],
}
REPLAY: dict[str, object] = {
    "state": "completed",
    "calls": 2,
    "done": 2,
    "before": SCORES,
    "after": SCORES,
    "criteria": [
        {
            "criterion_id": "greeting",
            "changed": 2,
            "kappa": -1.0,
            "table": {"met": {"not_met": 1}, "not_met": {"met": 1}},
        }
    ],
    "critical_gained": 0,
    "critical_lost": 0,
    "most_changed": [{"call_id": 12, "before": 100.0, "after": 50.0}],
}

ANSWERS: dict[str, tuple[str, object]] = {
    "projects_lint": ("200", LINT),
    "projects_rubric_versions_list": (
        "200",
        {"count": 1, "next": None, "previous": None, "results": [VERSION]},
    ),
    "projects_replays_create": ("202", {"id": 4}),
    "projects_replays_read": ("200", REPLAY),
    "projects_replays_publish": ("202", {"version": 3, "rescore": {"id": 2, "calls": 120}}),
    "projects_rescore": ("202", {"id": 2, "calls": 120}),
    "projects_rubric_versions_restore": ("200", {"number": 3, "restored": 1, "changed": True}),
}
