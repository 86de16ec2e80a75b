"""Check what Callscope needs to run; each check says what it found and what would mend it.

Used by /readyz, which shows only names and states, and by `callscope doctor`,
which shows everything.
"""

import secrets
import stat
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from callscope.environment import EngineAddress
from callscope.pipeline import doorbell

PROBE_CONTENT = b"Callscope writes and deletes this file to see whether it can."


@dataclass(frozen=True, slots=True)
class Check:
    """What one check found; `advice` is "" when there is nothing to mend."""

    name: str
    is_ok: bool
    detail: str
    advice: str = ""
    is_warning: bool = False  # worth mending, but work can be done


def database() -> Check:
    """Say whether the database answers."""
    try:
        connection.ensure_connection()
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except Exception as error:
        advice = "Look at CALLSCOPE_DATABASE_URL and at the database server."
        if connection.vendor == "sqlite":
            advice = f"Look at free space and permissions of {Path(connection.settings_dict['NAME']).parent}."
        return Check("database", False, _first_line(error), advice)
    return Check("database", True, f"{connection.vendor} answers")


def migrations() -> Check:
    """Say whether all tables are those of this version."""
    try:
        executor = MigrationExecutor(connection)
        missing = len(executor.migration_plan(executor.loader.graph.leaf_nodes()))
    except Exception as error:
        return Check("migrations", False, _first_line(error), "Mend the database first.")
    if missing:
        return Check("migrations", False, f"{missing} migrations are missing", "Run `callscope init`.")
    return Check("migrations", True, "all tables are up to date")


def storage() -> Check:
    """Say whether recordings can be written and deleted."""
    try:
        name = default_storage.save(f".probe-{secrets.token_hex(8)}", ContentFile(PROBE_CONTENT))
        default_storage.delete(name)
    except Exception as error:
        advice = "Look at CALLSCOPE_STORAGE_URL, CALLSCOPE_DATA_DIR, free space and permissions."
        return Check("storage", False, _first_line(error), advice)
    return Check("storage", True, settings.ENVIRONMENT.storage_url or str(settings.DATA_DIR / "recordings"))


def queue() -> Check:
    """Say whether work can be handed to the workers."""
    if not doorbell.is_used():
        return Check("queue", True, "workers poll the database")
    try:
        doorbell.knock()
    except Exception as error:
        return Check("queue", False, _first_line(error), "Look at CALLSCOPE_QUEUE_URL and at the broker.")
    return Check("queue", True, "the broker answers")


def secret_key() -> Check:
    """Say whether the secret key is kept from other users of the machine."""
    path = Path(settings.DATA_DIR) / "secret_key"
    if settings.ENVIRONMENT.secret_key:
        return Check("secret key", True, "given by CALLSCOPE_SECRET_KEY")
    if not path.exists():
        return Check("secret key", False, f"{path} does not exist", "Run `callscope init`.")
    mode = stat.S_IMODE(path.stat().st_mode)
    if mode & 0o077:
        return Check("secret key", False, f"{path} has mode {mode:04o}", f"Run `chmod 600 {path}`.")
    return Check("secret key", True, f"{path}, mode {mode:04o}")


def unknown_settings() -> Check:
    """Name CALLSCOPE_… variables that nothing reads."""
    names = settings.ENVIRONMENT.unknown
    if names:
        return Check(
            "settings", False, f"unknown: {', '.join(names)}", "Correct or remove them.", is_warning=True
        )
    return Check("settings", True, "no unknown CALLSCOPE_… variables")


def engines() -> list[Check]:
    """Say for each kind of engine what would do the work, and whether it can."""
    environment = settings.ENVIRONMENT
    return [
        _recogniser("speech recognition", environment.transcriber, private=False),
        _recogniser("private speech recognition", environment.private_transcriber, private=True),
        Check("analysis", True, _judge(environment.llm)),
        Check("analysis of private projects", True, _judge(environment.private_llm)),
    ]


def _judge(address: EngineAddress) -> str:
    if not address.address:
        return "the built-in rules analyser"
    return f"{address.address}, {address.model or 'the model the server chooses'}"


def _recogniser(name: str, address: EngineAddress, *, private: bool) -> Check:
    """An engine that is missing is a warning: transcripts (SRT, VTT) are analysed without one."""
    from callscope.engines.asr import selection

    advice = "Recordings fail until it is mended; transcripts (SRT, VTT) need no engine. See docs/engines.md."
    try:
        engine = selection.transcriber(
            address.address, api_key=address.api_key, model=address.model, operator_run=private
        )
        health = engine.check()
    except Exception as error:
        return Check(name, False, _first_line(error), advice, is_warning=True)
    detail = f"{engine.name}: {health.detail}"
    return Check(name, health.ok, detail, "" if health.ok else advice, is_warning=not health.ok)


ALWAYS: tuple[Callable[[], Check], ...] = (database, migrations, storage, queue, secret_key, unknown_settings)


def everything() -> list[Check]:
    """Return all checks, in the order in which they are best mended."""
    return [check() for check in ALWAYS] + engines()


def _first_line(error: BaseException) -> str:
    lines = str(error).strip().splitlines()
    return lines[0] if lines else type(error).__name__
