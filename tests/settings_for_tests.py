"""Django's settings under test: a data folder of our own, quick passwords, and no engine that calls out.

pytest-django reads the settings before any conftest, so the environment is made here.
"""

import os
import tempfile
from pathlib import Path

for _name in [n for n in os.environ if n.startswith("CALLSCOPE_") and not n.startswith("CALLSCOPE_TEST_")]:
    del os.environ[_name]
_data_dir = Path(tempfile.mkdtemp(prefix="callscope-tests-"))
(_data_dir / "incoming").mkdir()
os.environ["CALLSCOPE_DATA_DIR"] = str(_data_dir)
os.environ["CALLSCOPE_SECRET_KEY"] = "only-for-tests-only-for-tests-only-for-tests-0123456789"
os.environ["CALLSCOPE_RATE_LIMIT"] = "off"
os.environ["CALLSCOPE_RETRY_PAUSE"] = "0"
if os.environ.get("CALLSCOPE_TEST_DATABASE_URL"):
    os.environ["CALLSCOPE_DATABASE_URL"] = os.environ["CALLSCOPE_TEST_DATABASE_URL"]

from callscope.settings import *  # noqa: E402, F403

PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
# On a busy machine a test may compute for longer than that between two statements of its transaction.
LONG_SILENCE = SILENCE.replace("60s", "3600s")  # noqa: F405
if "options" in DATABASES["default"]["OPTIONS"]:  # noqa: F405
    DATABASES["default"]["OPTIONS"]["options"] += f" {LONG_SILENCE}"  # noqa: F405
