"""Trouble outside is no failure of a call: engines over real sockets that refuse, hang up and come back."""

import datetime as dt
import json
from dataclasses import replace

import pytest
from django.utils import timezone

from callscope.analysis.models import CallAnalysis
from callscope.engines.llm.scripted import ScriptedChatServer, ScriptedReply
from callscope.environment import EngineAddress
from callscope.pipeline.models import EngineState, Job
from callscope.pipeline.queue import jobs
from callscope.pipeline.queue.breakers.listing import list_engines_in_trouble
from callscope.pipeline.workers import sweep
from callscope.testing import run_due_jobs
from tests.pipeline.conftest import accept, srt

pytestmark = pytest.mark.django_db


class Model:
    """A language model whose trouble a test begins and ends."""

    def __init__(self) -> None:
        self.trouble: ScriptedReply | None = None

    def __call__(self, request, number):
        return self.trouble or ScriptedReply(fill_schema(schema_of(request)))


def schema_of(request):
    return request["response_format"]["json_schema"]["schema"]


def fill_schema(schema) -> str:
    """Return the smallest answer that follows a schema."""
    definitions = schema.get("$defs", {})

    def make(part):
        if "$ref" in part:
            part = definitions[part["$ref"].rpartition("/")[2]]
        if "anyOf" in part:
            return None if {"type": "null"} in part["anyOf"] else make(part["anyOf"][0])
        if "enum" in part:
            return part["enum"][0]
        kind = part.get("type")
        if isinstance(kind, list):
            return None
        if kind == "object":
            return {name: make(inner) for name, inner in part.get("properties", {}).items()}
        return {"array": [], "string": "", "boolean": False, "integer": 0, "number": 0}.get(kind)

    return json.dumps(make(schema))


@pytest.fixture
def model(settings):
    model = Model()
    with ScriptedChatServer(model) as server:
        model.server = server
        settings.ENVIRONMENT = replace(settings.ENVIRONMENT, llm=EngineAddress(server.url, model="m"))
        yield model


def analyses():
    return sorted(
        Job.objects.filter(kind=Job.Kind.ANALYZE).values_list("state", "attempts").order_by("state")
    )


def just_now():
    """Return a time that is over on the clock of the database, too: that of SQLite has milliseconds."""
    return timezone.now() - dt.timedelta(seconds=1)


def end_pause():
    EngineState.objects.update(probe_at=just_now())


FEW = 3  # files of a backlog, for each kind of trouble
WAIT = ScriptedReply("slow down", status=429, headers={"retry-after": "60"})
TROUBLES = {
    "rate limit": (WAIT, "busy"),
    "maintenance": (ScriptedReply("away", status=503, headers={"retry-after": "60"}), "busy"),
    "maintenance in words": (ScriptedReply("Overloaded, try again in 60s.", status=503), "busy"),
    "maintenance in milliseconds": (
        ScriptedReply("away", status=503, headers={"retry-after-ms": "60000"}),
        "busy",
    ),
    "loading": (ScriptedReply("Loading model", status=503), "busy"),
    "wrong key": (ScriptedReply("bad key", status=401), "key"),
    "empty quota": (ScriptedReply("insufficient_quota", status=429), "quota"),
    "unpaid": (ScriptedReply("pay first", status=402), "quota"),
    "no model": (ScriptedReply("model 'm' not found", status=404), "model"),
    "key in a list": (
        ScriptedReply(
            status=400,
            raw='[{"error": {"code": 400, "message": "API key not valid. Please pass a valid API key.", '
            '"status": "INVALID_ARGUMENT"}}]',
        ),
        "key",
    ),
    "wrong path": (ScriptedReply(status=404, raw="<html><body><h1>Not Found</h1></body></html>"), "address"),
    "wrong path in JSON": (ScriptedReply(status=404, raw='{"detail": "Not Found"}'), "address"),
    "unpaid in an answer": (
        ScriptedReply(raw='{"error": {"code": 402, "message": "Insufficient credits"}}'),
        "quota",
    ),
}


class TestTroubleOfTheEngine:
    @pytest.mark.parametrize(("reply", "reason"), TROUBLES.values(), ids=TROUBLES.keys())
    def test_parks_the_backlog_and_lets_it_go_on_by_itself(self, judged, model, reply, reason):
        for _ in range(FEW):
            accept(judged)
        model.trouble = reply

        for _ in range(jobs.MAX_ATTEMPTS + 2):
            end_pause()
            run_due_jobs()

        assert analyses() == [("queued", 0)] * FEW
        assert [status.reason for status in list_engines_in_trouble()] == [reason]
        model.trouble = None
        end_pause()
        run_due_jobs()
        assert analyses() == [("done", 1)] * FEW
        assert list_engines_in_trouble() == []

    def test_costs_one_request_a_pause(self, judged, model):
        for _ in range(6):
            accept(judged)
        model.trouble = WAIT

        run_due_jobs()
        run_due_jobs()

        assert len(model.server.requests) == 1

    def test_of_an_engine_that_is_not_there_parks_too(self, judged, model):
        for _ in range(6):
            accept(judged)
        model.server.__exit__(None, None, None)
        for _ in range(jobs.MAX_ATTEMPTS + 2):
            end_pause()
            run_due_jobs()

        assert analyses() == [("queued", 0)] * 6
        assert [status.reason for status in list_engines_in_trouble()] == ["unreachable"]

    def test_is_waited_out_in_place_by_a_job_that_has_answers_already(self, judged, model):
        accept(judged)
        bad = ScriptedReply("This is not JSON, so the model is asked again.")
        replies = [bad, replace(WAIT, headers={"retry-after": "0"}), bad, bad]
        model.server.script = lambda request, number: replies[number]

        run_due_jobs()

        assert analyses() == [("done", 1)]
        assert len(model.server.requests) == 4
        assert list_engines_in_trouble() == []

    def test_leaves_other_work_alone(self, judged, model):
        accept(judged)
        model.trouble = WAIT
        run_due_jobs()

        accept(judged)
        run_due_jobs()

        assert Job.objects.filter(kind=Job.Kind.TRANSCRIBE, state=Job.State.DONE).count() == 2


class TestPatience:
    def test_ends_with_the_reason(self, judged, model, settings):
        files = [accept(judged) for _ in range(2)]
        model.trouble = ScriptedReply("bad key", status=401)
        run_due_jobs()
        past = timezone.now() - dt.timedelta(seconds=settings.ENGINE_PATIENCE + 1)
        EngineState.objects.update(since=past)
        Job.objects.filter(state=Job.State.QUEUED).update(run_after=past)

        assert sweep.fail_expired() == 2

        assert [state for state, _ in analyses()] == ["failed"] * 2
        for analysis in CallAnalysis.objects.filter(file__in=files):
            assert "rejected CALLSCOPE_LLM_API_KEY (HTTP 401)" in analysis.errors["calls_analysis_copc"]
            assert "24 h" in analysis.errors["calls_analysis_copc"]

    def test_lasts_while_the_engine_answers_others(self, judged, model, settings):
        accept(judged)
        model.trouble = WAIT
        run_due_jobs()
        Job.objects.update(run_after=timezone.now() - dt.timedelta(seconds=settings.ENGINE_PATIENCE + 1))

        assert sweep.fail_expired() == 0
        assert analyses() == [("queued", 0)]

    def test_ends_for_a_job_whose_engine_answered_nobody_meanwhile(self, judged, model, settings):
        accept(judged)
        model.trouble = WAIT
        run_due_jobs()
        past = timezone.now() - dt.timedelta(seconds=settings.ENGINE_PATIENCE + 1)
        Job.objects.update(parked_at=past)
        EngineState.objects.update(since=past)
        end_pause()

        run_due_jobs()

        assert [state for state, _ in analyses()] == ["failed"]

    @pytest.mark.parametrize(("part", "state"), [(0.95, "queued"), (1.05, "failed")])
    def test_is_the_same_where_the_engine_answered_others_meanwhile(
        self, judged, model, settings, part, state
    ):
        """A request may be too much for an engine each time, so it does not wait without end."""
        accept(judged)
        model.trouble = WAIT
        run_due_jobs()
        waited = dt.timedelta(seconds=part * settings.ENGINE_PATIENCE)
        Job.objects.update(parked_at=timezone.now() - waited)
        end_pause()

        run_due_jobs()

        assert [found for found, _ in analyses()] == [state]


class TestFailureOfOneCall:
    def test_spends_five_attempts_while_the_engine_answers_others(self, judged, model):
        poison = accept(judged)
        for _ in range(6):
            accept(judged)
        run_due_jobs_where_one_fails(model, poison)

        failed = Job.objects.get(kind=Job.Kind.ANALYZE, state=Job.State.FAILED)
        assert (failed.subject_id, failed.attempts) == (poison.pk, jobs.MAX_ATTEMPTS)
        assert analyses().count(("done", 1)) == 6

    @pytest.mark.parametrize(
        "reply",
        [
            ScriptedReply("oops", status=500),
            ScriptedReply("tenant is not set up", status=400),
            ScriptedReply(raw='{"status": "ok"}'),
        ],
    )
    def test_parks_when_it_turns_out_to_be_everybodys(self, judged, model, settings, reply):
        settings.RETRY_PAUSE = 60  # the others have their turn before a job is tried again
        for _ in range(4):
            accept(judged)
        model.trouble = reply

        for _ in range(2 * jobs.MAX_ATTEMPTS):
            end_pause()
            Job.objects.update(run_after=just_now())
            run_due_jobs()

        assert [state for state, _ in analyses()] == ["queued"] * 4
        assert max(attempts for _, attempts in analyses()) <= 2
        model.trouble = None
        end_pause()
        Job.objects.update(run_after=just_now())
        run_due_jobs()
        assert [state for state, _ in analyses()] == ["done"] * 4

    @pytest.mark.parametrize(
        "reply",
        [
            ScriptedReply(status=403, raw="<html><h1>Sorry, you have been blocked</h1></html>"),
            ScriptedReply(status=404, raw="<html><h1>Not Found</h1></html>"),
        ],
    )
    def test_that_looks_like_the_engines_pauses_others_once(self, judged, model, reply):
        accept(judged, srt([("Agent", "select * from bills")]))
        others = 4
        for _ in range(others):
            accept(judged)
        model.server.script = lambda request, number: (
            reply if "select * from" in json.dumps(request["messages"]) else model(request, number)
        )
        paused = []
        for _ in range(jobs.MAX_ATTEMPTS + 2):
            end_pause()
            Job.objects.filter(state=Job.State.QUEUED).update(run_after=just_now())
            run_due_jobs()
            paused.append([status.reason for status in list_engines_in_trouble()])

        assert analyses() == [("done", 1)] * others + [("failed", jobs.MAX_ATTEMPTS)]
        assert len([reasons for reasons in paused if reasons]) <= 1
        assert list_engines_in_trouble() == []

    def test_that_costs_more_than_is_left_waits_by_itself(self, judged, model, settings):
        settings.RETRY_PAUSE = 1.0
        accept(judged, srt([("Agent", "a long story")]))
        accept(judged)
        unpaid = ScriptedReply("This request needs more credits.", status=402)
        model.server.script = lambda request, number: (
            unpaid if "a long story" in json.dumps(request["messages"]) else model(request, number)
        )
        for _ in range(jobs.MAX_ATTEMPTS + 2):
            end_pause()
            run_due_jobs()

        assert analyses() == [("done", 1), ("queued", 0)]
        assert list_engines_in_trouble() == []
        assert Job.objects.get(state=Job.State.QUEUED).run_after > timezone.now()

    def test_by_refused_content_ends_it_at_once(self, judged, model):
        accept(judged)
        model.trouble = ScriptedReply("Your input was flagged by moderation.", status=403)

        run_due_jobs()

        assert list_engines_in_trouble() == []
        assert Job.objects.get(kind=Job.Kind.ANALYZE).state != Job.State.QUEUED

    def test_by_a_refusal_that_says_nothing_ends_it_after_a_second_try(self, judged, model):
        poison = accept(judged)
        for _ in range(3):
            accept(judged)
        run_due_jobs_where_one_fails(model, poison, ScriptedReply("Bad request.", status=400))

        assert list_engines_in_trouble() == []
        assert [state for state, _ in analyses()] == ["done"] * 4
        errors = {each.file_id: each.errors for each in CallAnalysis.objects.all()}
        assert "Bad request." in errors.pop(poison.pk)["calls_analysis_copc"]
        assert "Bad request." not in str(errors)

    def test_by_refused_content_of_many_pauses_nothing(self, judged, model):
        for _ in range(5):
            accept(judged)
        model.trouble = ScriptedReply("Your input was flagged by moderation.", status=400)

        run_due_jobs()

        assert list_engines_in_trouble() == []
        assert "queued" not in [state for state, _ in analyses()]


OOPS = ScriptedReply("oops", status=500)


def run_due_jobs_where_one_fails(model, poison, reply=OOPS):
    """Let the engine answer every file but one."""
    from callscope.analysis import analyze

    real = analyze.analyze

    def choose(transcript, *arguments, **options):
        model.trouble = reply if transcript.file_id == poison.pk else None
        return real(transcript, *arguments, **options)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(analyze, "analyze", choose)
        for _ in range(3 * jobs.MAX_ATTEMPTS):
            end_pause()
            run_due_jobs()
