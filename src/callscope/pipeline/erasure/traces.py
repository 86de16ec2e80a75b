"""What else has kept a word of calls that were erased: topics, contact reasons, agents, waiting rows.

Every writer of calls holds the row of its project, and so does the caller here: nothing
comes to use a topic or a reason while it is found to be unused.
"""

from collections import Counter
from collections.abc import Collection, Iterable
from typing import Any

from django.db.models import Q

from callscope.analysis.models import CallAnalysis, results_removed
from callscope.calls import agents, own_calls
from callscope.calls.models import Call, ManifestRow
from callscope.calls.names import stem
from callscope.db.chunks import chunked
from callscope.pipeline.models import EngineState, Job, Probe, ProbedCall, Replay, ReplayedCall
from callscope.projects.models import Project

ROWS_AT_ONCE = 500


def read_topics(condition: Q) -> set[str]:
    """Return the topics of these analyses, replaced ones included."""
    # Any: the checker knows a compressed column only by its bytes.
    found: Iterable[Any] = CallAnalysis.objects.filter(condition).values_list("insights", flat=True)
    return {str(stored["topic"]) for stored in found if stored and stored.get("topic")}


def forget_calls(project: Project, *, names: Iterable[str], topics: Collection[str]) -> Counter[str]:
    """Erase what the project keeps of calls that are gone, with these names and topics; return how much."""
    from callscope.contact_reasons import forgetting
    from callscope.reports.store import facts

    counts: Counter[str] = Counter()
    counts["contact_reasons"], renamed = forgetting.forget_calls(project, topics)
    facts.refresh(renamed)
    counts["topics"] = facts.forget_topics(project.pk)
    counts["manifest_rows"] = _forget_waiting_rows(project, names)
    counts["agent_users"] = own_calls.forget_links(project)
    counts["agents"] = agents.forget_unused(project)
    # A server that refused a request may have repeated its words in the answer.
    EngineState.objects.exclude(detail="").update(detail="")
    Job.objects.filter(kind=Job.Kind.REGROUP, subject_id=project.pk).exclude(error="").update(error="")
    return counts


def forget_judgments(project: Project, call_ids: Collection[int]) -> None:
    """Remove how replays and probes judged these calls; what they found over all their calls stays.

    Only the replays and probes that judged one of the calls are read.
    """
    gone = set(call_ids)
    for model, judged in ((Replay, ReplayedCall), (Probe, ProbedCall)):
        found = model.objects.filter(judged__call__in=gone, project=project, outcome__isnull=False).distinct()
        for row in model.objects.filter(pk__in=list(found.values_list("pk", flat=True))).order_by("pk"):
            outcome = _leave_out(row.outcome, gone)
            if outcome != row.outcome:
                row.outcome = outcome
                row.save(update_fields=["outcome"])
        judged.objects.filter(call__in=gone).delete()


def forget_earlier_judgments(project: Project) -> None:
    """Remove how replays and probes judged calls whose results a sweep of an earlier release removed."""
    for judged in (
        ReplayedCall.objects.filter(replay__project=project),
        ProbedCall.objects.filter(probe__project=project),
    ):
        left = judged.filter(results_removed()).values_list("call_id", flat=True)
        for call_ids in chunked(sorted({*left}), ROWS_AT_ONCE):
            forget_judgments(project, call_ids)


def _leave_out(stored: Any, call_ids: Collection[int]) -> Any:
    """Return stored JSON without the items of its lists that are about one of these calls."""
    if isinstance(stored, dict):
        return {name: _leave_out(value, call_ids) for name, value in stored.items()}
    if isinstance(stored, list):
        items = [each for each in stored if not (isinstance(each, dict) and each.get("call_id") in call_ids)]
        return [_leave_out(each, call_ids) for each in items]
    return stored


def _forget_waiting_rows(project: Project, names: Iterable[str]) -> int:
    """Erase the manifest rows that wait for files of these names, unless another call answers to the stem."""
    erased = 0
    for chunk in chunked(names, ROWS_AT_ONCE):
        stems = {stem(name) for name in chunk}
        kept = Call.objects.filter(project=project, name_stem__in=stems).values_list("name_stem", flat=True)
        waiting = Q(file_name__in=chunk) | Q(name_stem__in=stems.difference(kept))
        erased += ManifestRow.objects.filter(waiting, project=project).delete()[0]
    return erased
