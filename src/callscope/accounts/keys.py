"""Whose key is this: asked at every request, and answered by one small query.

A key is random, so one SHA-512 of it is enough; nothing is remembered between
requests, so a key that is revoked, or whose owner is deactivated, stops at once
in every process.
"""

import datetime as dt
from functools import lru_cache

from django.db import connection, models
from django.utils.crypto import get_random_string

from callscope.accounts.models import ApiKey, User

# Dates are left out: reading them costs more than the rest, and few requests look at them.
USER_FIELDS = tuple(f for f in User._meta.concrete_fields if not isinstance(f, models.DateTimeField))
FLAGS = frozenset(f.attname for f in USER_FIELDS if isinstance(f, models.BooleanField))

_generator = ApiKey.objects.key_generator
# Compared against when no such prefix exists, so that both answers take the same steps.
_nobodys_hash = _generator.hash(get_random_string(41))


def owner_of(prefix: str, key: str, *, now: dt.datetime) -> User | None:
    """Return the owner of a live key, who may be inactive; None for a key that is not one."""
    with connection.cursor() as cursor:
        cursor.execute(_statement(), [connection.ops.adapt_datetimefield_value(now), prefix])
        row = cursor.fetchone()
    matches = _generator.verify(key, row[0] if row else _nobodys_hash)
    if row is None or not matches or not row[1]:
        return None
    names = [field.attname for field in USER_FIELDS]
    values = [bool(value) if name in FLAGS else value for name, value in zip(names, row[2:], strict=True)]
    return User.from_db(connection.alias, names, values)


@lru_cache(maxsize=1)
def _statement() -> str:
    key, user = ApiKey._meta.db_table, User._meta.db_table
    columns = ", ".join(f"u.{field.column}" for field in USER_FIELDS)
    return (
        f"SELECT k.hashed_key, NOT k.revoked AND (k.expiry_date IS NULL OR k.expiry_date >= %s), {columns}"  # noqa: S608
        f" FROM {key} k JOIN {user} u ON u.id = k.user_id WHERE k.prefix = %s"
    )
