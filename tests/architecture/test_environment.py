"""Settings: a bad value stops the start with one line; an unknown one is named."""

import pytest

from callscope.environment import BadSetting, Environment, hide_password

pytestmark = pytest.mark.one_database


class TestBadSetting:
    @pytest.mark.parametrize(
        ("name", "value", "allowed"),
        [
            ("CALLSCOPE_TIME_ZONE", "Europe/Atlantis", "an IANA name such as UTC or Europe/Madrid"),
            ("CALLSCOPE_TIME_ZONE", "../etc/passwd", "an IANA name such as UTC or Europe/Madrid"),
            ("CALLSCOPE_RATE_LIMIT", "600", "N/sec, N/min, N/hour, N/day or off"),
            ("CALLSCOPE_RATE_LIMIT", "0/min", "N/sec, N/min, N/hour, N/day or off"),
            ("CALLSCOPE_AUDIT_DAYS", "29", "a whole number from 30 to 36500"),
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

    @pytest.mark.parametrize(
        ("name", "value"),
        [
            ("CALLSCOPE_DATABASE_URL", "mysql://admin:hunter2@db/x"),
            ("CALLSCOPE_DATABASE_URL", "mysql://admin:hun/ter2@db/x"),
            ("CALLSCOPE_QUEUE_URL", "kafka://admin:hunter2@broker"),
            ("CALLSCOPE_LLM_URL", "ftp://admin:hunter2@llm/v1"),
        ],
    )
    def test_does_not_show_a_password(self, name, value):
        with pytest.raises(BadSetting) as caught:
            Environment.read({name: value})

        assert "ter2" not in str(caught.value)
        assert "\n" not in str(caught.value)

    @pytest.mark.parametrize(
        ("name", "value"),
        [
            ("CALLSCOPE_MAX_UPLOAD_MB", "1_0"),
            ("CALLSCOPE_MAX_UPLOAD_MB", "+5"),
            ("CALLSCOPE_MAX_UPLOAD_MB", "5.0"),
            ("CALLSCOPE_RETRY_PAUSE", "1e3"),
            ("CALLSCOPE_LLM_PRICE_INPUT", "1_0"),
            ("CALLSCOPE_DEBUG", "yes"),
            ("CALLSCOPE_WHISPER_DEVICE", "CUDA"),
            ("CALLSCOPE_URL_PREFIX", "/a//b"),
            ("CALLSCOPE_QUEUE_URL", "redis:///0"),
            ("CALLSCOPE_STORAGE_URL", "s3://"),
            ("CALLSCOPE_EMBED_URL", "http://"),
        ],
    )
    def test_is_not_guessed_to_mean_something(self, name, value):
        with pytest.raises(BadSetting, match=f"^{name} is "):
            Environment.read({name: value})


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

    def test_takes_what_the_variables_say(self):
        env = Environment.read(
            {
                "CALLSCOPE_DATA_DIR": "/data",
                "CALLSCOPE_ALLOWED_HOSTS": " a.example , b.example,",
                "CALLSCOPE_URL_PREFIX": "/callscope/",
                "CALLSCOPE_QUEUE_URL": "rediss://broker/0",
                "CALLSCOPE_RETRY_PAUSE": "0.5",
                "CALLSCOPE_RATE_LIMIT": "off",
                "CALLSCOPE_DEBUG": "on",
                "CALLSCOPE_TIME_ZONE": "  ",
                "CALLSCOPE_TRANSCRIBER": "local",
                "CALLSCOPE_TRANSCRIBER_MODEL": "small",
                "CALLSCOPE_EMBED_URL": "https://embed.example/v1",
                "CALLSCOPE_EMBED_API_KEY": "key",
            }
        )

        assert env.database_url == "sqlite:////data/callscope.sqlite3"
        assert (env.allowed_hosts, env.url_prefix) == (["a.example", "b.example"], "/callscope")
        assert (env.queue_url, env.retry_pause, env.rate_limit) == ("rediss://broker/0", 0.5, "off")
        assert (env.debug, env.time_zone) == (True, "UTC")
        assert (env.transcriber.address, env.transcriber.model) == ("local", "small")
        assert (env.embed_url.address, env.embed_url.api_key) == ("https://embed.example/v1", "key")

    def test_names_variables_that_nothing_reads(self):
        env = Environment.read(
            {
                "CALLSCOPE_TIMEZONE": "UTC",
                "CALLSCOPE_API_KEY": "a.b",
                "OTHER": "1",
                "CALLSCOPE_IMAGE": "callscope:1",
            }
        )

        assert env.unknown == ["CALLSCOPE_TIMEZONE"]

    def test_hides_engine_keys_when_shown(self):
        env = Environment.read(
            {"CALLSCOPE_LLM_URL": "http://127.0.0.1:1", "CALLSCOPE_LLM_API_KEY": "sk-secret"}
        )

        assert "sk-secret" not in repr(env)


class TestEngineAddress:
    @pytest.mark.parametrize(
        "variable", ["LLM_URL", "PRIVATE_LLM_URL", "EMBED_URL", "TRANSCRIBER", "PRIVATE_TRANSCRIBER"]
    )
    @pytest.mark.parametrize(
        "url", ["http://169.254.169.254/latest", "http://[fd00:ec2::254]/v1", "http://2852039166/"]
    )
    def test_of_a_metadata_service_is_refused_unless_its_network_is_allowed(self, variable, url):
        name = f"CALLSCOPE_{variable}"

        with pytest.raises(BadSetting, match="unless CALLSCOPE_ENGINE_NETWORKS names its network") as refused:
            Environment.read({name: url})

        assert f'{name} is "{url}"' in str(refused.value)
        allowed = Environment.read({name: url, "CALLSCOPE_ENGINE_NETWORKS": "169.254.0.0/16,fd00:ec2::/32"})
        assert [str(each) for each in allowed.llm.networks] == ["169.254.0.0/16", "fd00:ec2::/32"]


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


@pytest.mark.parametrize("url", ["ftp://u:SECRET@h", "ftp:u:SECRET@h", "u:SECRET@h/v1", "HTTP//u:a@SECRET@h"])
def test_a_refused_address_is_shown_without_its_password(url):
    with pytest.raises(BadSetting) as refused:
        Environment.read({"CALLSCOPE_LLM_URL": url})

    assert "SECRET" not in str(refused.value)
    assert "…@h" in str(refused.value)


class TestMail:
    def test_needs_the_address_that_its_links_begin_with(self):
        with pytest.raises(BadSetting) as caught:
            Environment.read({"CALLSCOPE_EMAIL_URL": "smtp+tls://u:hunter2@mail.example:587"})

        assert str(caught.value).startswith('CALLSCOPE_PUBLIC_URL is "". Allowed: an address')

    @pytest.mark.parametrize("address", ["mail.example", "http://mail.example", "smtp://", "smtp://a b"])
    def test_server_is_an_smtp_address(self, address):
        with pytest.raises(BadSetting, match=r"^CALLSCOPE_EMAIL_URL is "):
            Environment.read({"CALLSCOPE_EMAIL_URL": address, "CALLSCOPE_PUBLIC_URL": "https://c.example"})


class TestIdentityProvider:
    GIVEN = {
        "CALLSCOPE_OIDC_URL": "https://id.example/realms/staff",
        "CALLSCOPE_OIDC_CLIENT_ID": "callscope",
        "CALLSCOPE_PUBLIC_URL": "https://calls.example",
    }

    def test_reads_groups_and_their_teams(self):
        env = Environment.read({**self.GIVEN, "CALLSCOPE_OIDC_TEAMS": "sales=3, team=leads=3:admin"})

        assert env.oidc_teams == [("sales", 3, False), ("team=leads", 3, True)]

    @pytest.mark.parametrize(
        ("name", "value"),
        [
            ("CALLSCOPE_OIDC_URL", "http://id.example"),
            ("CALLSCOPE_OIDC_TEAMS", "sales"),
            ("CALLSCOPE_OIDC_TEAMS", "sales=three"),
            ("CALLSCOPE_OIDC_CLIENT_ID", ""),
            ("CALLSCOPE_PUBLIC_URL", ""),
        ],
    )
    def test_refuses_half_a_setup(self, name, value):
        with pytest.raises(BadSetting, match=rf"^{name} is "):
            Environment.read({**self.GIVEN, name: value})


@pytest.mark.parametrize(
    "password", ["hunter2", "hun/ter2", "hun\tter2", "hun\u00a0ter2", "hun@ter2", "hun\nter2"]
)
def test_a_password_is_hidden_whatever_signs_it_has(password):
    assert hide_password(f"smtp://user:{password}@host:25") == "smtp://…@host:25"
