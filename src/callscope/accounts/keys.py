"""Find the owner of an API key, by one small query at every request.

A key is random, so one SHA-512 of it is enough; nothing is cached between
requests, so a key that is revoked, or whose owner is deactivated, stops at once
in every process. What the scope of the key takes away is noted on the owner: the API refuses
to write with `key_is_read_only`, projects.permissions shows no project but `key_project_id`.
"""

import datetime as dt
import re
from functools import lru_cache

from django.db import connection, models
from django.utils.crypto import get_random_string

from callscope.accounts.models import ApiKey, User
from callscope.db import raw_sql
from callscope.db.transactions import write_unless_busy

# Exactly one space, both halves. Checked before the database sees a byte of the header.
KEY_HEADER = re.compile(r"Api-Key (?P<key>(?P<prefix>[A-Za-z0-9]{8})\.[A-Za-z0-9]{32})")

NOTE_EVERY = dt.timedelta(seconds=60)  # that a key is in use; a write at each request would cost too much

# Dates are left out: reading them costs more than the rest, and few requests look at them.
USER_FIELDS = tuple(f for f in User._meta.concrete_fields if not isinstance(f, models.DateTimeField))
FLAGS = frozenset(f.attname for f in USER_FIELDS if isinstance(f, models.BooleanField))

_generator = ApiKey.objects.key_generator
_nobodys_hash = _generator.hash(get_random_string(41))


def find_owner(prefix: str, key: str, *, now: dt.datetime) -> User | None:
    """Return the owner of a live key, who may be inactive; None for a key that is not one."""
    moments = [connection.ops.adapt_datetimefield_value(moment) for moment in (now, now - NOTE_EVERY)]
    row = next(iter(raw_sql.fetch_prepared(_statement(), [*moments, prefix])), None)
    # An unknown prefix is verified as well, so that the time of the answer reveals no prefix.
    matches = _generator.verify(key, row[0] if row else _nobodys_hash)
    if row is None or not matches or not row[1]:
        return None
    if not row[2]:
        # Another request may have noted it by now.
        unnoted = ApiKey.objects.filter(prefix=prefix).exclude(used_at__gte=now - NOTE_EVERY)
        write_unless_busy(lambda: unnoted.update(used_at=now))
    names = [field.attname for field in USER_FIELDS]
    values = [bool(value) if name in FLAGS else value for name, value in zip(names, row[5:], strict=True)]
    owner: User = User.from_db(connection.alias, names, values)
    owner.key_is_read_only, owner.key_project_id = row[3] != ApiKey.Scope.WRITE, row[4]
    return owner


@lru_cache(maxsize=1)
def _statement() -> str:
    key, user = ApiKey._meta.db_table, User._meta.db_table
    columns = ", ".join(f"u.{field.column}" for field in USER_FIELDS)
    return (
        "SELECT k.hashed_key, NOT k.revoked AND (k.expiry_date IS NULL OR k.expiry_date >= %s),"  # noqa: S608
        f" k.used_at IS NOT NULL AND k.used_at >= %s, k.scope, k.project_id, {columns}"
        f" FROM {key} k JOIN {user} u ON u.id = k.user_id WHERE k.prefix = %s"
    )
