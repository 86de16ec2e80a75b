"""What do many versions of a rubric cost a report, which marks where they changed it?

The JSON of a report over a year, in this process and by its processor time, when each rubric has 20 versions
of that year, each of which changed a criterion, against when it has one. The versions are rolled back.
"""

import copy
import datetime as dt
import json
import os
import statistics
import time
from collections.abc import Callable

import world
from measuring import SIZES, environment_of, heading, line

VERSIONS = 20
ROUNDS = 41


def main() -> None:
    os.environ |= environment_of(world.build(SIZES[0]))
    os.environ["DJANGO_SETTINGS_MODULE"] = "callscope.settings"
    import django

    django.setup()
    from django.db import transaction

    heading(SIZES[0])
    one = measure_report()
    with transaction.atomic():
        add_versions()
        many = measure_report()
        transaction.set_rollback(True)
    line(f"report of rubrics with {VERSIONS} versions against one", many, one, "≤ 1.1")


def add_versions() -> None:
    """Give each project its versions, a fortnight apart, each with other points for one criterion."""
    from callscope.projects.models import ConfigVersion, Project

    for project in Project.objects.all():
        document = copy.deepcopy(project.config_versions.get(number=1).document)
        for number in range(2, VERSIONS + 1):
            document["rubric"]["sections"][0]["criteria"][0]["max_points"] = number
            ConfigVersion.objects.create(project=project, number=number, document=copy.deepcopy(document))
            at = dt.datetime(2025, 1, 6, tzinfo=dt.UTC) + dt.timedelta(weeks=2 * number)
            ConfigVersion.objects.filter(project=project, number=number).update(created_at=at)
        Project.objects.filter(pk=project.pk).update(config_version=VERSIONS)


def measure_report() -> float:
    """Return the median processor time of a warm report, in milliseconds."""
    from callscope.projects.models import Project
    from callscope.reports.overview.report import build_report, report_json
    from callscope.reports.window import Window

    window = Window(dt.date(2025, 1, 1), dt.date(2025, 12, 31))
    return median_processor_ms(
        lambda: json.dumps(report_json(build_report(list(Project.objects.all()), window)))
    )


def median_processor_ms(work: Callable[[], object]) -> float:
    work()
    durations = []
    for _ in range(ROUNDS):
        started = time.process_time()
        work()
        durations.append((time.process_time() - started) * 1000)
    return statistics.median(durations)


if __name__ == "__main__":
    main()
