"""What `callscope doctor` finds."""

import dataclasses

import pytest

from callscope.environment import EngineAddress
from callscope.pipeline import checks

pytestmark = pytest.mark.django_db


@pytest.fixture
def setting(settings):
    def change(**values):
        settings.ENVIRONMENT = dataclasses.replace(settings.ENVIRONMENT, **values)

    return change


class TestChecks:
    def test_find_a_working_installation_in_order(self):
        found = {check.name: check.is_ok for check in checks.everything()}

        assert found["database"] and found["migrations"] and found["storage"] and found["queue"]
        assert found["analysis"]

    def test_say_how_to_mend_an_open_secret_key(self, settings, setting, tmp_path):
        setting(secret_key="")
        settings.DATA_DIR = tmp_path
        key = tmp_path / "secret_key"
        key.write_text("k")
        key.chmod(0o644)

        check = checks.secret_key()

        assert not check.is_ok
        assert check.advice == f"Run `chmod 600 {key}`."

    def test_warn_of_a_missing_recogniser_without_failing(self, setting):
        setting(transcriber=EngineAddress("http://127.0.0.1:1/v1"))

        check = next(c for c in checks.engines() if c.name == "speech recognition")

        assert not check.is_ok
        assert check.is_warning
        assert check.advice

    def test_name_unknown_settings(self, setting):
        setting(unknown=["CALLSCOPE_TIMEZONE"])

        check = checks.unknown_settings()

        assert "CALLSCOPE_TIMEZONE" in check.detail
        assert check.is_warning

    def test_tell_what_judges_private_projects(self, setting):
        setting(llm=EngineAddress("http://llm.example/v1", model="big"))

        check = next(c for c in checks.engines() if c.name == "analysis of private projects")

        assert check.detail == "the built-in rules analyser"

    def test_tell_what_judges_the_calls(self, setting):
        setting(llm=EngineAddress("http://llm.example/v1", model="big"))

        check = next(c for c in checks.engines() if c.name == "analysis")

        assert check.detail == "http://llm.example/v1, big"
