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

ANSWERS: dict[str, tuple[str, object]] = {
    "projects_lint": ("200", LINT),
    "projects_rubric_versions_list": (
        "200",
        {"count": 1, "next": None, "previous": None, "results": [VERSION]},
    ),
    "projects_rubric_versions_restore": ("200", {"number": 3, "restored": 1, "changed": True}),
}
