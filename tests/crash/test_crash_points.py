"""Crash points do nothing by themselves: no setting of the product makes one kill."""

import ast
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

import callscope
from callscope.processes.crash_points import POINTS, reach_point
from tests.crash.plan import Plan

pytestmark = pytest.mark.one_database

SOURCE = Path(callscope.__file__).parent
GUIDE = (SOURCE.parent.parent / "CONTRIBUTING.md").read_text("utf-8")
REACH = "from callscope.processes import crash_points; crash_points.reach_point('rename'); print('alive')"


def start(environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """Start a process that reaches the point `rename`."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("CALLSCOPE_")}
    command = [sys.executable, "-c", REACH]
    return subprocess.run(
        command, env={**kept, **environment}, capture_output=True, text=True, timeout=240, check=False
    )


class TestPoints:
    def test_are_reached_where_the_product_goes(self):
        reached = Counter()
        for path in SOURCE.rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text("utf-8"))):
                if isinstance(node, ast.Call) and ast.unparse(node.func) == "crash_points.reach_point":
                    reached[ast.literal_eval(node.args[0])] += 1

        assert reached.keys() == set(POINTS)
        assert len(POINTS) >= 12

    def test_do_nothing(self):
        assert [reach_point(point) for point in POINTS] == [None] * len(POINTS)

    def test_are_explained_to_contributors(self):
        assert "CALLSCOPE_TEST_CRASH_PLAN" in GUIDE
        assert [point for point in POINTS if f"`{point}`" not in GUIDE] == []


class TestPlan:
    def test_arms_a_point_that_is_named_twice_in_a_row_once_at_a_time(self, tmp_path):
        """Armed twice at once, one kill was lost, and a run waited for its last one forever."""
        plan, todo = Plan(tmp_path), ["probe", "claim", "claim", "stream"]

        plan.arm_next(todo, 3)

        assert plan.armed() == {"probe", "claim", "stream"}
        assert todo == ["claim"]


class TestSwitch:
    def test_kills_the_process_at_an_armed_point_once(self, tmp_path):
        plan = Plan(tmp_path)
        plan.arm("rename")

        first, second = start(plan.environment()), start(plan.environment())

        assert (first.returncode, first.stdout) == (-9, "")
        assert (second.returncode, second.stdout) == (0, "alive\n")
        assert [(each.point, each.action) for each in plan.taken()] == [("rename", "kill")]

    def test_is_off_without_its_folder_on_the_path(self, tmp_path):
        plan = Plan(tmp_path)
        plan.arm("rename")
        environment = {k: v for k, v in plan.environment().items() if k != "PYTHONPATH"}

        assert start(environment).stdout == "alive\n"

    def test_refuses_a_point_that_does_not_exist(self, tmp_path):
        plan = Plan(tmp_path)
        (tmp_path / "armed" / "renaming").write_text("kill")

        done = start(plan.environment())

        assert done.returncode == 1
        assert done.stderr.startswith('"renaming" is no crash point. Crash points: stream, fsync, ')
