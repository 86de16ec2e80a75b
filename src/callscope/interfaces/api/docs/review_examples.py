"""Answers of the operations on agreement, for the OpenAPI document."""

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
AGREEMENT: dict[str, object] = {
    "calls": 40,
    "overall": FIGURES,
    "criteria": [{"criterion_id": "greeting", "name": "Greets and names the company", **FIGURES}],
}
