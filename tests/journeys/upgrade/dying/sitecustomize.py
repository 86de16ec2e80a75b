"""A process that starts with this folder on PYTHONPATH dies in the middle of a migration.

CALLSCOPE_TEST_DIES_IN says in which one that it applies, counted from 1: after everything was done for it,
and before the transaction ends.
"""

import os
import signal

from django.db.migrations.executor import MigrationExecutor

DIES_IN = "CALLSCOPE_TEST_DIES_IN"


def die_in(number: int) -> None:
    record = MigrationExecutor.record_migration
    applied = 0

    def record_and_die(self, migration):
        nonlocal applied
        record(self, migration)
        applied += 1
        if applied == number:
            os.kill(os.getpid(), signal.SIGKILL)

    MigrationExecutor.record_migration = record_and_die


if DIES_IN in os.environ:
    die_in(int(os.environ[DIES_IN]))
