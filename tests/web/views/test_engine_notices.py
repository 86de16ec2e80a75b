"""Every page says what waits for a person, to those who can do something about it."""

import datetime as dt
import socket
import uuid
from dataclasses import replace

import pytest
from django.db.models.functions import Now
from django.utils import timezone

from callscope.engines.errors import Trouble
from callscope.engines.identity import EngineId, identify_local_speech
from callscope.environment import EngineAddress
from callscope.pipeline.models import EngineState, Job
from callscope.pipeline.queue.breakers import states
from callscope.projects.models import ProjectShare

pytestmark = pytest.mark.django_db
LLM = EngineId("language", "http://llm.example:8000/v1")
NOTICE = "The language model at llm.example:8000 rejects the key in the settings."


@pytest.fixture(autouse=True)
def engines(settings):
    settings.ENVIRONMENT = replace(
        settings.ENVIRONMENT, llm=EngineAddress("http://me:secret@llm.example:8000/v1")
    )


def in_trouble(trouble):
    states.record_trouble(LLM, Job(id=uuid.uuid4()), trouble, "It said so.")


def page(client, user, path="/projects/", **headers):
    client.force_login(user)
    return client.get(path, headers=headers).content.decode()


class TestNotice:
    @pytest.mark.parametrize("path", ["/", "/calls/?project_id=", "/projects/", "/upload/"])
    def test_is_on_every_page_of_those_who_write(self, client, project, path):
        in_trouble(Trouble.KEY)

        shown = page(client, project.owner, path if path != "/" else "/report/?project_id=")

        assert NOTICE in shown
        assert "secret" not in shown

    def test_is_in_the_language_of_the_page(self, client, project):
        in_trouble(Trouble.QUOTA)

        assert "ha agotado su cuota" in page(client, project.owner, **{"accept-language": "es"})

    def test_is_not_for_those_who_only_read_or_see_nothing(self, client, project, bob, carol):
        in_trouble(Trouble.KEY)
        ProjectShare.objects.create(project=project, user=bob, role=ProjectShare.Role.VIEWER)

        assert "llm.example" not in page(client, bob)
        assert "llm.example" not in page(client, carol)

    def test_comes_after_a_while_where_the_trouble_may_pass(self, client, project):
        in_trouble(Trouble.UNREACHABLE)
        assert "llm.example" not in page(client, project.owner)

        EngineState.objects.update(since=timezone.now() - dt.timedelta(minutes=6))

        assert "The language model at llm.example:8000 cannot be reached." in page(client, project.owner)

    def test_names_a_model_that_is_missing_and_its_machine(self, client, project, settings):
        settings.ENVIRONMENT = replace(settings.ENVIRONMENT, transcriber=EngineAddress("local", model="tiny"))
        engine = identify_local_speech("local", "tiny")
        states.record_trouble(engine, Job(id=uuid.uuid4()), Trouble.MISSING, "It is not here.")

        shown = page(client, project.owner)

        assert (
            f"The speech model “tiny” on the server “{socket.gethostname()}” is missing or cannot be loaded."
            in shown
        )
        said = f"El modelo de voz «tiny» del servidor «{socket.gethostname()}» no está o no se puede cargar."
        assert said in page(client, project.owner, **{"accept-language": "es"})

    def test_goes_when_the_engine_works_again(self, client, project):
        in_trouble(Trouble.KEY)
        EngineState.objects.update(probe_at=Now())
        states.record_answer(LLM)

        assert "llm.example" not in page(client, project.owner)
