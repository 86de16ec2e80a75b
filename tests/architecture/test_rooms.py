"""The house holds: imports and foreign keys point back along the flow, every setting is documented."""

import re
from pathlib import Path

import pytest
from django.apps import apps

pytestmark = pytest.mark.one_database

ROOT = Path(__file__).parent.parent.parent
SOURCE = ROOT / "src" / "callscope"
FLOW = [
    "accounts",
    "engines",
    "projects",
    "calls",
    "transcription",
    "analysis",
    "reviews",
    "contact_reasons",
    "reports",
    "pipeline",
    "interfaces",
]


def room_of(model) -> int:
    return FLOW.index(model.__module__.split(".")[1])


class TestForeignKeys:
    def test_point_back_along_the_flow(self):
        ahead = [
            f"{model.__name__}.{field.name} → {field.related_model.__name__}"
            for model in apps.get_models()
            if model.__module__.startswith("callscope.")
            for field in model._meta.get_fields()
            if field.is_relation
            and field.concrete
            and field.related_model.__module__.startswith("callscope.")
            if room_of(field.related_model) > room_of(model)
        ]

        assert ahead == []


class TestRooms:
    def test_are_the_ten_of_the_design(self):
        folders = {p.parent.name for p in SOURCE.glob("*/__init__.py")}

        assert set(FLOW) <= folders

    def test_hold_no_catch_all_module(self):
        names = {p.stem for p in SOURCE.rglob("*.py")} | {p.name for p in SOURCE.rglob("*") if p.is_dir()}

        assert not names & {"utils", "util", "helpers", "common", "core", "misc"}

    def test_send_no_signals_to_each_other(self):
        users = [
            p
            for p in SOURCE.rglob("*.py")
            if re.search(r"django\.(db\.models|dispatch)[^\n]*signal|@receiver", p.read_text("utf-8"))
        ]

        assert users == []


class TestRepository:
    def files(self) -> list[Path]:
        kept = [
            *ROOT.glob("*"),
            *ROOT.glob(".ci/*"),
            *(ROOT / "docs").rglob("*"),
            *SOURCE.rglob("*"),
            *(ROOT / "requirements").glob("*"),
        ]
        return [
            p
            for p in kept
            if p.is_file()
            and p.suffix in {".py", ".md", ".txt", ".toml", ".yaml", ".html", ".css", ".js", ""}
        ]

    def test_names_no_registry(self):
        addresses = re.compile(r"pythonhosted\.org|pypi\.org/simple|registry\.npmjs|deb\.debian\.org")

        assert [p for p in self.files() if addresses.search(p.read_text("utf-8", "replace"))] == []

    def test_says_copc_style_in_prose(self):
        bare = re.compile(r"\bCOPC\b(?!-style)")
        prose = [p for p in self.files() if p.suffix in {".md", ".html"}]

        assert [p for p in prose if bare.search(p.read_text("utf-8"))] == []


class TestSettings:
    def test_are_all_documented_in_the_operations_guide(self):
        from callscope.environment import VARIABLES

        guide = (ROOT / "docs" / "operations.md").read_text("utf-8")

        assert sorted(name for name in VARIABLES if name not in guide) == []

    def test_error_reasons_are_all_documented_in_the_api_guide(self):
        from callscope.calls.models import UploadedFile

        guide = (ROOT / "docs" / "api.md").read_text("utf-8")

        assert [r for r in UploadedFile.ErrorReason.values if r not in guide] == []
