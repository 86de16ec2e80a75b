"""Build hook: compile the translations into the wheel, or into the checkout of an editable install."""

import runpy
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CompileTranslations(BuildHookInterface):
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002
        locale = Path(self.root) / "src" / "callscope" / "locale"
        runpy.run_path(str(locale / "__init__.py"))["compile_catalogs"]()
        build_data["artifacts"] += [
            str(path.relative_to(self.root)) for path in locale.glob("*/LC_MESSAGES/*.mo")
        ]
