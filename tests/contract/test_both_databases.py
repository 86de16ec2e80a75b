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


def ask_on_sqlite(folder: Path) -> None:
    """Let another process with other hashes make the world on SQLite; write what it answers."""
    database = shutil.copyfile(prepared.sqlite_database(), folder / "other.sqlite3")
    environment = {
        **{k: v for k, v in os.environ.items() if not k.startswith("CALLSCOPE_")},
        "CALLSCOPE_TEST_DATABASE_URL": f"sqlite:///{database}",
        "DJANGO_SETTINGS_MODULE": "settings_for_tests",
        "PYTHONPATH": os.pathsep.join([str(HERE), str(HERE.parent), str(HERE.parent.parent / "src")]),
        "PYTHONHASHSEED": "4711",
    }
    command = [sys.executable, HERE / "seeded_world.py", folder / "answers.json"]
    done = subprocess.run(command, env=environment, stderr=subprocess.PIPE, timeout=240)
    assert done.stderr == b""


@pytest.mark.django_db(transaction=True, reset_sequences=True)
class TestSeededWorld:
    def test_answers_byte_for_byte_as_on_sqlite(self, settings):
        there = json.loads((prepared.make_once("seeded-world", ask_on_sqlite) / "answers.json").read_bytes())
        settings.TIME_ZONE = seeded_world.ZONE
        client = Client()
        client.force_login(seeded_world.make(), backend="callscope.accounts.sign_in.EmailBackend")

        here = seeded_world.answers(client)

        assert [query for query in there if here.get(query) != there[query]] == []
        assert here.keys() == there.keys()
        assert sum(len(body) for body in here.values()) > 100_000
