"""The environment of every test, and the cast: Alice owns, Bob shares, Carol is outside."""

import os
from pathlib import Path

import pytest

STRICT = os.environ.get("CALLSCOPE_TEST_STRICT") == "1"
LONG = ("journeys", "pipeline")  # folders whose tests start servers and workers
ANOTHER_DATABASE = bool(os.environ.get("CALLSCOPE_TEST_DATABASE_URL"))
SHARED_DATA = Path(__file__).parent.parent.parent / "shared" / "data"


def pytest_collection_modifyitems(config, items) -> None:
    """Put long files first; on a second database leave out what touches none."""
    items.sort(key=lambda item: item.path.parent.name not in LONG)  # stable: the order stays otherwise
    if not ANOTHER_DATABASE:
        return
    left_out = [item for item in items if not uses_a_database(item)]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if uses_a_database(item)]


def uses_a_database(item) -> bool:
    """Return whether a test opens the database here, or in processes that it starts."""
    if item.path.parent.name in (*LONG, "cli"):
        return True
    named = {"db", "transactional_db", "django_db_setup", "live_server"}
    return item.get_closest_marker("django_db") is not None or bool(named & set(item.fixturenames))


def missing(what: str) -> None:
    """Skip with the reason; in strict mode, where the machine can have it, fail."""
    if STRICT:
        pytest.fail(f"strict mode: {what}", pytrace=False)
    pytest.skip(what)


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real data beside the repository; skips where there is none."""
    if not SHARED_DATA.is_dir():
        pytest.skip("no ../shared/data beside the repository")
    return SHARED_DATA


@pytest.fixture(autouse=True)
def _fast_passwords(settings):
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]


@pytest.fixture(autouse=True)
def _own_recordings_folder(settings, tmp_path):
    storages = {**settings.STORAGES}
    default = {**storages["default"]}
    default["OPTIONS"] = {**default.get("OPTIONS", {}), "location": str(tmp_path / "recordings")}
    storages["default"] = default
    settings.STORAGES = storages


@pytest.fixture
def alice(db):
    from callscope.accounts.models import User

    return User.objects.create_user("alice@example.com", "alice-password")


@pytest.fixture
def bob(db):
    from callscope.accounts.models import User

    return User.objects.create_user("bob@example.com", "bob-password")


@pytest.fixture
def carol(db):
    from callscope.accounts.models import User

    return User.objects.create_user("carol@example.com", "carol-password")


@pytest.fixture
def project(alice):
    """A call project of Alice's with all defaults."""
    from callscope.projects.models import Project

    return Project.objects.create(name="Service line", owner=alice)
