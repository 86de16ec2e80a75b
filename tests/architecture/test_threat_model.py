"""Every defense of the threat model names a test that is there."""

import ast
import re
from pathlib import Path

import pytest

pytestmark = pytest.mark.one_database
ROOT = Path(__file__).parent.parent.parent
PAGE = (ROOT / "docs" / "threat_model.md").read_text("utf-8")
ROWS = [line for line in PAGE.splitlines() if line.startswith("|") and "---" not in line][1:]


def find_test(name: str) -> ast.FunctionDef | None:
    """Return the function that `folder/file.py::Class::test` names."""
    path, *parts = name.split("::")
    scope: ast.AST = ast.parse((ROOT / "tests" / path).read_text("utf-8"))
    for part in parts:
        named = [node for node in ast.iter_child_nodes(scope) if getattr(node, "name", "") == part]
        if not named:
            return None
        [scope] = named
    return scope if isinstance(scope, ast.FunctionDef) else None


class TestThreatModel:
    def test_has_a_table(self):
        assert len(ROWS) > 30

    @pytest.mark.parametrize("row", ROWS, ids=lambda row: row.split("|")[3].strip()[:40])
    def test_names_a_test_that_exists(self, row):
        [name] = re.findall(r"`([\w/]+\.py::[\w:]+)`", row)

        assert find_test(name) is not None, name

    def test_would_miss_one_that_does_not(self):
        assert find_test("architecture/test_threat_model.py::TestThreatModel::test_of_nothing") is None
