"""The settings that the processes of one installation have to share, and where they do not.

Secrets are never stored: of a key only whether it is set, of an address what stands after the password.
"""

import hashlib
import hmac
import os
import socket
from collections import defaultdict
from collections.abc import Iterable

from callscope import __version__
from callscope.environment import Environment, hide_password
from callscope.pipeline.models import SiteProcess

UNSET = "unset"
# Settings, and which processes use them: the web, and workers of these queues.
EVERYBODY = ("web", "asr", "llm", "default")
WORKERS = ("asr", "llm", "default")
SHELL = "this shell"  # in which a command runs
USERS: dict[str, tuple[str, ...]] = {
    "CALLSCOPE_STORAGE_URL": EVERYBODY,
    "AWS_ENDPOINT_URL_S3": EVERYBODY,  # buckets of one name may be on two servers
    "CALLSCOPE_QUEUE_URL": EVERYBODY,
    "CALLSCOPE_TIME_ZONE": EVERYBODY,
    "CALLSCOPE_TRANSCRIBER": ("asr",),
    "CALLSCOPE_TRANSCRIBER_MODEL": ("asr",),
    "CALLSCOPE_TRANSCRIBER_API_KEY": ("asr",),
    "CALLSCOPE_PRIVATE_TRANSCRIBER": ("asr",),
    "CALLSCOPE_PRIVATE_TRANSCRIBER_MODEL": ("asr",),
    "CALLSCOPE_PRIVATE_TRANSCRIBER_API_KEY": ("asr",),
    "CALLSCOPE_LLM_URL": ("web", "llm", "default"),
    "CALLSCOPE_LLM_MODEL": ("web", "llm", "default"),
    "CALLSCOPE_LLM_API_KEY": ("web", "llm", "default"),
    "CALLSCOPE_PRIVATE_LLM_URL": ("web", "llm", "default"),
    "CALLSCOPE_PRIVATE_LLM_MODEL": ("web", "llm", "default"),
    "CALLSCOPE_PRIVATE_LLM_API_KEY": ("web", "llm", "default"),
    "CALLSCOPE_EMBED_URL": ("web", "llm", "default"),
    "CALLSCOPE_EMBED_MODEL": ("web", "llm", "default"),
    "CALLSCOPE_EMBED_API_KEY": ("web", "llm", "default"),
    "CALLSCOPE_EMBEDDER": ("web", "llm", "default"),
    # Not compared, for each machine may have a folder of its own: it says which engine is in trouble there.
    "CALLSCOPE_EMBED_MODEL_DIR": (),
    "CALLSCOPE_RETRY_PAUSE": WORKERS,
    "CALLSCOPE_ENGINE_TIMEOUT": WORKERS,
    "CALLSCOPE_ENGINE_PATIENCE": WORKERS,
    "CALLSCOPE_SECRET_KEY": ("web",),
    # A browser signs in where the load balancer leads it, perhaps at the machine that asks for less.
    "CALLSCOPE_SECOND_FACTOR": ("web",),
    "CALLSCOPE_INVITED_SIGN_UP": ("web",),
    "CALLSCOPE_SHARE_LINKS": ("web",),
    "CALLSCOPE_OIDC_URL": ("web",),
    "CALLSCOPE_SESSION_HOURS": ("web",),
    "CALLSCOPE_SESSION_IDLE_MINUTES": ("web",),
    "CALLSCOPE_AUDIT_DAYS": EVERYBODY,  # workers cut the trail, and people expect it of what the web has
    # Reports go by mail from the workers that also regroup; the web takes the orders.
    "CALLSCOPE_EMAIL_URL": ("web", "default"),
    "CALLSCOPE_EMAIL_FROM": ("web", "default"),
    "CALLSCOPE_PUBLIC_URL": ("web", "default"),  # of workers only those that send mail
    "CALLSCOPE_MAX_UPLOAD_MB": ("web",),
    "CALLSCOPE_RATE_LIMIT": ("web",),
}


def describe_settings(environment: Environment, *, secret_key: str) -> dict[str, str]:
    """Return the shared settings of this process, fit to be stored and shown."""
    found = {
        "CALLSCOPE_STORAGE_URL": hide_password(environment.storage_url) or UNSET,
        "AWS_ENDPOINT_URL_S3": _find_bucket_server(environment) or UNSET,
        "CALLSCOPE_QUEUE_URL": hide_password(environment.queue_url) or UNSET,
        "CALLSCOPE_TIME_ZONE": environment.time_zone,
        "CALLSCOPE_EMBEDDER": environment.embedder,
        "CALLSCOPE_EMBED_MODEL_DIR": environment.embed_model_dir or UNSET,
        "CALLSCOPE_AUDIT_DAYS": str(environment.audit_days or UNSET),
        "CALLSCOPE_EMAIL_URL": hide_password(environment.email_url) or UNSET,
        "CALLSCOPE_EMAIL_FROM": environment.email_from or UNSET,
        "CALLSCOPE_PUBLIC_URL": environment.public_url or UNSET,
        "CALLSCOPE_MAX_UPLOAD_MB": str(environment.max_upload_mb),
        "CALLSCOPE_RATE_LIMIT": environment.rate_limit,
        "CALLSCOPE_RETRY_PAUSE": f"{environment.retry_pause:g}",
        "CALLSCOPE_ENGINE_TIMEOUT": f"{environment.engine_timeout:g}",
        "CALLSCOPE_ENGINE_PATIENCE": f"{environment.engine_patience:g}",
        "CALLSCOPE_SECOND_FACTOR": environment.second_factor,
        "CALLSCOPE_INVITED_SIGN_UP": "on" if environment.invited_sign_up else "off",
        "CALLSCOPE_SHARE_LINKS": "on" if environment.share_links else "off",
        "CALLSCOPE_OIDC_URL": environment.oidc_url or UNSET,
        "CALLSCOPE_SESSION_HOURS": str(environment.session_hours),
        "CALLSCOPE_SESSION_IDLE_MINUTES": str(environment.session_idle_minutes),
        # 24 bits tell two keys apart, and are too few to find one by trying.
        "CALLSCOPE_SECRET_KEY": hmac.new(
            secret_key.encode(), b"callscope.agreement", hashlib.sha256
        ).hexdigest()[:6],
    }
    engines = {
        "CALLSCOPE_TRANSCRIBER": ("CALLSCOPE_TRANSCRIBER", environment.transcriber),
        "CALLSCOPE_PRIVATE_TRANSCRIBER": ("CALLSCOPE_PRIVATE_TRANSCRIBER", environment.private_transcriber),
        "CALLSCOPE_LLM_URL": ("CALLSCOPE_LLM", environment.llm),
        "CALLSCOPE_PRIVATE_LLM_URL": ("CALLSCOPE_PRIVATE_LLM", environment.private_llm),
        "CALLSCOPE_EMBED_URL": ("CALLSCOPE_EMBED", environment.embed_url),
    }
    for variable, (prefix, engine) in engines.items():
        found |= {
            variable: hide_password(engine.address) or UNSET,
            f"{prefix}_MODEL": engine.model or UNSET,
            f"{prefix}_API_KEY": "set" if engine.api_key else UNSET,
        }
    return found


def _find_bucket_server(environment: Environment) -> str:
    """Return the address of the bucket's server as AWS clients read it; "" for AWS itself or a folder."""
    given = os.environ.get("AWS_ENDPOINT_URL_S3") or os.environ.get("AWS_ENDPOINT_URL", "")
    return hide_password(given) if environment.storage_url else ""


def describe_shell(alive: Iterable[SiteProcess], settings: dict[str, str]) -> SiteProcess:
    """Return this process, that serves nothing, as one that needs what those of its machine need.

    On a machine without any, only what all processes need: a shell there may know no engine.
    """
    host = socket.gethostname()[:255]
    parts = set[str]().union(*(_list_parts(process) for process in alive if process.host == host))
    return SiteProcess(
        host=host,
        role=SHELL,
        queues=",".join(sorted(parts or {SHELL})),
        version=__version__,
        settings=settings,
    )


def _list_parts(process: SiteProcess) -> set[str]:
    """Return what a process does, as USERS names it."""
    return {"web"} if process.role == SiteProcess.Role.WEB else set(process.queues.split(","))


def find_disagreements(processes: Iterable[SiteProcess]) -> list[str]:
    """Return a sentence for each setting that differs among the live processes that use it."""
    values: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    versions: dict[str, set[str]] = defaultdict(set)
    for process in processes:
        place = describe_place(process)
        versions[process.version].add(place)
        parts = _list_parts(process)
        # A worker that sends no mail makes no links.
        has_links = "web" in parts or process.settings.get("CALLSCOPE_EMAIL_URL", UNSET) != UNSET
        for name, value in process.settings.items():
            users = set(USERS.get(name, ()))
            is_used = bool(parts & users) or (process.role == SHELL and users == set(EVERYBODY))
            if is_used and (has_links or name != "CALLSCOPE_PUBLIC_URL"):
                values[name][value].add(place)
    sentences = [_describe(name, by_value) for name, by_value in sorted(values.items()) if len(by_value) > 1]
    if len(versions) > 1:
        sentences.insert(0, _describe("the version", versions))
    return sentences


def describe_place(process: SiteProcess) -> str:
    """Return which process that is, for people: web on web1, worker asr,llm on w2."""
    if process.role == SHELL:
        return SHELL
    return f"{process.role}{f' {process.queues}' if process.queues else ''} on {process.host}"


def _describe(name: str, by_value: dict[str, set[str]]) -> str:
    parts = (f"{value} ({', '.join(sorted(places))})" for value, places in sorted(by_value.items()))
    return f"{name} differs: {'; '.join(parts)}"
