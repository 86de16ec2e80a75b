"""A manifest of 50,000 rows goes in with one request, and in little memory.

`make test` sends 2,000 of them, `make fuzz` all.
"""

import tracemalloc
from typing import Any

import pytest
from cast import person, with_key
from django.utils import timezone

from callscope.calls.models import Call, ManifestRow
from callscope.calls.names import stem
from callscope.db import bulk_insert
from callscope.projects.models import Project
from tests.api.samples import named
from tests.effort import EFFORT

pytestmark = pytest.mark.django_db

ROWS = 50_000 if EFFORT > 1 else 2_000
FEW = 500
KNOWN = ROWS * 2 // 5  # of them with a file
# The names of rows without a file are in the answer; all else is held for one batch only. A row that is
# held as an object takes more than 1,500 bytes.
BYTES_A_ROW = 600
HEADER = "filename,call_datetime,agent_id,agent_name,direction,caller_number,campaign\n"


def row(n: int) -> str:
    when = f"2026-01-{n % 28 + 1:02} 10:{n % 60:02}"
    return f"call-{n:05}.mp3,{when},{n % 300},Agent {n % 300},inbound,+34911,Spring\n"


def send(client: Any, project: Project, rows: int) -> tuple[Any, int]:
    """Send a manifest; return the answer and the most bytes that Python held meanwhile."""
    content = (HEADER + "".join(row(n) for n in range(rows))).encode()
    path, form = f"/api/projects/{project.pk}/call-manifest/", {"file": named(content, "m.csv")}
    tracemalloc.start()
    try:
        response = client.post(path, form, format="multipart")
        # Without the copies of the body that this client makes.
        return response, tracemalloc.get_traced_memory()[1] - len(content) * 3
    finally:
        tracemalloc.stop()


class TestALargeManifest:
    def test_is_applied_and_kept_whole_in_little_memory(self):
        owner = person("owner")
        project = Project.objects.create(name="Many", owner=owner)
        now = timezone.now()
        names = [f"call-{n:05}.wav" for n in range(KNOWN)]
        bulk_insert.insert_columns(
            Call,
            KNOWN,
            {
                "id": bulk_insert.new_ids(Call, KNOWN),
                "project_id": project.pk,
                "file_name": names,
                "name_stem": [stem(name) for name in names],
                "call_datetime": now,
                "uploaded_at": now,
            },
        )
        client = with_key(owner)[1]
        send(client, project, FEW)  # loads what is loaded once

        _, few = send(client, project, FEW)
        response, many = send(client, project, ROWS)

        assert response.status_code == 200
        assert response.json()["matched"] == KNOWN
        assert len(response.json()["unmatched"]) == ROWS - KNOWN
        assert response.json()["errors"] == []
        assert Call.objects.filter(campaign="Spring", agent__isnull=False).count() == KNOWN
        assert ManifestRow.objects.count() == ROWS - KNOWN
        assert many - few < BYTES_A_ROW * (ROWS - FEW), f"{few / 1e6:.1f} MB, then {many / 1e6:.1f} MB"
