"""A language model words the names of new contact reasons from topics, and never fails a regrouping."""

import dataclasses
import datetime as dt
import json

import pytest
from django.utils import timezone

from callscope.accounts.models import AuditEvent
from callscope.accounts.trail.chaining import chain_notes
from callscope.calls.models import Call
from callscope.contact_reasons import forgetting
from callscope.contact_reasons.models import ContactReason, ReasonChange
from callscope.engines.llm.scripted import ScriptedChatServer, ScriptedReply
from callscope.environment import EngineAddress
from callscope.pipeline.decisions import reason_edits
from callscope.pipeline.files import regrouping
from callscope.pipeline.models import Job, UsageEntry
from callscope.projects.services import configure_project
from callscope.testing import run_due_jobs
from tests.contact_reasons.test_grouping import BILLS, PASSWORDS, SHIPPING, add_call

pytestmark = pytest.mark.django_db
NAMES = {"invoice": "Errors on invoices", "password": "Password resets", "parcel": "Parcels not delivered"}


def list_groups(request):
    return json.loads(request["messages"][-1]["content"])["groups"]


def name_all(request, _number):
    rows = []
    for group in list_groups(request):
        said = " ".join(group["topics"]).lower()
        name = next(name for word, name in NAMES.items() if word in said)
        rows.append({"group": group["group"], "name": name})
    return ScriptedReply(json.dumps({"names": rows}))


def answer(text):
    """Return a script that gives each group a name, or a text that is no JSON."""

    def script(request, _number):
        if text.startswith("{"):
            return ScriptedReply(text)
        rows = [{"group": group["group"], "name": text} for group in list_groups(request)]
        return ScriptedReply(json.dumps({"names": rows}))

    return script


@pytest.fixture
def calls(project):
    return [add_call(project, topic) for topic in [*BILLS, *PASSWORDS, *SHIPPING]]


@pytest.fixture
def ask(settings, project, calls):
    """Regroup the project with a model that follows a script; return the requests."""

    def regroup(script=name_all, *, private=False):
        with ScriptedChatServer(script) as server:
            address = EngineAddress(server.url, "", "scripted")
            which = {"private_llm": address} if private else {"llm": address}
            settings.ENVIRONMENT = dataclasses.replace(settings.ENVIRONMENT, **which)
            regrouping.request_regrouping([project])
            run_due_jobs()
        assert Job.objects.filter(kind=Job.Kind.REGROUP).latest("created_at").state == Job.State.DONE
        return server.requests

    return regroup


def names_of(project):
    return sorted(ContactReason.objects.filter(project=project).values_list("name", flat=True))


class TestANewGroup:
    def test_has_the_name_that_the_model_worded(self, project, ask):
        ask()

        assert names_of(project) == sorted(NAMES.values())
        assert all(ContactReason.objects.values_list("named_by_model", flat=True))

    def test_is_shown_to_the_model_by_its_topics_alone(self, project, ask):
        Call.objects.update(caller_number="+34911222333", campaign="Spring sale")

        (request,) = ask()

        sent = json.dumps(request)
        assert "+34911222333" not in sent and "Spring sale" not in sent
        shown = {topic.lower() for group in list_groups(request) for topic in group["topics"]}
        assert "wrong invoice" in shown
        assert set(list_groups(request)[0]) == {"group", "topics"}

    def test_is_in_the_ledger_and_in_the_trail(self, project, ask, settings, tmp_path):
        settings.DATA_DIR = tmp_path  # on SQLite the notes are in a file that no rollback empties
        ask()

        (entry,) = UsageEntry.objects.filter(kind=UsageEntry.Kind.NAMING)
        assert (entry.project_id, entry.input_tokens, entry.output_tokens) == (project.pk, 1000, 100)
        chain_notes(now=timezone.now() + dt.timedelta(minutes=5))
        works = [e.detail.get("work") for e in AuditEvent.objects.filter(action="engine.called")]
        assert works == ["naming"]

    def test_is_asked_about_once(self, project, ask):
        ask()
        before = dict(ContactReason.objects.values_list("pk", "name"))

        assert ask(answer("Something about invoice password parcel")) == []
        assert dict(ContactReason.objects.values_list("pk", "name")) == before


class TestANameThatAPersonGave:
    def test_stays(self, project, ask, alice):
        ask(answer("{}"))
        reason = ContactReason.objects.order_by("pk").first()
        reason_edits.edit_reason(reason.pk, {"name": "My own words"}, alice)

        ask()

        reason.refresh_from_db()
        assert (reason.name, reason.named_by_model) == ("My own words", False)


class TestAnAnswer:
    @pytest.mark.parametrize(
        "script",
        [
            answer("{}"),
            answer('{"names": 7}'),
            answer('{"names": [1]}'),
            answer('{"names": [{"group": "1", "name": 5}, {"group": 99, "name": "Wrong invoice"}]}'),
            answer("A lovely summer day"),
            answer("Invoice password parcel at www.example.com"),
            answer("Invoice password parcel 4711"),
            answer("Why is my invoice, password or parcel wrong"),
            answer("Invoice password parcel " * 9),
            answer("Invoice"),
            lambda _request, _number: ScriptedReply("no JSON"),
            lambda _request, _number: ScriptedReply("", finish_reason="length"),
            lambda _request, _number: ScriptedReply("down", status=500),
            lambda _request, _number: ScriptedReply("slow down", status=429, headers={"retry-after": "900"}),
            lambda _request, _number: ScriptedReply("no such key", status=401),
        ],
    )
    def test_that_is_no_use_leaves_the_names_of_topics(self, project, ask, script):
        ask(script)

        assert ContactReason.objects.count() == 3
        assert not ContactReason.objects.filter(named_by_model=True).exists()
        assert all(name[0].isupper() for name in names_of(project))

    def test_with_one_name_for_all_gives_it_once(self, project, ask):
        ask(answer("Invoice password parcel"))

        assert ContactReason.objects.filter(name="Invoice password parcel").count() == 1
        assert ContactReason.objects.count() == 3


class TestAPrivateProject:
    def test_sends_no_topic_to_the_common_model(self, project, ask):
        configure_project(project, {"private_transcription": True}, project.owner)

        assert ask() == []
        assert ContactReason.objects.exists()

    def test_asks_its_own_model(self, project, ask):
        configure_project(project, {"private_transcription": True}, project.owner)

        assert len(ask(private=True)) == 1
        assert names_of(project) == sorted(NAMES.values())


class TestErasure:
    def test_takes_a_word_that_only_the_erased_call_said_out_of_names_and_history(self, project, calls, ask):
        secret = add_call(project, "invoice of Zweistein wrong")
        ask(answer("Invoice of Zweistein"))
        assert ContactReason.objects.filter(name="Invoice of Zweistein", named_by_model=True).exists()
        secret.delete()

        forgetting.forget_calls(project, ["invoice of Zweistein wrong"])

        assert not ContactReason.objects.filter(name__icontains="zweistein").exists()
        assert "zweistein" not in json.dumps([c.summary for c in ReasonChange.objects.all()]).lower()

    def test_keeps_a_name_whose_words_other_calls_say(self, project, calls, ask):
        ask()
        calls[0].delete()

        forgetting.forget_calls(project, [BILLS[0]])

        assert names_of(project) == sorted(NAMES.values())
