"""How each agent talks: means of the talk measures over the agent's calls, with how many calls have each."""

from collections.abc import Mapping

from callscope.analysis.figures import ratio
from callscope.reports.overview.schemas import MeasureMean
from callscope.reports.store.aggregates import TABLES, Aggregates
from callscope.reports.store.talk import MEASURES

NAMES = tuple(name for name, _ in MEASURES.values())  # as a call's detail has them


def average_talk(aggregates: Aggregates) -> dict[int, Mapping[str, MeasureMean]]:
    """Return the means of each agent by measure; what is known of no call of an agent is left out."""
    schema = TABLES["agent_talk"]
    found: dict[int, Mapping[str, MeasureMean]] = {}
    for row in aggregates.rows("agent_talk"):
        means = {}
        for column, (name, units) in MEASURES.items():
            calls = row[schema.column(f"{column}_calls")]
            mean = ratio(row[schema.column(f"{column}_sum")], units * calls)
            if mean is not None:
                means[name] = MeasureMean(mean, calls)
        if means:
            found[row[0]] = means
    return found
