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

ANSWERS: dict[str, tuple[str, object]] = {
    "projects_lint": ("200", LINT),
}
