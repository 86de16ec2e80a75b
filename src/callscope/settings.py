"""Django's settings, derived from the checked environment.

What an operator can set is in environment.py; this module turns it into what
Django reads. Importing it raises BadSetting for a value that is not allowed.
"""

import hashlib
import logging
import os
import secrets
import tempfile
import warnings
from importlib import metadata
from pathlib import Path
from urllib.parse import unquote, urlsplit

import dj_database_url

from callscope import __version__
from callscope.environment import Environment
from callscope.locale import compile_catalogs, list_languages

ENVIRONMENT = Environment.read()
DATA_DIR = ENVIRONMENT.data_dir


def _secret_key(data_dir: Path) -> str:
    """Return the configured key, or the one in the data folder.

    Before `callscope init` there is neither, and a random key is used once.
    """
    path = data_dir / "secret_key"
    if ENVIRONMENT.secret_key:
        return ENVIRONMENT.secret_key
    if path.exists():
        return path.read_text(encoding="ascii").strip()
    return secrets.token_urlsafe(48)


SECRET_KEY = _secret_key(DATA_DIR)
DEBUG = ENVIRONMENT.debug
ALLOWED_HOSTS = ENVIRONMENT.allowed_hosts

INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.contrib.humanize",
    "rest_framework",
    "rest_framework_api_key",
    "drf_spectacular",
    "django_htmx",
    "callscope.accounts",
    "callscope.projects",
    "callscope.calls",
    "callscope.transcription",
    "callscope.analysis",
    "callscope.reviews",
    "callscope.contact_reasons",
    "callscope.reports",
    "callscope.pipeline",
    "callscope.interfaces.api",
    "callscope.interfaces.web",
]

MIDDLEWARE = [
    "callscope.interfaces.gate.request_id.RequestId",
    "callscope.interfaces.gate.request_counts.CountRequests",
    "callscope.interfaces.gate.answer_headers.AnswerHeaders",
    "callscope.interfaces.api.middleware.ApiBoundary",
    "callscope.interfaces.guard.refusals.NoteRefusals",
    "django.middleware.security.SecurityMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "callscope.interfaces.api.views.health.HealthProbes",
    "django.middleware.common.CommonMiddleware",
    "callscope.interfaces.web.middleware.BrowserMiddleware",
]
# What a browser needs; a request with an API key has no session and skips it.
BROWSER_MIDDLEWARE = [
    "callscope.interfaces.web.secure_cookies.SecureCookies",
    "csp.middleware.CSPMiddleware",
    "callscope.interfaces.web.static_files.StaticFilesMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "callscope.interfaces.web.views.errors.ErrorPages",
    "callscope.interfaces.web.middleware.LimitPages",
]

ROOT_URLCONF = "callscope.urls"
WSGI_APPLICATION = "callscope.wsgi.application"
WSGI_GATE = "callscope.interfaces.gate.entrance.build_entrance"  # what a request passes before Django
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
FORCE_SCRIPT_NAME = ENVIRONMENT.url_prefix or None

# A server that is gone without a word is noticed within half a minute, not after the system's many.
DATABASE_PATIENCE = {
    "connect_timeout": 5,  # seconds, as the next two
    "keepalives_idle": 15,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 30_000,  # milliseconds
}
# How long a process may be silent in a transaction, twice a lease: then the server ends it. One that is
# stopped, or whose machine has lost its power, would keep a job or a project from all others for hours.
SILENCE = "-c idle_in_transaction_session_timeout=60s"
# Only what raw_sql.fetch_prepared() asks for is prepared, and nothing because it was asked so many times.
PREPARED_BY_REQUEST = {"prepare_threshold": 1_000_000_000}


def _databases() -> dict[str, object]:
    database: dict[str, object] = dict(dj_database_url.parse(ENVIRONMENT.database_url))
    if database["ENGINE"] == "django.db.backends.sqlite3":
        # Measured: DEFERRED gave 505 lock errors in 600 tries, IMMEDIATE none.
        database["OPTIONS"] = {
            "transaction_mode": "IMMEDIATE",
            "timeout": 20,
            # secure_delete: what is deleted is overwritten, whatever this build's default is.
            "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA secure_delete=ON;",
        }
        # Opening costs ten times what a page of calls does, and the last connection to close
        # moves the whole write-ahead log into the database: each thread keeps its own open.
        database["CONN_MAX_AGE"] = None
        database["TEST"] = {
            "NAME": str(Path(tempfile.gettempdir()) / f"callscope-test-{secrets.token_hex(4)}.sqlite3")
        }
    else:
        given = database.get("OPTIONS")
        given = given if isinstance(given, dict) else {}
        # libpq takes its variable PGOPTIONS only where a connection names none. The latest word counts.
        options = [SILENCE, os.environ.get("PGOPTIONS", ""), given.get("options", "")]
        database["OPTIONS"] = {
            **DATABASE_PATIENCE,
            **PREPARED_BY_REQUEST,
            **given,
            "options": " ".join(filter(None, options)),
        }
        database["CONN_MAX_AGE"] = 60
        database["CONN_HEALTH_CHECKS"] = True
        database["TEST"] = {"NAME": f"test_callscope_{secrets.token_hex(4)}"}
    return {"default": database}


DATABASES = _databases()

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "callscope.interfaces.web.page_context.page_context",
            ],
        },
    },
]

# Authentication.
AUTH_USER_MODEL = "accounts.User"
AUTHENTICATION_BACKENDS = ["callscope.accounts.sign_in.EmailBackend"]
PASSWORD_HASHERS = [
    "callscope.accounts.password_hasher.BoundedArgon2Hasher",
    "django.contrib.auth.hashers.PBKDF2PasswordHasher",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 8}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
LOGIN_URL = "web:sign-in"
LOGIN_REDIRECT_URL = "web:home"
CSRF_FAILURE_VIEW = "callscope.interfaces.web.views.errors.expired_form"
AUDIT_DAYS = ENVIRONMENT.audit_days
SESSION_ENGINE = "callscope.accounts.sessions"
SESSION_COOKIE_AGE = ENVIRONMENT.session_hours * 3600  # seconds
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_NAME = "callscope_session"
SESSION_COOKIE_PATH = CSRF_COOKIE_PATH = LANGUAGE_COOKIE_PATH = f"{ENVIRONMENT.url_prefix}/"
CSRF_COOKIE_SAMESITE = "Lax"
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if ENVIRONMENT.https == "auto" else None
X_FRAME_OPTIONS = "DENY"
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": ["'self'"],
        "img-src": ["'self'", "data:"],
        "media-src": ["'self'", "blob:"],
        "style-src": ["'self'"],
        "script-src": ["'self'"],
        "frame-ancestors": ["'none'"],
        "base-uri": ["'self'"],
        "form-action": ["'self'"],
        "object-src": ["'none'"],
    },
}

# Mail.
_mail_server = urlsplit(ENVIRONMENT.email_url)
EMAIL_HOST = _mail_server.hostname or "localhost"
EMAIL_PORT = _mail_server.port or {"smtps": 465, "smtp+tls": 587}.get(_mail_server.scheme, 25)
EMAIL_HOST_USER = unquote(_mail_server.username or "")
EMAIL_HOST_PASSWORD = unquote(_mail_server.password or "")
EMAIL_USE_SSL = _mail_server.scheme == "smtps"
EMAIL_USE_TLS = _mail_server.scheme == "smtp+tls"
EMAIL_TIMEOUT = 10  # seconds
_public_host = urlsplit(ENVIRONMENT.public_url).hostname or "localhost"
DEFAULT_FROM_EMAIL = ENVIRONMENT.email_from or f"callscope@{_public_host}"
PASSWORD_RESET_TIMEOUT = 3600  # seconds that a link in a mail opens

# Languages and time.
LANGUAGE_CODE = "en"
LANGUAGES = list_languages()
LOCALE_PATHS = [Path(__file__).parent / "locale"]
compile_catalogs()  # in a checkout, before a text is looked up; an installed wheel brings them along
USE_I18N = True
USE_TZ = True
TIME_ZONE = ENVIRONMENT.time_zone

QUEUE_URL = ENVIRONMENT.queue_url  # "": workers poll the database
RETRY_PAUSE = ENVIRONMENT.retry_pause  # factor on the pauses between attempts
ENGINE_PATIENCE = ENVIRONMENT.engine_patience  # seconds that a job waits for an engine in trouble


def _storages() -> dict[str, object]:
    recordings: dict[str, object] = {
        "BACKEND": "django.core.files.storage.FileSystemStorage",
        "OPTIONS": {
            "location": str(DATA_DIR / "recordings"),
            "file_permissions_mode": 0o600,
            "directory_permissions_mode": 0o700,
        },
    }
    if ENVIRONMENT.storage_url:
        address = urlsplit(ENVIRONMENT.storage_url)
        recordings = {
            "BACKEND": "callscope.calls.bucket.BucketStorage",
            "OPTIONS": {"bucket_name": address.netloc, "location": address.path.strip("/")},
        }
    return {
        "default": recordings,
        "staticfiles": {"BACKEND": "whitenoise.storage.CompressedStaticFilesStorage"},
    }


# Files.
STORAGES = _storages()


def _static_version() -> str:
    """Return a short hash of the pages' own static files and the versions of Callscope and htmx.

    It is part of the URL of every static file, so that browsers may cache them
    forever and no collecting step is needed.
    """
    digest = hashlib.sha256(f"{__version__} {metadata.version('django-htmx')}".encode())
    folder = Path(__file__).parent / "interfaces" / "web" / "static"
    for path in sorted(p for p in folder.rglob("*") if p.is_file()):
        digest.update(path.relative_to(folder).as_posix().encode() + path.read_bytes())
    return digest.hexdigest()[:12]


STATIC_URL = f"{ENVIRONMENT.url_prefix}/static/{_static_version()}/"
WHITENOISE_USE_FINDERS = True
WHITENOISE_AUTOREFRESH = DEBUG
WHITENOISE_IMMUTABLE_FILE_TEST = r"^(?!)" if DEBUG else r"/static/[0-9a-f]{12}/"
DATA_UPLOAD_MAX_MEMORY_SIZE = 5 * 1024 * 1024  # bytes of a body that is not a file
DATA_UPLOAD_MAX_NUMBER_FIELDS = 2000
FILE_UPLOAD_HANDLERS = ["callscope.interfaces.gate.refuse_files.RefuseFiles"]
FILE_UPLOAD_TEMP_DIR = str(DATA_DIR / "incoming") if (DATA_DIR / "incoming").is_dir() else None

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "callscope.interfaces.api.authentication.ApiKeyAuthentication",
        "callscope.interfaces.api.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": [
        "callscope.interfaces.api.parsers.JSONParser",
        "callscope.interfaces.api.parsers.MultiPartParser",
        "callscope.interfaces.api.parsers.FormParser",
    ],
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "DEFAULT_THROTTLE_CLASSES": ["callscope.interfaces.api.throttling.UserThrottle"],
    "EXCEPTION_HANDLER": "callscope.interfaces.api.errors.handle_exception",
    "UNAUTHENTICATED_USER": "django.contrib.auth.models.AnonymousUser",
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Callscope",
    "DESCRIPTION": "Call reports, call metadata and everything around them.",
    "VERSION": "1",
    "OAS_VERSION": "3.1.1",
    "SERVE_INCLUDE_SCHEMA": False,
    "ENUM_NAME_OVERRIDES": {
        "CriterionAnswerEnum": ["met", "partly", "not_met", "not_applicable"],
        "FindingAnswerEnum": [
            *("made", "not_made", "said", "missed", "reached", "not_reached", "unknown"),
            *("positive", "neutral", "negative"),
        ],
        "KeyStateEnum": ["valid", "expired", "revoked"],
        "ReplayStateEnum": ["queued", "running", "completed", "failed"],
        "ProbeStateEnum": ["queued", "running", "completed", "stopped", "failed"],
        "ReviewStateEnum": "callscope.reviews.models.Review.State",
        "CalibrationStateEnum": ["open", "closed", "settled"],
        "SampledCallStateEnum": ["open", "reviewed", "results_removed"],
        "ContactReasonModeEnum": ["open_ended", "predefined"],
        "EngineTroubleEnum": [
            *("busy", "unreachable", "key", "quota", "model", "address", "missing"),
            *("failing", "alone"),
        ],
        "TaskStateEnum": "callscope.pipeline.models.Job.State",
    },
    "POSTPROCESSING_HOOKS": [
        "drf_spectacular.hooks.postprocess_schema_enums",
        "callscope.interfaces.api.docs.openapi.add_shared_parts",
    ],
}

# Rate limits are counted across processes, so the counters live in the database.
CACHES = {
    "default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"},
}

# Celery would warn at every start of root in a container, where nobody else is.
warnings.filterwarnings("ignore", message="You're running the worker with superuser privileges")
if ENVIRONMENT.log_format == "json":
    logging.captureWarnings(True)
LOGGING: dict[str, object] = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "text": {
            "()": "callscope.processes.log_formats.TextFormatter",
            "format": "%(asctime)s %(levelname)s %(name)s %(message)s",
        },
        "json": {"()": "callscope.processes.log_formats.JsonFormatter"},
    },
    "filters": {"known trouble": {"()": "callscope.db.log_filter.WithoutKnownTracebacks"}},
    "handlers": {
        "stderr": {
            "class": "logging.StreamHandler",
            "formatter": ENVIRONMENT.log_format,
            "filters": ["known trouble"],
        }
    },
    "root": {"handlers": ["stderr"], "level": "INFO"},
    "loggers": {
        "django.request": {"level": "ERROR"},
        "django.security.DisallowedHost": {"level": "CRITICAL"},  # anybody can cause it, with a traceback
        **{
            name: {"level": "WARNING"}
            for name in ("httpx2", "botocore", "boto3", "s3transfer", "urllib3", "faster_whisper")
        },
        "fontTools": {"level": "ERROR"},
    },
}
