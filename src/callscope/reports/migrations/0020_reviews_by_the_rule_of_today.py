"""Score the reviews that stand by the criteria and the rule of the live results, some hundreds at a time.

Until now the score of each was that of its submission. How a score comes about, reviews/effect.py says; it
is repeated here because a migration must not change with the code.
"""

from fractions import Fraction

from django.db import migrations, transaction

CALLS_AT_ONCE = 500


def score_reviews(apps, schema_editor):
    ReviewedCall = apps.get_model("reports", "ReviewedCall")
    latest = 0
    while rows := list(ReviewedCall.objects.filter(pk__gt=latest).order_by("pk")[:CALLS_AT_ONCE]):
        with transaction.atomic(using=schema_editor.connection.alias):
            _score_some(apps, rows)
        latest = rows[-1].pk


def _score_some(apps, rows):
    calls = [row.pk for row in rows]
    reviews = apps.get_model("reviews", "Review").objects.filter(call__in=calls, is_current=True)
    standing = {review.call_id: review for review in reviews}
    answers = {}
    for answer in apps.get_model("reviews", "ReviewAnswer").objects.filter(review__in=standing.values()):
        answers.setdefault(answer.review_id, []).append(answer)
    analyses = apps.get_model("analysis", "CallAnalysis").objects.filter(call__in=calls, is_live=True)
    machine = {each.call_id: each.copc if each.machine_copc is None else each.machine_copc for each in analyses}
    changed = []
    for row in rows:
        review = standing.get(row.pk)
        if review is None:
            continue
        score = _score(review, answers.get(review.pk, []), machine.get(row.pk) or {})
        if score != row.score_bp:
            row.score_bp = score
            changed.append(row)
    apps.get_model("reports", "ReviewedCall").objects.bulk_update(changed, ["score_bp"], batch_size=200)


def _score(review, answers, result):
    """Return the score in hundredths of a percent; None where an answer of the machine counts next to it."""
    fitting = [each for each in answers if each.criterion_id not in review.outdated_criteria]
    judged = {str(row["criterion_id"])[:64] for row in result.get("criterion_scores") or [] if row["max_points"] > 0}
    possible = sum(each.max_points for each in fitting)
    if not possible or not judged <= {each.criterion_id for each in fitting}:
        return None
    critical = {each["criterion_id"] for each in review.criteria if each["critical"]}
    has_error = any(
        each.criterion_id in critical and each.answer != "not_applicable" and each.points == 0 for each in fitting
    )
    if has_error and result.get("on_critical_error") == "zero_score":
        return 0
    return round(Fraction(sum(each.points for each in fitting) * 10_000, possible))  # half-even


class Migration(migrations.Migration):
    atomic = False
    dependencies = [
        ("reports", "0019_words_of_texts"),
        ("analysis", "0007_machine_findings"),
        ("reviews", "0019_withdrawn_appeals"),
    ]
    operations = [migrations.RunPython(score_reviews, migrations.RunPython.noop)]
