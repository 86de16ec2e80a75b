"""The agents to choose from in the call list: those of its calls.

The register of a team or owner also holds the agents of projects that the
caller may not see, so it is never shown as a whole.
"""

from collections.abc import Sequence

from callscope.calls.models import Agent
from callscope.projects.models import Project
from callscope.reports import store
from callscope.reports.snapshot import snapshot
from callscope.reports.window import ALL_TIME

ROWS_AT_ONCE = 500  # databases bound the parameters of one statement


def agents_of(projects: Sequence[Project], *, most: int) -> list[tuple[int, str]]:
    """Return (id, name) of the agents of these projects' live calls, by name; at most `most`."""
    with snapshot():
        sums = store.sums([project.pk for project in projects], ALL_TIME, ("agents",))
        ids = [row[0] for row in sums.rows("agents")]
        found: list[tuple[str, int, str]] = []
        for start in range(0, len(ids), ROWS_AT_ONCE):
            some = Agent.objects.filter(pk__in=ids[start : start + ROWS_AT_ONCE])
            found += some.values_list("name_key", "pk", "name")
    return [(pk, name) for _, pk, name in sorted(found)[:most]]
