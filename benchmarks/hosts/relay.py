"""A connection between hosts that can be cut, frozen and restored: the network of a run."""

import contextlib
import socket
import threading

AT_ONCE = 256 * 1024


class Relay:
    """Passes connections to a port of this machine on; what connects to `port` meets the trouble."""

    def __init__(self, target: int) -> None:
        self.target = target
        self._pairs: set[tuple[socket.socket, socket.socket]] = set()
        self._lock = threading.Lock()
        self._moving = threading.Event()
        self._moving.set()
        self._listener = self._listen(0)
        self.port: int = self._listener.getsockname()[1]

    def cut(self) -> None:
        """Refuse new connections and break the others."""
        # A listener that another thread waits at stays open until it is shut down.
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self.break_connections()

    def break_connections(self) -> None:
        """Break the connections there are; new ones are taken."""
        with self._lock:
            pairs, self._pairs = self._pairs, set()
        for pair in pairs:
            _close(*pair)

    def restore(self) -> None:
        """Take connections again, and let frozen ones go on."""
        self._moving.set()
        if self._listener.fileno() == -1:
            self._listener = self._listen(self.port)

    def freeze(self) -> None:
        """Take connections and pass nothing on."""
        self._moving.clear()

    def _listen(self, port: int) -> socket.socket:
        listener = socket.create_server(("127.0.0.1", port), backlog=200)
        threading.Thread(target=self._accept, args=(listener,), daemon=True).start()
        return listener

    def _accept(self, listener: socket.socket) -> None:
        while True:
            try:
                ours, _ = listener.accept()
            except OSError:
                return
            try:
                theirs = socket.create_connection(("127.0.0.1", self.target))
            except OSError:
                ours.close()
                continue
            with self._lock:
                self._pairs.add((ours, theirs))
            for source, sink in ((ours, theirs), (theirs, ours)):
                threading.Thread(
                    target=self._pass_on, args=(source, sink, (ours, theirs)), daemon=True
                ).start()

    def _pass_on(
        self, source: socket.socket, sink: socket.socket, pair: tuple[socket.socket, socket.socket]
    ) -> None:
        with contextlib.suppress(OSError):
            while data := source.recv(AT_ONCE):
                self._moving.wait()
                sink.sendall(data)
        with self._lock:
            self._pairs.discard(pair)
        _close(*pair)


def _close(*sockets: socket.socket) -> None:
    for each in sockets:
        with contextlib.suppress(OSError):
            each.shutdown(socket.SHUT_RDWR)
        each.close()
