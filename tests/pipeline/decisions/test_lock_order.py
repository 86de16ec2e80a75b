"""Who changes a call locks its project first: settings lock the project and the audit trail, then calls.

A call locked without its project, and the audit trail after it, would be a cycle with that change.
"""

import io
import json
import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from callscope.accounts.models import AuditHead
from callscope.calls.models import Agent, Call
from callscope.calls.own_calls import link_user
from callscope.contact_reasons.models import ContactReason
from callscope.pipeline.decisions.appeal_edits import file_appeal
from callscope.pipeline.decisions.reason_edits import move_calls, move_calls_to_code
from callscope.pipeline.decisions.review_edits import create_review
from callscope.pipeline.erasure.removal import erase_call
from callscope.pipeline.files.intake import apply_manifest, update_metadata
from callscope.pipeline.transfer.importer import import_calls
from callscope.projects.models import Project
from callscope.projects.services import configure_project
from callscope.reviews import notes
from callscope.reviews.answers import GivenAnswer
from callscope.reviews.revisions import GivenReview
from tests.pipeline.conftest import RUBRIC

LINE = {
    "file_name": "c.wav",
    "agent_name": "Ana",
    "contact_reason": "Bills",
    "call_datetime": "2026-03-02T10:00:00+00:00",
    "copc": {
        "criterion_scores": [
            {
                "criterion_id": "greeting",
                "name": "Greets",
                "section": "Opening",
                "score": 10,
                "max_points": 10,
            }
        ]
    },
}
MANIFEST = b"filename,call_datetime,campaign\nc.wav,2026-03-02 10:00,Spring\n"


@pytest.fixture
def call(alice):
    if connection.vendor != "postgresql":
        pytest.skip("SQLite locks no rows: it has one writer")
    project = Project.objects.create(name="Locks", owner=alice)
    configure_project(project, RUBRIC, alice)
    assert import_calls(project, io.BytesIO(json.dumps(LINE).encode()), by=alice).errors == []
    ContactReason.objects.get_or_create(project=project, name="Moves", defaults={"is_pinned": True})
    return Call.objects.get()


def change_metadata(call, by):
    return lambda: update_metadata(call.newest_file, {"campaign": "Spring"}, by)


def apply_row(call, by):
    return lambda: apply_manifest(call.project, io.BytesIO(MANIFEST), by)


def write_note(call, by):
    return lambda: notes.create_note(call, "Well done.", 0, by, is_shared=True)


def change_note(call, by):
    note = write_note(call, by)()
    return lambda: notes.change_note(note, by, is_shared=False)


def remove_note(call, by):
    note = write_note(call, by)()
    return lambda: notes.remove_note(note, by)


def review(call, by):
    given = GivenReview([GivenAnswer("greeting", "not_met")], submits=True)
    return lambda: create_review(call.pk, given, by)


def appeal(call, by):
    link_user(call.project, by.email, Agent.objects.get(name="Ana"))
    return lambda: file_appeal(call.pk, "greeting", "Because.", by)


def move(call, by):
    reason = ContactReason.objects.get(name="Moves")
    return lambda: move_calls(reason.pk, [call.pk], by)


def move_to_code(call, by):
    codes = {"mode": "predefined", "codes": [{"code": "New"}]}
    configure_project(call.project, {**call.project.config, "contact_reasons": codes}, by)
    return lambda: move_calls_to_code(call.project, "New", [call.pk], by)


def import_again(call, by):
    line = json.dumps({**LINE, "agent_name": "Bruno"}).encode()
    return lambda: import_calls(call.project, io.BytesIO(line), by=by)


def erase(call, by):
    return lambda: erase_call(call, by)


ACTS = [change_metadata, apply_row, write_note, change_note, remove_note, review, appeal, move]
ACTS += [move_to_code, import_again, erase]
LOCKED = re.compile(r'FROM "(\w+)".* FOR (?:NO KEY )?UPDATE')


@pytest.mark.django_db
@pytest.mark.parametrize("act", ACTS, ids=lambda each: each.__name__)
def test_the_project_is_locked_first(act, call, bob):
    do = act(call, bob)

    with CaptureQueriesContext(connection) as captured:
        do()

    locked = [found[1] for each in captured if (found := LOCKED.search(each["sql"]))]
    assert {Call._meta.db_table, AuditHead._meta.db_table} & set(locked)
    assert locked[0] == Project._meta.db_table
    written = next(n for n, each in enumerate(captured) if each["sql"].startswith(("INSERT", "UPDATE")))
    assert written > next(n for n, each in enumerate(captured) if LOCKED.search(each["sql"]))
