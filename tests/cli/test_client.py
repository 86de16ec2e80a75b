"""The client commands against a server that is live, and against one that has trouble."""

import json
import os
import re

import httpx2
import pytest

from callscope.accounts import administration
from callscope.interfaces.cli import client
from callscope.interfaces.cli.client import Interrupted, Refused, Server
from callscope.interfaces.cli.startup import Failure

SRT = b"1\n00:00:00,000 --> 00:00:04,000\nAgent: Good morning, this is Ana.\n"


class Answers:
    """A server that gives the prepared answers in turn and remembers the pauses of its client."""

    def __init__(self, *answers):
        self.answers = list(answers)
        self.requests = []
        self.pauses = []

    def __call__(self, request):
        self.requests.append(request)
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        status, body, headers = (*answer, {})[:3]
        return httpx2.Response(status, json=body, headers=headers)

    def server(self):
        return Server(
            "http://callscope.test/", "a.b", transport=httpx2.MockTransport(self), sleep=self.pauses.append
        )


class TestTheServer:
    def test_is_asked_with_the_key(self):
        answers = Answers((200, {"ok": True}))

        assert answers.server().get("/x/", {"a": 1, "b": None}) == {"ok": True}
        (request,) = answers.requests
        assert str(request.url) == "http://callscope.test/x/?a=1"
        assert request.headers["authorization"] == "Api-Key a.b"

    def test_is_waited_for_as_long_as_its_rate_limit_says(self):
        answers = Answers((429, {}, {"Retry-After": "7"}), (429, {}), (200, {}))

        answers.server().get("/x/")

        assert answers.pauses == [7.0, client.FIRST_PAUSE_S]

    def test_is_asked_again_after_trouble_ever_more_slowly(self):
        answers = Answers((503, {}), httpx2.ReadError("gone"), (200, {}))

        answers.server().get("/x/")

        assert answers.pauses == [1.0, 2.0]

    def test_is_given_up_after_some_attempts(self):
        answers = Answers(*[(500, {})] * client.ATTEMPTS)

        with pytest.raises(Interrupted, match="has trouble: it answered 500"):
            answers.server().get("/x/")

    def test_is_not_asked_again_when_it_was_never_reached(self):
        answers = Answers(httpx2.ConnectError("[Errno 111] Connection refused"))

        with pytest.raises(Failure, match=r"cannot be reached: Connection refused\."):
            answers.server().get("/x/")

    @pytest.mark.parametrize(
        ("answer", "message"),
        [
            ((403, {"detail": "Revoked."}), "refuses CALLSCOPE_API_KEY: Revoked."),
            ((404, {"detail": "Not found."}), "Not found."),
            ((400, {"start_date": ["Not a date."]}), "start_date: Not a date."),
            ((301, None, {"location": "https://x.test/"}), "Is CALLSCOPE_URL a Callscope server"),
        ],
    )
    def test_tells_its_errors_in_one_line(self, answer, message):
        with pytest.raises(Refused) as refusal:
            Answers(answer).server().get("/x/")

        assert message in refusal.value.messages[0]

    def test_gives_all_pages(self):
        answers = Answers((200, {"results": [1, 2], "next": "…"}), (200, {"results": [3], "next": None}))

        assert list(answers.server().pages("/x/", {})) == [1, 2, 3]


class TestAnotherProgram:
    """A server that is there and is no Callscope: a wrong port, a proxy's page."""

    @pytest.mark.parametrize(
        ("body", "lack"),
        [
            (b"<html>", "no JSON object"),
            (b"[]", "no JSON object"),
            (b'{"x": 1}', "an answer without results"),
        ],
    )
    def test_is_told_in_a_line_that_keeps_the_password(self, body, lack):
        transport = httpx2.MockTransport(lambda _: httpx2.Response(200, content=body))
        server = Server("http://ana:secret@callscope.test", "a.b", transport=transport)

        with pytest.raises(Failure) as failure:
            list(server.pages("/api/files/", {}))

        assert failure.value.messages == [
            f"http://…@callscope.test gave {lack}. Is CALLSCOPE_URL a Callscope server?"
        ]

    def test_gives_no_pdf(self, monkeypatch, callscope, tmp_path):
        monkeypatch.setenv("CALLSCOPE_URL", "http://callscope.test")
        monkeypatch.setenv("CALLSCOPE_API_KEY", "a.b")
        monkeypatch.setattr(Server, "get_response", lambda *_, **__: httpx2.Response(200, content=b"<html>"))

        (line,) = callscope.failure("report", "--pdf", tmp_path / "report.pdf")

        assert line.startswith("http://callscope.test gave no PDF.")
        assert not (tmp_path / "report.pdf").exists()


class TestTheEnvironment:
    @pytest.mark.parametrize(
        ("url", "key", "message"),
        [
            ("", "a.b", "CALLSCOPE_URL is not set."),
            ("localhost:8000", "a.b", 'CALLSCOPE_URL is "localhost:8000".'),
            ("http://[", "a.b", 'CALLSCOPE_URL is "http://[".'),
            ("http://localhost", "", "CALLSCOPE_API_KEY is not set."),
            ("http://localhost", "a.b\nc", "CALLSCOPE_API_KEY holds characters"),
            ("http://localhost", "añb", "CALLSCOPE_API_KEY holds characters"),
        ],
    )
    def test_is_told_when_it_names_no_server(self, monkeypatch, callscope, url, key, message):
        monkeypatch.setenv("CALLSCOPE_URL", url)
        monkeypatch.setenv("CALLSCOPE_API_KEY", key)

        (line,) = callscope.failure("report")

        assert line.startswith(message)


@pytest.fixture
def at_home(monkeypatch, transactional_db, live_server, alice, callscope):
    """The commands, with the address of a live server and a key of Alice's."""
    _, key = administration.create_key(alice)
    monkeypatch.setenv("CALLSCOPE_URL", live_server.url)
    monkeypatch.setenv("CALLSCOPE_API_KEY", key)
    return callscope


@pytest.fixture
def recordings(tmp_path):
    folder = tmp_path / "to send"
    folder.mkdir()
    for name in ("one.srt", "two.srt"):
        (folder / name).write_bytes(SRT)
    (folder / "notes.txt").write_text("Not sent.")
    return folder


class TestUpload:
    def test_sends_a_folder_and_goes_on_where_it_was_cut_off(self, at_home, project, recordings):
        first = at_home.json("upload", recordings, "--project", project.pk)
        (recordings / "three.srt").write_bytes(SRT)
        second = at_home.json("upload", recordings, "--project", project.pk)

        assert (first["uploaded"], first["skipped"], first["failed"]) == (2, 0, [])
        assert (second["uploaded"], second["skipped"]) == (1, 2)
        assert sorted(project.files.values_list("original_filename", flat=True)) == [
            "one.srt",
            "three.srt",
            "two.srt",
        ]

    def test_sends_known_names_again_when_asked(self, at_home, project, recordings):
        at_home.json("upload", recordings / "one.srt", "--project", project.pk)
        at_home.json("upload", recordings / "one.srt", "--project", project.pk, "--again")

        assert project.files.count() == 2

    def test_sends_the_manifest_first(self, at_home, project, recordings, tmp_path):
        manifest = tmp_path / "manifest.csv"
        manifest.write_text("filename,call_datetime,campaign\none.srt,2026-01-05T10:00:00Z,spring\n")

        document = at_home.json("upload", recordings, "--project", project.pk, "--manifest", manifest)

        assert document["manifest"]["unmatched"] == ["one.srt"]
        assert project.calls.get(file_name="one.srt").campaign == "spring"

    def test_lists_what_the_server_refuses_and_sends_the_rest(self, at_home, project, recordings):
        (recordings / "bad.wav").write_bytes(b"not a sound")

        result = at_home("upload", recordings, "--project", project.pk, "--json")

        assert result.exit_code == 1
        assert json.loads(result.stdout)["uploaded"] == 2
        assert result.stderr.startswith(f"{recordings}/bad.wav: file: ")

    def test_refuses_paths_that_are_not_there_before_it_sends_anything(self, at_home, project, recordings):
        (line,) = at_home.failure("upload", recordings, recordings / "none.wav", "--project", project.pk)

        assert line == f"{recordings}/none.wav: no such file or folder."
        assert not project.files.exists()

    def test_refuses_a_pipe_which_it_would_wait_for(self, at_home, project, recordings):
        os.mkfifo(recordings / "pipe.wav")

        (line,) = at_home.failure("upload", recordings / "pipe.wav", "--project", project.pk)

        assert line == f"{recordings}/pipe.wav: neither a file nor a folder."

    def test_leaves_out_a_name_that_is_no_text_and_sends_the_rest(self, at_home, project, recordings):
        (recordings / "thr\udcffe.srt").write_bytes(SRT)

        result = at_home("upload", recordings, "--project", project.pk, "--json")

        assert result.exit_code == 1
        assert json.loads(result.stdout)["uploaded"] == 2
        assert result.stderr.endswith("the name is no UTF-8 text. Give the file another name.\n")

    def test_sends_a_manifest_whose_name_is_no_text(self, at_home, project, tmp_path):
        manifest = tmp_path / "m\udcff.csv"
        manifest.write_text("filename,call_datetime\none.srt,2026-01-05T10:00:00Z\n")

        assert at_home.json("upload", "--project", project.pk, "--manifest", manifest)["failed"] == []

    def test_refuses_two_files_of_one_name(self, at_home, project, recordings):
        other = recordings / "more"
        other.mkdir()
        (other / "one.srt").write_bytes(SRT)

        (line,) = at_home.failure("upload", recordings, "--project", project.pk)

        assert "have the same name" in line

    def test_names_a_project_that_the_key_cannot_see(self, at_home, project, bob, recordings):
        project.owner = bob
        project.save()

        (line,) = at_home.failure("upload", recordings, "--project", project.pk)

        assert line == f"Project {project.pk} does not exist, or this key cannot see it."

    def test_waits_until_everything_is_analysed(self, at_home, project, recordings, monkeypatch):
        from callscope.interfaces.cli import upload
        from callscope.pipeline.worker import run_all_here

        monkeypatch.setattr(upload.time, "sleep", lambda _: run_all_here())

        document = at_home.json("upload", recordings, "--project", project.pk, "--wait")

        assert document["failed"] == []
        assert set(project.files.values_list("status", flat=True)) == {"transcribed"}


class TestAnInterruptedUpload:
    def test_is_not_repeated_when_the_file_arrived_all_the_same(self, tmp_path):
        from callscope.interfaces.cli import upload

        path = tmp_path / "one.srt"
        path.write_bytes(SRT)
        answers = Answers(
            httpx2.ReadError("cut off"),
            (200, {"results": [{"id": 5, "original_filename": "one.srt"}], "next": None}),
        )

        sent = upload._send(answers.server(), 1, path, lambda *_: None, former=4)

        assert sent == 5
        assert [request.method for request in answers.requests] == ["POST", "GET"]

    def test_is_repeated_when_only_the_former_file_is_there(self, tmp_path):
        from callscope.interfaces.cli import upload

        path = tmp_path / "one.srt"
        path.write_bytes(SRT)
        answers = Answers(
            (503, {}),
            (200, {"results": [{"id": 4, "original_filename": "one.srt"}], "next": None}),
            (201, {"id": 6}),
        )

        assert upload._send(answers.server(), 1, path, lambda *_: None, former=4) == 6


class TestReport:
    def test_prints_the_object_of_the_server(self, at_home, project, live_server):
        document = at_home.json("report", "--project", project.pk, "--range", "ytd")

        assert document["date_range"]["preset"] == "ytd"
        assert document["headline"]["total_calls"] == 0

    def test_writes_the_pdf_of_the_server(self, at_home, project, tmp_path):
        file = tmp_path / "report.pdf"

        at_home.json("report", "--project", project.pk, "--range", "ytd", "--pdf", file)

        assert file.read_bytes().startswith(b"%PDF-")

    def test_prints_tables(self, at_home, project, tmp_path):
        file = tmp_path / "calls.jsonl"
        file.write_text('{"file_name": "a", "topic": "wrong invoice", "sentiment": "negative"}\n')
        at_home.json("calls", "import", project.pk, file)

        shown = at_home("report", "--project", project.pk).stdout

        assert re.search(r"Negative sentiment % +100\.00\n", shown)
        assert "wrong invoice" in shown

    def test_heads_its_tables_with_the_days(self, at_home, project):
        shown = at_home("report", "--project", project.pk, "--start", "2026-01-05")

        assert shown.stdout.startswith("Headline 2026-01-05 – today\n")

    def test_names_a_project_that_the_key_cannot_see(self, at_home):
        (line,) = at_home.failure("report", "--project", "77")

        assert line.startswith("Project 77 does not exist")

    @pytest.mark.parametrize(
        ("options", "told"),
        [
            (["--start", "2026-13-01"], '"2026-13-01" is not a date.'),
            (["--end", "yesterday"], '"yesterday" is not a date.'),
            (["--start", "2026-02-01", "--end", "2026-01-01"], "--start 2026-02-01 is after"),
            (["--range", "last_week"], "'last_week' is not one of 'mtd', "),
            (["--range", "mtd", "--end", "2026-01-01"], "exclude each other"),
            (["--language", "fr"], "'fr' is not one of"),
            (["--project", "one"], "Invalid value for '--project': \"one\". Allowed: a whole number."),
        ],
    )
    def test_names_the_option_that_is_wrong_and_asks_no_server(self, callscope, options, told):
        assert told in callscope.wrong_usage("report", *options)
