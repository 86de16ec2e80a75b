"""Check what Callscope needs to run; each check says what it found and how to fix it.

`callscope doctor` shows all of it; /readyz (readiness.py) only a few names and states.
"""

import secrets
import stat
import tempfile
import wave
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from urllib.parse import urlsplit

from django.conf import settings
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db import connection

from callscope.db.pooling import is_pooled_by_transaction
from callscope.db.schema_version import UTF8_ADVICE, find_wrong_encoding, read_schema_state
from callscope.engines.errors import BadOutput
from callscope.engines.registry import Engines, engines_for
from callscope.environment import EngineAddress, hide_password
from callscope.pipeline.models import SiteProcess
from callscope.pipeline.operation import agreement, engine_checks, processes
from callscope.pipeline.operation.check_result import CheckResult
from callscope.pipeline.queue import notifier
from callscope.processes import extras
from callscope.processes.guarded_addresses import is_guarded, resolve

EMBEDDINGS = "embeddings"
PROBE_CONTENT = b"Callscope writes and deletes this file to see whether it can."


def check_database() -> CheckResult:
    """Check that the database answers."""
    try:
        connection.ensure_connection()
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
        encoding = find_wrong_encoding()
    except Exception as error:
        advice = "Check CALLSCOPE_DATABASE_URL and the database server."
        if connection.vendor == "sqlite":
            advice = f"Check free space and permissions of {Path(connection.settings_dict['NAME']).parent}."
        return CheckResult("database", False, _first_line(error), advice)
    if encoding:
        advice = f"{UTF8_ADVICE} Then restore a backup into it."
        return CheckResult("database", False, f"it stores text as {encoding}, not as UTF8", advice)
    return CheckResult("database", True, f"{connection.vendor} answers")


def check_database_sessions() -> CheckResult:
    """Check that the database answers, and by another connection that no pooler shares its sessions."""
    answered = check_database()
    if not answered.is_ok:
        return answered
    try:
        is_pooled = is_pooled_by_transaction()
    except Exception as error:
        advice = "Check how many connections the database server allows."
        return CheckResult("database", False, _first_line(error), advice)
    if is_pooled:
        detail = "a pooler shares its sessions between connections, so requests fail and locks stay held"
        advice = "Set pool_mode = session in PgBouncer, with room for all connections: docs/operations.md."
        return CheckResult("database", False, detail, advice)
    return answered


def check_migrations() -> CheckResult:
    """Check that all tables are those of this version."""
    try:
        state = read_schema_state()
    except Exception as error:
        return CheckResult("migrations", False, _first_line(error), "Fix the database first.")
    if state.unknown:
        detail, _, advice = state.explain_newer().partition(". ")
        return CheckResult("migrations", False, f"the database {detail}", advice)
    if state.missing:
        detail = "1 migration is missing" if state.missing == 1 else f"{state.missing} migrations are missing"
        return CheckResult("migrations", False, detail, "Run `callscope init`.")
    return CheckResult("migrations", True, "all tables are up to date")


def check_storage() -> CheckResult:
    """Check that recordings can be written, read and deleted."""
    if settings.ENVIRONMENT.storage_url and not extras.is_installed("s3"):
        return CheckResult(
            "storage", False, "the extra s3 is not installed", extras.describe_installation("s3")
        )
    try:
        name = default_storage.save(f".probe-{secrets.token_hex(8)}", ContentFile(PROBE_CONTENT))
        try:
            with default_storage.open(name) as stored:
                if stored.read() != PROBE_CONTENT:
                    raise OSError("what is read is not what was written")
        finally:
            default_storage.delete(name)
    except Exception as error:
        advice = "Check CALLSCOPE_STORAGE_URL, CALLSCOPE_DATA_DIR, free space and permissions."
        return CheckResult("storage", False, _first_line(error), advice)
    return CheckResult(
        "storage", True, settings.ENVIRONMENT.storage_url or str(settings.DATA_DIR / "recordings")
    )


def check_queue() -> CheckResult:
    """Check that jobs reach the workers."""
    if not notifier.is_enabled():
        return CheckResult("queue", True, "workers poll the database")
    if not extras.is_installed("celery"):
        return CheckResult(
            "queue", False, "the extra celery is not installed", extras.describe_installation("celery")
        )
    try:
        notifier.ping_broker()
    except Exception as error:
        advice = "Check CALLSCOPE_QUEUE_URL and the broker. Until then workers look into the job table."
        return CheckResult("queue", False, hide_password(_first_line(error)), advice, is_warning=True)
    waiting = ", ".join(f"{name} {count}" for name, count in notifier.count_messages().items())
    return CheckResult("queue", True, f"the broker answers; messages: {waiting}")


def check_data_folder() -> CheckResult:
    """Check that other users of the machine cannot read the data folder, and name its owner."""
    path = Path(settings.DATA_DIR)
    try:
        found = path.stat()
    except OSError as error:
        advice = "Run `callscope init` where the web is served; a machine with workers alone needs none."
        return CheckResult("data folder", False, _first_line(error), advice, is_warning=True)
    mode = stat.S_IMODE(found.st_mode)
    try:
        owner = path.owner()
    except KeyError:  # as in containers: the user has no name
        owner = str(found.st_uid)
    detail = f"{path}, mode {mode:04o}, owned by {owner}"
    if mode & 0o077:
        return CheckResult("data folder", False, detail, f"Run `chmod 700 {path}`.", is_warning=True)
    return CheckResult("data folder", True, detail)


def check_secret_key() -> CheckResult:
    """Check that other users of the machine cannot read the secret key."""
    path = Path(settings.DATA_DIR) / "secret_key"
    if settings.ENVIRONMENT.secret_key:
        return CheckResult("secret key", True, "set by CALLSCOPE_SECRET_KEY")
    if not path.exists():
        advice = "Run `callscope init` where the web is served; a machine with workers alone needs none."
        return CheckResult("secret key", False, f"{path} does not exist", advice, is_warning=True)
    mode = stat.S_IMODE(path.stat().st_mode)
    if mode & 0o077:
        return CheckResult("secret key", False, f"{path} has mode {mode:04o}", f"Run `chmod 600 {path}`.")
    return CheckResult("secret key", True, f"{path}, mode {mode:04o}")


def check_decoder() -> CheckResult:
    """Check that a recording can be decoded, and what confines the process that reads strangers' ones."""
    from callscope.transcription.audio import decoding

    try:
        layers = decoding.find_sandbox_layers()
        with tempfile.NamedTemporaryFile(suffix=".wav") as file:
            with wave.open(file, "wb") as recording:
                recording.setparams((1, 2, 8000, 800, "NONE", ""))
                recording.writeframes(bytes(2 * 800))
            file.flush()
            decoding.measure_audio_duration(Path(file.name))
    except Exception as error:
        return CheckResult("decoder", False, _first_line(error), "Recordings fail until it is fixed.")
    if not {"Landlock", "seccomp"} & set(layers):
        advice = "Use Linux 5.13 or newer and let containers use Landlock or seccomp. See docs/security.md."
        detail = f"sandboxed only by limits{''.join(f', {layer}' for layer in layers)}"
        return CheckResult("decoder", False, detail, advice, is_warning=True)
    return CheckResult("decoder", True, f"sandboxed by {', '.join(layers)}")


def check_unknown_settings() -> CheckResult:
    """Check that every CALLSCOPE_… variable is a known setting."""
    names = settings.ENVIRONMENT.unknown
    if names:
        return CheckResult(
            "settings", False, f"unknown: {', '.join(names)}", "Correct or remove them.", is_warning=True
        )
    return CheckResult("settings", True, "no unknown CALLSCOPE_… variables")


def check_engines(alive: Iterable[SiteProcess] = ()) -> Iterator[CheckResult]:
    """Yield which engines would be used, and whether they work; speech where the live workers for it are."""
    environment = settings.ENVIRONMENT
    common, private = (engines_for(environment, private=is_private) for is_private in (False, True))
    for name, setting, engines in (
        ("speech recognition", "CALLSCOPE_TRANSCRIBER", common),
        ("private speech recognition", "CALLSCOPE_PRIVATE_TRANSCRIBER", private),
    ):
        yield _find_speech_elsewhere(name, setting, engines, alive) or _check_transcriber(name, engines)
    yield _check_llm("analysis", common, environment.llm, "CALLSCOPE_LLM_URL")
    yield _check_llm(
        "analysis of private projects", private, environment.private_llm, "CALLSCOPE_PRIVATE_LLM_URL"
    )
    yield _check_embeddings(common)


def _find_speech_elsewhere(
    name: str, setting: str, engines: Engines, alive: Iterable[SiteProcess]
) -> CheckResult | None:
    """Return the host that recognizes speech if this one names no engine for it; else None."""
    if engines.transcriber_address.address:
        return None
    hosts = {
        process.host
        for process in alive
        if "asr" in process.queues.split(",")
        and process.settings.get(setting, agreement.UNSET) != agreement.UNSET
    }
    if not hosts:
        return None
    return CheckResult(name, True, f"asked on {', '.join(sorted(hosts))}; run `callscope doctor` there")


def _check_llm(name: str, engines: Engines, address: EngineAddress, setting: str) -> CheckResult:
    if failure := _find_guarded(name, address):
        return failure
    described = _describe_llm(address, setting)
    if engines.llm is None:
        return CheckResult(name, True, described)
    client = engines.llm
    advice = f"Check {setting}, its key and its model. Analyses wait or fail until then."
    return _ask(name, described, advice, lambda: engine_checks.ask_language_model(client))


def _check_embeddings(engines: Engines) -> CheckResult:
    environment = engines.environment
    name = EMBEDDINGS
    if failure := _find_guarded(name, environment.embed_url):
        return failure
    place = hide_password(environment.embed_model_dir or environment.embed_url.address)
    advice = "Check CALLSCOPE_EMBED_URL, CALLSCOPE_EMBED_MODEL and CALLSCOPE_EMBED_MODEL_DIR."
    return _ask(name, place or environment.embedder, advice, lambda: engine_checks.ask_embedder(engines))


def _ask(name: str, described: str, advice: str, ask: Callable[[], str]) -> CheckResult:
    """Ask an engine; say what it is and how it answered."""
    try:
        answer = ask()
    except BadOutput as error:
        # Without vectors no call is judged; a model may answer better when it is asked about a call.
        detail, is_warning = f"{described}: {_first_line(error)}", name != EMBEDDINGS
        return CheckResult(name, False, detail, advice, is_warning=is_warning)
    except Exception as error:
        detail = f"{described}: {hide_password(_first_line(error))}"
        return CheckResult(name, False, detail, advice)
    return CheckResult(name, True, f"{described}, {answer}" if answer else described)


def _find_guarded(name: str, address: EngineAddress) -> CheckResult | None:
    """Return the failure of a server whose name leads to an address that is never asked; else None."""
    host = urlsplit(address.address).hostname or ""
    try:
        found = resolve(host, 0) if host else []
    except (OSError, UnicodeError):  # it may be known to a proxy alone
        return None
    guarded = [str(each) for each in found if is_guarded(each, address.networks)]
    if not guarded:
        return None
    detail = f"{host} is at {', '.join(guarded)}, a link-local address or a metadata service: it is not asked"
    advice = "Correct the address, or name its network in CALLSCOPE_ENGINE_NETWORKS if the engine is yours."
    return CheckResult(name, False, detail, advice)


def _describe_llm(address: EngineAddress, setting: str) -> str:
    if not address.address:
        return (
            "the built-in rules analyzer: it judges by the phrases of the rubric; criteria without phrases "
            f"and custom questions need a language model ({setting})"
        )
    return f"{hide_password(address.address)}, {address.model or 'the model the server chooses'}"


def _check_transcriber(name: str, engines: Engines) -> CheckResult:
    """Check a speech engine; a missing one is a warning, because transcripts (SRT, VTT) need none."""
    if failure := _find_guarded(name, engines.transcriber_address):
        return failure
    outcome = "wait or fail" if engines.speech_hosts else "fail" if engines.is_private else "wait"
    advice = (
        f"Recordings {outcome} until it is fixed; transcripts (SRT, VTT) need no engine. See docs/engines.md."
    )
    try:
        engine = engines.transcriber
        health = engine.check()
    except Exception as error:
        return CheckResult(name, False, hide_password(_first_line(error)), advice, is_warning=True)
    detail = hide_password(f"{engine.name}: {health.detail.rstrip('.')}")
    if health.ok and engine.is_demo:
        advice = "For calls that count, choose another CALLSCOPE_TRANSCRIBER. See docs/engines.md."
        return CheckResult(name, False, detail, advice, is_warning=True)
    if not health.ok:
        # A server that somebody named is missed; without any, transcripts go on.
        return CheckResult(name, False, detail, advice, is_warning=not engine.hosts)
    return _ask(name, detail, advice, lambda: engine_checks.ask_transcriber(engine))


ALWAYS: tuple[Callable[[], CheckResult], ...] = (
    check_database_sessions,
    check_migrations,
    check_storage,
    check_queue,
    check_data_folder,
    check_secret_key,
    check_decoder,
    check_unknown_settings,
)


def run_all_checks() -> Iterator[CheckResult]:
    """Run all checks, in the order in which problems are best fixed; yield each as soon as it is there."""
    from callscope.pipeline.operation.site_checks import run_site_checks

    has_tables = True
    for check in ALWAYS:
        result = check()
        has_tables = has_tables and (result.is_ok or result.name not in ("database", "migrations"))
        yield result
    if has_tables:
        yield from run_site_checks()
    yield from check_engines(processes.list_alive() if has_tables else [])


def _first_line(error: BaseException) -> str:
    lines = str(error).strip().splitlines()
    return lines[0] if lines else type(error).__name__
