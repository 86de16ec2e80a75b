"""The environment of every test, and the cast: Alice owns, Bob shares, Carol is outside."""

import os
from pathlib import Path

import pytest

STRICT = os.environ.get("CALLSCOPE_TEST_STRICT") == "1"
SHARED_DATA = Path(__file__).parent.parent.parent / "shared" / "data"


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
