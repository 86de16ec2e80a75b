"""Settings: a bad value stops the start with one line; an unknown one is named."""

import pytest

from callscope.environment import BadSetting, Environment

pytestmark = pytest.mark.one_database


class TestBadSetting:
    @pytest.mark.parametrize(
        ("name", "value", "allowed"),
        [
            ("CALLSCOPE_TIME_ZONE", "Europe/Atlantis", "an IANA name such as UTC or Europe/Madrid"),
            ("CALLSCOPE_TIME_ZONE", "../etc/passwd", "an IANA name such as UTC or Europe/Madrid"),
            ("CALLSCOPE_RATE_LIMIT", "600", "N/sec, N/min, N/hour, N/day or off"),
            ("CALLSCOPE_RATE_LIMIT", "0/min", "N/sec, N/min, N/hour, N/day or off"),
            ("CALLSCOPE_MAX_UPLOAD_MB", "-1", "a whole number from 1"),
            ("CALLSCOPE_MAX_UPLOAD_MB", "٣", "a whole number from 1"),
            ("CALLSCOPE_WEB_PROCESSES", "0", "a whole number from 1 to 64"),
            ("CALLSCOPE_WEB_PROCESSES", "65", "a whole number from 1 to 64"),
            ("CALLSCOPE_WEB_PROCESSES", "two", "a whole number from 1 to 64"),
            ("CALLSCOPE_RETRY_PAUSE", "nan", "a number from 0, such as 1 or 0.5"),
            ("CALLSCOPE_QUEUE_URL", "kafka://x", "amqp://… or amqps://… or redis://… or rediss://…"),
            ("CALLSCOPE_STORAGE_URL", "ftp://x/y", "s3://…"),
            ("CALLSCOPE_DATABASE_URL", "mysql://x/y", "postgres://… or sqlite:///…"),
            ("CALLSCOPE_TRANSCRIBER", "wisper", "an http(s) URL, local or demo"),
            ("CALLSCOPE_LLM_URL", "local", "an http(s) URL"),
            ("CALLSCOPE_PRIVATE_LLM_URL", "demo", "an http(s) URL"),
            ("CALLSCOPE_LLM_PRICE_INPUT", "0,15", "a price from 0, such as 0.15"),
            ("CALLSCOPE_TRANSCRIBER_PRICE_MINUTE", "-1", "a price from 0, such as 0.15"),
            ("CALLSCOPE_URL_PREFIX", "callscope", "a path such as /callscope"),
        ],
    )
    def test_names_the_setting_the_value_and_what_is_allowed(self, name, value, allowed):
        with pytest.raises(BadSetting) as caught:
            Environment.read({name: value})

        assert str(caught.value) == f'{name} is "{value}". Allowed: {allowed}.'

    def test_does_not_show_a_password(self):
        with pytest.raises(BadSetting) as caught:
            Environment.read({"CALLSCOPE_DATABASE_URL": "mysql://admin:hunter2@db/x"})

        assert "hunter2" not in str(caught.value)


class TestEnvironment:
    def test_has_these_defaults(self, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)

        env = Environment.read({})

        assert env.data_dir == tmp_path / "callscope-data"
        assert env.database_url == f"sqlite:///{tmp_path}/callscope-data/callscope.sqlite3"
        assert (env.time_zone, env.rate_limit, env.retry_pause) == ("UTC", "600/min", 1)
        assert (env.queue_url, env.storage_url, env.llm.address) == ("", "", "")

    @pytest.mark.parametrize(("cores", "processes"), [(1, 1), (2, 2), (4, 4), (32, 4)])
    def test_has_a_web_process_for_each_core_up_to_four(self, monkeypatch, cores, processes):
        monkeypatch.setattr("callscope.environment.cores", lambda: cores)

        assert Environment.read({}).web_processes == processes
        assert Environment.read({"CALLSCOPE_WEB_PROCESSES": "7"}).web_processes == 7

    def test_names_variables_that_nothing_reads(self):
        env = Environment.read({"CALLSCOPE_TIMEZONE": "UTC", "CALLSCOPE_API_KEY": "a.b", "OTHER": "1"})

        assert env.unknown == ["CALLSCOPE_TIMEZONE"]

    def test_hides_engine_keys_when_shown(self):
        env = Environment.read(
            {"CALLSCOPE_LLM_URL": "http://127.0.0.1:1", "CALLSCOPE_LLM_API_KEY": "sk-secret"}
        )

        assert "sk-secret" not in repr(env)


class TestPrices:
    def test_are_of_a_million_tokens_and_of_a_minute(self):
        env = Environment.read(
            {
                "CALLSCOPE_LLM_PRICE_INPUT": "0.15",
                "CALLSCOPE_LLM_PRICE_OUTPUT": "0.6",
                "CALLSCOPE_PRIVATE_TRANSCRIBER_PRICE_MINUTE": "0.006",
            }
        )

        assert env.llm.tokens_cost_micros(2_000_000, 500_000) == 600_000
        assert env.private_transcriber.audio_cost_micros(90_000_000) == 9_000
        assert env.transcriber.audio_cost_micros(90_000_000) is None
        assert env.private_llm.tokens_cost_micros(1, 1) is None
        assert env.unknown == []

    def test_of_tokens_come_as_a_pair(self):
        with pytest.raises(BadSetting) as caught:
            Environment.read({"CALLSCOPE_LLM_PRICE_INPUT": "0.15"})

        assert str(caught.value).startswith('CALLSCOPE_LLM_PRICE_OUTPUT is "". Allowed: a price')
