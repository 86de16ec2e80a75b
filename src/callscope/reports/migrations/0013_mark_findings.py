"""Mark the mistakes and missed prompts of the calls that are there already, some hundreds at a time.

Each portion is a transaction of its own, and marks that are there stay: a migration that was
stopped goes on where it is run again. What a mark is, store/marks.py says; it is repeated here
because a migration must not change with the code.
"""

from django.db import migrations, transaction

KINDS = ((3, "mistakes"), (4, "missing_prompts"))
CALLS_AT_ONCE = 500


def mark_calls(apps, schema_editor):
    CallFact = apps.get_model("reports", "CallFact")
    latest = 0
    while days := dict(CallFact.objects.filter(pk__gt=latest).order_by("pk").values_list("pk", "day")[:CALLS_AT_ONCE]):
        with transaction.atomic(using=schema_editor.connection.alias):
            _mark_some(apps, days)
        latest = max(days)


def _mark_some(apps, days):
    CallMark = apps.get_model("reports", "CallMark")
    analyses = apps.get_model("analysis", "CallAnalysis").objects.filter(call__in=days, is_live=True)
    marks = []
    for analysis in analyses.only("call_id", "project_id", "no_protocol"):
        found = {
            (kind, str(each.get("id") or "")[:64])
            for kind, name in KINDS
            for each in (analysis.no_protocol or {}).get(name) or []
        }
        place = {"call_id": analysis.call_id, "project_id": analysis.project_id, "day": days[analysis.call_id]}
        marks += [CallMark(kind=kind, key=key, **place) for kind, key in sorted(found) if key]
    CallMark.objects.bulk_create(marks, ignore_conflicts=True)


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("analysis", "0006_machine_copc"), ("reports", "0012_talk_measures")]
    operations = [migrations.RunPython(mark_calls, migrations.RunPython.noop)]
