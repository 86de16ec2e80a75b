"""How many rows does a regrouping write where few calls are new, next to the calls of its project?

    python benchmarks/bench_rewriting.py [CALLS]     20,000 unless given

A database of its own (SQLite in a temporary folder, or the empty one of CALLSCOPE_DATABASE_URL) with one
project: CALLS calls that say 3,000 topics, made-up words of 60 intents, embedder of words alone. Everything
is regrouped once; then one call in a thousand comes in and it is regrouped again, as a worker does it: plan,
reasons, places, map and reports in one transaction. Counted are the rows that statements wrote, by table.
"""

import os
import random
import re
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from bench_regrouping import make_topics
from measuring import row

CALLS = 20_000
TOPICS = 3000
NEW = 1000  # one call in so many is new
BATCH = 5000
WRITES = re.compile(r'(?:INSERT(?: OR \w+)? INTO|UPDATE|DELETE FROM) "?(\w+)')


def main(calls: int) -> None:
    os.environ["DJANGO_SETTINGS_MODULE"] = "callscope.settings"
    os.environ["CALLSCOPE_EMBEDDER"] = "words"
    with tempfile.TemporaryDirectory() as folder:
        os.environ["CALLSCOPE_DATA_DIR"] = folder
        import django
        from django.core.management import call_command

        django.setup()
        call_command("migrate", verbosity=0)
        measure(calls)


def measure(calls: int) -> None:
    from callscope.accounts.models import User
    from callscope.contact_reasons import grouping
    from callscope.projects.models import Project

    grouping.SETTLES_AFTER *= -1  # reasons last from the first regrouping on
    owner = User.objects.create(email="bench@example.com")
    project = Project.objects.create(name="Bench", owner=owner)
    topics = make_topics(TOPICS)
    add_calls(project, topics, range(calls))
    with count_written() as first:
        first_s = regroup(project)
    add_calls(project, topics, range(calls, calls + calls // NEW))
    with count_written() as again:
        again_s = regroup(project)
    places, facts = again["contact_reasons_callreason"], again["reports_callfact"]
    row(
        f"rows of calls that a regrouping with {calls // NEW:,} new ones writes, to all {calls:,}",
        places / calls,
        "≤ 0.01",
        f"{places:,} places, {facts:,} facts, {sum(again.values()):,} rows in all; {again_s:.0f} s, "
        f"the first one {first_s:.0f} s for {first['contact_reasons_callreason']:,} places",
    )


def regroup(project: object) -> float:
    """Regroup as a worker does, without the reports of the first time; return the seconds that it took."""
    from django.db import transaction

    from callscope.contact_reasons import grouping
    from callscope.contact_reasons.models import ReasonChange
    from callscope.reports.store import facts

    is_first = not ReasonChange.objects.exists()
    began = time.perf_counter()
    plan = grouping.propose_reasons(project)
    with transaction.atomic():
        shown = grouping.apply_plan(plan)
        if not is_first:
            facts.refresh(shown)
    return time.perf_counter() - began


def add_calls(project: object, topics: list[str], numbers: range) -> None:
    from django.utils import timezone

    from callscope.analysis.models import CallAnalysis
    from callscope.calls.models import Call, UploadedFile

    dice, now = random.Random(numbers.start), timezone.now()
    for start in range(numbers.start, numbers.stop, BATCH):
        some = range(start, min(start + BATCH, numbers.stop))
        calls = Call.objects.bulk_create(
            Call(project=project, file_name=f"c{n}", name_stem=f"c{n}", call_datetime=now, uploaded_at=now)
            for n in some
        )
        files = UploadedFile.objects.bulk_create(
            UploadedFile(
                project=project, call=call, original_filename=call.file_name, file_type="srt", created_at=now
            )
            for call in calls
        )
        CallAnalysis.objects.bulk_create(
            CallAnalysis(
                file=file,
                call=file.call,
                project=project,
                is_live=True,
                completed_at=now,
                insights={"topic": dice.choice(topics)},
            )
            for file in files
        )


@contextmanager
def count_written() -> Iterator[Counter[str]]:
    """Yield a counter that fills with the rows that are inserted, updated and deleted, by table."""
    from django.db import connection

    written: Counter[str] = Counter()

    def count(execute, sql, params, many, context):
        found = execute(sql, params, many, context)
        if match := WRITES.match(sql):
            written[match[1]] += max(0, context["cursor"].rowcount)
        return found

    with connection.execute_wrapper(count):
        yield written


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else CALLS)
