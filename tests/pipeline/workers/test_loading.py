"""What the processes that run all the time load, and what they leave to those that need it."""

import os
import subprocess
import sys

import pytest

pytestmark = pytest.mark.one_database


class TestLoading:
    CODE = """
import sys
import django
django.setup()
import callscope.pipeline.workers.worker
print({"scipy", "sklearn", "requests"} & sys.modules.keys())
import callscope.urls
print({"scipy.cluster", "scipy.sparse", "sklearn", "authlib", "joserfc"} & sys.modules.keys())
"""

    def test_of_a_worker_and_of_the_web_takes_no_package_that_only_some_jobs_need(self, tmp_path):
        kept = {name: value for name, value in os.environ.items() if not name.startswith("CALLSCOPE_")}
        settings = {"DJANGO_SETTINGS_MODULE": "callscope.settings", "CALLSCOPE_DATA_DIR": str(tmp_path)}

        done = subprocess.run(
            [sys.executable, "-c", self.CODE], env={**kept, **settings}, capture_output=True, text=True
        )

        assert done.stdout == "set()\nset()\n", done.stderr
