"""Limit how often a password may be tried, without letting anybody lock others out.

Three levels rise with each wrong password and fall with time; above a limit each further
one doubles the wait:
- of one e-mail from one origin: the guesser's own;
- of one e-mail from everywhere: guesses that come from many addresses;
- of one origin over all e-mails: one password tried on many names.
An origin is an address, or a browser that has signed in before. Where a user signed in within
the last 30 days only the first level holds, so nobody elsewhere can keep that user out.
"""

import datetime as dt
import ipaddress
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from django.utils import timezone
from django.utils.crypto import salted_hmac

from callscope.accounts.models import SignInCounter
from callscope.db.transactions import run_in_transaction

FIRST_WAIT_S = 60.0
LONGEST_WAIT_S = 900.0
KNOWN_FOR = dt.timedelta(days=30)  # after a sign-in
KEPT_FOR = dt.timedelta(days=30)  # counters, after the latest count
IPV6_NETWORK = 64  # bits: what one customer of a provider has
IN_SESSION = "session"  # the origin of passwords asked of somebody who is signed in


@dataclass(frozen=True, slots=True)
class Limit:
    """How many wrong passwords are free, and the seconds after which one is forgotten."""

    name: str
    free: int
    forget_s: float


class Limits(NamedTuple):
    """What holds for one kind of attempt: each kind is counted on its own."""

    pair: Limit  # of one e-mail from one origin
    email: Limit
    origin: Limit


PAIR = Limit("pair", 10, 3600.0)
EMAIL = Limit("email", 50, 300.0)
ORIGIN = Limit("origin", 100, 30.0)  # an office behind one address mistypes now and then
PASSWORDS = Limits(PAIR, EMAIL, ORIGIN)
# Codes of a second factor, tried by somebody who has shown the password.
CODES = Limits(
    Limit("code pair", 5, 3600.0), Limit("code email", 10, 1800.0), Limit("code origin", 100, 30.0)
)
# Mails that anybody can have sent to an address.
MAILS = Limits(Limit("mail pair", 3, 3600.0), Limit("mail email", 5, 1800.0), Limit("mail origin", 20, 120.0))
# Reports that users have sent to themselves at once: each is a PDF, and may pay a language model.
REPORTS = Limits(
    Limit("report pair", 5, 3600.0), Limit("report email", 5, 3600.0), Limit("report origin", 100, 30.0)
)


class TooManyAttempts(Exception):
    """No password is checked now; `wait_s` says for how long."""

    def __init__(self, wait_s: float) -> None:
        super().__init__(f"Wait {wait_s:.0f} s.")
        self.wait_s = wait_s


@dataclass(frozen=True, slots=True)
class Attempt:
    """One password that may be checked. It has been counted as wrong already: attempts that come at
    the same time cannot all pass below the limit. `wait_s` follows if it is wrong.
    """

    pair_key: str
    shared_keys: tuple[str, ...]
    wait_s: float

    def succeed(self) -> None:
        """Take back the count, and remember that the user signs in from here."""

        def forgive() -> None:
            self._take_back(self.shared_keys)
            known = {"level": 0.0, "wait_until": None, "known_at": timezone.now()}
            SignInCounter.objects.filter(pk=self.pair_key).update(**known)

        run_in_transaction(forgive)

    def cancel(self) -> None:
        """Take back the count of a password that nobody checked."""
        run_in_transaction(lambda: self._take_back((self.pair_key, *self.shared_keys)))

    @staticmethod
    def _take_back(keys: Iterable[str]) -> None:
        for counter in _lock(keys):
            counter.level = max(0.0, counter.level - 1)
            counter.wait_until = None
            counter.save(update_fields=["level", "wait_until"])


def start_attempt(
    email: str, origin: str, *, is_signed_in: bool = False, limits: Limits = PASSWORDS
) -> Attempt:
    """Count an attempt and return it. Raises TooManyAttempts before any password is hashed.

    `is_signed_in` asks the password again of somebody who has a session: guesses from elsewhere
    do not count there, and all those of sessions count together.
    """
    folded = fold_email(email)
    known = SignInCounter.objects.filter(
        pk=_make_key(PAIR, folded, origin), known_at__gte=timezone.now() - KNOWN_FOR
    )
    counted = {_make_key(limits.pair, folded, origin): limits.pair}
    if is_signed_in:
        counted[_make_key(limits.pair, folded, IN_SESSION)] = limits.pair
    elif not known.exists():
        counted[_make_key(limits.email, folded)] = limits.email
        counted[_make_key(limits.origin, origin)] = limits.origin
    # A plain read first: a flood of refused attempts must not take the writer's turn.
    _require_no_wait(SignInCounter.objects.filter(pk__in=counted))
    return run_in_transaction(lambda: _count(counted))


def remember_origin(email: str, origin: str) -> None:
    """Let the user sign in from this origin whatever happens elsewhere."""
    now = timezone.now()
    SignInCounter.objects.update_or_create(
        key=_make_key(PAIR, fold_email(email), origin), defaults={"counted_at": now, "known_at": now}
    )


def fold_email(email: str) -> str:
    """Return the e-mail as it is stored, so that another spelling is no other name."""
    return email.strip().lower()


def name_origin(address: str) -> str:
    """Return what counts as one origin: an IPv4 address, or the network of an IPv6 address."""
    try:
        ip = ipaddress.ip_address(address)
    except ValueError:
        return "unknown"
    if isinstance(ip, ipaddress.IPv6Address):
        return str(ip.ipv4_mapped or ipaddress.ip_network((ip, IPV6_NETWORK), strict=False))
    return str(ip)


def forget_old_counters(*, now: dt.datetime) -> int:
    """Delete the counters that nothing has touched for 30 days; return how many."""
    return SignInCounter.objects.filter(counted_at__lt=now - KEPT_FOR).delete()[0]


def _make_key(limit: Limit, *parts: str) -> str:
    """Return a keyed hash: the table tells neither an e-mail nor an address."""
    text = "\n".join((limit.name, *parts))
    return salted_hmac("callscope.sign-in", text, algorithm="sha256").hexdigest()


def _require_no_wait(counters: Iterable[SignInCounter]) -> None:
    now = timezone.now()
    waits = [(c.wait_until - now).total_seconds() for c in counters if c.wait_until and c.wait_until > now]
    if waits:
        raise TooManyAttempts(max(waits))


def _count(limits: dict[str, Limit]) -> Attempt:
    now = timezone.now()
    SignInCounter.objects.bulk_create(
        [SignInCounter(key=key, counted_at=now) for key in sorted(limits)], ignore_conflicts=True
    )
    counters = _lock(limits)
    _require_no_wait(counters)
    longest_s = 0.0
    for counter in counters:
        limit = limits[counter.key]
        idle_s = max(0.0, (now - counter.counted_at).total_seconds())
        counter.level = max(0.0, counter.level - idle_s / limit.forget_s) + 1
        counter.counted_at = now
        wait_s = compute_wait_s(counter.level, limit)
        counter.wait_until = now + dt.timedelta(seconds=wait_s) if wait_s else None
        counter.save(update_fields=["level", "counted_at", "wait_until"])
        longest_s = max(longest_s, wait_s)
    pair_key, *shared = limits
    return Attempt(pair_key, tuple(shared), longest_s)


def compute_wait_s(level: float, limit: Limit) -> float:
    """Return how long a level closes the door: 0 below the limit, then twice as long each time."""
    over = round(level) - limit.free
    return 0.0 if over < 0 else min(LONGEST_WAIT_S, FIRST_WAIT_S * 2.0 ** min(over, 10))


def _lock(keys: Iterable[str]) -> list[SignInCounter]:
    """Return the counters in one order for everybody, so that two attempts cannot wait for each other."""
    return list(SignInCounter.objects.select_for_update().filter(pk__in=list(keys)).order_by("key"))
