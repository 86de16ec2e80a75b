"""Read the CALLSCOPE_… environment variables into one checked value.

Rules: docs/operations.md, "Settings". A bad value raises BadSetting, whose
message is the one line that a start prints before it ends.

Plain pydantic does the checks. pydantic-settings would only look up the names with
their prefix: lists with commas, the variables of engines, the warning about unknown
variables and the one-line message would need the same code as without it.
"""

import ipaddress
import os
import re
import zoneinfo
from collections.abc import Mapping
from dataclasses import field, fields, replace
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

from pydantic import AfterValidator, BeforeValidator, Field, ValidationError
from pydantic.dataclasses import dataclass

from callscope.processes.guarded_addresses import Network, is_guarded_host

PREFIX = "CALLSCOPE_"
# The client commands read these two; they are known, but mean nothing to a server.
CLIENT_VARIABLES = {"CALLSCOPE_URL", "CALLSCOPE_API_KEY"}
# deploy/compose.yaml reads these two, out of the file that it hands to every process.
COMPOSE_VARIABLES = {"CALLSCOPE_IMAGE", "CALLSCOPE_EXTRAS"}
DEFAULT_WEB_PROCESSES = 4  # each takes memory, so more have to be asked for
LOOPBACK_HOSTS = ["localhost", ".localhost", "127.0.0.1", "[::1]"]
NOT_GUARDED = (
    "a server that is not at a link-local address or a cloud's metadata service, "
    "unless CALLSCOPE_ENGINE_NETWORKS names its network"
)
DECIMAL = r"\d{1,6}(\.\d{1,6})?"


def hide_password(text: str) -> str:
    """Return the text without user and password of a URL, whatever signs a password has."""
    return re.sub(r"(?<=://).*@|[^\s/]*@", "…@", text, flags=re.DOTALL)


class BadSetting(Exception):
    """A setting has a value that is not allowed; str() is one line for the operator."""

    def __init__(self, name: str, value: str, allowed: str) -> None:
        super().__init__(f'{name} is "{hide_password(value)}". Allowed: {allowed}.')


def _text(pattern: str) -> BeforeValidator:
    """Return a check of a variable's text: pydantic alone would take 1_0, 1e3 and digits of any script."""

    def check(value: Any) -> Any:
        if isinstance(value, str) and not re.fullmatch(pattern, value, re.ASCII):
            raise ValueError
        return value

    return BeforeValidator(check)


def _allowed(text: str) -> Any:
    """Return what a field carries for the message of BadSetting."""
    return Field(description=text)


def _check_time_zone(name: str) -> str:
    try:
        zoneinfo.ZoneInfo(name)
    except (zoneinfo.ZoneInfoNotFoundError, OSError):
        raise ValueError from None
    return name


def _split_commas(text: Any) -> Any:
    return [part.strip() for part in text.split(",") if part.strip()] if isinstance(text, str) else text


def _read_networks(networks: Any) -> Any:
    return [ipaddress.ip_network(each) for each in _split_commas(networks)]


def _read_group_teams(text: Any) -> Any:
    if not isinstance(text, str):
        return text
    found = [re.fullmatch(r"(.+)=(\d{1,15})(:admin)?", each) for each in _split_commas(text)]
    if None in found:
        raise ValueError
    return [(each[1], int(each[2]), bool(each[3])) for each in found if each]


Price = Annotated[Decimal | None, _text(DECIMAL), _allowed("a price from 0, such as 0.15")]


@dataclass(frozen=True, slots=True)
class EngineAddress:
    """Where an engine is: "local", or the base URL of an OpenAI-compatible server; and what it costs."""

    address: str = ""  # "" when unset
    api_key: str = field(default="", repr=False)
    model: str = ""
    # In the operator's currency; None: not priced.
    price_input: Price = None  # of a million tokens
    price_output: Price = None
    price_minute: Price = None  # of audio
    networks: tuple[Network, ...] = ()  # guarded ones in which it may be: CALLSCOPE_ENGINE_NETWORKS

    def tokens_cost_micros(self, input_tokens: int, output_tokens: int) -> int | None:
        """Return what these tokens cost in millionths; None unless both prices are set."""
        if self.price_input is None or self.price_output is None:
            return None
        return round(input_tokens * self.price_input + output_tokens * self.price_output)

    def audio_cost_micros(self, audio_us: int) -> int | None:
        """Return what so many microseconds of audio cost in millionths; None without a price."""
        return None if self.price_minute is None else round(audio_us * self.price_minute / 60)


def _engine(*local_names: str) -> AfterValidator:
    def check(engine: EngineAddress) -> EngineAddress:
        url = urlsplit(engine.address)
        is_url = url.scheme in ("http", "https") and bool(url.netloc)
        if engine.address and not is_url and engine.address not in local_names:
            raise ValueError
        return engine

    return AfterValidator(check)


Transcriber = Annotated[EngineAddress, _engine("local", "demo"), _allowed("an http(s) URL, local or demo")]
Server = Annotated[EngineAddress, _engine(), _allowed("an http(s) URL")]


@dataclass(frozen=True, slots=True, kw_only=True)
class Environment:
    """All settings of one Callscope process, checked; VARIABLES says where each comes from."""

    data_dir: Annotated[Path, AfterValidator(lambda path: path.expanduser().absolute())] = Field(
        default=Path("./callscope-data"), validate_default=True
    )
    database_url: Annotated[
        str, _text("(?i:sqlite|postgres|postgresql):.*"), _allowed("postgres://… or sqlite:///…")
    ] = Field(default_factory=lambda checked: f"sqlite:///{checked['data_dir'] / 'callscope.sqlite3'}")
    time_zone: Annotated[
        str, AfterValidator(_check_time_zone), _allowed("an IANA name such as UTC or Europe/Madrid")
    ] = "UTC"
    secret_key: str = field(default="", repr=False)  # "" means: read or make the file in the data folder
    allowed_hosts: Annotated[list[str], BeforeValidator(_split_commas)] = field(
        default_factory=lambda: LOOPBACK_HOSTS.copy()
    )
    trusted_proxies: Annotated[  # whose X-Forwarded-For counts
        list[Network],
        BeforeValidator(_read_networks),
        _allowed("addresses or networks by comma, such as 127.0.0.1,10.0.0.0/8"),
    ] = field(default_factory=list)
    https: Annotated[  # auto: what the proxy says of each request
        Literal["on", "off", "auto"], _allowed("on, off, auto")
    ] = "auto"
    session_hours: Annotated[  # after a sign-in
        int, _text(r"\d{1,9}"), Field(ge=1, le=720), _allowed("a whole number from 1 to 720")
    ] = 12
    session_idle_minutes: Annotated[  # after the latest request
        int, _text(r"\d{1,9}"), Field(ge=1, le=43_200), _allowed("a whole number from 1 to 43200")
    ] = 30
    audit_days: Annotated[  # after which audit events are cut off; None: never
        Annotated[int, _text(r"\d{1,9}"), Field(ge=30, le=36_500)] | None,
        _allowed("a whole number from 30 to 36500"),
    ] = None
    public_url: Annotated[  # what links in mails begin with
        str,
        _text("(https?://[^/?#@ ]+/*)?"),
        AfterValidator(lambda address: address.rstrip("/")),
        _allowed("the address of this server without a path, such as https://calls.example.com"),
    ] = ""
    email_url: Annotated[  # "" means: no mail is sent
        str,
        _text(r"((?i:smtp|smtp\+tls|smtps)://([^/?#@ ]*@)?[^/?#@ :]+(:\d{1,5})?/*)?"),
        _allowed("smtp+tls://user:password@host:587, smtps://… or smtp://…"),
    ] = field(default="", repr=False)
    email_from: Annotated[  # "" means: callscope@ the host of public_url
        str, _text(r"([^<>@\r\n]*<[^<>@\s]+@[^<>@\s]+>|[^<>@\s]+@[^<>@\s]+)?"), _allowed("an e-mail address")
    ] = ""
    second_factor: Annotated[  # of sessions; keys have none
        Literal["optional", "required"], _allowed("optional, required")
    ] = "optional"
    invited_sign_up: Annotated[  # whether invitations of users, sent by mail, may create accounts
        bool, _text("on|off"), _allowed("on, off")
    ] = False
    share_links: Annotated[  # whether people without an account may open calls and reports by a link
        bool, _text("on|off"), _allowed("on, off")
    ] = True
    oidc_url: Annotated[  # the issuer; "" means: no identity provider
        str, _text(r"(https://[^\s?#@]+|http://localhost(:\d+)?[^\s?#@]*)?"), _allowed("an https URL")
    ] = ""
    oidc_client_id: str = ""
    oidc_client_secret: str = field(default="", repr=False)
    oidc_name: str = "OpenID"  # of the provider, on the sign-in page
    oidc_groups_claim: str = "groups"
    oidc_sign_up: Annotated[  # who gets an account at the first sign-in; nobody else
        list[str],
        BeforeValidator(_split_commas),
        _allowed("domains and groups by comma: example.com,group:calls"),
    ] = field(default_factory=list)
    oidc_teams: Annotated[  # group, team id, whether as admin
        list[tuple[str, int, bool]],
        BeforeValidator(_read_group_teams),
        _allowed("group=team id by comma, with :admin for its admins, such as sales=3,leads=3:admin"),
    ] = field(default_factory=list)
    queue_url: Annotated[  # "" means: workers poll the database
        str,
        _text("((?i:amqps?|rediss?)://[^/?#].*)?"),
        _allowed("amqp://… or amqps://… or redis://… or rediss://…"),
    ] = ""
    storage_url: Annotated[  # "" means: the data folder
        str, _text("((?i:s3)://[^/?#].*)?"), _allowed("s3://…")
    ] = ""
    rate_limit: Annotated[
        str, _text(r"off|[1-9]\d{0,8}/(sec|min|hour|day)"), _allowed("N/sec, N/min, N/hour, N/day or off")
    ] = "600/min"
    max_upload_mb: Annotated[int, _text(r"\d{1,9}"), Field(ge=1), _allowed("a whole number from 1")] = 2048
    web_processes: Annotated[
        int, _text(r"\d{1,9}"), Field(ge=1, le=64), _allowed("a whole number from 1 to 64")
    ] = field(default_factory=lambda: min(DEFAULT_WEB_PROCESSES, cores()))
    retry_pause: Annotated[  # factor on the pauses between attempts
        float, _text(DECIMAL), _allowed("a number from 0, such as 1 or 0.5")
    ] = 1.0
    engine_timeout: Annotated[  # seconds in all for one request to an engine
        float, _text(DECIMAL), Field(gt=0, le=86_400), _allowed("seconds above 0, at most 86400, such as 300")
    ] = 300.0
    engine_patience: Annotated[  # seconds that a job waits for an engine in trouble
        float, _text(DECIMAL), Field(ge=0), _allowed("seconds from 0, such as 86400")
    ] = 86_400.0
    url_prefix: Annotated[  # path under which a proxy serves Callscope, "" for the root
        str,
        _text(r"(/[A-Za-z0-9._~-]+)*/*"),
        AfterValidator(lambda path: path.rstrip("/")),
        _allowed("a path such as /callscope"),
    ] = ""
    transcriber: Transcriber = EngineAddress()
    private_transcriber: Transcriber = EngineAddress()  # private_…: of projects with private_transcription
    llm: Server = EngineAddress()
    private_llm: Server = EngineAddress()
    engine_networks: Annotated[  # link-local or metadata networks in which an engine may be
        list[Network],
        BeforeValidator(_read_networks),
        _allowed("addresses or networks by comma, such as 169.254.10.0/24"),
    ] = field(default_factory=list)
    embedder: Annotated[Literal["built-in", "words"], _allowed("built-in, words")] = "built-in"
    embed_model_dir: str = ""
    embed_url: Server = EngineAddress()
    whisper_device: Annotated[Literal["auto", "cpu", "cuda"], _allowed("auto, cpu, cuda")] = "auto"
    whisper_compute_type: str = "default"
    whisper_batch_size: Annotated[int, _text(r"\d{1,9}"), Field(ge=1), _allowed("a whole number from 1")] = 8
    whisper_threads: Annotated[  # of one worker; None: its share of the cores
        Annotated[int, _text(r"\d{1,9}"), Field(ge=1, le=256)] | None,
        _allowed("a whole number from 1 to 256"),
    ] = None
    log_format: Annotated[Literal["text", "json"], _allowed("text, json")] = "text"
    metrics_token: Annotated[  # "" means: /metrics answers this machine alone
        str, _text(r"[!-~]{16,200}|"), _allowed("16 to 200 letters, digits and signs without spaces")
    ] = field(default="", repr=False)
    debug: Annotated[bool, _text("on|off"), _allowed("on, off")] = False
    unknown: list[str] = field(default_factory=list)  # CALLSCOPE_… variables that nothing reads

    @classmethod
    def read(cls, variables: Mapping[str, str] | None = None) -> "Environment":
        """Return the settings in `variables` (default: the process's own).

        Blank ones count as unset. Raise BadSetting for the first value that is not allowed.
        """
        source = os.environ if variables is None else variables
        given = {name: value.strip() for name, value in source.items() if name.startswith(PREFIX)}
        document: dict[str, Any] = {
            "unknown": sorted(given.keys() - VARIABLES.keys() - CLIENT_VARIABLES - COMPOSE_VARIABLES)
        }
        for name, (setting, part) in VARIABLES.items():
            if value := given.get(name):
                if part:
                    document.setdefault(setting, {})[part] = value
                else:
                    document[setting] = value
        try:
            environment = cls(**document)
        except ValidationError as error:
            raise _bad_setting(error, given) from None
        if (environment.email_url or environment.oidc_url) and not environment.public_url:
            raise BadSetting("CALLSCOPE_PUBLIC_URL", "", "an address, for links that lead back")
        if environment.oidc_url and not environment.oidc_client_id:
            raise BadSetting("CALLSCOPE_OIDC_CLIENT_ID", "", "the id that the provider gave")
        common, private = environment.transcriber, environment.private_transcriber
        if not private.model and {common.address, private.address} <= LOCAL:  # both hear on this machine
            object.__setattr__(environment, "private_transcriber", replace(private, model=common.model))
        for setting, (variable, *_) in ENGINES.items():
            address = getattr(environment, setting)
            if is_guarded_host(urlsplit(address.address).hostname or "", environment.engine_networks):
                raise BadSetting(PREFIX + variable, address.address, NOT_GUARDED)
            if environment.engine_networks:
                address = replace(address, networks=tuple(environment.engine_networks))
                object.__setattr__(environment, setting, address)
        for name, engine in (("LLM", environment.llm), ("PRIVATE_LLM", environment.private_llm)):
            if (engine.price_input is None) != (engine.price_output is None):
                missing = "OUTPUT" if engine.price_output is None else "INPUT"
                raise BadSetting(
                    f"{PREFIX}{name}_PRICE_{missing}", "", "a price, as the other tokens have one"
                )
        return environment


LOCAL = {"", "local"}  # addresses of the recognizer on this machine
IN_PROCESS = {*LOCAL, "demo"}  # and of any that hears in the worker's process
# The settings that are engines: the variable of the address, the prefix of the others, and its prices.
ENGINES = {
    "transcriber": ("TRANSCRIBER", "TRANSCRIBER", ["price_minute"]),
    "private_transcriber": ("PRIVATE_TRANSCRIBER", "PRIVATE_TRANSCRIBER", ["price_minute"]),
    "llm": ("LLM_URL", "LLM", ["price_input", "price_output"]),
    "private_llm": ("PRIVATE_LLM_URL", "PRIVATE_LLM", ["price_input", "price_output"]),
    "embed_url": ("EMBED_URL", "EMBED", []),
}
# Variable → its setting, and the part of it or "".
VARIABLES = {
    PREFIX + setting.name.upper(): (setting.name, "")
    for setting in fields(Environment)
    if setting.name not in {*ENGINES, "unknown"}
}
for _setting, (_address, _prefix, _prices) in ENGINES.items():
    VARIABLES[PREFIX + _address] = (_setting, "address")
    for _part in ("api_key", "model", *_prices):
        VARIABLES[f"{PREFIX}{_prefix}_{_part.upper()}"] = (_setting, _part)


def _bad_setting(error: ValidationError, given: Mapping[str, str]) -> BadSetting:
    """Return the first error as one of its variable; that of a whole engine is one of its address."""
    setting, *part = (str(step) for step in error.errors()[0]["loc"])
    checked = EngineAddress if part else Environment
    allowed = checked.__pydantic_fields__[part[0] if part else setting].description  # type: ignore[union-attr]
    place = (setting, part[0] if part else "address" if setting in ENGINES else "")
    variable = next(name for name, its_place in VARIABLES.items() if its_place == place)
    return BadSetting(variable, given[variable], allowed)


def cores() -> int:
    """Return how many processor cores this process may use, at least 1."""
    if hasattr(os, "sched_getaffinity"):  # not on macOS
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
