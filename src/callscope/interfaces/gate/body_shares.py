"""Share the threads that bodies may hold, so that no sender's slow bodies keep out those of others.

Rules: docs/operations.md, "A proxy in front". A body counts against its sender only while it
arrives: work on one that has arrived is limited elsewhere.
"""

import threading
from collections import Counter
from collections.abc import Callable
from http import HTTPStatus
from typing import Any

from callscope.accounts.sign_in_limits import name_origin

Environ = dict[str, Any]
FindUser = Callable[[Environ], int | None]  # whose live key or session comes along, if any

WAIT_S = 5.0
WAITING_BODIES = 2  # for any thread at all; beyond those that are being read
STRANGERS = "strangers"


class NoShare(Exception):
    """The body is not read now; `status` is 503 where all are busy, 429 where its sender sends too many."""

    def __init__(self, status: HTTPStatus) -> None:
        super().__init__(status.phrase)
        self.status = status


class BodyShares:
    """So many bodies at once in a process: of all senders, of one user, of strangers, of one address."""

    def __init__(self, bodies: int, find_user: FindUser) -> None:
        self.of_strangers = max(1, bodies // 4)
        self.of_an_address = max(1, (self.of_strangers + 1) // 2)
        self.of_a_user = max(1, bodies // 2 - 1)
        self._free = bodies
        self._find_user = find_user
        self._arriving: Counter[str] = Counter()  # by share
        self._waiting: Counter[str] = Counter()
        self._changed = threading.Condition()

    def take(self, environ: Environ) -> "Share":
        """Return the share of a body, once there is one. Raises NoShare after a few seconds at most."""
        self._take_thread()
        try:
            # Asked only now: while a database does not answer, no more threads than these wait for it.
            user_id = self._find_user(environ)
            names = self._take_shares(user_id, environ.get("REMOTE_ADDR", ""))
        except BaseException:
            self._give_back_thread()
            raise
        return Share(self, names, is_of_user=user_id is not None)

    def _take_thread(self) -> None:
        with self._changed:
            if not self._free:
                self._wait("thread", WAITING_BODIES, lambda: self._free > 0)
            if not self._free:
                raise NoShare(HTTPStatus.SERVICE_UNAVAILABLE)
            self._free -= 1

    def _take_shares(self, user_id: int | None, address: str) -> list[str]:
        """Return the names of the shares that the body counts in while it arrives."""
        own, most = f"user {user_id}", self.of_a_user
        if user_id is None:
            own, most = f"address {name_origin(address)}", self.of_an_address

        def has_own() -> bool:
            return self._arriving[own] < most

        def has_all() -> bool:
            return has_own() and (user_id is not None or self._arriving[STRANGERS] < self.of_strangers)

        with self._changed:
            if not has_all():  # who waits holds a thread, so one user waits once, and so do all strangers
                self._wait(STRANGERS if user_id is None else own, 1, has_all)
            if not has_own():
                raise NoShare(HTTPStatus.TOO_MANY_REQUESTS)
            if not has_all():
                raise NoShare(HTTPStatus.SERVICE_UNAVAILABLE)
            names = [own] if user_id is not None else [own, STRANGERS]
            self._arriving.update(names)
        return names

    def _wait(self, where: str, most: int, is_free: Callable[[], bool]) -> None:
        """Wait a few seconds, unless so many wait there already."""
        if self._waiting[where] >= most:
            return
        self._waiting[where] += 1
        try:
            self._changed.wait_for(is_free, timeout=WAIT_S)
        finally:
            self._waiting -= Counter([where])

    def _give_back_thread(self) -> None:
        with self._changed:
            self._free += 1
            self._changed.notify_all()

    def _end_arrival(self, names: list[str]) -> None:
        with self._changed:
            self._arriving -= Counter(names)
            self._changed.notify_all()


class Share:
    """What one body has taken; given back in two steps, each of which may come twice."""

    def __init__(self, shares: BodyShares, names: list[str], *, is_of_user: bool) -> None:
        self.is_of_user = is_of_user
        self._shares, self._names = shares, names

    def end_arrival(self) -> None:
        """Count the body no longer against its sender: it has arrived."""
        names, self._names = self._names, []
        if names:
            self._shares._end_arrival(names)

    def end(self) -> None:
        """Give back all of it; called once, when the request is answered."""
        self.end_arrival()
        self._shares._give_back_thread()
