"""README.md maps sentences to tests; every test that it names is there."""

import ast
import re
from pathlib import Path

import pytest

TESTS = Path(__file__).parent.parent
README = (Path(__file__).parent / "README.md").read_text(encoding="utf-8")
NAMED = sorted(set(re.findall(r"`((?:[a-z_]+/)+test_\w+\.py(?:::\w+)*)`", README)))


@pytest.mark.one_database
class TestMap:
    def test_names_tests_that_exist(self):
        assert len(NAMED) > 60
        assert [name for name in NAMED if not _exists(name)] == []

    def test_knows_every_file_next_to_it(self):
        present = {path.name for path in Path(__file__).parent.glob("test_*.py")} - {Path(__file__).name}

        assert present - {name.partition("::")[0].rpartition("/")[2] for name in NAMED} == set()


def _exists(name: str) -> bool:
    path, *inside = name.split("::")
    if not (TESTS / path).is_file():
        return False
    found: ast.AST | None = ast.parse((TESTS / path).read_text(encoding="utf-8"))
    for wanted in inside:
        defined = [n for n in getattr(found, "body", []) if isinstance(n, ast.ClassDef | ast.FunctionDef)]
        found = next((node for node in defined if node.name == wanted), None)
    return found is not None
