"""The operations page names what the code knows."""

import re
from pathlib import Path

import pytest

from callscope.environment import CLIENT_VARIABLES, VARIABLES
from callscope.pipeline.queue import jobs

pytestmark = pytest.mark.one_database
PAGE = (Path(__file__).parent.parent.parent / "docs" / "operations.md").read_text("utf-8")


class TestOperationsPage:
    def test_has_every_setting_and_no_other(self):
        named = set(re.findall(r"`(CALLSCOPE_[A-Z_]+)`", PAGE))

        assert named == VARIABLES.keys() | CLIENT_VARIABLES

    def test_gives_the_pauses_and_limits_of_the_job_table(self):
        assert "1, 4, 16 and 60 s" in PAGE
        assert jobs.RETRY_PAUSES_S == (1, 4, 16, 60)
        assert f"lease of {jobs.LEASE_S:.0f} s" in PAGE
        assert f"{jobs.MAX_INTERRUPTIONS} of them fail the job" in PAGE
        assert jobs.MAX_FREE_KILLS == 3
        assert "no attempt three times" in PAGE

    def test_names_the_queues(self):
        for queue in jobs.QUEUES:
            assert f"callscope.{queue}" in PAGE
