"""Visitors in a browser, and a project of analysed calls that came in by the product's own import."""

import datetime as dt
import io
import json
from concurrent.futures import Future
from html.parser import HTMLParser
from types import SimpleNamespace

import pytest
from django.test import Client

CONFIGURATION = {
    "rubric": {
        "sections": [
            {
                "name": "Opening",
                "criteria": [
                    {"id": "greeting", "name": "Greets", "max_points": 10, "guideline": "The agent greets."},
                ],
            },
            {
                "name": "Security",
                "criteria": [
                    {
                        "id": "identity",
                        "name": "Verifies the caller",
                        "max_points": 20,
                        "critical": True,
                        "critical_class": "compliance",
                        "may_not_apply": True,
                    },
                ],
            },
        ]
    },
    "no_protocol": {"prompts": [{"id": "recording", "text": "Says it is recorded", "any_of": ["recorded"]}]},
    "custom_questions": ["Was a refund promised?"],
}


def visitor_of(user, **options):
    """Return a browser in which this user is signed in."""
    client = Client(**options)
    client.force_login(user, backend="callscope.accounts.sign_in.EmailBackend")
    return client


def send_inline(monkeypatch):
    """Let mails be sent in the test's own thread, which alone sees the rows of its transaction."""
    from callscope.accounts import mail

    def submit(work, *args):
        future = Future()
        future.set_result(work(*args))
        return future

    monkeypatch.setattr(mail, "_sender", SimpleNamespace(submit=submit))
    monkeypatch.setattr(mail, "connection", SimpleNamespace(close=lambda: None))


@pytest.fixture
def visitor():
    return Client()


@pytest.fixture
def as_alice(alice):
    return visitor_of(alice)


@pytest.fixture
def as_carol(carol):
    return visitor_of(carol)


@pytest.fixture
def project(alice):
    """Alice's call project with a rubric of two criteria."""
    from callscope.projects.services import create_project

    return create_project(alice, "Service line", document=CONFIGURATION)


def line(number=1, *, greeting=10, identity=20, applies=True, **fields):
    """Return a line of the import format: one call scored by both criteria."""
    critical = applies and identity == 0
    scores = [
        {
            "criterion_id": "greeting", "name": "Greets", "section": "Opening", "score": greeting,
            "max_points": 10, "applicability": "evaluated", "is_critical_error": False,
            "justification": "Said at the start.", "quote": "[00:03] good morning" if greeting else "",
        },
        {
            "criterion_id": "identity", "name": "Verifies the caller", "section": "Security",
            "score": identity, "max_points": 20,
            "applicability": "evaluated" if applies else "not_applicable", "is_critical_error": critical,
            "critical_class": "compliance" if critical else None, "justification": "", "quote": "",
        },
    ]  # fmt: skip
    return {
        "file_name": f"call-{number}.wav",
        "call_datetime": f"2026-03-{number:02d}T10:00:00+00:00",
        "duration_seconds": 60,
        "agent_name": "Ana Ruiz",
        "direction": "inbound",
        "sentiment": "neutral",
        "topic": "late fee",
        "goal_reached": True,
        "copc": {"criterion_scores": scores},
        "no_protocol": {"mistakes": [], "missing_prompts": []},
        "custom_questions": {"answers": {"Was a refund promised?": {"answer": "No", "quotes": []}}},
    } | fields


def bring(project, *lines):
    """Import these lines; return the calls in their order."""
    from callscope.calls.models import Call
    from callscope.pipeline.transfer.importer import import_calls

    result = import_calls(project, io.BytesIO("\n".join(json.dumps(each) for each in lines).encode()))
    assert not result.errors
    by_name = {call.file_name: call for call in Call.objects.filter(project=project)}
    return [by_name[each["file_name"]] for each in lines]


def set_target(project, percent):
    """Set the target of the average score, None for none."""
    targets = {} if percent is None else {"average_score": percent}
    project.config = {**project.config, "targets": targets}
    project.save()


@pytest.fixture
def world(project):
    return bring_three(project)


def bring_three(project):
    """Three calls of March 2026: a perfect one, a critical one, one to which identity does not apply."""
    return bring(
        project,
        line(1),
        line(
            2, identity=0, sentiment="negative", goal_reached=False, agent_name="Ben Okafor", topic="outage"
        ),
        line(3, greeting=5, applies=False, direction="outbound"),
    )


def give_transcript(call, *, audio=True, speech=None, **fields):
    """Give the call's live file a transcript, as the pipeline would have stored it."""
    from callscope.transcription.models import Transcript

    file = call.newest_file
    file.file_type = "audio" if audio else "vtt"
    file.storage_key = f"1/{call.pk}.wav"
    file.duration_us = 60_000_000
    file.save()
    segments = [
        {"start": 0.5, "end": 2.0, "speaker": "customer", "text": "Hello?", "confidence": None},
        {"start": 3.0, "end": 6.0, "speaker": "agent", "text": "Good morning, Ana here.", "confidence": 0.9},
    ]
    given = {"segments": segments, "engine": "local", "speech": speech or {}, **fields}
    for name in ("engine", "model"):  # as long as their columns
        if name in given:
            given[name] = given[name][: Transcript._meta.get_field(name).max_length]
    return Transcript.objects.create(file=file, project=call.project, **given)


def remove_results(project, *, days=5, spares=()):
    """Let the calls but those it `spares` be so many days old, and a sweep remove their results alone."""
    from django.utils import timezone

    from callscope.calls.models import UploadedFile
    from callscope.pipeline.erasure import retention

    now = timezone.now()
    project.config = project.config | {"retention": {"results_days": days - 2}}
    project.save()
    old = UploadedFile.objects.filter(project=project).exclude(call__in=spares)
    old.update(created_at=now - dt.timedelta(days=days, hours=1))
    retention.sweep_project(project, now=now)


class Page(HTMLParser):
    """A page as its elements: [(tag, attributes)], and its text."""

    def __init__(self, markup):
        super().__init__()
        self.elements = []
        self.texts = []
        self.feed(markup.replace("<wbr>", ""))  # where a word may break it is a word all the same

    def updatepos(self, i, j):
        """Count no lines: nobody asks for them, and it takes an eighth of the time."""
        return j

    def handle_starttag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))

    def handle_data(self, data):
        self.texts.append(data)

    @property
    def text(self):
        return " ".join(" ".join(self.texts).split())

    def all(self, tag, **wanted):
        return [a for t, a in self.elements if t == tag and all(a.get(k) == v for k, v in wanted.items())]


def page(response, status=200):
    assert response.status_code == status, response.content[:500]
    return Page(response.content.decode())


TODAY = dt.date(2026, 3, 31)
