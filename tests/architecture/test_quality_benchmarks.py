"""`make quality` goes on to the next measure where the data of one is not on the machine."""

import ast
from pathlib import Path

import pytest

QUALITY = sorted((Path(__file__).parents[2] / "benchmarks").glob("quality_*.py"))


def find_exits_without_data(source: str) -> list[str]:
    """Return the statements by which a script fails where its data is missing."""
    asked = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.If)]
    missing = [node for node in asked if "DATA" in ast.unparse(node.test)]
    done = [ast.unparse(line) for node in missing for line in node.body]
    return [line for line in done if line.startswith(("sys.exit", "raise"))]


@pytest.mark.parametrize("path", QUALITY, ids=lambda path: path.stem)
def test_a_measure_without_its_data_does_not_stop_the_others(path):
    assert find_exits_without_data(path.read_text()) == []


def test_an_exit_is_found():
    assert find_exits_without_data("if not DATA.is_dir():\n    sys.exit('nothing')") == [
        "sys.exit('nothing')"
    ]
