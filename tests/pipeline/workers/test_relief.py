"""A worker whose job waits for an engine lends a hand to other projects."""

import threading

import pytest

from callscope.engines.llm.scripted import ScriptedChatServer, ScriptedReply
from callscope.pipeline.models import Job
from callscope.pipeline.workers import relief
from callscope.pipeline.workers.worker import Worker
from callscope.projects.models import Project
from tests.pipeline.conftest import RUBRIC, accept, configure, srt
from tests.pipeline.queue.breakers.test_parking import fill_schema, schema_of

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("job_processes_may_start")]

PATIENCE_S = 240  # machines are shared; only a hang may fail a test


def test_another_project_goes_on_while_the_only_worker_hangs(judged, alice, settings, monkeypatch):
    from dataclasses import replace

    from callscope.environment import EngineAddress

    monkeypatch.setattr(relief, "BEGIN_S", 0.1)
    gate, hangs = threading.Event(), threading.Event()

    def script(request, number):
        if "HANG" in str(request["messages"]):
            hangs.set()
            gate.wait(PATIENCE_S)
        return ScriptedReply(fill_schema(schema_of(request)))

    other = configure(Project.objects.create(name="Other", owner=alice), RUBRIC)
    with ScriptedChatServer(script) as server:
        settings.ENVIRONMENT = replace(settings.ENVIRONMENT, llm=EngineAddress(server.url))
        monkeypatch.setenv("CALLSCOPE_LLM_URL", server.url)
        accept(judged, srt([("Agent", "HANG"), ("Customer", "I have been charged twice this month.")]))
        worker = Worker()
        thread = threading.Thread(target=_run, args=(worker,))
        thread.start()
        try:
            assert hangs.wait(PATIENCE_S)
            file = accept(other)

            done = Job.objects.filter(subject_id=file.pk, kind=Job.Kind.ANALYZE, state=Job.State.DONE)
            assert _wait_for(done.exists)
            assert Job.objects.filter(project=judged, state=Job.State.RUNNING).count() == 1
        finally:
            gate.set()
            worker.stop.request()
            thread.join(PATIENCE_S)


def _run(worker):
    from django.db import connections

    try:
        worker.run()
    finally:
        connections.close_all()


def _wait_for(condition):
    pause = threading.Event()
    for _ in range(PATIENCE_S * 5):
        if condition():
            return True
        pause.wait(0.2)
    return False
