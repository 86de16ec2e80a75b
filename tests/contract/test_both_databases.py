"""The same world gives the same bytes: on both databases, and in another process with other hashes."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import seeded_world
from django.test import Client

from tests import prepared

HERE = Path(__file__).parent


@pytest.mark.django_db(transaction=True, reset_sequences=True)
class TestSeededWorld:
    def test_answers_byte_for_byte_as_on_sqlite(self, tmp_path, settings):
        other = tmp_path / "sqlite.json"
        shutil.copyfile(prepared.sqlite_database(), tmp_path / "other.sqlite3")
        environment = {
            **{k: v for k, v in os.environ.items() if not k.startswith("CALLSCOPE_")},
            "CALLSCOPE_TEST_DATABASE_URL": f"sqlite:///{tmp_path}/other.sqlite3",
            "DJANGO_SETTINGS_MODULE": "settings_for_tests",
            "PYTHONPATH": os.pathsep.join([str(HERE), str(HERE.parent), str(HERE.parent.parent / "src")]),
            "PYTHONHASHSEED": "4711",
        }
        rival = subprocess.Popen(
            [sys.executable, HERE / "seeded_world.py", other], env=environment, stderr=subprocess.PIPE
        )
        settings.TIME_ZONE = seeded_world.ZONE
        client = Client()
        client.force_login(seeded_world.make(), backend="callscope.accounts.sign_in.EmailBackend")

        here = seeded_world.answers(client)

        assert rival.communicate(timeout=120)[1] == b""
        there = json.loads(other.read_text(encoding="utf-8"))
        assert [query for query in there if here.get(query) != there[query]] == []
        assert here.keys() == there.keys()
        assert sum(len(body) for body in here.values()) > 100_000
