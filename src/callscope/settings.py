"""Django's settings, derived from the checked environment.

What an operator can set stands in environment.py; this module turns it into
what Django reads. Importing it raises BadSetting for a wrong value.
"""

import hashlib
import secrets
import tempfile
from importlib import metadata
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import dj_database_url

from callscope import __version__
from callscope.environment import Environment

ENVIRONMENT = Environment.read()
DATA_DIR = ENVIRONMENT.data_dir


def _secret_key(data_dir: Path) -> str:
    """Return the configured key, else the one kept in the data folder, made once.

    Without a data folder yet (before `callscope init`) a throw-away key serves.
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
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.contrib.humanize",
    "rest_framework",
    "rest_framework_api_key",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "django_htmx",
    "axes",
    "callscope.accounts",
    "callscope.projects",
    "callscope.calls",
    "callscope.transcription",
    "callscope.analysis",
    "callscope.contact_reasons",
    "callscope.reports",
    "callscope.pipeline",
    "callscope.interfaces.api",
    "callscope.interfaces.web",
]

MIDDLEWARE = [
    "callscope.interfaces.api.boundary.ApiBoundary",
    "django.middleware.security.SecurityMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django.middleware.common.CommonMiddleware",
    "axes.middleware.AxesMiddleware",
    "callscope.interfaces.api.boundary.ForPeople",
]
# What a browser needs; a request with an API key has no session and goes past it.
MIDDLEWARE_FOR_PEOPLE = [
    "csp.middleware.CSPMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "callscope.interfaces.web.errors.ErrorPages",
]

ROOT_URLCONF = "callscope.urls"
WSGI_APPLICATION = "callscope.wsgi.application"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
FORCE_SCRIPT_NAME = ENVIRONMENT.url_prefix or None


def _databases() -> dict[str, Any]:
    database: dict[str, Any] = dict(dj_database_url.parse(ENVIRONMENT.database_url))
    if database["ENGINE"] == "django.db.backends.sqlite3":
        # Measured: DEFERRED gave 505 lock errors in 600 tries, IMMEDIATE none.
        database["OPTIONS"] = {
            "transaction_mode": "IMMEDIATE",
            "timeout": 20,
            "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;",
        }
        # Opening costs ten times what a page of calls does, and the last connection to close
        # moves the whole write-ahead log into the database: each thread keeps its own open.
        database["CONN_MAX_AGE"] = None
        database["TEST"] = {
            "NAME": str(Path(tempfile.gettempdir()) / f"callscope-test-{secrets.token_hex(4)}.sqlite3")
        }
    else:
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
                "callscope.interfaces.web.page.surroundings",
            ],
        },
    },
]

# Who may enter.
AUTH_USER_MODEL = "accounts.User"
AUTHENTICATION_BACKENDS = [
    "axes.backends.AxesStandaloneBackend",
    "callscope.accounts.sign_in.EmailBackend",
]
PASSWORD_HASHERS = [
    "django.contrib.auth.hashers.Argon2PasswordHasher",
    "django.contrib.auth.hashers.PBKDF2PasswordHasher",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 8}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
LOGIN_URL = "web:sign-in"
LOGIN_REDIRECT_URL = "web:home"
CSRF_FAILURE_VIEW = "callscope.interfaces.web.errors.expired_form"
AXES_FAILURE_LIMIT = 10  # wrong passwords from one address for one e-mail
AXES_COOLOFF_TIME = 0.25  # hours
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"]]
AXES_USERNAME_FORM_FIELD = "username"
AXES_LOCKOUT_CALLABLE = "callscope.interfaces.web.sign_in.locked_out"
AXES_VERBOSE = False
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_NAME = "callscope_session"
SESSION_COOKIE_PATH = CSRF_COOKIE_PATH = LANGUAGE_COOKIE_PATH = f"{ENVIRONMENT.url_prefix}/"
CSRF_COOKIE_SAMESITE = "Lax"
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
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

# Languages and time.
LANGUAGE_CODE = "en"
LANGUAGES = [("en", "English"), ("es", "Español")]
LOCALE_PATHS = [Path(__file__).parent / "locale"]
USE_I18N = True
USE_TZ = True
TIME_ZONE = ENVIRONMENT.time_zone


def _storages() -> dict[str, Any]:
    recordings: dict[str, Any] = {
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
            "BACKEND": "storages.backends.s3.S3Storage",
            "OPTIONS": {"bucket_name": address.netloc, "location": address.path.strip("/")},
        }
    return {
        "default": recordings,
        "staticfiles": {"BACKEND": "whitenoise.storage.CompressedStaticFilesStorage"},
    }


# Files.
STORAGES = _storages()


def _static_version() -> str:
    """Return a short hash of the pages' own static files and the versions
    of Callscope and htmx.

    It stands in the address of every static file, so that browsers may keep
    them for good and no collecting step is needed.
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
FILE_UPLOAD_HANDLERS = ["django.core.files.uploadhandler.TemporaryFileUploadHandler"]
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
    "EXCEPTION_HANDLER": "callscope.interfaces.api.errors.handle",
    "UNAUTHENTICATED_USER": "django.contrib.auth.models.AnonymousUser",
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Callscope",
    "DESCRIPTION": "Call reports, call metadata and everything around them.",
    "VERSION": "1",
    "OAS_VERSION": "3.1.1",
    "SERVE_INCLUDE_SCHEMA": False,
    "SWAGGER_UI_DIST": "SIDECAR",
    "REDOC_DIST": "SIDECAR",
    "POSTPROCESSING_HOOKS": [
        "drf_spectacular.hooks.postprocess_schema_enums",
        "callscope.interfaces.api.openapi.add_what_holds_for_all",
    ],
}

# Rate limits are counted across processes, so the counters live in the database.
CACHES = {
    "default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"},
}

LOGGING: dict[str, Any] = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "%(asctime)s %(levelname)s %(name)s %(message)s"}},
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["stderr"], "level": "INFO"},
    "loggers": {
        "django.request": {"level": "ERROR"},
        "axes": {"level": "WARNING"},
        "httpx2": {"level": "WARNING"},
        "fontTools": {"level": "ERROR"},
    },
}
