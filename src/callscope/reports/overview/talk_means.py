"""How each agent talks: means of the talk measures over the agent's calls, with how many calls have each."""

from typing import NamedTuple

from callscope.reports.store.aggregates import TABLES, Aggregates
from callscope.reports.store.exact_figures import ratio
from callscope.reports.store.talk import MEASURES

FIELDS = {  # column of a fact → (mean, calls it is taken over), fields of schemas.AgentRow
    "talk_share_bp": ("mean_talk_share_pct", "talk_share_calls"),
    "monologue_ms": ("mean_longest_monologue_seconds", "longest_monologue_calls"),
    "silence_ms": ("mean_silence_seconds", "silence_calls"),
    "interruptions": ("mean_interruptions", "interruption_calls"),
    "words_per_100_minutes": ("mean_words_per_minute", "words_per_minute_calls"),
    "hold_ms": ("mean_hold_seconds", "hold_calls"),
}


class TalkMeans(NamedTuple):
    """What an agent's row gains: the means by field, and the calls that they are taken over."""

    means: dict[str, float | None]
    calls: dict[str, int]


NOTHING_MEASURED = TalkMeans(
    {mean: None for mean, _ in FIELDS.values()}, {calls: 0 for _, calls in FIELDS.values()}
)


def average_talk(aggregates: Aggregates) -> dict[int, TalkMeans]:
    """Return the means of each agent of whose calls some measure is known."""
    schema = TABLES["agent_talk"]
    found = {}
    for row in aggregates.rows("agent_talk"):
        means: dict[str, float | None] = {}
        calls: dict[str, int] = {}
        for column, (mean_field, calls_field) in FIELDS.items():
            calls[calls_field] = row[schema.column(f"{column}_calls")]
            total, units = row[schema.column(f"{column}_sum")], MEASURES[column][1]
            means[mean_field] = ratio(total, units * calls[calls_field])
        found[row[0]] = TalkMeans(means, calls)
    return found
