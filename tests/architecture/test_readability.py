"""The code stays easy to read: sizes, one-call helpers, maps of packages, plain American English."""

import ast
import re
import statistics
import subprocess
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

pytestmark = pytest.mark.one_database

ROOT = Path(__file__).parent.parent.parent
SOURCE = ROOT / "src" / "callscope"
MODULES_PER_FOLDER = 20
ROOMS = {"analysis": 15, "reports": 15, "pipeline": 16}  # modules and packages right below these
LINES_PER_FILE = 400
LINES_PER_FUNCTION = 60
P90_LINES_PER_FUNCTION = 25
ONE_CALL_HELPERS_PCT = 15.0
UNTYPED_DICTIONARIES = 60

OF_DJANGO = {"apps", "models", "urls", "migrations", "management"}  # everybody knows what these hold

# Words that nobody searches for in code, each with what to write instead.
ARCHAIC = {
    r"anew": "again, re-",
    r"mend(?:s|ed|ing)?": "fix, correct",
    r"whoever": "who, anyone who",
    r"heed(?:s|ed)?": "follow, handle",
    r"for ever": "permanently",
    r"told": "given, stated, reported",
    r"beside": "next to, besides",
    r"thereof|wherein|whence|lest": "plain words",
}
ANY_ARCHAIC = re.compile(rf"\b(?:{'|'.join(ARCHAIC)})\b", re.IGNORECASE)
BRITISH = re.compile(
    r"\banalys(?:e|ed|er|ers|ing)\b"
    r"|\b\w*(?:recognis|initialis|synthesis(?:e|ing)|serialis|summaris|normalis|organis"
    r"|colour|behaviour|honour|labelled|cancelled|favour)\w*\b",
    re.IGNORECASE,
)


@cache
def modules() -> dict[Path, ast.Module]:
    """Return the modules of the product."""
    paths = [p for p in SOURCE.rglob("*.py") if "migrations" not in p.parts]
    return {path: ast.parse(path.read_text(encoding="utf-8")) for path in paths}


def functions(tree: ast.Module) -> list[ast.FunctionDef | ast.AsyncFunctionDef]:
    return [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]


def length(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    return (function.end_lineno or function.lineno) - function.lineno + 1


def prose(path: Path, tree: ast.Module) -> list[tuple[int, str]]:
    """Return the line and text of every docstring and comment of a module."""
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            text = ast.get_docstring(node)
            if text:
                found.append((getattr(node, "lineno", 1), text))
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        if match := re.search(r"(?:^|\s)# (.+)$", line):
            found.append((number, match[1]))
    return found


def names(tree: ast.Module) -> list[tuple[int, str]]:
    """Return the line and the words of every function, parameter and variable of a module."""
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found.append((node.lineno, node.name.replace("_", " ")))
        elif isinstance(node, ast.arg):
            found.append((node.lineno, node.arg.replace("_", " ")))
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.append((node.lineno, node.id.replace("_", " ")))
    return found


def is_module(path: Path) -> bool:
    return path.name != "__init__.py" and (path.suffix == ".py" or (path / "__init__.py").exists())


class TestSizes:
    def test_leave_no_folder_with_too_many_modules(self):
        counts = Counter(path.parent for path in modules() if path.name != "__init__.py")

        assert {str(folder): n for folder, n in counts.items() if n > MODULES_PER_FOLDER} == {}

    def test_group_what_large_packages_hold(self):
        rooms = {
            name: {
                p.stem for p in (SOURCE / name).iterdir() if p.suffix == ".py" or (p / "__init__.py").exists()
            }
            for name in ROOMS
        }

        assert {name: found for name, found in rooms.items() if len(found - {"__init__"}) > ROOMS[name]} == {}

    def test_leave_no_module_too_long(self):
        lengths = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in modules()}

        assert {str(path): n for path, n in lengths.items() if n > LINES_PER_FILE} == {}

    def test_leave_scripts_of_pages_within_what_can_be_surveyed(self):
        scripts = sorted((SOURCE / "interfaces/web/static/web/js").glob("*.js"))
        lengths = {path.name: len(path.read_text().splitlines()) for path in scripts}

        assert "settings.js" in lengths
        assert {name: n for name, n in lengths.items() if n > LINES_PER_FILE} == {}

    def test_leave_functions_short(self):
        lengths = [length(function) for tree in modules().values() for function in functions(tree)]

        assert max(lengths) <= LINES_PER_FUNCTION
        assert statistics.quantiles(lengths, n=10)[-1] < P90_LINES_PER_FUNCTION


class TestPrivateHelpers:
    def test_are_seldom_called_only_once(self):
        called_once, total = [], 0
        for path, tree in modules().items():
            words = Counter(re.findall(r"\w+", re.sub(r"#.*", "", path.read_text(encoding="utf-8"))))
            for function in functions(tree):
                total += 1
                is_private = function.name.startswith("_") and not function.name.startswith("__")
                if is_private and words[function.name] == 2:
                    called_once.append(f"{path.relative_to(SOURCE)}:{function.lineno} {function.name}")

        assert 100 * len(called_once) / total <= ONE_CALL_HELPERS_PCT, "\n".join(called_once)


class TestPackages:
    def test_begin_with_a_map_of_themselves(self):
        packages = [path.parent for path in modules() if path.name == "__init__.py"]
        with_modules = [p for p in packages if len(list(p.glob("*.py"))) > 4 and p != SOURCE]

        short = [
            str(p) for p in with_modules if len(ast.get_docstring(modules()[p / "__init__.py"]) or "") < 80
        ]

        assert short == []

    def test_name_every_module_in_their_map(self):
        unnamed = []
        for path in (path for path in modules() if path.name == "__init__.py" and path.parent != SOURCE):
            inside = [p for p in path.parent.iterdir() if is_module(p) and p.stem not in OF_DJANGO]
            known = ast.get_docstring(modules()[path]) or ""
            if len(inside) > 4:
                unnamed += [str(p) for p in inside if not re.search(rf"\b{p.stem}\b", known)]

        assert unnamed == []

    def test_refer_to_modules_that_exist(self):
        existing = {path.name for path in ROOT.rglob("*.py") if ".venv" not in path.parts}

        gone = [
            f"{path.relative_to(ROOT)}:{number}: {name}"
            for path, tree in modules().items()
            for number, text in prose(path, tree)
            for name in re.findall(r"\b[a-z_]+\.py\b", text)
            if name not in existing
        ]

        assert gone == []

    def test_name_each_value_of_what_they_return(self):
        untyped = Counter()
        for path in modules():
            untyped[path] += len(re.findall(r"dict\[str, Any\]", path.read_text(encoding="utf-8")))

        assert sum(untyped.values()) < UNTYPED_DICTIONARIES, untyped.most_common(20)


class TestEnglish:
    @pytest.mark.parametrize(("word", "instead"), ARCHAIC.items())
    def test_uses_no_archaic_word(self, word, instead):
        pattern = re.compile(rf"\b(?:{word})\b", re.IGNORECASE)

        used = [f"{name}:{n}: {text[:80]}" for name, n, text in all_words() if pattern.search(text)]
        used += [f"{name}:{n}: {line[:80]}" for name, n, line in document_lines() if pattern.search(line)]

        assert used == [], f"write instead: {instead}"

    def test_is_american(self):
        used = [
            f"{path.relative_to(ROOT)}:{number}: {match[0]}"
            for path, tree in modules().items()
            for number, text in prose(path, tree)
            if (match := BRITISH.search(text))
        ]
        used += [
            f"{name}:{n}: {match[0]}" for name, n, line in document_lines() if (match := BRITISH.search(line))
        ]
        british_names = [
            f"{path.relative_to(ROOT)}: {function.name}"
            for path, tree in modules().items()
            for function in functions(tree)
            if BRITISH.search(function.name.replace("_", " "))
        ]

        assert used + british_names == []


@cache
def all_words() -> list[tuple[str, int, str]]:
    """Return (file, line number, text) of all docstrings, comments and names, tests included.

    Of the files in which an archaic word is anywhere: to parse all 1,400 takes seconds.
    """
    files = [
        path for folder in (SOURCE, ROOT / "tests", ROOT / "benchmarks") for path in folder.rglob("*.py")
    ]
    texts = {path: path.read_text(encoding="utf-8") for path in files if "migrations" not in path.parts}
    trees = {
        path: ast.parse(text) for path, text in texts.items() if ANY_ARCHAIC.search(text.replace("_", " "))
    }
    return [
        (str(path.relative_to(ROOT)), number, text)
        for path, tree in trees.items()
        for number, text in {*prose(path, tree), *names(tree)}
    ]


@cache
def document_lines() -> list[tuple[str, int, str]]:
    """Return (file, line number, line) of README, CONTRIBUTING, the changelog and docs."""
    listed = subprocess.run(
        ["git", "ls-files", "*.md"], cwd=ROOT, capture_output=True, text=True
    ).stdout.split()
    paths = [ROOT / name for name in listed if not name.startswith("tests/")]
    return [
        (str(path.relative_to(ROOT)), number, line)
        for path in paths
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1)
    ]
