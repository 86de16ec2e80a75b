"""Check the insights of an imported line: sentiment, topic, outcome, trackers and talk measures."""

from collections.abc import Mapping
from typing import cast

from callscope.pipeline.transfer.result_validation import (
    INSIGHT_FIELDS,
    MAX_ENTRIES,
    MAX_ID,
    MAX_TOPIC,
    SENTIMENTS,
    SPEAKERS,
    InvalidLine,
    check_choice,
    check_list,
    check_object,
    check_quotes,
    check_text,
    plain_extras,
    refuse,
)
from callscope.pipeline.transfer.schema import JsonObject, StoredInsights

TALK_NUMBERS = (
    "talk_share_pct",
    "longest_monologue_seconds",
    "silence_seconds",
    "silences",
    "agent_interruptions",
    "customer_interruptions",
    "agent_words_per_minute",
    "customer_words_per_minute",
    "hold_seconds",
)


def check_insights(document: Mapping[str, object]) -> StoredInsights | None:
    """Return the stored insights, or None when the line gives no sentiment, topic or outcome.

    A line may carry `insights` for what else that analysis found; an export
    does, so that an analysis that found nothing still counts as having run.
    """
    sentiment = check_choice(document.get("sentiment"), "sentiment", SENTIMENTS) or None
    topic = check_text(document.get("topic", ""), "topic", MAX_TOPIC).strip()
    goal_reached = document.get("goal_reached")
    if goal_reached is not None and not isinstance(goal_reached, bool):
        refuse("goal_reached", goal_reached, "true, false or null")
    more = document.get("insights")
    if more is None and sentiment is None and not topic and goal_reached is None:
        return None
    extras: JsonObject = {}
    if more is not None:
        fields = check_object(more, "insights")
        extras |= plain_extras(fields, frozenset(INSIGHT_FIELDS))
        if fields.get("trackers"):
            extras["trackers"] = _check_trackers(fields["trackers"])
        if fields.get("talk") is not None:
            extras["talk"] = check_talk(fields["talk"])
    stored = {"sentiment": sentiment, "topic": topic, "goal_reached": goal_reached, **extras}
    return cast(StoredInsights, stored)


def check_machine_insights(value: object) -> StoredInsights | None:
    """Return the machine's own insights, where a person's count. Raises InvalidLine."""
    if value is None:
        return None
    fields = check_object(value, "machine_insights")
    own = {name: fields.get(name) for name in ("sentiment", "goal_reached")}
    return check_insights({**own, "topic": fields.get("topic") or "", "insights": fields})


def _check_trackers(value: object) -> list[object]:
    rows: list[object] = []
    for number, entry in enumerate(check_list(value, "insights.trackers", MAX_ENTRIES) or []):
        path = f"insights.trackers[{number}]"
        fields = check_object(entry, path)
        tracker_id = check_text(fields.get("id", ""), f"{path}.id", MAX_ID)
        if not tracker_id.strip():
            raise InvalidLine(f"{path}.id is missing or blank; it is required")
        rows.append({"id": tracker_id, "quotes": check_quotes(fields.get("quotes"), f"{path}.quotes")})
    return rows


def check_talk(value: object) -> JsonObject:
    """Return stored talk measures: numbers from 0 or null, and codes. Raises InvalidLine."""
    path = "insights.talk"
    fields = check_object(value, path)
    checked: JsonObject = {}
    for name in TALK_NUMBERS:
        number = fields.get(name)
        if number is not None and (type(number) not in (int, float) or not 0 <= cast(float, number) < 10**6):
            refuse(f"{path}.{name}", number, "a number from 0, below 1000000, or null")
        checked[name] = number
    for name, allowed in (("basis", ("sound", "cues")), ("longest_monologue_speaker", SPEAKERS)):
        checked[name] = check_choice(fields.get(name), f"{path}.{name}", allowed) or None
    reasons = check_object(fields.get("unknown") or {}, f"{path}.unknown")
    if len(reasons) > MAX_ENTRIES:
        raise InvalidLine(f"{path}.unknown has {len(reasons)} entries; at most {MAX_ENTRIES} are allowed")
    checked["unknown"] = {
        name[:MAX_ID]: check_text(why, f"{path}.unknown", MAX_ID) for name, why in reasons.items()
    }
    return checked
