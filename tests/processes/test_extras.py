"""Which extra a setting needs, and how it is installed."""

import re
import sys
import tomllib
from pathlib import Path

import pytest

from callscope.processes import extras

pytestmark = pytest.mark.one_database
ROOT = Path(__file__).parent.parent.parent


class TestExtras:
    def test_are_those_of_the_project(self):
        project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]

        assert extras.MODULES.keys() == project["optional-dependencies"].keys()

    def test_are_named_in_the_documents_as_they_install(self):
        texts = [path.read_text("utf-8") for path in (ROOT / "README.md", *(ROOT / "docs").glob("*.md"))]
        named = {name for text in texts for name in re.findall(r"pip install '\.\[([a-z0-9-]+)\]'", text)}

        assert named == extras.MODULES.keys()
        assert not [text for text in texts if re.search(r"pip install '?callscope\[", text)]


class TestMissing:
    def test_is_reported_for_each_setting_in_a_line(self, monkeypatch):
        monkeypatch.setattr(extras, "is_installed", lambda extra: False)

        lines = extras.find_missing("postgres://x", "s3://x", "amqp://x")

        assert [line.split()[0] for line in lines] == [
            "CALLSCOPE_DATABASE_URL",
            "CALLSCOPE_STORAGE_URL",
            "CALLSCOPE_QUEUE_URL",
        ]
        assert lines[0].endswith("pip install '.[postgres]'.")

    def test_is_nothing_where_nothing_is_set(self, monkeypatch):
        monkeypatch.setattr(extras, "is_installed", lambda extra: False)

        assert extras.find_missing("sqlite:///x", "", "") == []


class TestImage:
    """A container has no folder of the source, and loses what is installed into it."""

    def test_is_built_again_with_what_it_has_and_the_extra(self, monkeypatch, tmp_path):
        (tmp_path / "image-extras").write_text("postgres,s3\n", "utf-8")
        monkeypatch.setattr(extras, "IMAGE_EXTRAS", tmp_path / "image-extras")

        assert extras.get_command("whisper").endswith("--build-arg EXTRAS=postgres,s3,whisper")
        assert "pip" not in extras.describe_installation("whisper")

    def test_without_extras_gets_the_one(self, monkeypatch, tmp_path):
        (tmp_path / "image-extras").write_text("\n", "utf-8")
        monkeypatch.setattr(extras, "IMAGE_EXTRAS", tmp_path / "image-extras")

        assert extras.get_command("s3").endswith("--build-arg EXTRAS=s3")

    def test_says_so_where_the_advice_looks(self):
        text = (ROOT / "deploy" / "Containerfile").read_text("utf-8")

        [folder] = re.findall(r"python -m venv (\S+)", text)
        assert f'echo "$EXTRAS" > {folder}/{extras.IMAGE_EXTRAS.name}' in text
        assert Path(sys.prefix) == extras.IMAGE_EXTRAS.parent
