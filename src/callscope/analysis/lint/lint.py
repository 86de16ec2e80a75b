"""Find what misleads in a configuration, with the calls that show it.

Rules: docs/rules.md, "Lint". What a document may not say at all is refused by projects.configuration.
"""

from typing import Any

from callscope.analysis.lint.calls import read_calls
from callscope.analysis.lint.finding import ERRORS, Finding
from callscope.analysis.lint.recent_calls import read_recent_calls
from callscope.analysis.lint.wording import read_wording
from callscope.projects import configuration
from callscope.projects.configuration import Configuration, InvalidConfiguration
from callscope.projects.engines import project_engines
from callscope.projects.models import Project

MAX_FINDINGS = 500


def lint_document(document: Any, project: Project | None = None) -> list[Finding]:
    """Return the findings of a document, those of its orders that no call can follow included.

    Raises InvalidConfiguration for everything else that a configuration may not say.
    """
    try:
        config = configuration.parse(document)
    except InvalidConfiguration as error:
        if all(reason.code in ERRORS for _, reason in error.errors):
            return [Finding(path, reason) for path, reason in error.errors]
        raise
    return lint_configuration(config, project)


def lint_configuration(config: Configuration, project: Project | None = None) -> list[Finding]:
    """Return what misleads in the rubric, in its order, and the goal; without a project only what words show.

    `calls` of the findings are of this project alone.
    """
    has_model = project_engines(config).llm is not None
    findings = list(read_wording(config, has_model=has_model))
    if project is not None:
        findings += read_calls(config, read_recent_calls(project, config))
    # Stable: of one criterion, the words come before the calls.
    findings.sort(key=lambda found: _read_position(found.path))
    return findings[:MAX_FINDINGS]


def count_errors(findings: list[Finding]) -> int:
    """Return how many of the findings are errors."""
    return sum(found.severity == "error" for found in findings)


def _read_position(path: str) -> tuple[int, ...]:
    """Return the section and the criterion that a path names; the rubric comes before all else."""
    numbers = [part.partition("]")[0] for part in path.split("[")[1:3]]
    is_elsewhere = not path.startswith("rubric.")
    return (int(is_elsewhere), *(int(number) for number in numbers if number.isdigit()))
