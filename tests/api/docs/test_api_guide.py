"""docs/api.md: its examples run, and it knows every path, error reason and section that code points to."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
GUIDE = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")


@pytest.mark.django_db(transaction=True)
class TestExamples:
    def test_run_as_they_stand(self, live_server, alice, tmp_path):
        from callscope.accounts.models import ApiKey

        if not (shutil.which("curl") and shutil.which("python3") and shutil.which("bash")):
            pytest.skip("no curl, python3 or bash here")
        _, key = ApiKey.objects.create_key(name="guide", user=alice)
        blocks = re.findall(r"^```sh\n(.*?)^```$", GUIDE, re.DOTALL | re.MULTILINE)
        script = 'set -euo pipefail\ncurl() { command curl -sS --fail-with-body "$@"; }\n' + "\n".join(blocks)

        done = subprocess.run(
            ["bash", "-x", "-c", script],
            cwd=tmp_path,
            env={"PATH": os.environ["PATH"], "CALLSCOPE_URL": live_server.url, "CALLSCOPE_API_KEY": key},
            capture_output=True,
            timeout=300,
        )

        assert done.returncode == 0, done.stderr.decode()[-3000:] + done.stdout.decode()[-2000:]
        assert b'{"matched":1,"unmatched":["call-2.wav"],"errors":[]}' in done.stdout
        assert (tmp_path / "report.pdf").read_bytes().startswith(b"%PDF")


class TestGuide:
    def test_has_every_section_that_the_code_points_to(self):
        headings = set(re.findall(r"^#+ (.+)$", GUIDE, re.MULTILINE))
        pointed = set()
        for path in (ROOT / "src").rglob("*.py"):
            for line in re.findall(
                r"docs/api\.md((?:,| and|\s|\"[^\"\n]+\")+)", path.read_text(encoding="utf-8")
            ):
                pointed |= set(re.findall(r'"([^"]+)"', line))

        assert pointed - headings == set()

    def test_names_every_path_and_error_reason(self):
        from django.urls import get_resolver

        from callscope.calls.models import UploadedFile

        for pattern in get_resolver("callscope.interfaces.api.urls").url_patterns:
            path = "/" + re.sub(r"<(?:\w+:)?(\w+)>", "{id}", str(pattern.pattern)).replace(
                "tasks/{id}", "tasks/{task_id}"
            )
            path = path.replace("keys/{id}", "keys/{prefix}")
            if path not in ("/healthz", "/readyz"):
                assert path in GUIDE, path
        for reason in UploadedFile.ErrorReason.values:
            assert f"`{reason}`" in GUIDE
