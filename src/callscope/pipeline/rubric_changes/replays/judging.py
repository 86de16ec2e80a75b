"""Judge the calls of a replay by its draft, and by the version it is compared with, portion by portion."""

from typing import NamedTuple, cast

from django.utils import timezone

from callscope.analysis.models import CallAnalysis
from callscope.calls.private_words import engines_for_file
from callscope.engines.registry import Engines
from callscope.pipeline.ledger import engine_notes, usage
from callscope.pipeline.models import Job, Replay, ReplayedCall
from callscope.pipeline.queue import jobs
from callscope.pipeline.rubric_changes.replays.answers import Answers, ReplayedAnswers, read_answers
from callscope.pipeline.rubric_changes.replays.baseline import Baseline
from callscope.pipeline.rubric_changes.replays.besides import Besides, read_findings, read_stored
from callscope.pipeline.rubric_changes.replays.besides_comparison import compare_besides
from callscope.pipeline.rubric_changes.replays.comparison import Stopped, compare_answers
from callscope.pipeline.rubric_changes.replays.portions import judge_portion
from callscope.projects import configuration
from callscope.projects.configuration import Configuration
from callscope.transcription.models import Transcript


class Judgment(NamedTuple):
    """What one side comes to; no answers and nothing else where the settings cannot judge the call."""

    answers: Answers | None
    besides: Besides


NOT_JUDGED = Judgment(None, {})


def replay_portion(job: Job) -> None:
    """Judge the next calls of a replay; the last portion compares them all."""
    replay = Replay.objects.filter(pk=job.subject_id).select_related("project", "created_by").first()
    if replay is None or replay.completed_at is not None:  # stopped
        jobs.finish(job)
        return
    # The whole of it: what else is looked for in a call has a part in how near a phrase comes.
    draft = configuration.parse(replay.config, is_stored=True)
    baseline = Baseline(replay.project, replay.config_version)
    judge_portion(
        job,
        ReplayedCall.objects.filter(replay=replay, answers__isnull=True).order_by("pk"),
        "answers",
        judge=lambda row: _judge(replay, row.call_id, draft, baseline),
        complete=lambda: complete(replay),
        is_stopped=lambda: Replay.objects.filter(pk=replay.pk, completed_at__isnull=False).exists(),
    )


def complete(replay: Replay) -> None:
    """Store what the judgments come to, also those of a replay that is stopped before it has all."""
    rows = ReplayedCall.objects.filter(replay=replay).order_by("call_id")
    judged = rows.filter(answers__isnull=False)
    answered = [(row.call_id, cast(ReplayedAnswers, row.answers)) for row in judged.iterator()]
    outcome = compare_answers(answered)
    besides = [(call_id, each["besides"]) for call_id, each in answered if "besides" in each]
    if len(besides) == len(answered):  # not where an earlier release judged some of them
        draft = configuration.parse(replay.config, is_stored=True)
        before = Baseline(replay.project, replay.config_version).config
        outcome["besides"] = compare_besides(besides, before, draft)
    if (drawn := rows.count()) > len(answered):
        outcome["stopped"] = Stopped(calls=len(answered), drawn=drawn)
    replay.outcome = outcome
    replay.completed_at = timezone.now()
    replay.save(update_fields=["outcome", "completed_at"])


def _judge(replay: Replay, call_id: int, draft: Configuration, baseline: Baseline) -> ReplayedAnswers:
    """Return both judgments of a call; none by settings that cannot judge it."""
    live = CallAnalysis.objects.filter(call=call_id, is_live=True).first()
    transcript = (
        Transcript.objects.select_related("file__call__agent", "project").filter(file=live.file_id).first()
        if live
        else None
    )
    if live is None or transcript is None:  # removed since the replay was asked for
        return _pair(NOT_JUDGED, NOT_JUDGED, is_judged_again=False)
    engines = engines_for_file(transcript.file, baseline.config, transcript.project.configuration)
    is_judged_again = baseline.is_to_judge(live.config_version, engines)
    before = (
        _judge_by(replay, transcript, baseline.config, engines)
        if is_judged_again
        else Judgment(read_answers(live.read_machine_copc()), read_stored(live, baseline.config))
    )
    # The stored settings and the file decide as well: a draft must not send a private call away.
    engines = engines_for_file(transcript.file, draft, transcript.project.configuration)
    after = _judge_by(replay, transcript, draft, engines)
    return _pair(before, after, is_judged_again=is_judged_again)


def _pair(before: Judgment, after: Judgment, *, is_judged_again: bool) -> ReplayedAnswers:
    return {
        "before": before.answers,
        "after": after.answers,
        "is_judged_again": is_judged_again,
        "besides": {"before": before.besides, "after": after.besides},
    }


def _judge_by(replay: Replay, transcript: Transcript, config: Configuration, engines: Engines) -> Judgment:
    """Return how these settings judge a call, and enter the cost."""
    from callscope.analysis.analyze import AnalysisTooLong, analyze
    from callscope.engines.errors import BadOutput

    if replay.created_by:
        engine_notes.note_trial(replay.created_by, transcript.file, engines)
    try:
        found = analyze(transcript, config, engines)
    except (AnalysisTooLong, BadOutput):
        return NOT_JUDGED
    if replay.created_by:
        usage.record_trial(replay.created_by, transcript.file, found.usage)
    return Judgment(read_answers(found.copc), read_findings(found, config))
