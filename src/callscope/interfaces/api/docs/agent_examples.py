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


ANSWERS: dict[str, tuple[str, object]] = {
    "agent_users_list": ("200", _page(AGENT_USER)),
    "agent_users_link": ("201", AGENT_USER),
}
