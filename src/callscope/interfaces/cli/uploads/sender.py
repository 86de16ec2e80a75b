"""Send files over several connections at once; stop when the server is gone.

After a request without an answer the file may have arrived. So the server is waited for, and the file is
sent again only if the project has no newer file of its name than before. What one connection learns of
the server the others need not find out: one probes while they wait.
"""

import io
import queue
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from callscope.interfaces.cli.runtime.errors import Failure
from callscope.interfaces.cli.uploads.display import Display
from callscope.interfaces.cli.uploads.known_files import KnownFile, load_known_files
from callscope.interfaces.cli.uploads.outcome import Outcome

if TYPE_CHECKING:
    from callscope.interfaces.cli.runtime.client import NoAnswer, Server

CONNECTIONS = 8
ATTEMPTS = 3  # of a file, while the server answers otherwise
MOST_WAIT_S = 900.0  # of a file, while the server answers that it cannot take any, and when to come back
PROBE_PAUSES_S = (0.5, 1.0, 2.0, 4.0, 8.0)  # a restart of the server takes a few seconds
STOP_POLL_S = 0.2


class Sender:
    """Sends the files of one upload to one project."""

    def __init__(
        self,
        server: "Server",
        project: int,
        *,
        known: Mapping[str, KnownFile],
        display: Display,
    ) -> None:
        self._server = server
        self._project = project
        self._known = known
        self._display = display
        self._probing = threading.Lock()
        self._recording = threading.Lock()
        self._fatal: BaseException | None = None

    def send_all(self, files: Mapping[str, Path], outcome: Outcome) -> None:
        """Send the files, and write what became of each into `outcome`.

        Raise Failure when no more files can be sent: the server is gone, or refuses the key.
        """
        waiting: queue.SimpleQueue[tuple[str, Path]] = queue.SimpleQueue()
        for item in files.items():
            waiting.put(item)
        # Daemons, so that Ctrl-C does not wait for an answer.
        threads = [
            threading.Thread(target=self._work, args=(waiting, outcome), daemon=True)
            for _ in range(min(CONNECTIONS, len(files)))
        ]
        for thread in threads:
            thread.start()
        try:
            for thread in threads:
                while thread.is_alive():
                    thread.join(STOP_POLL_S)
        except BaseException as error:
            self._fatal = error
            raise
        if isinstance(self._fatal, Failure):
            sent = f"{len(outcome.uploaded)} of {len(files)} files were sent."
            raise Failure(*self._fatal.messages, f"{sent} Repeat the same command to send the rest.")
        if self._fatal is not None:
            raise self._fatal

    def _work(self, waiting: "queue.SimpleQueue[tuple[str, Path]]", outcome: Outcome) -> None:
        """Send files until none is left or nothing more can be sent."""
        while self._fatal is None:
            try:
                name, path = waiting.get_nowait()
            except queue.Empty:
                return
            try:
                self._send_one(name, path, outcome)
            except BaseException as error:  # of a bug, too: the command has to end with it
                self._fatal = self._fatal or error
            finally:
                self._display.end(path)

    def _send_one(self, name: str, path: Path, outcome: Outcome) -> None:
        from callscope.interfaces.cli.runtime.client import RequestRefused

        try:
            file_id = self.send(name, path)
        except RequestRefused as error:
            if error.status in (401, 403):  # the key, the role or the quota: no other file fares better
                raise
            problem = " ".join(error.messages)
        except ServerGone:
            raise
        except Failure as error:
            problem = " ".join(error.messages)
        except OSError as error:
            problem = f"{error.strerror}."
        else:
            with self._recording:
                outcome.uploaded[name] = file_id
                former = self._known.get(name)
                outcome.resent += bool(former and former.is_failed)
            return
        with self._recording:
            outcome.refused.append((str(path) if path.name == name else name, problem))

    def send(self, name: str, path: Path) -> int:
        """Upload one file and return its id. Raise Failure, ServerGone and OSError."""
        from callscope.interfaces.cli.runtime.client import NoAnswer

        attempts, waited_s = 0, 0.0
        latest: NoAnswer | None = None
        while True:
            try:
                if latest is not None and (file_id := self._find_arrived(name)):
                    return file_id
                if latest is not None and attempts == ATTEMPTS:
                    raise latest
                self._display.begin(path)
                with _WatchedFile(path, self._display) as file:
                    form = {"file": (name, file)}
                    data = {"project": str(self._project)}
                    return int(self._server.post("/api/files/", data=data, files=form)["id"])
            except NoAnswer as error:
                if attempts == ATTEMPTS:
                    raise
                latest = error
                if error.retry_after_s is not None and waited_s < MOST_WAIT_S:
                    # It is there: its disk is full, or its database or its bucket is away for a while.
                    if self._fatal is not None:
                        raise ServerGone(*error.messages) from None
                    if not waited_s:
                        self._display.say(f"{error.messages[0]} Trying again …")
                    self._server.sleep(error.retry_after_s)
                    waited_s += error.retry_after_s
                    continue
                self._wait_for_server(error)
                attempts += 1
                if attempts < ATTEMPTS:
                    self._server.pause(attempts)

    def _find_arrived(self, name: str) -> int:
        """Return the id of a file of this name that is newer than the upload, 0 if there is none."""
        former = self._known.get(name)
        arrived = load_known_files(self._server, self._project, [name]).get(name)
        return arrived.id if arrived is not None and arrived.id > (former.id if former else 0) else 0

    def _wait_for_server(self, error: "NoAnswer") -> None:
        """Return when the server answers again. Raise ServerGone if it does not within some seconds."""
        with self._probing:
            if self._fatal is not None:
                raise ServerGone(*error.messages)
            for pause_s in (0.0, *PROBE_PAUSES_S):
                if pause_s:
                    self._display.say(f"{error.messages[0]} Trying again …")
                    self._server.sleep(pause_s)
                if self._server.is_answering(f"/api/projects/{self._project}/"):
                    return
            self._fatal = ServerGone(*error.messages)
            raise self._fatal


class ServerGone(Failure):
    """The server has not answered for a while."""


class _WatchedFile(io.FileIO):
    """A file that reports how much of it was read."""

    def __init__(self, path: Path, display: Display) -> None:
        super().__init__(path, "rb")
        self._path = path
        self._display = display

    def read(self, size: int | None = -1, /) -> bytes:
        data = super().read(-1 if size is None else size) or b""
        self._display.advance(self._path, len(data))
        return data
