"""Everybody who may ask, and a world in which each of them has something to find or to be kept from.

The team's project is what is asked for. The owner's private project and the
foreign project hold canary texts in every row: nobody else may ever read one.
"""

import datetime as dt
import io
import json
from dataclasses import dataclass, field
from typing import Any

from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.utils import timezone
from rest_framework.test import APIClient

from callscope.accounts.models import ApiKey, Team, User
from callscope.accounts.services import add_team_member, create_team, remove_team_member
from callscope.analysis.models import AnalysisState, CallAnalysis
from callscope.calls.models import Call, ManifestRow, UploadedFile
from callscope.calls.own_calls import link_user
from callscope.contact_reasons.editing import edit_reason
from callscope.contact_reasons.models import CallReason, ContactReason, ReasonChange
from callscope.pipeline.ledger.estimates import estimate_work
from callscope.pipeline.models import Job, Probe, Replay, UsageEntry
from callscope.pipeline.rubric_changes.probes.fairness import compare_groups
from callscope.pipeline.rubric_changes.probes.steadiness import compare_judgments
from callscope.pipeline.rubric_changes.replays.comparison import compare_answers
from callscope.pipeline.transfer.importer import import_calls
from callscope.projects.models import Invitation, Project
from callscope.projects.services import create_project, share_project, unshare_project
from callscope.reviews.answers import GivenAnswer
from callscope.reviews.appeal_records import Appeal
from callscope.reviews.calibration.sessions import CalibrationPlan, open_calibration
from callscope.reviews.notes import create_note
from callscope.reviews.revisions import GivenReview, create_review
from callscope.reviews.sampling.draw import SamplePlan, draw_sample
from callscope.reviews.sampling.plans import NewPlan, create_plan
from callscope.transcription.models import Transcript
from tests.api.conftest import CopiedClient

ABSENT_ID = 99_999_999
ABSENT_TASK = "00000000-0000-4000-8000-000000000000"
CSRF = "a" * 32


@dataclass
class Target:
    """The ids in one project; those of an absent one name nothing."""

    project: int = ABSENT_ID
    call: int = ABSENT_ID
    file: int = ABSENT_ID
    task: str = ABSENT_TASK
    agent: int = ABSENT_ID
    team: int = ABSENT_ID
    user: int = ABSENT_ID
    reason: int = ABSENT_ID
    other_reason: int = ABSENT_ID
    change: int = ABSENT_ID
    second_call: int = ABSENT_ID
    invitation: int = ABSENT_ID
    review: int = ABSENT_ID
    sample: int = ABSENT_ID
    plan: int = ABSENT_ID
    note: int = ABSENT_ID
    calibration: int = ABSENT_ID
    criterion: str = "absent"
    link: int = ABSENT_ID
    appeal: int = ABSENT_ID
    replay: int = ABSENT_ID
    steadiness: int = ABSENT_ID
    fairness: int = ABSENT_ID


@dataclass
class Caller:
    """Somebody who asks. `standing` is "anonymous", "refused", None (sees nothing), or a role."""

    name: str
    client: APIClient
    standing: str | None
    user: User | None = None


@dataclass
class Cast:
    callers: list[Caller] = field(default_factory=list)
    own: Target = field(default_factory=Target)  # in the team's project
    foreign: Target = field(default_factory=Target)  # in a project that none of the callers sees
    absent: Target = field(default_factory=Target)

    def __getitem__(self, name: str) -> Caller:
        return next(caller for caller in self.callers if caller.name == name)


def person(name: str, **fields: Any) -> User:
    return User.objects.create_user(f"{name}@example.com", f"{name}-password", **fields)


def with_key(user: User) -> tuple[ApiKey, APIClient]:
    key, plaintext = ApiKey.objects.create_key(name="tests", user=user)
    client = CopiedClient(enforce_csrf_checks=True)
    client.credentials(HTTP_AUTHORIZATION=f"Api-Key {plaintext}")
    return key, client


def with_session(user: User) -> APIClient:
    client = CopiedClient(enforce_csrf_checks=True)
    client.force_login(user, backend="callscope.accounts.sign_in.EmailBackend")
    client.cookies["csrftoken"] = CSRF
    client.credentials(HTTP_X_CSRFTOKEN=CSRF)
    return client


def fill(project: Project, word: str) -> Target:
    """Put one of everything into the project, with `word` in each text."""
    line = {
        "file_name": f"{word}.wav",
        "call_datetime": "2026-03-02T10:00:00+00:00",
        "uploaded_at": "2026-03-02T12:00:00+00:00",
        "analyzed_at": "2026-03-02T12:10:00+00:00",
        "agent_id": f"{word}-7",
        "agent_name": f"{word} Ruiz",
        "caller_number": f"{word}-34911",
        "campaign": f"{word} campaign",
        "direction": "inbound",
        "sentiment": "negative",
        "topic": f"{word} topic",
        "contact_reason": f"{word} reason",
        "goal_reached": True,
        "copc": {
            "criterion_scores": [
                {"criterion_id": f"{word}-criterion", "name": f"{word} greets", "score": 1, "max_points": 2}
            ]
        },
        "no_protocol": {"mistakes": [{"id": "m", "description": f"{word} mistake"}], "missing_prompts": []},
        "custom_questions": {
            "answers": {f"{word} question?": {"answer": f"{word} answer", "quotes": [word]}}
        },
    }
    result = import_calls(project, io.BytesIO(json.dumps(line).encode()), by=project.owner)
    assert result.errors == []
    call = Call.objects.get(project=project, file_name=line["file_name"])
    file = UploadedFile.objects.get(call=call)
    file.storage_key = default_storage.save(f"{word}.wav", ContentFile(f"{word} audio".encode()))
    file.error_detail = f"{word} detail"
    job = Job.objects.create(
        kind="analyze",
        project=project,
        subject_id=file.pk,
        state="failed",
        error=word,
        run_after=timezone.now(),
    )
    file.task_id = job.pk
    file.save()
    errors = {"insights": f"{word} error"}
    CallAnalysis.objects.filter(call=call).update(errors=errors, insights_state=AnalysisState.FAILED)
    segment = {"start": 0.0, "end": 1.0, "speaker": "agent", "text": f"{word} says"}
    Transcript.objects.create(file=file, project=project, segments=[segment], engine=f"{word} engine")
    ManifestRow.objects.create(
        project=project,
        file_name=f"{word}-waiting.wav",
        name_stem=f"{word.casefold()}-waiting",
        values={"campaign": word},
        updated_at=timezone.now(),
    )
    UsageEntry.objects.create(project=project, file=file, kind="transcription", engine=f"{word} engine")
    invitation = Invitation.objects.create(
        project=project,
        email=f"{word}@example.com",
        role="viewer",
        token_digest=f"{word} {project.pk}",
        created_at=timezone.now(),
        expires_at=timezone.now() + dt.timedelta(days=1),
    )
    target = Target(project.pk, call.pk, file.pk, str(job.pk), call.agent_id or 0, invitation=invitation.pk)
    add_reasons(target, call, word)
    add_review(target, word)
    target.replay = add_replay(project)
    assert call.agent is not None
    target.link = link_user(project, f"{word.lower()}-agent@example.com", call.agent).pk
    target.steadiness, target.fairness = add_probes(project)
    appellant = User.objects.filter(email="appellant@example.com").first() or person("appellant")
    target.appeal = Appeal.objects.create(
        call=call,
        project=project,
        criterion_id=f"{word}-criterion",
        criterion_name=f"{word} greets",
        judged_at=timezone.now(),
        appellant=appellant,
        reason=f"{word} reason",
        decision_reason=f"{word} remark",
        created_at=timezone.now(),
    ).pk
    return target


def add_probes(project: Project) -> list[int]:
    """Add a completed probe of each kind, of the settings as they are."""
    ids = []
    for kind, variants, outcome in (
        (Probe.Kind.STEADINESS, ["1", "2"], compare_judgments([])),
        (Probe.Kind.FAIRNESS, ["original", "order"], compare_groups({}, groups=["order"], unchanged={})),
    ):
        probe = Probe.objects.create(
            kind=kind,
            project=project,
            config=project.config,
            config_version=project.config_version,
            variants=variants,
            estimate=estimate_work(project, project.configuration, calls=0, judgments=0),
            created_by=project.owner,
            completed_at=timezone.now(),
            outcome=outcome,
        )
        ids.append(probe.pk)
    return ids


def add_replay(project: Project) -> int:
    """Add a completed replay of the settings as they are."""
    replay = Replay.objects.create(
        project=project,
        config=project.config,
        config_version=project.config_version,
        created_by=project.owner,
        completed_at=timezone.now(),
        outcome=compare_answers([]),
    )
    return int(replay.pk)


def add_reasons(target: Target, call: Call, word: str) -> None:
    """Add a second call to the reason of the call, another reason, and a change of the first."""
    second = Call.objects.create(
        project=call.project,
        file_name=f"{word}-2.wav",
        name_stem=f"{word.casefold()}-2",
        call_datetime=call.call_datetime,
        uploaded_at=call.uploaded_at,
    )
    reason = ContactReason.objects.get(calls__call=call)
    CallReason.objects.create(call=second, project=call.project, reason=reason)
    edit_reason(reason, {"description": f"{word} description"}, call.project.owner)
    other = ContactReason.objects.create(project=call.project, name=f"{word} other reason")
    target.reason, target.other_reason, target.second_call = reason.pk, other.pk, second.pk
    target.change = ReasonChange.objects.latest("pk").pk


def add_review(target: Target, word: str) -> None:
    """Add a sample, a calibration, and a draft of a review of the call, by the owner of the project."""
    given = GivenReview(
        [GivenAnswer(f"{word}-criterion", "met", f"{word} comment", f"{word} says")], f"{word} review"
    )
    call = Call.objects.get(pk=target.call)
    target.criterion = f"{word}-criterion"
    target.review = create_review(call, given, call.project.owner).pk
    plan = SamplePlan(per_agent=1, reviewers=[call.project.owner.email])
    target.sample = draw_sample(call.project, plan, call.project.owner).pk
    target.note = create_note(call, f"{word} note", 1, call.project.owner, is_shared=False).pk
    weekly = NewPlan(per_agent=1, share_pct=None, reviewers=plan.reviewers)
    target.plan = create_plan(call.project, weekly, call.project.owner, today=dt.date(2026, 3, 2)).pk
    owner = call.project.owner
    calibrated = CalibrationPlan([call.pk], [owner.email], expert=owner.email)
    target.calibration = open_calibration(call.project, calibrated, owner).pk


def document(word: str) -> dict[str, Any]:
    """Return a configuration with `word` in its texts."""
    criterion = {"id": f"{word}-criterion", "name": f"{word} greets", "max_points": 2}
    return {
        "vocabulary": [f"{word} product"],
        "rubric": {"sections": [{"name": f"{word} section", "criteria": [criterion]}]},
        "custom_questions": [f"{word} question?"],
    }


def make_cast() -> Cast:
    """Make the 13 kinds of caller, and the projects around them."""
    owner, viewer, editor = person("owner"), person("viewer"), person("editor")
    member, admin, removed = person("member"), person("admin"), person("removed")
    stranger, root = person("stranger"), person("root", is_superuser=True)
    gone, locked = person("gone"), person("locked")
    team = create_team("Team", admin=admin)
    add_team_member(team, member)
    add_team_member(team, removed, admin=True)
    shared = create_project(owner, "OPENWORD project", team=team, document=document("OPENWORD"))
    share_project(shared, viewer)
    share_project(shared, editor, role="editor")
    share_project(shared, removed, role="editor")
    for user in (gone, locked):
        share_project(shared, user, role="editor")
    cast = Cast(own=fill(shared, "OPENWORD"))
    cast.own.team, cast.own.user = team.pk, viewer.pk
    cast.foreign = make_foreign(owner, viewer, team)
    _, refused_key = with_key(gone)
    session_of_gone = with_session(gone)
    gone.is_active = False
    gone.save()
    revoked, revoked_key = with_key(locked)
    revoked.revoked = True
    revoked.save()
    malformed = CopiedClient(enforce_csrf_checks=True)
    malformed.credentials(HTTP_AUTHORIZATION="Api-Key  abcdefgh." + "x" * 32)
    unshare_project(shared, removed)
    remove_team_member(team, removed)
    cast.callers = [
        Caller("anonymous", CopiedClient(enforce_csrf_checks=True), "anonymous"),
        Caller("inactive session", session_of_gone, "refused"),
        Caller("inactive key", refused_key, "refused"),
        Caller("revoked", revoked_key, "refused"),
        Caller("malformed", malformed, "refused"),
        Caller("owner", with_key(owner)[1], "owner", owner),
        Caller("shared viewer", with_session(viewer), "viewer", viewer),
        Caller("shared editor", with_session(editor), "editor", editor),
        Caller("team member", with_key(member)[1], None, member),
        Caller("team admin", with_session(admin), "admin", admin),
        Caller("removed member", with_session(removed), None, removed),
        Caller("stranger", with_session(stranger), None, stranger),
        Caller("superuser without share", with_session(root), None, root),
    ]
    return cast


def make_foreign(owner: User, viewer: User, team: Team) -> Target:
    """Make projects full of canaries, near the callers in every way that gives no right to see them."""
    outsider, elsewhere = person("outsider"), person("elsewhere")
    add_team_member(team, elsewhere)
    target = fill(create_project(outsider, "CANARY project", document=document("CANARY")), "CANARY")
    own_team = create_team("CANARY team", admin=outsider)
    target.team, target.user = own_team.pk, outsider.pk
    fill(create_project(outsider, "CANARY of a team", team=own_team, document=document("CANARY")), "CANARY")
    fill(create_project(elsewhere, "CANARY of a member", document=document("CANARY")), "CANARY")
    fill_general(create_project(outsider, "CANARY notes", type="general"))
    # Only the team's admin sees the team's other project; its agents are those of the shared one.
    fill(create_project(elsewhere, "TEAMWORD project", team=team, document=document("TEAMWORD")), "TEAMWORD")
    # Only the owner sees this one; its agents are those of a project that is shared with the viewer.
    fill(create_project(owner, "SECRET project", document=document("SECRET")), "SECRET")
    share_project(create_project(owner, "Aside"), viewer)
    return target


def fill_general(project: Project) -> None:
    UploadedFile.objects.create(
        project=project, original_filename="CANARY.wav", file_type="audio", created_at=timezone.now()
    )
