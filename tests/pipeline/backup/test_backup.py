"""Backup and restore of a whole instance."""

import datetime as dt
import json
import shutil
import zipfile
from pathlib import Path

import pytest
from django.contrib.auth.models import Permission
from django.core.files.storage import default_storage
from django.core.management import call_command
from django.db import transaction
from django.utils import timezone

from callscope.accounts import services
from callscope.accounts.models import AuditEvent, User
from callscope.calls.models import Agent, AgentUser, Call, UploadedFile
from callscope.calls.own_calls import link_user
from callscope.pipeline.backup import archive as archives
from callscope.pipeline.backup import backup, restore
from callscope.pipeline.backup.archive import InvalidBackup
from callscope.pipeline.decisions import calibration_edits
from callscope.pipeline.decisions.appeal_edits import acknowledge_review, file_appeal
from callscope.pipeline.decisions.review_edits import create_review
from callscope.pipeline.files import regrouping
from callscope.pipeline.models import EngineState, SiteProcess
from callscope.projects.models import Project
from callscope.reports.overview.report import build_report, report_json
from callscope.reports.store import rebuild
from callscope.reports.store.verify import find_discrepancies
from callscope.reports.window import ALL_TIME
from callscope.reviews.answers import GivenAnswer
from callscope.reviews.calibration.sessions import CalibrationPlan
from callscope.reviews.models import (
    Acknowledgement,
    Appeal,
    CalibratedCall,
    Calibration,
    CalibrationRater,
    CoachingNote,
    PlanReviewer,
    Review,
    ReviewAnswer,
    ReviewSample,
    SampledCall,
    SamplingPlan,
)
from callscope.reviews.notes import create_note
from callscope.reviews.revisions import GivenReview
from callscope.reviews.sampling.draw import SamplePlan, draw_sample
from callscope.reviews.sampling.plans import NewPlan, create_plan
from tests.conftest import recordings_stored_in
from tests.pipeline.conftest import RUBRIC, accept, configure

OF_PEOPLE = [
    archives.table_name(model)
    for model in (
        Acknowledgement, AgentUser, Appeal, CalibratedCall, Calibration, CalibrationRater, CoachingNote,
        PlanReviewer, Review, ReviewAnswer, ReviewSample, SampledCall, SamplingPlan,
    )
]  # fmt: skip


@pytest.fixture
def used_instance(judged, alice, due_at_once):
    """An instance with two analysed calls, a waiting one, a key and a past."""
    use(judged, alice)
    return judged


def use(judged, alice):
    from callscope.testing import run_due_jobs

    services.create_key(alice, name="Nightly upload")
    accept(judged, name="one.srt")
    accept(judged, name="two.srt")
    run_due_jobs()
    accept(judged, name="waiting.srt")


@pytest.fixture
def archive(used_instance, tmp_path):
    path = tmp_path / "backup.zip"
    backup.create_backup(path)
    return path


@pytest.fixture(scope="module")
def written(django_db_setup, django_db_blocker, _recordings_folders, tmp_path_factory):
    """The archive of a used instance that was emptied again."""
    path = tmp_path_factory.mktemp("written") / "backup.zip"
    stored = recordings_stored_in(next(_recordings_folders))
    with django_db_blocker.unblock(), stored, pytest.MonkeyPatch.context() as patch:
        patch.setattr(regrouping, "QUIET_S", 0.0)
        alice = User.objects.create_user("alice@example.com", "alice-password")
        use(configure(Project.objects.create(name="Service line", owner=alice), RUBRIC), alice)
        backup.create_backup(path)
        call_command("flush", verbosity=0, interactive=False)
    return path


@pytest.fixture
def archive_alone(written, db, tmp_path):
    """A copy of that archive, for a test in an empty instance."""
    return Path(shutil.copy(written, tmp_path))


def empty_the_instance():
    for model in reversed(archives.stored_models()):
        model._base_manager.all().delete()
    rebuild.rebuild_rollups()
    for key in default_storage.listdir("")[1]:
        default_storage.delete(key)


def tables():
    return {
        archives.table_name(model): [
            {name: archives.to_json_value(value) for name, value in row.items()}
            for row in model._base_manager.order_by("pk").values()
        ]
        for model in archives.stored_models()
    }


def report():
    return json.dumps(report_json(build_report(list(Project.objects.all()), ALL_TIME)), default=str)


def let_people_work(project, alice):
    """Let Alice draw calls, now and weekly, review, calibrate and write a note, and an agent appeal."""
    first, second = Call.objects.filter(analyses__is_live=True).order_by("pk")
    agent = Agent.objects.create(owner=alice, name="Ana")
    Call.objects.filter(pk=first.pk).update(agent=agent, agent_source="api")
    met = GivenReview([GivenAnswer("greeting", "not_met")], blind=True, submits=True)
    draw_sample(project, SamplePlan(per_agent=1, reviewers=[alice.email], filters={"goal": "true"}), alice)
    plan = NewPlan(per_agent=1, share_pct=None, reviewers=[alice.email])
    create_plan(project, plan, alice, today=dt.date(2026, 3, 2))
    create_review(first.pk, met, alice)
    opened = calibration_edits.open_calibration(
        project.pk, CalibrationPlan([second.pk], [alice.email]), alice
    )
    create_review(second.pk, met, alice)  # a rating
    calibration_edits.close_calibration(opened.pk, alice)
    calibration_edits.settle_calibration(opened.pk, {}, alice)
    create_note(first, "Well asked.", 3, alice, is_shared=True)
    carol = services.create_user("agent@example.com")
    with transaction.atomic():
        link_user(project, carol.email, agent)
    file_appeal(first.pk, "greeting", "I did.", carol)
    acknowledge_review(first.pk, carol)


@pytest.mark.django_db(transaction=True)
class TestRestoring:
    def test_brings_back_every_row_and_recording(self, archive):
        before, report_before = tables(), report()
        recordings = {file.storage_key: bytes_of(file.storage_key) for file in files()}
        empty_the_instance()

        result = restore.restore_backup(archive)

        assert tables() == before
        assert report() == report_before
        assert {key: bytes_of(key) for key in recordings} == recordings
        assert result.recordings == 3
        assert find_discrepancies() == []

    def test_brings_back_what_people_did_with_reviews(self, used_instance, alice, tmp_path):
        let_people_work(used_instance, alice)
        before = tables()
        assert all(before[name] for name in OF_PEOPLE), [name for name in OF_PEOPLE if not before[name]]
        backup.create_backup(tmp_path / "backup.zip")
        empty_the_instance()

        restore.restore_backup(tmp_path / "backup.zip")

        assert {name: tables()[name] for name in OF_PEOPLE} == {name: before[name] for name in OF_PEOPLE}
        assert find_discrepancies() == []

    def test_lets_new_rows_follow_the_restored_ones(self, archive_alone):
        restore.restore_backup(archive_alone)

        latest = Call.objects.latest("pk").pk
        assert accept(Project.objects.get(), name="later.srt").call_id > latest

    @pytest.mark.parametrize("of_former_version", [False, True])
    def test_leaves_the_processes_that_live_in_the_new_place(
        self, monkeypatch, db, tmp_path, of_former_version
    ):
        """As in containers: web and workers have started when the backup is restored."""
        path = tmp_path / "backup.zip"
        now = timezone.now()
        web = {"role": SiteProcess.Role.WEB, "started_at": now, "seen_at": now}
        SiteProcess.objects.create(pk=7, identity="there", **web)
        EngineState.objects.create(
            pk=7, kind="speech", address="http://a/v1", state="paused", since=now, probe_at=now
        )
        with monkeypatch.context() as former:
            if of_former_version:
                former.setattr(archives, "OF_THE_MOMENT", ())
            backup.create_backup(path)
        SiteProcess.objects.all().delete()
        EngineState.objects.all().delete()
        SiteProcess.objects.create(pk=7, identity="here", **web)

        restore.restore_backup(path)

        assert [each.identity for each in SiteProcess.objects.all()] == ["here"]
        assert not EngineState.objects.exists()

    def test_is_refused_where_somebody_is(self, archive):
        before = tables()

        with pytest.raises(InvalidBackup, match="restored into an empty instance"):
            restore.restore_backup(archive)

        assert tables() == before

    @pytest.mark.parametrize("share", [0.0, 0.3, 0.6, 0.99])
    def test_refuses_an_archive_that_is_cut_off(self, archive_alone, share):
        content = archive_alone.read_bytes()
        archive_alone.write_bytes(content[: int(len(content) * share)])

        with pytest.raises(InvalidBackup):
            restore.restore_backup(archive_alone)

        assert not User.objects.exists()

    def test_refuses_an_archive_in_which_something_was_changed(self, archive_alone, tmp_path):
        changed = rewrite(
            archive_alone,
            tmp_path,
            lambda name, data: data.replace(b"alice", b"malic") if "accounts.user" in name else data,
        )

        with pytest.raises(InvalidBackup, match=r"accounts\.user\.jsonl is not what was written"):
            restore.restore_backup(changed)

        assert not User.objects.exists()
        assert not default_storage.exists(archive_alone.name)

    def test_refuses_an_archive_that_lacks_a_recording(self, archive_alone, tmp_path):
        shorter = tmp_path / "shorter.zip"
        with zipfile.ZipFile(archive_alone) as source, zipfile.ZipFile(shorter, "w") as target:
            for name in source.namelist():
                if not name.endswith("one.srt"):
                    target.writestr(name, source.read(name))

        with pytest.raises(InvalidBackup, match="is damaged: recordings/"):
            restore.restore_backup(shorter)

    def test_refuses_an_archive_of_other_tables(self, archive_alone, tmp_path):
        older = rewrite(
            archive_alone,
            tmp_path,
            lambda name, data: (
                data.replace(b"0001_initial", b"0000_first") if name == archives.CONTENTS else data
            ),
        )

        with pytest.raises(InvalidBackup, match="with other tables than these"):
            restore.restore_backup(older)

    def test_refuses_what_is_no_backup(self, db, tmp_path):
        path = tmp_path / "other.zip"
        with zipfile.ZipFile(path, "w") as other:
            other.writestr("a.txt", "b")

        with pytest.raises(InvalidBackup, match="not a backup that this version of Callscope can read"):
            restore.restore_backup(path)

    def test_leaves_nothing_behind_when_it_fails_half_way(self, archive_alone, monkeypatch):
        with zipfile.ZipFile(archive_alone) as opened:
            names = [name for name in opened.namelist() if name.startswith(archives.RECORDINGS)]
        keys = [name.removeprefix(archives.RECORDINGS) for name in names]
        assert keys
        monkeypatch.setattr(restore.facts, "refresh", lambda _: 1 / 0)

        with pytest.raises(ZeroDivisionError):
            restore.restore_backup(archive_alone)

        assert not User.objects.exists()
        assert not any(default_storage.exists(key) for key in keys)


@pytest.mark.django_db(transaction=True)
class TestArchive:
    def test_holds_no_secret(self, archive_alone, settings):
        with zipfile.ZipFile(archive_alone) as opened:
            content = b"".join(opened.read(name) for name in opened.namelist())

        assert settings.SECRET_KEY.encode() not in content
        assert archive_alone.stat().st_mode & 0o077 == 0

    def test_names_recordings_that_are_gone(self, used_instance, tmp_path):
        gone = files()[0].storage_key
        default_storage.delete(gone)

        result = backup.create_backup(tmp_path / "backup.zip")

        assert result.missing == [gone]
        assert result.recordings == 2

    def test_holds_every_table_of_ours_that_cannot_be_recomputed(self):
        held = set(archives.stored_models())

        assert {User, Project, Call, UploadedFile, AuditEvent} <= held
        assert Permission not in held
        assert not any(model._meta.app_label == "reports" for model in held)


def files():
    return list(UploadedFile.objects.order_by("pk"))


def bytes_of(key):
    with default_storage.open(key) as file:
        return file.read()


def rewrite(archive, folder, change):
    """Return a copy of the archive with changed members; its checksums of ZIP are right again."""
    changed = folder / "changed.zip"
    with zipfile.ZipFile(archive) as source, zipfile.ZipFile(changed, "w") as target:
        for name in source.namelist():
            target.writestr(name, change(name, source.read(name)))
    return changed
