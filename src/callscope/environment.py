"""Read the CALLSCOPE_… environment variables into one checked value.

Rules: docs/operations.md, "Settings". A bad value raises BadSetting, whose
message is the one line that a start prints before it ends.
"""

import os
import re
import zoneinfo
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from decimal import Decimal
from pathlib import Path
from urllib.parse import urlsplit

PREFIX = "CALLSCOPE_"
# The client commands read these two; they are known but mean nothing to a server.
CLIENT_VARIABLES = {"CALLSCOPE_URL", "CALLSCOPE_API_KEY"}
RATE_PERIODS = ("sec", "min", "hour", "day")
USUAL_WEB_PROCESSES = 4  # more are for machines whose operator says so: each takes memory
MOST_WEB_PROCESSES = 64


class BadSetting(Exception):
    """A setting has a value that is not allowed; str() is one line for the operator."""

    def __init__(self, name: str, value: str, allowed: str) -> None:
        super().__init__(f'{name} is "{value}". Allowed: {allowed}.')


@dataclass(frozen=True, slots=True)
class EngineAddress:
    """Where an engine is: "local", or the base URL of an OpenAI-compatible server; and what it costs."""

    address: str = ""  # "" when unset
    api_key: str = field(default="", repr=False)
    model: str = ""
    # In the operator's currency; None: not priced.
    price_input: Decimal | None = None  # of a million tokens
    price_output: Decimal | None = None
    price_minute: Decimal | None = None  # of audio

    @property
    def is_local(self) -> bool:
        return self.address == "local"

    def tokens_cost_micros(self, input_tokens: int, output_tokens: int) -> int | None:
        """Return what these tokens cost in millionths; None unless both prices are set."""
        if self.price_input is None or self.price_output is None:
            return None
        return round(input_tokens * self.price_input + output_tokens * self.price_output)

    def audio_cost_micros(self, audio_us: int) -> int | None:
        """Return what so many microseconds of audio cost in millionths; None without a price."""
        return None if self.price_minute is None else round(audio_us * self.price_minute / 60)


@dataclass(frozen=True, slots=True)
class Environment:
    """All settings of one Callscope process, checked."""

    data_dir: Path
    database_url: str
    time_zone: str
    secret_key: str  # "" means: read or make the file in the data folder
    allowed_hosts: list[str]
    queue_url: str  # "" means: workers poll the database
    storage_url: str  # "" means: the data folder
    rate_limit: str  # "600/min", or "off"
    max_upload_mb: int
    web_processes: int
    retry_pause: float  # factor on the pauses between attempts
    url_prefix: str  # path under which a proxy serves Callscope, "" for the root
    transcriber: EngineAddress
    private_transcriber: EngineAddress
    llm: EngineAddress
    private_llm: EngineAddress  # of projects with private_transcription
    embed_model_dir: str
    embed_url: EngineAddress
    whisper_device: str
    whisper_compute_type: str
    whisper_batch_size: int
    debug: bool
    unknown: list[str]  # CALLSCOPE_… variables that nothing reads

    @classmethod
    def read(cls, variables: Mapping[str, str] | None = None) -> "Environment":
        """Return the settings in `variables` (default: the process's own).

        Raises BadSetting for the first value that is not allowed.
        """
        env = dict(os.environ if variables is None else variables)
        reader = _Reader(env)
        data_dir = Path(reader.text("DATA_DIR", "./callscope-data")).expanduser().absolute()
        result = cls(
            data_dir=data_dir,
            database_url=reader.database_url(f"sqlite:///{data_dir / 'callscope.sqlite3'}"),
            time_zone=reader.time_zone(),
            secret_key=reader.text("SECRET_KEY"),
            allowed_hosts=[h.strip() for h in reader.text("ALLOWED_HOSTS", "*").split(",") if h.strip()],
            queue_url=reader.url("QUEUE_URL", ("amqp", "amqps", "redis", "rediss")),
            storage_url=reader.url("STORAGE_URL", ("s3",)),
            rate_limit=reader.rate_limit(),
            max_upload_mb=reader.whole_number("MAX_UPLOAD_MB", 2048, least=1),
            web_processes=reader.whole_number(
                "WEB_PROCESSES", min(USUAL_WEB_PROCESSES, cores()), least=1, most=MOST_WEB_PROCESSES
            ),
            retry_pause=reader.factor("RETRY_PAUSE", 1.0),
            url_prefix=reader.path_prefix(),
            transcriber=reader.engine("TRANSCRIBER", allow_local=True, priced=("MINUTE",)),
            private_transcriber=reader.engine("PRIVATE_TRANSCRIBER", allow_local=True, priced=("MINUTE",)),
            llm=reader.engine("LLM", allow_local=False, priced=("INPUT", "OUTPUT")),
            private_llm=reader.engine("PRIVATE_LLM", allow_local=False, priced=("INPUT", "OUTPUT")),
            embed_model_dir=reader.text("EMBED_MODEL_DIR"),
            embed_url=reader.engine("EMBED", allow_local=False),
            whisper_device=reader.choice("WHISPER_DEVICE", "auto", ("auto", "cpu", "cuda")),
            whisper_compute_type=reader.text("WHISPER_COMPUTE_TYPE", "default"),
            whisper_batch_size=reader.whole_number("WHISPER_BATCH_SIZE", 8, least=1),
            debug=reader.choice("DEBUG", "off", ("on", "off")) == "on",
            unknown=[],
        )
        unknown = sorted(k for k in env if k.startswith(PREFIX) and k not in reader.known | CLIENT_VARIABLES)
        values = {f.name: getattr(result, f.name) for f in fields(cls)}
        return cls(**{**values, "unknown": unknown})


class _Reader:
    """Takes one variable after the other and remembers which names exist."""

    def __init__(self, env: Mapping[str, str]) -> None:
        self.env = env
        self.known: set[str] = set()

    def text(self, name: str, default: str = "") -> str:
        full = PREFIX + name
        self.known.add(full)
        return self.env.get(full, "").strip() or default

    def choice(self, name: str, default: str, allowed: tuple[str, ...]) -> str:
        value = self.text(name, default)
        if value not in allowed:
            raise BadSetting(PREFIX + name, value, ", ".join(allowed))
        return value

    def whole_number(self, name: str, default: int, *, least: int, most: int | None = None) -> int:
        value = self.text(name, str(default))
        is_number = re.fullmatch(r"\d{1,9}", value, re.ASCII)
        if not is_number or int(value) < least or (most is not None and int(value) > most):
            to = "" if most is None else f" to {most}"
            raise BadSetting(PREFIX + name, value, f"a whole number from {least}{to}")
        return int(value)

    def factor(self, name: str, default: float) -> float:
        value = self.text(name, str(default))
        if not re.fullmatch(r"\d{1,6}(\.\d{1,6})?", value, re.ASCII):
            raise BadSetting(PREFIX + name, value, "a number from 0, such as 1 or 0.5")
        return float(value)

    def url(self, name: str, schemes: tuple[str, ...]) -> str:
        value = self.text(name)
        if value and (urlsplit(value).scheme not in schemes or not urlsplit(value).netloc):
            allowed = " or ".join(f"{s}://…" for s in schemes)
            raise BadSetting(PREFIX + name, _without_password(value), allowed)
        return value

    def database_url(self, default: str) -> str:
        value = self.text("DATABASE_URL", default)
        if urlsplit(value).scheme not in ("sqlite", "postgres", "postgresql"):
            raise BadSetting(PREFIX + "DATABASE_URL", _without_password(value), "postgres://… or sqlite:///…")
        return value

    def time_zone(self) -> str:
        value = self.text("TIME_ZONE", "UTC")
        try:
            zoneinfo.ZoneInfo(value)
        except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError):
            raise BadSetting(
                PREFIX + "TIME_ZONE", value, "an IANA name such as UTC or Europe/Madrid"
            ) from None
        return value

    def rate_limit(self) -> str:
        value = self.text("RATE_LIMIT", "600/min")
        if value != "off" and not re.fullmatch(
            rf"[1-9]\d{{0,8}}/({'|'.join(RATE_PERIODS)})", value, re.ASCII
        ):
            raise BadSetting(PREFIX + "RATE_LIMIT", value, "N/sec, N/min, N/hour, N/day or off")
        return value

    def path_prefix(self) -> str:
        value = self.text("URL_PREFIX").rstrip("/")
        if value and not re.fullmatch(r"(/[A-Za-z0-9._~-]+)+", value):
            raise BadSetting(PREFIX + "URL_PREFIX", value, "a path such as /callscope")
        return value

    def price(self, name: str) -> Decimal | None:
        value = self.text(name)
        if value and not re.fullmatch(r"\d{1,6}(\.\d{1,6})?", value, re.ASCII):
            raise BadSetting(PREFIX + name, value, "a price from 0, such as 0.15")
        return Decimal(value) if value else None

    def engine(self, name: str, *, allow_local: bool, priced: tuple[str, ...] = ()) -> EngineAddress:
        variable = name if allow_local else f"{name}_URL"
        address = self.text(variable)
        is_url = urlsplit(address).scheme in ("http", "https") and bool(urlsplit(address).netloc)
        if address and not is_url and not (allow_local and address in ("local", "demo")):
            allowed = "an http(s) URL" + (", local or demo" if allow_local else "")
            raise BadSetting(PREFIX + variable, address, allowed)
        prices = {f"price_{what.lower()}": self.price(f"{name}_PRICE_{what}") for what in priced}
        if "price_input" in prices and (prices["price_input"] is None) != (prices["price_output"] is None):
            missing = "OUTPUT" if prices["price_output"] is None else "INPUT"
            raise BadSetting(f"{PREFIX}{name}_PRICE_{missing}", "", "a price beside that of the other tokens")
        return EngineAddress(address, self.text(f"{name}_API_KEY"), self.text(f"{name}_MODEL"), **prices)


def cores() -> int:
    """Return how many processor cores this process may use, at least 1."""
    if hasattr(os, "sched_getaffinity"):  # not on macOS
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _without_password(url: str) -> str:
    return re.sub(r"//[^@/]*@", "//…@", url)
