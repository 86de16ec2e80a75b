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
ESTIMATE: dict[str, object] = {
    "calls": 2,
    "judgments": 2,
    "requests": 2,
    "input_tokens": 6400,
    "output_tokens": 900,
    "cost": 0.02,
    "seconds": 18.5,
    "based_on": 200,
}
REPLAY: dict[str, object] = {
    "state": "completed",
    "calls": 2,
    "done": 2,
    "before": SCORES,
    "after": SCORES,
    "change": {"calls": 2, "average": 0.0, "low": -100.0, "high": 100.0},
    "baseline": {"version": 3, "judged_again": 1},
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
    "most_changed": [
        {
            "call_id": 12,
            "before": 100.0,
            "after": 50.0,
            "criteria": [
                {
                    "criterion_id": "greeting",
                    "before": "met",
                    "after": "not_met",
                    "before_quotes": [{"start": 3.2, "speaker": "agent", "text": "Good morning."}],
                    "after_quotes": [],
                }
            ],
        }
    ],
    "besides": {
        "goal": {
            "before": {"known": 2, "reached": 2, "pct": 100.0},
            "after": {"known": 2, "reached": 1, "pct": 50.0},
            "change": -50.0,
            "low": -100.0,
            "high": 100.0,
        },
        "kinds": [
            {
                "kind": "goal",
                "calls": 2,
                "changed": 1,
                "items": [
                    {"id": "reached", "before": 2, "after": 1},
                    {"id": "missed", "before": 0, "after": 1},
                    {"id": "unknown", "before": 0, "after": 0},
                ],
                "changed_calls": [{"call_id": 12, "before": ["reached"], "after": ["missed"]}],
            }
        ],
    },
    "stopped": None,
    "steadiness": {"is_needed": True, "required_calls": 30, "calls": 0, "probe": None},
}

FLIPS: dict[str, object] = {"calls": 50, "flips": 2, "flip_pct": 4.0, "low": 1.1, "high": 13.46}
PROBE: dict[str, object] = {
    "id": 6,
    "state": "completed",
    "judgments": 150,
    "done": 150,
    "engine": "OpenAI-compatible (llm.example.com)",
    "config_version": 3,
    "estimate": {**ESTIMATE, "calls": 50, "judgments": 150, "requests": 150},
    "calls": 50,
}
STEADINESS: dict[str, object] = {
    **PROBE,
    "repetitions": 3,
    "score_spread": 0.8,
    "overall": FLIPS,
    "criteria": [
        {
            **FLIPS,
            "criterion_id": "greeting",
            "kappa": 0.82,
            "kappa_low": 0.71,
            "kappa_high": 0.9,
            "reviewed": 120,
        }
    ],
    "flipped": [{"call_id": 12, "criterion_id": "greeting", "answers": {"met": 2, "not_met": 1}}],
}
FAIRNESS: dict[str, object] = {
    **PROBE,
    "groups": [
        {
            "group": "names_arabic_women",
            "unchanged": 8,
            "score_shift": {"calls": 42, "mean": -0.4, "low": -1.1, "high": 0.3},
            "overall": FLIPS,
            "criteria": [{**FLIPS, "criterion_id": "greeting"}],
        }
    ],
    "moved": [
        {
            "call_id": 12,
            "group": "names_arabic_women",
            "criterion_id": "greeting",
            "before": "met",
            "after": "not_met",
            "score_before": 100.0,
            "score_after": 90.0,
        }
    ],
}
LISTED = {
    "id": 6,
    "state": "completed",
    "engine": PROBE["engine"],
    "config_version": 3,
    "author": "ana@example.com",
    "created_at": "2026-01-05T09:00:00Z",
    "completed_at": "2026-01-05T09:20:00Z",
    "estimate": PROBE["estimate"],
}

ANSWERS: dict[str, tuple[str, object]] = {
    "projects_lint": ("200", LINT),
    "projects_rubric_versions_list": (
        "200",
        {"count": 1, "next": None, "previous": None, "results": [VERSION]},
    ),
    "projects_replays_create": ("202", {"id": 4, "estimate": ESTIMATE}),
    "projects_steadiness_list": ("200", {"count": 1, "next": None, "previous": None, "results": [LISTED]}),
    "projects_steadiness_create": ("202", {"id": 6, "estimate": PROBE["estimate"]}),
    "projects_steadiness_read": ("200", STEADINESS),
    "projects_fairness_probes_list": (
        "200",
        {"count": 1, "next": None, "previous": None, "results": [LISTED]},
    ),
    "projects_fairness_probes_create": ("202", {"id": 6, "estimate": PROBE["estimate"]}),
    "projects_fairness_probes_read": ("200", FAIRNESS),
    "projects_replays_read": ("200", REPLAY),
    "projects_replays_publish": ("202", {"version": 3, "rescore": {"id": 2, "calls": 120}, "warnings": []}),
    "projects_rescore": ("202", {"id": 2, "calls": 120}),
    "projects_rubric_versions_restore": ("200", {"number": 3, "restored": 1, "changed": True}),
}
