"""In which of several projects the calls of each agent are, by the sums that the call list keeps."""

from collections import Counter
from collections.abc import Sequence

import numpy as np

from callscope.projects.models import Project
from callscope.projects.owners import JOINT
from callscope.reports.store import reader
from callscope.reports.store.aggregates import TABLES
from callscope.reports.store.rollups import LISTING
from callscope.reports.window import Window

LIST = TABLES["list"]


def name_agent_projects(projects: Sequence[Project], window: Window) -> dict[int, str]:
    """Return agent → the projects of the calls in the window, those with most calls first.

    {} where only one project has calls.
    """
    if len(projects) < 2:
        return {}
    rows = reader.read_aggregates([project.pk for project in projects], window, LISTING).table("list")
    if len(np.unique(rows[:, LIST.column("project")])) < 2:
        return {}
    names = {project.pk: project.name for project in projects}
    calls: dict[int, Counter[int]] = {}
    columns = [LIST.column(name) for name in ("agent", "project", "calls")]
    for agent, project, count in rows[:, columns].tolist():
        calls.setdefault(agent, Counter())[project] += count
    return {
        agent: JOINT.join(names[pk] for pk in sorted(found, key=lambda pk: (-found[pk], names[pk], pk)))
        for agent, found in calls.items()
    }
