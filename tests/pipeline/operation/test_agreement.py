"""Hosts that do not share a setting that they have to share are named, without secrets."""

import socket
from dataclasses import replace

import pytest

from callscope.environment import Environment
from callscope.pipeline.models import SiteProcess
from callscope.pipeline.operation import processes, site_checks
from callscope.pipeline.operation.agreement import (
    USERS,
    describe_settings,
    describe_shell,
    find_disagreements,
)

pytestmark = pytest.mark.one_database
SITE = {
    "CALLSCOPE_LLM_URL": "http://user:SECRET@llm.example/v1",
    "CALLSCOPE_LLM_API_KEY": "sk-SECRET",
    "CALLSCOPE_QUEUE_URL": "amqp://guest:SECRET@broker.example//",
    "CALLSCOPE_STORAGE_URL": "s3://calls/x",
}


def process(host, role="worker", queues="asr,llm,default", without=(), version="1", key="k", **changed):
    given = {name: value for name, value in {**SITE, **changed}.items() if name not in without}
    settings = describe_settings(Environment.read(given), secret_key=key)
    return SiteProcess(host=host, role=role, queues=queues, version=version, settings=settings)


class TestAgreement:
    def test_is_found_where_all_is_alike(self):
        hosts = [process("web1", "web", ""), process("w1"), process("w2", queues="asr")]

        assert find_disagreements(hosts) == []

    def test_names_the_worker_without_the_language_model_of_the_web(self):
        hosts = [process("web1", "web", ""), process("w1", queues="llm", without=["CALLSCOPE_LLM_URL"])]

        sentences = find_disagreements(hosts)

        assert sentences == [
            "CALLSCOPE_LLM_URL differs: http://…@llm.example/v1 (web on web1); unset (worker llm on w1)"
        ]

    def test_asks_nothing_of_a_worker_that_does_not_use_a_setting(self):
        hosts = [process("web1", "web", ""), process("w1", queues="asr", without=["CALLSCOPE_LLM_URL"])]

        assert find_disagreements(hosts) == []

    @pytest.mark.parametrize(
        ("name", "value", "host"),
        [
            ("CALLSCOPE_STORAGE_URL", "s3://other", {"queues": "asr"}),
            ("CALLSCOPE_TIME_ZONE", "Europe/Madrid", {"queues": "default"}),
            ("CALLSCOPE_QUEUE_URL", "redis://other/0", {"queues": "llm"}),
            ("CALLSCOPE_PUBLIC_URL", "https://calls.example", {"role": "web", "queues": ""}),
            ("CALLSCOPE_SECOND_FACTOR", "required", {"role": "web", "queues": ""}),
        ],
    )
    def test_is_asked_of_everybody_who_uses_a_setting(self, name, value, host):
        sentences = find_disagreements([process("web1", "web", ""), process("w2", **host, **{name: value})])

        assert [sentence.split()[0] for sentence in sentences] == [name]

    def test_is_asked_of_the_server_of_a_bucket(self, monkeypatch):
        web = process("web1", "web", "")
        monkeypatch.setenv("AWS_ENDPOINT_URL_S3", "http://user:SECRET@other.example:9000")

        sentences = find_disagreements([web, process("w1", queues="asr")])

        assert sentences == [
            "AWS_ENDPOINT_URL_S3 differs: http://…@other.example:9000 (worker asr on w1); unset (web on web1)"
        ]

    def test_is_asked_of_pauses_among_workers_alone(self):
        web, fast = process("web1", "web", ""), process("w1", queues="asr", CALLSCOPE_RETRY_PAUSE="0.5")

        assert find_disagreements([web, fast]) == []
        assert find_disagreements([web, fast, process("w2", queues="llm")]) == [
            "CALLSCOPE_RETRY_PAUSE differs: 0.5 (worker asr on w1); 1 (worker llm on w2)"
        ]

    def test_is_asked_of_the_mail_server_where_reports_are_sent(self):
        mail = {
            "CALLSCOPE_EMAIL_URL": "smtp://user:SECRET@mail.example:25",
            "CALLSCOPE_PUBLIC_URL": "https://calls.example",
        }
        web, speech = process("web1", "web", "", **mail), process("w1", queues="asr")

        assert find_disagreements([web, speech]) == []
        assert find_disagreements([web, speech, process("w2", queues="llm,default")]) == [
            "CALLSCOPE_EMAIL_URL differs: smtp://…@mail.example:25 (web on web1);"
            " unset (worker llm,default on w2)"
        ]

    def test_is_asked_of_the_links_of_workers_that_send_mail(self):
        mail = {"CALLSCOPE_EMAIL_URL": "smtp://mail.example:25"}
        web = process("web1", "web", "", CALLSCOPE_PUBLIC_URL="https://calls.example", **mail)
        worker = process("w1", queues="default", CALLSCOPE_PUBLIC_URL="https://old.example", **mail)
        silent = process("w2", queues="default")

        assert [s.split()[0] for s in find_disagreements([web, worker])] == ["CALLSCOPE_PUBLIC_URL"]
        assert [s.split()[0] for s in find_disagreements([web, silent])] == ["CALLSCOPE_EMAIL_URL"]

    def test_is_asked_of_the_days_of_the_audit_trail_which_workers_cut(self):
        hosts = [process("web1", "web", "", CALLSCOPE_AUDIT_DAYS="90"), process("w1", queues="asr")]

        assert find_disagreements(hosts) == [
            "CALLSCOPE_AUDIT_DAYS differs: 90 (web on web1); unset (worker asr on w1)"
        ]

    def test_is_asked_of_versions_and_of_the_keys_of_the_web(self):
        hosts = [process("web1", "web", ""), process("web2", "web", "", version="2", key="other")]

        assert [s.split(" differs")[0] for s in find_disagreements(hosts)] == [
            "the version",
            "CALLSCOPE_SECRET_KEY",
        ]

    def test_stores_no_secret(self):
        assert "SECRET" not in repr(process("w1", key="SECRET").settings.values())

    def test_describes_every_setting_that_it_compares(self):
        assert describe_settings(Environment.read({}), secret_key="k").keys() == USERS.keys()


def shell(alive, **changed):
    return describe_shell(alive, process("any", **changed).settings)


class TestShell:
    """A command that checks the settings is compared, too: it may run without those of the services."""

    def test_needs_what_the_processes_of_its_machine_need(self):
        alive = [process(socket.gethostname(), queues="asr"), process("w2", queues="llm")]

        assert (
            find_disagreements([*alive, shell(alive, version="1", without=["CALLSCOPE_LLM_URL"])])[1:] == []
        )
        found = find_disagreements([*alive, shell(alive, CALLSCOPE_TRANSCRIBER="http://asr.example/v1")])[1:]
        assert found == [
            "CALLSCOPE_TRANSCRIBER differs: "
            f"http://asr.example/v1 (this shell); unset (worker asr on {socket.gethostname()})"
        ]

    def test_needs_on_a_machine_without_processes_what_all_need(self):
        alive = [process("web1", "web", ""), process("w2", queues="llm")]

        sentences = find_disagreements(
            [*alive, shell(alive, without=["CALLSCOPE_LLM_URL", "CALLSCOPE_STORAGE_URL"])]
        )

        assert [sentence.split()[0] for sentence in sentences[1:]] == ["CALLSCOPE_STORAGE_URL"]

    @pytest.mark.django_db
    def test_that_differs_is_a_warning_of_doctor(self, settings):
        processes.beat("worker", ["asr", "llm", "default"])
        assert site_checks.check_agreement(processes.list_alive()).is_ok

        settings.ENVIRONMENT = replace(settings.ENVIRONMENT, storage_url="s3://other/place")
        check = site_checks.check_agreement(processes.list_alive())

        assert check.is_warning
        assert "s3://other/place (this shell)" in check.detail
        assert "settings of this shell" in check.advice
