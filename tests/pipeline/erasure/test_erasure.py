"""Erasing calls, callers and agents: what goes, what stays, and what the receipt says; on both databases."""

import zipfile

import pytest
from django.apps import apps
from django.core.files.storage import default_storage
from django.db import connection, transaction

from callscope.accounts import audit
from callscope.accounts.models import AuditEvent
from callscope.calls import agents
from callscope.calls.models import Agent, Call, ManifestRow, UploadedFile
from callscope.pipeline.backup.backup import create_backup
from callscope.pipeline.erasure import cleaning, removal, selection
from callscope.pipeline.models import CleaningDue, Job
from callscope.pipeline.operation import processes
from callscope.pipeline.workers.stages import run_stage
from callscope.pipeline.workers.worker import claim_and_start
from callscope.projects.models import Project
from callscope.reports.models import Topic
from callscope.reports.search import samples
from callscope.reports.store import facts, verify
from tests.pipeline.conftest import accept, configure, srt

pytestmark = pytest.mark.django_db(transaction=True)

NUMBER = "+34 919 283 746"
MARKERS = ("zqjxfile", NUMBER, "wzqjxagent", "vzqjxtopic", "kzqjxwords")


def run_all() -> None:
    """Run what is queued, as a worker does."""
    while (job := claim_and_start()) is not None:
        run_stage(job)


def take_in(project, name, *, words="kzqjxwords", topic="vzqjxtopic", number="", agent="") -> Call:
    """Take a call in and analyze it; its topic is given, as a language model would have found it."""
    talk = [("Agent", "Good morning."), ("Customer", f"The invoice says {words}."), ("Agent", "All set.")]
    file = accept(project, srt(talk), name=name)
    run_all()
    call = Call.objects.get(pk=file.call_id)
    with transaction.atomic():
        call.caller_number = number
        if agent:
            call.agent, call.agent_source = agents.AgentResolver(project).resolve("", agent), "api"
        call.save()
        analysis = call.analyses.get()
        analysis.insights = {**(analysis.insights or {}), "topic": topic}
        analysis.save()
        facts.refresh([call.pk])
    return call


@pytest.fixture
def marked(judged):
    """A call with a marker in every place, a waiting row of the same caller, and a call that stays."""
    call = take_in(judged, "zqjxfile.srt", number=NUMBER, agent="wzqjxagent")
    take_in(judged, "kept.srt", words="else", topic="plain bill", number="+34600000001", agent="Ana")
    for name, number in (("zqjxfile.wav", ""), ("later.wav", "0034919283746"), ("other.wav", "+34600")):
        values = {"caller_number": number} if number else {"agent_name": "wzqjxagent"}
        stem = name.rpartition(".")[0]
        ManifestRow.objects.create(
            project=judged, file_name=name, name_stem=stem, values=values, updated_at=call.uploaded_at
        )
    return call


def search_tables() -> set[str]:
    """Return the markers that any row of any table of ours holds, compressed columns read."""
    tables = [m for m in apps.get_models(include_auto_created=True) if m.__module__.startswith("callscope.")]
    rows = (row for table in tables if table._meta.managed for row in table._base_manager.values_list())
    texts = [repr([bytes(v) if isinstance(v, memoryview) else v for v in row]).lower() for row in rows]
    return {marker for marker in MARKERS if any(marker in text for text in texts)}


def search_backup(path) -> set[str]:
    create_backup(path)
    with zipfile.ZipFile(path) as archive:
        data = b"\n".join(name.encode() + archive.read(name) for name in archive.namelist()).lower()
    return {marker for marker in MARKERS if marker.encode() in data}


class TestErasingACaller:
    def test_leaves_no_word_in_any_table_or_new_backup(self, marked, tmp_path):
        assert search_tables() == set(MARKERS)

        receipt = removal.erase_caller("0034919283746")

        assert search_tables() == set()
        assert search_backup(tmp_path / "new.zip") == set()
        assert (receipt.counts["calls"], receipt.counts["agents"], receipt.counts["manifest_rows"]) == (
            1,
            1,
            2,
        )
        assert default_storage.listdir("")[1] == ["kept.srt"]

    def test_leaves_other_calls_and_exact_figures(self, marked, judged):
        removal.erase_caller(NUMBER)

        assert [call.file_name for call in Call.objects.all()] == ["kept.srt"]
        assert [agent.name for agent in Agent.objects.all()] == ["Ana"]
        assert [topic.text for topic in Topic.objects.all()] == ["plain bill"]
        assert [row.file_name for row in ManifestRow.objects.all()] == ["other.wav"]
        assert verify.find_discrepancies() == []

    def test_is_reported_by_an_audit_event_without_names(self, marked, judged):
        receipt = removal.erase_caller(NUMBER)

        event = AuditEvent.objects.get(action="caller.erased")
        assert receipt.to_json()["audit_events"] == [event.number]
        assert receipt.chain_hash == event.digest
        assert event.detail["erased"]["calls"] == 1
        assert audit.verify_chain().problems == []

    def test_of_nobody_erases_nothing(self, marked):
        receipt = removal.erase_caller("+34 919 283 74")

        assert receipt.counts.total() == 0
        assert not AuditEvent.objects.filter(action="caller.erased").exists()

    def test_reaches_every_project_unless_one_is_named(self, marked, judged, alice):
        other = Project.objects.create(name="Other", owner=alice)
        configure(other, {})
        take_in(other, "second.srt", number="34919283746")

        assert removal.erase_caller(NUMBER, other.pk).counts["calls"] == 1
        assert removal.erase_caller(NUMBER).counts["calls"] == 1


class TestErasingAnAgent:
    def test_takes_the_calls_in_the_project_and_then_the_agent(self, marked, judged):
        agent = Agent.objects.get(name="wzqjxagent")

        receipt = removal.erase_agent(judged, agent)

        assert (receipt.counts["calls"], receipt.counts["agents"]) == (1, 1)
        assert search_tables() == set()

    def test_is_found_by_the_id_that_clients_gave_first(self, judged, alice):
        person = Agent.objects.create(owner=alice, name="Bo", name_key="bo", external_id="17")
        unnumbered = Agent.objects.create(owner=alice, name="Cy", name_key="cy")

        assert selection.find_agent(judged, "17") == person
        assert selection.find_agent(judged, str(unnumbered.pk)) == unnumbered
        assert selection.find_agent(judged, "nobody") is None


class TestErasingACall:
    def test_takes_all_its_files_and_jobs(self, judged):
        call = take_in(judged, "a.srt")
        accept(judged, srt(), name="a.srt")

        receipt = removal.erase_call(call)

        assert (receipt.counts["files"], receipt.counts["recordings"]) == (2, 2)
        assert not UploadedFile.objects.exists()
        assert not Job.objects.filter(kind__in=["transcribe", "analyze"]).exists()


class TestDeleting:
    def test_a_file_erases_what_its_call_left_elsewhere(self, marked):
        removal.delete_file(marked.newest_file)

        assert search_tables() == set()
        assert not ManifestRow.objects.filter(file_name="zqjxfile.wav").exists()

    def test_a_newer_file_gives_the_agent_of_the_former_one_back(self, judged):
        first = accept(
            judged,
            srt([("Agent", "Good morning, my name is Ana Ruiz."), *[("Customer", "Hi.")] * 3]),
            name="a.srt",
        )
        run_all()
        second = accept(
            judged,
            srt([("Agent", "Good morning, my name is Wzqjxagent."), *[("Customer", "Hi.")] * 3]),
            name="a.srt",
        )
        run_all()
        call = Call.objects.get()
        assert call.agent is not None and call.agent.name == "Wzqjxagent"

        removal.delete_file(second)

        call = Call.objects.get()
        assert (call.newest_file_id, call.agent.name) == (first.pk, "Ana Ruiz")
        assert not Agent.objects.filter(name="Wzqjxagent").exists()
        assert verify.find_discrepancies() == []

    def test_a_project_takes_its_agents_along(self, marked, judged):
        receipt = removal.delete_project(judged)

        assert search_tables() == set()
        assert (receipt.counts["projects"], receipt.counts["calls"], receipt.counts["agents"]) == (1, 2, 2)


class TestCleaning:
    def test_tells_other_processes_to_forget_what_they_keep_of_texts(self, marked):
        processes.beat("web")
        taken = samples.take_sample(1)

        removal.erase_caller(NUMBER)
        processes.beat("web")

        assert samples.take_sample(1) is not taken

    def test_is_due_until_nobody_reads(self, marked):
        with transaction.atomic():
            receipt = removal.erase_caller(NUMBER)
            assert not receipt.is_cleaned
        assert CleaningDue.objects.exists()

        assert cleaning.clean_if_due()
        assert not CleaningDue.objects.exists()

    @pytest.mark.skipif("connection.vendor != 'sqlite'", reason="PostgreSQL has no log to empty")
    @pytest.mark.parametrize("worker_is_faster", [False, True])
    def test_of_a_command_waits_for_readers_and_a_worker(self, marked, monkeypatch, worker_is_faster):
        answers = [False, False, True]
        monkeypatch.setattr(cleaning, "_empty_log", lambda: answers.pop(0))
        if worker_is_faster:
            monkeypatch.setattr(cleaning, "_confirm", lambda due: due.delete() and False)
        monkeypatch.setattr(cleaning, "BETWEEN_S", 0.0)

        assert removal.erase_caller(NUMBER).is_cleaned
        assert answers == []

    @pytest.mark.skipif("connection.vendor != 'sqlite'", reason="PostgreSQL has no secure_delete")
    def test_overwrites_deleted_rows_on_sqlite_whatever_its_build_does(self, db):
        with connection.cursor() as cursor:
            assert cursor.execute("PRAGMA secure_delete").fetchone() == (1,)
