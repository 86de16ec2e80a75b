"""`callscope upload --wait` says so, once, when nothing is finished for long."""

import pytest

from callscope.interfaces.cli.uploads import waiting
from callscope.interfaces.cli.uploads.known_files import KnownFile


def known(number, *, is_final):
    return KnownFile(id=number, name="a.srt", task_id="", is_final=is_final, is_failed=False, problem="")


class Server:
    """Finishes a file at each second of `finished`; an hour passes with 3,600 questions of one second."""

    def __init__(self, monkeypatch, finished):
        self.finished, self.now = finished, 0.0
        monkeypatch.setattr(waiting, "load_files", self.load)
        monkeypatch.setattr(waiting.time, "monotonic", lambda: self.now)
        monkeypatch.setattr(waiting.time, "sleep", self.sleep)

    def load(self, _server, ids):
        return [known(number, is_final=self.now >= self.finished[number]) for number in ids]

    def sleep(self, _seconds):
        self.now += 1


class TestWaiting:
    @pytest.mark.parametrize(
        ("finished", "hints"),
        [
            ({1: 0, 2: 50, 3: 100}, 0),
            ({1: 0, 2: 3000}, 1),
            ({1: 200, 2: 400}, 2),
        ],
    )
    def test_says_once_per_stop_where_to_look(self, monkeypatch, capsys, finished, hints):
        server = Server(monkeypatch, finished)

        done = waiting.wait_for_files(server, list(finished))

        assert sorted(file.id for file in done) == sorted(finished)
        assert capsys.readouterr().err.count("callscope doctor") == hints
