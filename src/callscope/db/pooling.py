"""Whether a pooler in front of PostgreSQL lends its sessions for a transaction or a statement only.

Prepared statements and advisory locks belong to a session: where two clients share one, requests fail
and locks stay held. PgBouncer does so in the modes `transaction` and `statement`.
"""

from contextlib import closing

from django.db import connection

ROUNDS = 5


def is_pooled_by_transaction() -> bool:
    """Ask two open connections in turn which server process answers them.

    A connection of its own has one process as long as it is open, and no other connection has it. So what is
    found is sure; a busy pooler may give each of the two the same one by chance in all rounds.
    """
    if connection.vendor != "postgresql":
        return False
    statement = "SELECT pg_backend_pid()"
    own, other = set(), set()
    with closing(connection.get_new_connection(connection.get_connection_params())) as second:
        second.autocommit = True
        for _ in range(ROUNDS):
            with connection.cursor() as cursor:
                cursor.execute(statement)
                own.add(cursor.fetchone()[0])
            other.add(second.execute(statement).fetchone()[0])
    return len(own | other) != 2 or len(own) != 1
