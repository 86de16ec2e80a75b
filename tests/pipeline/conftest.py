"""Files of a project as an upload leaves them, and the way to run what is queued."""

import itertools

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db import transaction
from django.utils import timezone

from callscope.analysis.models import AnalysisState, CallAnalysis
from callscope.calls.models import Call, UploadedFile
from callscope.pipeline.models import Job
from callscope.pipeline.queue import jobs
from callscope.projects.models import Project

RUBRIC = {
    "rubric": {
        "sections": [
            {
                "name": "Opening",
                "criteria": [
                    {
                        "id": "greeting",
                        "name": "Greets",
                        "max_points": 10,
                        "rule": {"speaker": "agent", "any_of": ["good morning"]},
                    }
                ],
            }
        ]
    }
}
TALK = [
    ("Agent", "Good morning, this is Ana speaking, how can I help you?"),
    ("Customer", "Hello, I have been charged twice on my invoice this month."),
    ("Agent", "I am sorry to hear that, let me correct the invoice for you."),
    ("Customer", "Thank you very much, that solves it."),
]
_names = itertools.count(1)


def srt(lines=TALK) -> bytes:
    """Return a transcript in which each line takes three seconds."""
    cues = [
        f"{n + 1}\n00:00:{3 * n:02d},000 --> 00:00:{3 * n + 2:02d},500\n{speaker}: {text}\n"
        for n, (speaker, text) in enumerate(lines)
    ]
    return "\n".join(cues).encode()


def configure(project: Project, document: dict) -> Project:
    from callscope.projects import configuration

    project.config = configuration.parse(document).model_dump(mode="json")
    project.save()
    return project


def accept(project: Project, content: bytes | None = None, *, name: str = "", file_type: str = "srt"):
    """Accept a file as intake does: file, call, open analyses and the job in one transaction."""
    name = name or f"call-{next(_names)}.{file_type}"
    now = timezone.now()
    key = default_storage.save(name, ContentFile(srt() if content is None else content))
    with transaction.atomic():
        call, _ = Call.objects.get_or_create(
            project=project,
            file_name=name,
            defaults={"name_stem": name.rpartition(".")[0], "call_datetime": now, "uploaded_at": now},
        )
        file = UploadedFile.objects.create(
            project=project,
            call=call,
            uploaded_by=project.owner,
            original_filename=name,
            file_type=file_type,
            storage_key=key,
            created_at=now,
        )
        CallAnalysis.objects.filter(call=call, is_newest=True).update(is_newest=False)
        CallAnalysis.objects.create(
            file=file,
            call=call,
            project=project,
            copc_state=AnalysisState.QUEUED,
            insights_state=AnalysisState.QUEUED,
        )
        Call.objects.filter(pk=call.pk).update(newest_file=file)
        job = jobs.enqueue(Job.Kind.TRANSCRIBE, project, file.pk)
        file.task_id = job.pk
        file.save()
    return file


@pytest.fixture
def judged(project):
    """Alice's call project with a rubric of one criterion."""
    return configure(project, RUBRIC)


@pytest.fixture
def due_at_once(monkeypatch):
    """Regroupings by themselves do not wait for further uploads."""
    from callscope.pipeline.files import regrouping

    monkeypatch.setattr(regrouping, "QUIET_S", 0.0)


def processes_environment(data_dir) -> dict[str, str]:
    """Return the settings with which another process works on the database of this test."""
    from django.db import connection

    database = connection.settings_dict
    url = f"sqlite:///{database['NAME']}"
    if connection.vendor == "postgresql":
        login = database["USER"] + (f":{database['PASSWORD']}" if database["PASSWORD"] else "")
        url = f"postgres://{login}@{database['HOST']}:{database['PORT']}/{database['NAME']}"
    return {
        "CALLSCOPE_DATABASE_URL": url,
        "CALLSCOPE_DATA_DIR": str(data_dir),
        "CALLSCOPE_EMBEDDER": "words",  # the built-in one takes each job process 4 s of computing
        "DJANGO_SETTINGS_MODULE": "callscope.settings",
    }


@pytest.fixture
def job_processes_may_start(monkeypatch, tmp_path):
    """Job processes find the database and the recordings of this test."""
    for name, value in processes_environment(tmp_path).items():
        monkeypatch.setenv(name, value)
