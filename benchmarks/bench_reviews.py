"""What do ten thousand reviews cost the report, and what does the page of agreement cost next to it?

Works on a copy of the largest world of $BENCH_CALLS, on SQLite, because the reviews stay in it.
"""

import os
import random
import shutil
import subprocess
import sys
from pathlib import Path

import world
from measuring import SIZES, database, heading, line, median_ms, serve

REPORT, AGREEMENT = "/calls/api/report/", "/calls/api/agreement/"
REVIEWS = 10_000
CHANGED = 0.1  # of the answers, against the machine's
SEED = 11
COMPACTIONS = 6  # each ends after some seconds


def main() -> None:
    """Print the ratios: the report after the reviews against before, and the agreement against the report."""
    if database() != "SQLite":
        print("bench_reviews.py: skipped, it copies a world and so needs SQLite")
        return
    calls = max(SIZES)
    data = copy_world(world.build(calls))
    try:
        heading(calls)
        with serve(data) as site:
            before = median_ms(lambda: site.get(REPORT))
        subprocess.run([sys.executable, __file__, "--review"], env=settings_of(data), check=True)
        with serve(data) as site:
            report = median_ms(lambda: site.get(REPORT))
            agreement = median_ms(lambda: site.get(AGREEMENT))
        line(f"report with {REVIEWS:,} reviews, against without", report, before, "≤ 1.1")
        line(f"agreement of {REVIEWS:,} reviews, against the report", agreement, report, "≤ 2")
    finally:
        shutil.rmtree(data)


def settings_of(data: Path) -> dict[str, str]:
    """Return the environment of a process that works on the world by itself."""
    ours = {"CALLSCOPE_DATA_DIR": str(data), "DJANGO_SETTINGS_MODULE": "callscope.settings"}
    return {**os.environ, **ours}


def copy_world(data: Path) -> Path:
    copy = data.with_name(f"{data.name}-reviews")
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(data, copy)
    return copy


def add_reviews() -> None:
    """Submit blind reviews of calls chosen at random, each through the service that a page calls."""
    import django

    django.setup()
    from callscope.accounts.models import User
    from callscope.analysis.models import CallAnalysis
    from callscope.pipeline.decisions.review_edits import create_review
    from callscope.pipeline.workers.maintenance import compact
    from callscope.reviews.answers import GivenAnswer
    from callscope.reviews.criteria import KnownCriteria, list_criteria
    from callscope.reviews.findings import ANSWERS, GivenFinding, list_questions
    from callscope.reviews.revisions import GivenReview

    by = User.objects.get(email=world.EMAIL)
    chance = random.Random(SEED)
    live = CallAnalysis.objects.filter(is_live=True).order_by("call_id")
    ids = list(live.values_list("call_id", flat=True))
    for call_id in chance.sample(ids, min(REVIEWS, len(ids))):
        analysis = CallAnalysis.objects.select_related("project").get(call=call_id, is_live=True)
        known = KnownCriteria(analysis.project)
        answers = [
            GivenAnswer(
                each["criterion_id"],
                chance.choice(each["allowed"])
                if each["machine_answer"] is None or chance.random() < CHANGED
                else each["machine_answer"],
            )
            for each in list_criteria(analysis, known)
        ]
        findings = [
            GivenFinding(
                *each.key,
                chance.choice(ANSWERS[each.kind]) if chance.random() < CHANGED else each.machine_answer,
            )
            for each in list_questions(analysis, known)
        ]
        given = GivenReview(answers, blind=True, submits=True, findings=findings)
        create_review(call_id, given, by)
    for _ in range(COMPACTIONS):  # as workers do between jobs
        compact()


if __name__ == "__main__":
    add_reviews() if "--review" in sys.argv else main()
