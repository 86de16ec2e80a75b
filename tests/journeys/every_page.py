"""Make what a demonstration has nothing of, so that every page has something to show.

Imported after django.setup(), in an installation of its own whose data it changes: people, a
review, an appeal, a sample, calibrations, a replay, a probe, links and an empty project.
"""

import datetime as dt
import json
import secrets

from django.contrib.auth.tokens import default_token_generator
from django.core import signing
from django.db import transaction
from django.utils import timezone
from django.utils.encoding import force_bytes
from django.utils.http import urlsafe_base64_encode

from callscope.accounts.models import User
from callscope.accounts.services import add_team_member, create_team, create_user
from callscope.analysis.models import AnalysisState, CallAnalysis
from callscope.calls.own_calls import link_user
from callscope.calls.share_links import create_link
from callscope.interfaces.web.views.access.email_changes import SALT
from callscope.pipeline.decisions.appeal_edits import file_appeal
from callscope.pipeline.decisions.calibration_edits import close_calibration, open_calibration
from callscope.pipeline.decisions.review_edits import create_review
from callscope.pipeline.decisions.team_moves import move_project
from callscope.pipeline.models import UsageEntry
from callscope.pipeline.rubric_changes.probes import requests as probes
from callscope.pipeline.rubric_changes.replays.drafts import request_replay
from callscope.projects import invitations
from callscope.projects.models import Project
from callscope.projects.services import configure_project, create_project, share_project
from callscope.reviews.answers import GivenAnswer
from callscope.reviews.calibration.sessions import CalibrationPlan
from callscope.reviews.criteria import KnownCriteria, list_criteria
from callscope.reviews.notes import create_note
from callscope.reviews.revisions import GivenReview
from callscope.reviews.sampling.draw import SamplePlan, draw_sample
from callscope.reviews.sampling.plans import NewPlan, create_plan

MOST_CALIBRATED = 2


def list_people() -> dict[str, User]:
    """Return the users whom fill() needs and makes, by what they may do."""
    emails = {role: f"{role}@callscope.example" for role in ("administrator", "agent", "viewer")}
    people = {role: User.objects.get(email=email) for role, email in emails.items()}
    people["reviewer"] = User.objects.get(email="rater@callscope.example")
    people["manager"] = User.objects.filter(is_active=True, projects__isnull=False).order_by("pk")[0]
    return people


def fill() -> dict[str, str]:
    """Return name → address of the pages that show the first user what this makes."""
    user = User.objects.filter(is_active=True, projects__isnull=False).order_by("pk")[0]
    project = user.projects.order_by("pk")[0]
    rater = create_user("rater@callscope.example", secrets.token_urlsafe())
    agent_user = create_user("agent@callscope.example", secrets.token_urlsafe())
    share_project(project, rater, role="editor")
    results = CallAnalysis.objects.filter(
        project=project, is_live=True, call__agent__isnull=False, copc_state=AnalysisState.COMPLETED
    )
    scored = list(
        results.select_related("call__agent").order_by("-call__call_datetime")[: 2 * MOST_CALIBRATED]
    )
    first = scored[0]
    for result in scored[:MOST_CALIBRATED]:
        _review(result, user, turned=1)
    with transaction.atomic():
        link_user(project, agent_user.email, first.call.agent)
    create_note(
        first.call, "Ask about the reason before you look for the account.", 4.0, user, is_shared=True
    )
    file_appeal(first.call_id, _criteria(first)[0], "I said it in the first sentence.", agent_user)
    both = [user.email, rater.email]
    sample = draw_sample(project, SamplePlan(per_agent=1, reviewers=both, seed=1), user)
    plan = create_plan(project, NewPlan(2, None, both, seed=1), user, today=dt.date(2026, 1, 5))
    team = create_team("Copper Lane quality", admin=user)
    administrator = create_user("administrator@callscope.example", secrets.token_urlsafe(), superuser=True)
    add_team_member(team, administrator, admin=True)
    move_project(project.pk, team.pk, user)
    if not User.objects.filter(email="viewer@callscope.example").exists():
        create_user("viewer@callscope.example", secrets.token_urlsafe())
    empty = create_project(user, "Nothing uploaded yet", document={})
    _, token = invitations.invite(
        "new@callscope.example", "editor", project=project, creates_account=True, by=user
    )
    invitations.invite(user.email, "viewer", project=create_project(rater, "Of a colleague"), by=rater)
    _spread_usage()
    _save_settings(project, user)
    change = [user.pk, user.email, "renamed@callscope.example", administrator.pk]
    uid = urlsafe_base64_encode(force_bytes(rater.pk))
    at = f"/projects/{project.pk}"
    replay = _replay(project, user)
    closed = _calibrate(project, user, rater, scored[:MOST_CALIBRATED], closes=True)
    open_one = _calibrate(project, user, rater, scored[MOST_CALIBRATED:], closes=False)
    return {
        "report-empty-project": f"/report/?project_id={empty.pk}",
        "settings-empty-project": f"/projects/{empty.pk}/",
        "call-reviewed": f"/calls/{first.call_id}/",
        "team": f"/teams/{team.pk}/",
        "sample": f"{at}/samples/{sample.pk}/",
        "weekly-draw": f"{at}/sampling-plans/{plan.pk}/",
        "calibration": f"{at}/calibrations/{closed}/",
        "calibration-open": f"{at}/calibrations/{open_one}/",
        "replay": f"{at}/replays/{replay}/",
        "replay-calls": f"{at}/replays/{replay}/calls/?criterion=empathy",
        "probe": f"{at}/probes/{probes.request_probe(project, _plan_probe(project), by=user).pk}/",
        "shared-report": f"/shared/{create_link(user, project, days=7)[1]}/",
        "shared-call": f"/shared/{create_link(user, project, days=7, call=first.call)[1]}/",
        "shared-gone": "/shared/nothing/",
        "invitation-link": f"/invitation/{token}/",
        "invitation-gone": "/invitation/nothing/",
        "confirm-email": f"/account/email/{signing.dumps(change, salt=SALT)}/",
        "password-reset": f"/password/{uid}/{default_token_generator.make_token(rater)}/",
    }


def _spread_usage() -> None:
    """Let engines have been used on earlier days, too: a demonstration was analyzed on one."""
    for days, entry in enumerate(UsageEntry.objects.filter(audio_us__gt=0).order_by("pk"), start=3):
        entry.pk = None
        entry.save()
        UsageEntry.objects.filter(pk=entry.pk).update(at=timezone.now() - dt.timedelta(days=3 * days))


def _save_settings(project: Project, by: User) -> None:
    """Save other parts of the settings three times, as people do, so that versions have something to show."""
    settings = project.configuration.as_document()
    settings["goal"]["description"] = "The caller knows what happens next and when"
    settings["goal"]["phrases"] = [*settings["goal"]["phrases"][1:], "you will hear from us", "by Friday"]
    settings["retention"]["recordings_days"] = 365
    configure_project(project, settings, by=by)
    settings["trackers"] = [
        *settings["trackers"],
        {
            "id": "other-offers",
            "name": "Other offers",
            "rule": {"any_of": ["cheaper elsewhere", "better offer"]},
        },
    ]
    settings["redact"] = ["cards", "emails"]
    settings["shift_hours"] = {"day_start": 7, "day_end": 21}
    configure_project(project, settings, by=by)
    criterion = settings["rubric"]["sections"][0]["criteria"][0]
    criterion["guideline"] = f"{criterion['guideline']} A name is enough where the caller knows the company."
    settings["rubric"]["on_critical_error"] = "zero_score"
    settings["trackers"][-1]["rule"] = {
        "any_of": ["better offer"],
        "speaker": "customer",
        "within_seconds": 90,
    }
    configure_project(project, settings, by=by)


def _criteria(result: CallAnalysis) -> list[str]:
    return [each["criterion_id"] for each in list_criteria(result, KnownCriteria(result.project))]


def _review(result: CallAnalysis, by: User, *, turned: int) -> None:
    """Submit a review of the call in which so many answers are the other one, and the rest are met."""
    answers = [
        GivenAnswer(criterion, "not_met" if number < turned else "met", "")
        for number, criterion in enumerate(_criteria(result))
    ]
    create_review(result.call_id, GivenReview(answers, "", submits=True), by)


def _calibrate(
    project: Project, user: User, rater: User, results: list[CallAnalysis], *, closes: bool
) -> int:
    plan = CalibrationPlan([each.call_id for each in results], [user.email, rater.email])
    calibration = open_calibration(project.pk, plan, user)
    if closes:
        for number, by in enumerate((user, rater)):
            for result in results:
                _review(result, by, turned=1 + number)
        close_calibration(calibration.pk, user)
    return int(calibration.pk)


def _replay(project: Project, user: User) -> int:
    document = json.loads(json.dumps(project.config))
    document["rubric"]["sections"][0]["criteria"][0]["max_points"] = 40
    document["goal"]["phrases"] = document["goal"]["phrases"][:-1]
    for section in document["rubric"]["sections"]:
        for criterion in section["criteria"]:
            if criterion["id"] in ("empathy", "farewell") and criterion.get("rule"):
                criterion["rule"]["any_of"] = criterion["rule"]["any_of"][::3]
    return int(request_replay(project, document, by=user, sample=20).pk)


def _plan_probe(project: Project) -> probes.Plan:
    return probes.plan_steadiness(project, project.config, sample=5, repetitions=2)
