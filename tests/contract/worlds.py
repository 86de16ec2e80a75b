"""Random worlds of imported calls, small enough that every rule meets its edge."""

import datetime as dt
from typing import Any

from hypothesis import strategies as st

AGENTS = [
    ("", ""),
    ("7", "Ana Ruiz"),
    ("7", ""),
    ("8", "ana  ruiz"),
    ("", "Zoë Straße"),
    ("", "zoë STRASSE"),
    ("9", ""),
]
NAMES = ["c", "c", "Überfällig ", "İstanbul", "ＡＢＣ", "50%_"]
SEARCHES = [
    "",
    "C1",
    "überfällig",
    "ÜBER",
    "i̇stan",
    "ａｂｃ",
    "%",
    "_",
    "%_",
    "STRASSE",
    "straß",
    "ÄRGER",
    "Topic 0",
]
SEARCHES += ["billing", "600_1%", "+34", "spring", "  ", "\\", "'", "nowhere", "ſpring", "ﬁ", "c1.wav"]
ORDERINGS = ["", "id", "--call_datetime", "call_datetime", "-call_datetime", "score_percentage"]
ORDERINGS += ["-score_percentage", "mistake_count", "-mistake_count", "agent__name", "-agent__name"]
QUESTIONS = ["Why?", "¿Un competidor?", "How long was the wait?"]
CRITERIA = [
    ("greeting", "Greets", "Opening"),
    ("identity", "Checks identity", "Opening"),
    ("closing", "Closes", "Closing"),
    ("old", "Retired criterion", "Past"),
]
TOPICS = [*(f"topic {n:02}" for n in range(13)), "Ärger", "ärger", "100%_sure"]
# Both sides of midnight, of the weekly Monday and of the clock changes in Madrid, New York and Lord Howe.
MOMENTS = [
    "2026-03-28T22:59:59+00:00",
    "2026-03-28T23:00:00+00:00",
    "2026-03-29T00:59:59+00:00",
    "2026-03-29T01:00:00+00:00",
    "2026-03-29T22:00:00+00:00",
    "2026-10-24T21:59:59+00:00",
    "2026-10-25T00:30:00+00:00",
    "2026-10-25T01:30:00+00:00",
    "2026-10-25T23:00:00+00:00",
    "2026-03-08T06:59:59+00:00",
    "2026-03-08T07:00:00+00:00",
    "2026-04-04T14:45:00+00:00",
    "2026-04-04T15:15:00+00:00",
    "2026-10-03T15:15:00+00:00",
    "2026-03-30T10:00:00+02:00",
    "2026-03-24T12:00:00+05:30",
]
DAYS = [
    dt.date(2026, 3, 24),
    dt.date(2026, 3, 28),
    dt.date(2026, 3, 29),
    dt.date(2026, 3, 30),
    dt.date(2026, 10, 25),
]
ZONES = ["UTC", "Europe/Madrid", "America/New_York", "Australia/Lord_Howe"]


@st.composite
def scores(draw: st.DrawFn) -> list[dict[str, Any]]:
    chosen = draw(st.lists(st.sampled_from(CRITERIA), unique=True, max_size=4))
    found = []
    for criterion_id, name, section in chosen:
        most = draw(st.sampled_from([3, 6, 7, 10, 2.5]))
        applicability = draw(st.sampled_from(["evaluated", "evaluated", "not_applicable", None]))
        score = (
            most if applicability == "not_applicable" else draw(st.sampled_from([0, most, most / 2, 1, 2]))
        )
        found.append(
            {
                "criterion_id": criterion_id,
                "name": name,
                "section": section,
                "score": score,
                "max_points": most,
                "applicability": applicability,
                "is_critical_error": score == 0 and draw(st.booleans()),
                "justification": "Because.",
                "quote": "[00:03] Hello",
            }
        )
    return found


@st.composite
def lines(draw: st.DrawFn) -> dict[str, Any]:
    agent_id, agent_name = draw(st.sampled_from(AGENTS))
    name = draw(st.sampled_from(NAMES)), draw(st.integers(1, 12) | st.integers(1, 25_000_000))
    second, fraction = draw(st.integers(0, 59)), draw(st.integers(0, 999_999))
    line: dict[str, Any] = {
        "file_name": f"{name[0]}{name[1]}.wav",
        "uploaded_at": draw(st.sampled_from(MOMENTS)),
        # Never twice the same, so that a second line of a call always brings other results.
        "analyzed_at": f"2026-11-01T00:00:{second:02}.{fraction:06}+00:00",
        "duration_seconds": draw(st.sampled_from([0, 17.5, 36.001, 312.4, 3599.999])),
        "agent_id": agent_id,
        "agent_name": agent_name,
        "direction": draw(st.sampled_from(["", "inbound", "outbound"])),
        "caller_number": draw(st.sampled_from(["", "+34911", "+34 600_1%"])),
        "campaign": draw(st.sampled_from(["", "spring", "SPRING straße"])),
    }
    optional: dict[str, Any] = {
        "call_datetime": draw(st.sampled_from([None, *MOMENTS])),
        "sentiment": draw(st.sampled_from([None, "positive", "neutral", "negative"])),
        "topic": draw(st.sampled_from([None, *TOPICS])),
        "contact_reason": draw(st.sampled_from([None, None, "Billing", "topic 01"])),
        "goal_reached": draw(st.sampled_from([None, True, False])),
    }
    if not optional["topic"]:
        optional["contact_reason"] = None
    line |= {k: v for k, v in optional.items() if v is not None}
    if draw(st.booleans()):
        judged = draw(scores())
        line["copc"] = {"criterion_scores": judged}
        left_out = {"greeting", "closing"} - {score["criterion_id"] for score in judged}
        if left_out and draw(st.booleans()):
            line["copc"]["not_evaluated"] = [
                {"criterion_id": name, "name": name} for name in sorted(left_out)
            ]
    trackers = draw(st.lists(st.sampled_from(["rival", "rival", "farewell"]), unique=True, max_size=2))
    if trackers:
        quote = {"group": None, "text": "hello", "speaker": "agent", "start": 1.5}
        quotes = [quote] * draw(st.integers(0, 2))
        line["insights"] = {"trackers": [{"id": name, "quotes": quotes} for name in trackers]}
    if draw(st.booleans()):
        mistake = {"id": "m", "description": "Rude", "quote": "[00:09] no"}
        line["no_protocol"] = {
            "mistakes": [mistake] * draw(st.integers(0, 2)),
            "missing_prompts": [{"id": "p", "description": "Recording"}] * draw(st.integers(0, 2)),
        }
    if draw(st.booleans()):
        asked = draw(st.lists(st.sampled_from(QUESTIONS), unique=True, max_size=3))
        line["custom_questions"] = {
            "answers": {
                q: {
                    "answer": draw(st.sampled_from(["", "No", "Ñ"])),
                    "quotes": ["[00:01] a"] * draw(st.integers(0, 2)),
                }
                for q in asked
            }
        }
    return line


@st.composite
def filters(draw: st.DrawFn) -> dict[str, str]:
    """Parameters of the call list, known and unknown values alike; `agent` is left to the test."""
    chosen = {
        "sentiment": draw(st.sampled_from(["", "", "positive", "negative", "NEGATIVE", "angry"])),
        "direction": draw(st.sampled_from(["", "", "inbound", "outbound", "sideways"])),
        "critical": draw(st.sampled_from(["", "", "true", "TRUE", "1", "false", "0", "yes"])),
        "search": draw(st.sampled_from(SEARCHES)),
        "ordering": draw(st.sampled_from(ORDERINGS)),
        "criterion": draw(st.sampled_from(["", "", "greeting", "closing", "unheard"])),
        "min_score": draw(st.sampled_from(["", "", "", "0", "33.33", "50"])),
        "max_score": draw(st.sampled_from(["", "", "", "66.67", "100", "50"])),
        "tracker": draw(st.sampled_from(["", "", "", "rival", "farewell"])),
    }
    if chosen["criterion"]:
        results = ["", "met", "partly", "not_met", "not_applicable", "not_evaluated"]
        chosen["result"] = draw(st.sampled_from(results))
    return {name: value for name, value in chosen.items() if value}


@st.composite
def configs(draw: st.DrawFn) -> dict[str, Any]:
    start = draw(st.integers(0, 23))
    end = draw(st.integers(0, 23).filter(lambda h: h != start))
    chosen = draw(st.lists(st.sampled_from(CRITERIA[:3]), unique=True, max_size=3))
    sections: dict[str, list[dict[str, Any]]] = {}
    for criterion_id, name, section in chosen:
        renamed = name if draw(st.booleans()) else f"{name} (new)"
        points = draw(st.sampled_from([1, 3, 7.5]))
        sections.setdefault(section, []).append({"id": criterion_id, "name": renamed, "max_points": points})
    tracked = draw(st.lists(st.sampled_from(["rival", "farewell"]), unique=True, max_size=2))
    rule = {"speaker": "customer", "any_of": ["Acme"]}
    return {
        "trackers": [{"id": each, "name": each.title(), "rule": rule} for each in tracked],
        "shift_hours": {"day_start": start, "day_end": end},
        "rubric": {
            "on_critical_error": draw(st.sampled_from(["flag", "zero_score"])),
            "sections": [{"name": n, "criteria": c} for n, c in sections.items()],
        },
    }
